"""Mails people a link for their first sign-in, or for a new password."""

from allauth.account.adapter import get_adapter
from django.http import HttpRequest

from dashboard.accounts.mails import key_of
from dashboard.accounts.models import User
from dashboard.accounts.ways_in import may_use_password


def invite(request: HttpRequest, user: User) -> str:
    """Let the worker mail a link for choosing a password, or to single sign-on where that is the
    person's only way in; returns what kind of link. Raises DatabaseError.
    """
    adapter = get_adapter(request)
    context = {"person": user, "url": adapter.get_sign_in_url()}
    if not may_use_password(user):
        adapter.send_mail("account/email/single_sign_on", user.email, context)
        return "Link to single sign-on"
    context["url"] = adapter.get_reset_password_from_key_url(key_of(user))
    adapter.send_mail("account/email/invitation", user.email, context)
    return "Link for choosing a password"
