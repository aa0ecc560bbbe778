"""Filters secrets from error reports and debug pages."""

from django.http import HttpRequest
from django.views.debug import SafeExceptionReporterFilter


class SecretsHidden(SafeExceptionReporterFilter):
    """Hides variables marked as sensitive with DEBUG on as well: a developer's server handles
    real keys, too.
    """

    def is_active(self, request: HttpRequest | None) -> bool:
        """True, whatever DEBUG is."""
        return True
