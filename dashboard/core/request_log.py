"""One log line and one observation for each request, and an observation for each call to the
service. Tasks keep the request id of the request that enqueued them.

The line has no query string, as that holds what people search for.
"""

import logging
import re
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from time import perf_counter
from typing import Any
from uuid import uuid4

import structlog
from django.db.models.signals import pre_save
from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject, empty
from django_tasks.signals import task_finished, task_started
from prometheus_client import Gauge, Histogram
from structlog.contextvars import (
    bind_contextvars,
    bound_contextvars,
    get_contextvars,
    unbind_contextvars,
)

HEADER = "X-Request-ID"
ACCEPTED_ID = re.compile(r"[A-Za-z0-9-]{8,64}")
REQUEST_ID = "request_id"  # of log lines, and in the stored arguments of a task
SECONDS = Histogram(
    "desk_request_seconds",
    "Requests for pages",
    ("method", "view", "status"),
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60),
)
UNDER_WAY = Gauge(
    "desk_requests_under_way",
    "Requests in progress; at most 32 per process",
    ("method",),
    multiprocess_mode="livesum",
)
CALL_SECONDS = Histogram(
    "desk_api_call_seconds",
    "Calls to the External Business API, each with its retries",
    ("endpoint", "operation", "outcome"),
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40),
)
# As with all metrics of processes, a label keeps the import from writing a file.
BREAKERS_OPEN = Gauge(
    "desk_breakers_open",
    "Processes that have paused all calls (service), and key pairs with paused calls (keys)",
    ("of",),
    multiprocess_mode="livesum",
)
MAX_PATH_LENGTH = 200  # characters; a stranger may ask for anything
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

logger = structlog.stdlib.get_logger("dashboard.requests")


@dataclass
class CurrentRequest:
    """The request under way, and its calls, also those that other threads make for it."""

    request: HttpRequest
    api_calls: int = 0
    api_seconds: float = 0.0  # of all calls together; calls side by side overlap


_current: ContextVar[CurrentRequest | None] = ContextVar("current_request", default=None)


def current_request() -> HttpRequest | None:
    current = _current.get()
    return current.request if current else None


def request_id() -> str:
    """Return the id of the request or job under way; "" if there is none."""
    return str(get_contextvars().get(REQUEST_ID, ""))


def observe_call(endpoint: str, operation: str, outcome: str, seconds: float) -> None:
    """Count a call that has ended, such as ("contacts", "update", "Rejected", 0.3)."""
    CALL_SECONDS.labels(endpoint, operation, outcome).observe(seconds)
    if current := _current.get():
        current.api_calls += 1
        current.api_seconds += seconds


def observe_breakers(*, is_open: bool, pairs: int) -> None:
    BREAKERS_OPEN.labels("service").set(is_open)
    BREAKERS_OPEN.labels("keys").set(pairs)


class RequestLogMiddleware:
    """Gives each request an id, which stands in its log lines, its answer and its API calls.

    The id of a proxy in front is taken over from X-Request-ID if it looks like one. A view may set
    `request.refused` to the kind of rejection, for the line.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "")
        own_id = given if ACCEPTED_ID.fullmatch(given) else uuid4().hex
        began_at, current = perf_counter(), CurrentRequest(request)
        reset = _current.set(current)
        try:
            under_way = UNDER_WAY.labels(_method(request)).track_inprogress()
            with bound_contextvars(**{REQUEST_ID: own_id}), under_way:
                response = self.get_response(request)
                _log(current, response, perf_counter() - began_at)
        finally:
            _current.reset(reset)
        response.headers[HEADER] = own_id
        return response


def _log(current: CurrentRequest, response: HttpResponse, seconds: float) -> None:
    request = current.request
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
        api_calls=current.api_calls,
        api_seconds=round(current.api_seconds, 3),
        **refused,
    )


def _method(request: HttpRequest) -> str:
    return request.method if request.method in METHODS else "other"


def _path(request: HttpRequest) -> str:
    """Return the path; "" where a part of it is text, which may be the key of a mailed link."""
    match = request.resolver_match
    parts = match.captured_kwargs.values() if match else ()  # type: ignore[attr-defined]
    if not all(isinstance(part, int) for part in parts):
        return ""
    return request.path[:MAX_PATH_LENGTH]


def _view(request: HttpRequest) -> str:
    """Return the URL name, so that the metrics have one line for all contacts."""
    match = request.resolver_match
    return match.view_name if match else "none"


def _person(request: HttpRequest) -> int | None:
    """Return the id of the signed-in person, if the request asked for it: the database may be away.
    The path of a static file has no `user`.
    """
    user = getattr(request, "user", None)
    if isinstance(user, SimpleLazyObject) and user._wrapped is empty:
        return None
    return user.pk if user else None


def follow_tasks() -> None:
    """Note the request in each new task, and bind it while a worker carries the task out."""
    from django_tasks_db.models import DBTaskResult  # once the apps are loaded

    pre_save.connect(_note_task, sender=DBTaskResult, dispatch_uid="tasks.note")
    task_started.connect(_bind, dispatch_uid="tasks.bind")
    task_finished.connect(_unbind, dispatch_uid="tasks.unbind")


def _note_task(*, instance: Any, **kwargs: Any) -> None:
    if instance._state.adding and (found := request_id()):
        instance.args_kwargs = {**instance.args_kwargs, REQUEST_ID: found}


def _bind(*, task_result: Any, **kwargs: Any) -> None:
    unbind_contextvars(REQUEST_ID)
    stored: Any = getattr(task_result, "db_result", None)
    if stored is not None and (found := stored.args_kwargs.get(REQUEST_ID)):
        bind_contextvars(**{REQUEST_ID: found})


def _unbind(**kwargs: Any) -> None:
    unbind_contextvars(REQUEST_ID)
