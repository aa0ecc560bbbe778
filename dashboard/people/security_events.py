"""Logs who signed in, or changed a password or a second factor (adapter.py: who failed to)."""

from typing import Any

from allauth.account import signals as account
from allauth.mfa import signals as mfa
from django.contrib.auth import signals as auth

from dashboard.core import security_log
from dashboard.people.models import User


def _of_user(event: str) -> Any:
    """A receiver that logs the event with the person whom the signal brings as `user`."""

    def receiver(sender: Any, user: User | None = None, **more: Any) -> None:
        kind = getattr(more.get("authenticator"), "type", None)
        facts = {"factor": str(kind)} if kind else {}
        security_log.note(event, person=user.pk if user else None, **facts)

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


def connect() -> None:
    for signal, event in EVENTS:
        signal.connect(_of_user(event), weak=False, dispatch_uid=f"security: {event}")
