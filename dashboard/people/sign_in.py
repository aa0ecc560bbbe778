"""Who may sign in, and in which ways: everyone needs a role, and SINGLE_SIGN_ON_ONLY leaves
passwords and passkeys to superusers, whom single sign-on never lets in: to those whom
SINGLE_SIGN_ON_EXCEPT names, or to all if it names none.
"""

from http import HTTPStatus
from typing import Any

from allauth.account import signals as account
from allauth.mfa import signals as mfa
from django.conf import settings
from django.contrib.auth import signals as auth
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.core import security_log
from dashboard.people.models import User

NO_ROLE = "Your account has no role in Entry Desk."
NO_LINK = "This account has no password. Use single sign-on."
USE_SINGLE_SIGN_ON = "Use single sign-on. Passwords and passkeys don't work for this account."

NOT_NAMED = "Passwords and passkeys are turned off, also for your account."


def may_use_password(user: User) -> bool:
    if not settings.SINGLE_SIGN_ON_ONLY:
        return True
    names = {name.lower() for name in settings.SINGLE_SIGN_ON_EXCEPT}
    return user.is_superuser and (not names or user.username.lower() in names)


def refusal(user: User, *, by_provider: bool) -> str:
    if not by_provider and not may_use_password(user):
        return NOT_NAMED if user.is_superuser else USE_SINGLE_SIGN_ON
    return "" if user.is_superuser or user.role else NO_ROLE


def refusal_page(request: HttpRequest, words: str, person: User | None, event: str) -> HttpResponse:
    """Return the page that says why someone is not signed in; also logs `event`."""
    security_log.record_event(event, person=person.pk if person else None, why=words)
    context = {"words": words}
    return render(request, "account/refused.html", context, status=HTTPStatus.FORBIDDEN)


def _of_user(event: str) -> Any:
    """Return a receiver that logs the event with the person whom the signal brings as `user`."""

    def receiver(sender: Any, user: User | None = None, **more: Any) -> None:
        kind = getattr(more.get("authenticator"), "type", None)
        facts = {"factor": str(kind)} if kind else {}
        security_log.record_event(event, person=user.pk if user else None, **facts)

    return receiver


EVENTS = (
    (auth.user_logged_in, "signed in"),
    (auth.user_logged_out, "signed out"),
    (account.password_changed, "password changed"),
    (account.password_reset, "password reset"),
    (account.email_changed, "email changed"),
    (mfa.authenticator_added, "factor added"),
    (mfa.authenticator_removed, "factor removed"),
    (mfa.authenticator_reset, "factor reset"),
)


def log_events() -> None:
    for signal, event in EVENTS:
        signal.connect(_of_user(event), weak=False, dispatch_uid=f"security: {event}")
