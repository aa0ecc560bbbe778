"""Who may sign in, and in which ways: everybody needs a role, and SINGLE_SIGN_ON_ONLY leaves
passwords and passkeys to superusers, whom single sign-on never lets in.
"""

from http import HTTPStatus

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.accounts.models import User
from dashboard.monitoring import security

NO_ROLE = "Your account has no role here."
NO_LINK = "This account has no password: sign in with single sign-on."
USE_SINGLE_SIGN_ON = "Use single sign-on. Passwords and passkeys do not open this account."


def with_password(people: QuerySet[User]) -> QuerySet[User]:
    """Those of the people who may sign in with a password."""
    return people.filter(is_superuser=True) if settings.SINGLE_SIGN_ON_ONLY else people


def may_use_password(user: User) -> bool:
    """Whether the person may sign in with a password or a passkey."""
    return user.is_superuser or not settings.SINGLE_SIGN_ON_ONLY


def why_not(user: User, *, by_provider: bool) -> str:
    """Why an active person may not sign in, or not in this way; "" if they may."""
    if not by_provider and not may_use_password(user):
        return USE_SINGLE_SIGN_ON
    return "" if user.is_superuser or user.role else NO_ROLE


def refusal(request: HttpRequest, words: str, person: User | None, event: str) -> HttpResponse:
    """The page that says why somebody is not signed in, for the security log as well."""
    security.note(event, person=person.pk if person else None, why=words)
    context = {"words": words}
    return render(request, "account/refused.html", context, status=HTTPStatus.FORBIDDEN)
