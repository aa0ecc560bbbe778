"""Single sign-on by OpenID Connect: only for people who have an account here, with the role that
their groups give them at each sign-in.

The settings OIDC_... switch it on. An account is found by the provider's id of the person and, the
first time, by an email address that the provider calls verified.
"""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest
from django.shortcuts import render

from dashboard.accounts.models import User
from dashboard.accounts.roles import ADMINISTRATOR, ROLES, role_of, set_role
from dashboard.monitoring import security
from dashboard.staff import notices, people

STRANGER = "There is no account here with the email address that you signed in with."
NO_ROLE = "None of your groups has a role here."
OTHER_WAY = "Sign in with your password or your passkey: this account has no single sign-on."
ONLY_SIGN_IN = "Sign out here first, then sign in with single sign-on."


class SingleSignOnAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """Lets people in whom an administrator has invited."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """False: administrators invite people."""
        return False

    def on_authentication_error(
        self, request: HttpRequest, provider: Any, error: Any = None, **details: Any
    ) -> None:
        """Log that the provider signed nobody in; `error` is allauth's word for why."""
        security.note("single sign-on failed", why=str(error))

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Find the person and give them the role of their groups.

        Raises ImmediateHttpResponse with a page for strangers, for people without a role, and for
        superusers, whom no provider may let in.
        """
        if request.user.is_authenticated:
            raise _refusal(request, ONLY_SIGN_IN)
        person = sociallogin.user if sociallogin.is_existing else _person_with_address(sociallogin)
        if person is None:
            raise _refusal(request, STRANGER)
        if person.is_superuser:
            raise _refusal(request, OTHER_WAY, person)
        if not person.is_active:
            return  # allauth has a page for it
        role = role_for(_groups(sociallogin))
        if settings.OIDC_ROLES and not role:
            raise _refusal(request, NO_ROLE, person)
        if not sociallogin.is_existing:
            sociallogin.connect(request, person)  # mails the person
        if role:
            _give_role(request, person, role)


def role_for(groups: Iterable[str]) -> str:
    """The role with the most permissions that one of the groups has in OIDC_ROLES; "" for none."""
    found = {settings.OIDC_ROLES.get(group) for group in groups}
    return next((role for role in reversed(ROLES) if role in found), "")


def _person_with_address(sociallogin: SocialLogin) -> User | None:
    addresses = [each.email.lower() for each in sociallogin.email_addresses if each.verified]
    return User.objects.filter(email__in=addresses).first()


def _groups(sociallogin: SocialLogin) -> list[str]:
    """The groups that the provider names in the token or in what it says of the person."""
    claims: dict[str, Any] = sociallogin.account.extra_data
    found = []
    for part in ("id_token", "userinfo"):
        named = claims.get(part, {}).get(settings.OIDC_GROUPS_CLAIM, [])
        found += [named] if isinstance(named, str) else list(named)
    return found


def _give_role(request: HttpRequest, person: User, role: str) -> None:
    before = role_of(person)
    if before == role:
        return
    with transaction.atomic():
        if before == ADMINISTRATOR and people.is_last_administrator(person):
            return  # somebody has to be able to look after the accounts
        changes = {"Role": (before, role)}
        set_role(person, role)
        notices.note(request, changes, person)
    notices.tell(request, person, changes)


def _refusal(request: HttpRequest, words: str, person: User | None = None) -> ImmediateHttpResponse:
    security.note("single sign-on refused", person=person.pk if person else None, why=words)
    context = {"words": words}
    page = render(request, "socialaccount/refused.html", context, status=HTTPStatus.FORBIDDEN)
    return ImmediateHttpResponse(page)
