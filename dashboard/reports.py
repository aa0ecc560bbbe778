"""What error reports and debug pages may show."""

from django.http import HttpRequest
from django.views.debug import SafeExceptionReporterFilter


class SecretsHidden(SafeExceptionReporterFilter):
    """Hides what views and functions mark as sensitive with DEBUG on as well: people's real keys
    pass through a developer's machine too."""

    def is_active(self, request: HttpRequest | None) -> bool:
        """Always."""
        return True
