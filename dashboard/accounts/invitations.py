"""Mails new people a link for choosing their password."""

from smtplib import SMTPException

from allauth.account import app_settings
from allauth.account.adapter import get_adapter
from allauth.account.utils import user_pk_to_url_str
from django.http import HttpRequest

from dashboard.accounts.models import User


def invite(request: HttpRequest, user: User) -> bool:
    """Mail a link for choosing a password, good for PASSWORD_RESET_TIMEOUT; False if not sent."""
    token = app_settings.PASSWORD_RESET_TOKEN_GENERATOR().make_token(user)
    adapter = get_adapter(request)
    url = adapter.get_reset_password_from_key_url(f"{user_pk_to_url_str(user)}-{token}")
    context = {"person": user, "url": url}
    try:
        adapter.deliver("account/email/invitation", user.email, context)
    except (OSError, SMTPException):
        return False
    return True
