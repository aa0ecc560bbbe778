"""Reports exceptions to Sentry, where a DSN is configured; without what people typed or read."""

from typing import Any

HARMLESS_HEADERS = ("User-Agent", "X-Request-Id", "Content-Type", "Content-Length")


def start(dsn: str) -> None:
    """Report from now on. Needs the package sentry-sdk (the extra `sentry`)."""
    import sentry_sdk  # only where it is used, as the package is optional

    sentry_sdk.init(
        dsn,
        send_default_pii=False,
        include_local_variables=False,  # they may hold keys and records
        max_request_body_size="never",
        max_breadcrumbs=0,  # they hold log lines and database queries
        traces_sample_rate=0,
        before_send=scrubbed,
    )


def scrubbed(event: Any, hint: Any) -> Any:
    """The event without the query string, the cookies and most headers of its request."""
    request = event.get("request", {})
    headers = request.get("headers", {})
    event["request"] = {
        "method": request.get("method"),
        "url": request.get("url", "").partition("?")[0],
        "headers": {name: headers[name] for name in HARMLESS_HEADERS if name in headers},
    }
    return event
