"""allauth's account adapter: closed sign-up, a limit per person, mails that fail are logged."""

import logging
from smtplib import SMTPException
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest

from dashboard.accounts import attempts
from dashboard.accounts.models import User

logger = logging.getLogger(__name__)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Closes sign-up, limits wrong passwords per person, logs a mail that cannot be sent."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """False: administrators invite people."""
        return False

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """The person whose password this is, also to confirm it later on. Raises ValidationError
        after too many wrong passwords, whatever the Host header.
        """
        counters = attempts.counters_for(credentials)
        if not attempts.count(counters):
            raise self.validation_error("too_many_login_attempts")
        user: User | None = super().authenticate(request, **credentials)
        if user is not None:
            attempts.uncount(counters)
        return user

    def set_password(self, user: User, password: str) -> None:
        """Store a new password; attempts with the old one no longer count."""
        super().set_password(user, password)
        attempts.forget(user)

    def get_reset_password_from_key_url(self, key: str) -> str:
        """The link of a mail for choosing a password, below SITE_URL where that is set: who asks
        for a mail has no say in where its link leads.
        """
        url: str = super().get_reset_password_from_key_url(key)
        site, asked = urlsplit(settings.SITE_URL), urlsplit(url)
        if not site.netloc:
            return url
        return asked._replace(scheme=site.scheme, netloc=site.netloc).geturl()

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send one of allauth's mails. A failure is logged, so that a password change succeeds."""
        try:
            self.deliver(template_prefix, email, context)
        except (OSError, SMTPException) as error:
            logger.error("The mail %s was not sent: %s", template_prefix, type(error).__name__)

    def deliver(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail. Raises OSError or SMTPException if the mail server does not accept it."""
        super().send_mail(template_prefix, email, context)
