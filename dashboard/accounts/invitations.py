"""Mails people a link for choosing their password."""

from allauth.account.adapter import get_adapter
from django.http import HttpRequest

from dashboard.accounts.mails import key_of
from dashboard.accounts.models import User


def invite(request: HttpRequest, user: User) -> None:
    """Let the worker mail a link for choosing a password. Raises DatabaseError."""
    adapter = get_adapter(request)
    url = adapter.get_reset_password_from_key_url(key_of(user))
    adapter.send_mail("account/email/invitation", user.email, {"person": user, "url": url})
