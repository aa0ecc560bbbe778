"""Reports of errors, without secrets and without what people typed or read: the pages of Django and
the events of Sentry, where a DSN is configured.
"""

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from django.views.debug import SafeExceptionReporterFilter

HARMLESS_HEADERS = ("User-Agent", "X-Request-Id", "Content-Type", "Content-Length")
# The parts of a report that hold no text of a message: its kind, the release and the machine.
SAFE_KEYS = (
    "event_id", "timestamp", "level", "logger", "platform", "sdk", "modules", "release",
    "environment", "server_name",
)  # fmt: skip


class SecretsHidden(SafeExceptionReporterFilter):
    """Hides variables marked as sensitive with DEBUG on as well: a developer's server handles
    real keys, too.
    """

    def is_active(self, request: HttpRequest | None) -> bool:
        return True


def start_sentry(dsn: str) -> None:
    """Report from now on. Raises ImproperlyConfigured for another address, or where the package
    sentry-sdk (the extra `sentry`) is missing.
    """
    try:
        _init_sentry(dsn)
    except ImportError:
        raise ImproperlyConfigured("SENTRY_DSN needs the package sentry-sdk.") from None
    except ValueError:  # BadDsn is one
        words = "SENTRY_DSN must be an address such as https://key@sentry.example.com/1."
        raise ImproperlyConfigured(words) from None


def _init_sentry(dsn: str) -> None:
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
    """The event with the types and stacks of its exceptions, the view and the method.

    Left out are the texts of exceptions and log lines, which quote what was typed or read, and the
    path, which may be a link of a mail.
    """
    kept = {name: event[name] for name in SAFE_KEYS if name in event}
    request = event.get("request", {})
    headers = request.get("headers", {})
    kept["request"] = {
        "method": request.get("method"),
        "headers": {name: headers[name] for name in HARMLESS_HEADERS if name in headers},
    }
    if event.get("transaction_info", {}).get("source") == "component":  # the view's name
        kept["transaction"] = event["transaction"]
    exceptions = event.get("exception", {}).get("values", [])
    kept["exception"] = {"values": [_without_text(each) for each in exceptions]}
    return kept


def _without_text(exception: Any) -> Any:
    return {name: exception.get(name) for name in ("type", "module", "stacktrace")}
