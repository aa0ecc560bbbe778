"""Formats log lines, as JSON for programs or as text for a terminal, and keeps secrets and entered
data out of error reports: the pages of Django and the events of Sentry.

Every log line has the time with its zone, the level, the logger and the message as `event`, and the
values bound to the current request or job, such as `request_id`.
"""

import logging
import sys
import threading
from types import TracebackType
from typing import Any

import structlog
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from django.views.debug import SafeExceptionReporterFilter
from structlog.stdlib import ProcessorFormatter
from structlog.typing import Processor

# For lines of structlog's loggers and of logging's alike.
SHARED: tuple[Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)


def json_lines() -> logging.Formatter:
    """Return a formatter that writes one JSON object a line; a traceback is its field
    `exception`.
    """
    return _formatter(
        structlog.processors.format_exc_info,
        structlog.processors.JSONRenderer(ensure_ascii=False, default=str),
    )


def text_lines() -> logging.Formatter:
    """Return a formatter for people: time, level and message, then the values as `name=value`."""
    return _formatter(structlog.dev.ConsoleRenderer(colors=False))


def _formatter(*last: Processor) -> logging.Formatter:
    return ProcessorFormatter(
        foreign_pre_chain=SHARED, processors=[ProcessorFormatter.remove_processors_meta, *last]
    )


def configure() -> None:
    """Route structlog's loggers through logging, and so through settings.LOGGING."""
    structlog.configure(
        processors=[*SHARED, ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,  # tests replace the settings
    )


def log_what_python_prints() -> None:
    """Log warnings, and exceptions that end this process or one of its threads, instead of leaving
    them on the console as text.
    """
    logging.captureWarnings(True)
    sys.excepthook = _log_end
    threading.excepthook = _log_end_of_thread


def _log_end(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    logging.getLogger("dashboard").critical(
        "the process ends: %s", kind.__name__, exc_info=(kind, error, trace)
    )


def _log_end_of_thread(ended: threading.ExceptHookArgs) -> None:
    error = ended.exc_value or ended.exc_type()
    logging.getLogger("dashboard").error(
        "a thread ends: %s",
        ended.exc_type.__name__,
        exc_info=(ended.exc_type, error, ended.exc_traceback),
    )


HARMLESS_HEADERS = ("User-Agent", "X-Request-Id", "Content-Type", "Content-Length")
# The parts of a report that hold no text of a message: its kind, the release and the machine.
SAFE_KEYS = (
    "event_id", "timestamp", "level", "logger", "platform", "sdk", "modules", "release",
    "environment", "server_name",
)  # fmt: skip


class SecretsHidden(SafeExceptionReporterFilter):
    """Hides variables marked as sensitive also with DEBUG on: a developer's server handles real
    keys, too.
    """

    def is_active(self, request: HttpRequest | None) -> bool:
        return True


def init_sentry(dsn: str) -> None:
    """Start reporting. Raises ImproperlyConfigured for an invalid address, or without the package
    sentry-sdk (the extra `sentry`).
    """
    try:
        _init(dsn)
    except ImportError:
        raise ImproperlyConfigured("SENTRY_DSN needs the package sentry-sdk.") from None
    except ValueError:  # BadDsn is one
        words = "SENTRY_DSN must be an address like https://key@sentry.example.com/1."
        raise ImproperlyConfigured(words) from None


def _init(dsn: str) -> None:
    import sentry_sdk  # only where it is used, as the package is optional
    from sentry_sdk.integrations.django import DjangoIntegration

    sentry_sdk.init(
        dsn,
        integrations=[DjangoIntegration(transaction_style="function_name")],
        send_default_pii=False,
        include_local_variables=False,  # they may hold keys and records
        max_request_body_size="never",
        max_breadcrumbs=0,  # they hold log lines and database queries
        traces_sample_rate=0,
        before_send=scrubbed,
    )


def scrubbed(event: Any, hint: Any) -> Any:
    """Return the event with the types and stacks of its exceptions, the view and the method.

    Left out are the texts of exceptions and log lines, which quote what was typed or read, and the
    path, which may be a link of an email.
    """
    safe = {name: event[name] for name in SAFE_KEYS if name in event}
    request = event.get("request", {})
    headers = request.get("headers", {})
    safe["request"] = {
        "method": request.get("method"),
        "headers": {name: headers[name] for name in HARMLESS_HEADERS if name in headers},
    }
    if event.get("transaction_info", {}).get("source") == "component":  # the view's name
        safe["transaction"] = event["transaction"]
    exceptions = event.get("exception", {}).get("values", [])
    parts = ("type", "module", "stacktrace")
    without_texts = [{name: each.get(name) for name in parts} for each in exceptions]
    return {**safe, "exception": {"values": without_texts}}
