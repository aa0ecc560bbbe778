"""Filters secrets from error reports and debug pages, and repetitions from the log."""

import logging
from collections.abc import Iterator
from time import monotonic

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


class OneLineForOutages(logging.Filter):
    """Reduces what is logged while the database is away to one line in EVERY seconds, without a
    traceback: each request and each of its steps would log the same one. Leaves out Django's second
    line about a request (monitoring/requests.py writes the first), also about one with a host that
    is not ours.
    """

    EVERY = 10

    def __init__(self) -> None:
        super().__init__()
        self._quiet_until = 0.0
        self._left_out = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to log the record; one that tells of the database is shortened."""
        if record.name == "django.request" and not record.exc_info:
            return False
        if record.name == "django.security.DisallowedHost":
            return False
        error = record.exc_info[1] if record.exc_info else None
        cause = next((each for each in _chain(error) if isinstance(each, Error)), None)
        if cause is None:
            return True
        now = monotonic()
        if now < self._quiet_until:
            self._left_out += 1
            return False
        words = about_database(cause)
        record.msg = "the database failed: %s: %s (%d more such lines were left out before this)"
        record.args = (type(cause).__name__, words, self._left_out)
        record.exc_info = record.exc_text = None
        self._quiet_until, self._left_out = now + self.EVERY, 0
        return True


NO_TABLES = ("42P01", "42703")  # PostgreSQL: no such table, no such column


def about_database(error: Error) -> str:
    """What the database said, in one line, and what to do where its tables are not ours."""
    words = " ".join(str(error).split()).rstrip(".")
    code = getattr(error.__cause__, "sqlstate", "")
    if code in NO_TABLES or words.startswith(("no such table", "no such column")):
        return f"{words}. The tables of this release are not there: run manage.py migrate"
    return words


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
