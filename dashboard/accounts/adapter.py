"""How allauth behaves here: nobody signs up, and mail that cannot be sent stops nobody."""

import logging
from smtplib import SMTPException
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest

logger = logging.getLogger(__name__)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Closed sign-up, and mail whose failure is logged rather than shown as a broken page."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Administrators invite people; nobody signs up."""
        return False

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send one of allauth's mails; a mail server that is down must stop no password change."""
        try:
            self.deliver(template_prefix, email, context)
        except (OSError, SMTPException) as error:
            logger.error("The mail %s was not sent: %s", template_prefix, type(error).__name__)

    def deliver(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail; raises OSError or SMTPException when the mail server does not take it."""
        super().send_mail(template_prefix, email, context)
