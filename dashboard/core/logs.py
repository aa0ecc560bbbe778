"""The form of log lines: JSON for programs, or text for a terminal.

Every line has the time with its zone, the level, the logger and the message as `event`, and the
values that are bound to the request or job under way, such as `request_id`.
"""

import logging
import sys
import threading
from types import TracebackType

import structlog
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
    """A formatter that writes one JSON object a line; a traceback is its field `exception`."""
    return _formatter(
        structlog.processors.format_exc_info,
        structlog.processors.JSONRenderer(ensure_ascii=False, default=str),
    )


def text_lines() -> logging.Formatter:
    """A formatter for people: time, level and message, then the values as `name=value`."""
    return _formatter(structlog.dev.ConsoleRenderer(colors=False))


def _formatter(*last: Processor) -> logging.Formatter:
    return ProcessorFormatter(
        foreign_pre_chain=SHARED, processors=[ProcessorFormatter.remove_processors_meta, *last]
    )


def configure() -> None:
    """Send the lines of structlog's loggers through logging, and so through settings.LOGGING."""
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
