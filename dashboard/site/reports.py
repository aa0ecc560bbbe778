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
    traceback: each request and each of its steps would log the same one. The pool of connections
    says of each attempt why it failed, and requests only that they waited in vain: the line has
    both. Leaves out Django's second line about a request (monitoring/requests.py writes the first),
    also about one with a host that is not ours.
    """

    EVERY = 60
    POOL = "psycopg.pool"

    def __init__(self) -> None:
        super().__init__()
        self._quiet_until = 0.0
        self._left_out = 0
        self._attempt = ""
        self._attempted = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to log the record; one that tells of the database is shortened."""
        if record.name == "django.request" and not record.exc_info:
            return False
        if record.name == "django.security.DisallowedHost":
            return False
        if record.name == self.POOL and record.levelno < logging.ERROR:
            self._note_attempt(record)
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
        if self._attempt not in words and now < self._attempted + self.EVERY:
            words = f"{words}: {self._attempt}"
        record.msg = "the database failed: %s: %s (%d more such lines were left out before this)"
        record.args = (type(cause).__name__, words, self._left_out)
        record.exc_info = record.exc_text = None
        self._quiet_until, self._left_out = now + self.EVERY, 0
        return True

    def _note_attempt(self, record: logging.LogRecord) -> None:
        """Keep why the pool could not connect."""
        values = record.args if isinstance(record.args, tuple) else ()
        for error in (each for each in values if isinstance(each, Exception)):
            self._attempt, self._attempted = one_line(error), monotonic()


NO_TABLES = ("42P01", "42703")  # PostgreSQL: no such table, no such column


def about_database(error: Error) -> str:
    """What the database said, in one line, and what to do where its tables are not ours."""
    words = one_line(error)
    code = getattr(error.__cause__, "sqlstate", "")
    if code in NO_TABLES or words.startswith(("no such table", "no such column")):
        return f"{words}. The tables of this release are not there: run manage.py migrate"
    return words


def one_line(error: Exception) -> str:
    """What an error says, without its line breaks and its last full stop."""
    return " ".join(str(error).split()).rstrip(".")


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
