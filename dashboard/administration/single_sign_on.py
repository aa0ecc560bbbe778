"""Single sign-on by OpenID Connect: for people who have an account here, with the role that their
groups give them at each sign-in.

The settings OIDC_... turn it on; with OIDC_NEW_ACCOUNTS anyone whose group has a role gets an
account at the first sign-in. An account is found by the provider's id of the person and, the first
time, by an email address that the provider calls verified. It keeps that id until an administrator
unlinks it.
"""

from collections.abc import Iterable
from typing import Any

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount, SocialLogin
from allauth.socialaccount.providers.base import ProviderException
from django.conf import settings
from django.db import IntegrityError, transaction
from django.http import HttpRequest

from dashboard.administration import notices, staff_accounts
from dashboard.administration.actions import end_sessions
from dashboard.administration.staff_accounts import free_username
from dashboard.core import security_log
from dashboard.people import members
from dashboard.people.models import User
from dashboard.people.openid import check_nonce, groups_of, names_of
from dashboard.people.permissions import ADMINISTRATOR, ROLES, set_role
from dashboard.people.sign_in import refusal_page
from dashboard.writes.history import Changes

STRANGER = "No Entry Desk account uses the email address you signed in with."
ACCOUNT_JUST_MADE = "Your account has been created. Sign in again."
NO_ROLE = "Your groups don't give you access to Entry Desk."
OTHER_WAY = "Sign in with your password or passkey: this account doesn't use single sign-on."
LINKED = (
    "Your account is linked to a different single sign-on identity. If yours has changed, ask an "
    "administrator to unlink single sign-on on your page under Staff."
)
ONLY_SIGN_IN = "Sign out here first, then sign in with single sign-on."


class SingleSignOnAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """Admits people who have an account, or a group that gives them one."""

    def on_authentication_error(
        self, request: HttpRequest, provider: Any, error: Any = None, **details: Any
    ) -> None:
        """Log that the provider did not sign in anyone. openid.py, or allauth's word `error`, gives
        the reason: its exceptions may hold a token.
        """
        exception = details.get("exception")
        why = exception if isinstance(exception, ProviderException) else error
        security_log.record_event("single sign-on failed", why=str(why))

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Find the person and give them the role of their groups.

        Raises ImmediateHttpResponse with a page for strangers, for people without a role, for
        another identity of someone linked already, and for superusers, who may not sign in by a
        provider; ProviderException for an answer to another question.
        """
        if request.user.is_authenticated:
            raise _refusal(request, ONLY_SIGN_IN)
        check_nonce(sociallogin)
        named = User.objects.filter(email__in=_verified(sociallogin))
        person = sociallogin.user if sociallogin.is_existing else named.first()
        if person is None:
            person = _new_person(request, sociallogin)
        if person.is_superuser:
            raise _refusal(request, OTHER_WAY, person)
        if not person.is_active:
            return  # allauth has a page for it
        with transaction.atomic():
            refused = _admit(request, sociallogin, person)
        if refused:
            raise _refusal(request, refused, person)


def role_for(groups: Iterable[str]) -> str:
    """Return the role of these groups in OIDC_ROLES with the most permissions; "" for none."""
    granted = {settings.OIDC_ROLES.get(group) for group in groups}
    return next((role for role in reversed(ROLES) if role in granted), "")


def _verified(sociallogin: SocialLogin) -> list[str]:
    return [each.email.lower() for each in sociallogin.email_addresses if each.verified]


def _new_person(request: HttpRequest, sociallogin: SocialLogin) -> User:
    """Create an account for a stranger whose groups have a role, where OIDC_NEW_ACCOUNTS is on.
    Raises ImmediateHttpResponse for others, and for two first sign-ins at once.
    """
    address = next(iter(_verified(sociallogin)), "")
    if not (settings.OIDC_NEW_ACCOUNTS and address):
        raise _refusal(request, STRANGER)
    role = role_for(groups_of(sociallogin))
    if not role:
        raise _refusal(request, NO_ROLE)
    try:
        with transaction.atomic():
            return _made(request, address, role, names_of(sociallogin))
    except IntegrityError:
        raise _refusal(request, ACCOUNT_JUST_MADE) from None


def _made(request: HttpRequest, address: str, role: str, names: dict[str, str]) -> User:
    username = free_username(address)
    person = User.objects.create_user(username, address, role=role, **names)
    changes = {"Username": ("", username), "Email address": ("", address), "Role": ("", role)}
    if workspace := members.only_workspace():
        members.invite(person, workspace, by=None)
    notices.record_and_notify(request, changes, person, "create")
    return person


def _admit(request: HttpRequest, sociallogin: SocialLogin, person: User) -> str:
    """Give the role of their groups, and link them the first time. Return the rejection, or ""."""
    if _has_other_identity(person, sociallogin):
        return LINKED
    role = role_for(groups_of(sociallogin))
    if settings.OIDC_ROLES and not role:
        if sociallogin.is_existing:  # others have their role from an administrator
            _change_role(request, person, "", end_sessions(person))
        return NO_ROLE
    if role:
        _change_role(request, person, role)
    if not sociallogin.is_existing:
        person = User.objects.select_for_update().get(pk=person.pk)
        if _has_other_identity(person, sociallogin):  # linked at the same time
            raise _refusal(request, LINKED, person)
        sociallogin.connect(request, person)  # emails the person
    return ""


def _has_other_identity(person: User, sociallogin: SocialLogin) -> bool:
    others = SocialAccount.objects.filter(user=person).exclude(uid=sociallogin.account.uid)
    return bool(others.exists())


def _change_role(
    request: HttpRequest, person: User, role: str, others: Changes | None = None
) -> None:
    """Give this role, or none for ""; record and email it with other changes. The last
    administrator keeps theirs.
    """
    before, changes = person.role, dict(others or {})
    must_keep = before == ADMINISTRATOR and staff_accounts.is_last_administrator(person)
    if role != before and not must_keep:
        changes["Role"] = (before, role)
        set_role(person, role)
    notices.record_and_notify(request, changes, person)


def _refusal(request: HttpRequest, words: str, person: User | None = None) -> ImmediateHttpResponse:
    return ImmediateHttpResponse(refusal_page(request, words, person, "single sign-on refused"))
