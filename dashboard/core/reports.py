"""Filters secrets from error reports and debug pages; what the database said, in one line."""

from django.db import Error
from django.http import HttpRequest
from django.views.debug import SafeExceptionReporterFilter


class SecretsHidden(SafeExceptionReporterFilter):
    """Hides variables marked as sensitive with DEBUG on as well: a developer's server handles
    real keys, too.
    """

    def is_active(self, request: HttpRequest | None) -> bool:
        """True, whatever DEBUG is."""
        return True


NO_TABLES = ("42P01", "42703")  # PostgreSQL: no such table, no such column


def about_database(error: Error) -> str:
    """What the database said, in one line, and what to do where its tables are not ours."""
    words = " ".join(str(error).split()).rstrip(".")
    code = getattr(error.__cause__, "sqlstate", "")
    if code in NO_TABLES or words.startswith(("no such table", "no such column")):
        return f"{words}. The tables of this release are not there: run manage.py migrate"
    return words
