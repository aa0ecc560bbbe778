"""One log line and one observation for each request.

The line has no query string, as that holds what people search for.
"""

import logging
import re
from collections.abc import Callable
from time import perf_counter
from uuid import uuid4

import structlog
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from prometheus_client import Gauge, Histogram

from . import call_log, security_log

HEADER = "X-Request-ID"
ACCEPTED_ID = re.compile(r"[A-Za-z0-9-]{8,64}")
SECONDS = Histogram(
    "desk_request_seconds",
    "Requests for pages",
    ("method", "view", "status"),
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60),
)
UNDER_WAY = Gauge(
    "desk_requests_under_way",
    "Requests that threads carry out now; 32 for each process is the most",
    ("method",),
    multiprocess_mode="livesum",
)
LONGEST_PATH = 200  # characters; a stranger may ask for anything
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

logger = structlog.stdlib.get_logger("dashboard.requests")


class RequestLogMiddleware:
    """Gives each request an id, which stands in its log lines, its answer and its API calls.

    The id of a proxy in front is taken over from X-Request-ID if it looks like one. A view may set
    `request.refused` to the kind of refusal, for the line.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "")
        request_id = given if ACCEPTED_ID.fullmatch(given) else uuid4().hex
        began_at = perf_counter()
        bound = structlog.contextvars.bound_contextvars(request_id=request_id)
        under_way = UNDER_WAY.labels(_method(request)).track_inprogress()
        with bound, under_way, security_log.of_request(request), call_log.counted() as api:
            response = self.get_response(request)
            _log(request, response, perf_counter() - began_at, api)
        response.headers[HEADER] = request_id
        return response


def _log(request: HttpRequest, response: HttpResponse, seconds: float, api: call_log.Tally) -> None:
    method = _method(request)
    SECONDS.labels(method, _view(request), response.status_code).observe(seconds)
    refused = {"refused": why} if (why := getattr(request, "refused", "")) else {}
    logger.log(
        logging.WARNING if response.status_code >= 500 else logging.INFO,
        "request",
        method=method,
        path=_path(request),
        view=_view(request),
        status=response.status_code,
        person=_person(request),
        seconds=round(seconds, 3),
        api_calls=api.calls,
        api_seconds=round(api.seconds, 3),
        **refused,
    )


def _method(request: HttpRequest) -> str:
    return request.method if request.method in METHODS else "other"


def _path(request: HttpRequest) -> str:
    """The path; "" where a part of it is text, which may be the key of a mailed link."""
    match = request.resolver_match
    parts = match.captured_kwargs.values() if match else ()  # type: ignore[attr-defined]
    if not all(isinstance(part, int) for part in parts):
        return ""
    return request.path[:LONGEST_PATH]


def _view(request: HttpRequest) -> str:
    """The name of the address, so that the metrics have one line for all contacts."""
    match = request.resolver_match
    return match.view_name if match else "none"


def _person(request: HttpRequest) -> int | None:
    """The id of the signed-in person. The path of a static file has no `user`."""
    try:
        user = getattr(request, "user", None)
        return user.pk if user else None
    except DatabaseError:
        return None
