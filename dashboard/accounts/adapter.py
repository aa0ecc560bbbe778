"""allauth's account adapter: sign-up is closed, and a mail that cannot be sent is logged."""

import logging
from smtplib import SMTPException
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest

logger = logging.getLogger(__name__)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Closes sign-up and logs the failure of a mail instead of answering with an error page."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """False: administrators invite people."""
        return False

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send one of allauth's mails. A failure is logged, so that a password change succeeds."""
        try:
            self.deliver(template_prefix, email, context)
        except (OSError, SMTPException) as error:
            logger.error("The mail %s was not sent: %s", template_prefix, type(error).__name__)

    def deliver(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail. Raises OSError or SMTPException if the mail server does not accept it."""
        super().send_mail(template_prefix, email, context)
