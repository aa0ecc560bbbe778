"""A service of another vendor: one HABIT for each way in which it differs from the stand-in.

None of them breaks the reference; each is met at public services with this kind of interface.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlencode

from dashboard.standin import StandIn
from dashboard.standin.server import Request, Response

Answer = Callable[[Request], Response]
Habit = Callable[[Answer], Answer]
PAGE = 25  # rows that it sends, whatever it is asked for


def put(standin: StandIn, name: str) -> None:
    """Let the stand-in answer with this habit from now on; `take_back` ends it."""
    standin.server.handle = HABITS[name](standin.application.handle)


def take_back(standin: StandIn) -> None:
    """Let the stand-in answer as it does."""
    standin.server.handle = standin.application.handle


def _of_bodies(alter: Callable[[Request, dict[str, Any]], Any]) -> Habit:
    """A habit that alters the body of each answer."""

    def habit(answer: Answer) -> Answer:
        def altered(request: Request) -> Response:
            response = answer(request)
            body = alter(request, json.loads(response.body))
            return replace(response, body=json.dumps(body).encode())

        return altered

    return habit


def rows_beyond_the_size(answer: Answer) -> Answer:
    """PAGE rows a page, whatever `pageSize` says."""

    def answered(request: Request) -> Response:
        query = {name: values[-1] for name, values in parse_qs(request.query).items()}
        if "pageSize" in query:
            request = replace(request, query=urlencode({**query, "pageSize": PAGE}))
        return answer(request)

    return answered


def no_body(answer: Answer) -> Answer:
    """204 to updates and deletions."""

    def answered(request: Request) -> Response:
        response = answer(request)
        bare = request.method in ("PUT", "DELETE") and response.status == 200
        return replace(response, status=204, body=b"") if bare else response

    return answered


def created(answer: Answer) -> Answer:
    """201 to creates."""

    def answered(request: Request) -> Response:
        response = answer(request)
        is_new = request.method == "POST" and response.status == 200
        return replace(response, status=201) if is_new else response

    return answered


def _null_lists(_request: Request, body: dict[str, Any]) -> Any:
    data = body.get("data")
    if isinstance(data, dict) and data.get("data") == []:
        return {**body, "data": None}
    return body


def _null_rows(_request: Request, body: dict[str, Any]) -> Any:
    data = body.get("data")
    if isinstance(data, dict) and data.get("data") == []:
        return {**body, "data": {**data, "data": None}}
    return body


def _no_totals(_request: Request, body: dict[str, Any]) -> Any:
    data = body.get("data")
    if isinstance(data, dict) and isinstance(data.get("data"), list):
        return {**body, "data": {"data": data["data"]}}
    return body


def _from_zero(_request: Request, body: dict[str, Any]) -> Any:
    data = body.get("data")
    if isinstance(data, dict) and "current_page" in data:
        return {**body, "data": {**data, "current_page": data["current_page"] - 1}}
    return body


def _times(alter: Callable[[str], str]) -> Habit:
    """A habit that alters the times of tasks."""

    def altered(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {key: altered(inner, key) for key, inner in value.items()}
        if isinstance(value, list):
            return [altered(inner, name) for inner in value]
        is_time = isinstance(value, str) and name.endswith("_datetime") and len(value) == 19
        return alter(value.replace(" ", "T")) if is_time else value

    return _of_bodies(lambda _request, body: altered(body))


def _later(time: str) -> str:
    return (datetime.fromisoformat(time) + timedelta(hours=4)).isoformat()


def _unknown_fields(value: Any) -> Any:
    if isinstance(value, list):
        return [_unknown_fields(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    return {name: _unknown_fields(inner) for name, inner in value.items()} | {
        "_links": {"self": {"href": "/x"}}, "meta": [1, {"a": None}]
    }  # fmt: skip


HABITS: dict[str, Habit] = {
    "rows beyond the size": rows_beyond_the_size,
    "null for an empty list": _of_bodies(_null_lists),
    "null for no rows": _of_bodies(_null_rows),
    "no totals": _of_bodies(_no_totals),
    "pages from zero": _of_bodies(_from_zero),
    "204 without a body": no_body,
    "201 for a create": created,
    "times with a zone": _times(lambda time: f"{time}+05:30"),
    "times in UTC": _times(lambda time: f"{time}Z"),
    "times of another clock": _times(_later),
    "unknown fields": _of_bodies(
        lambda _request, body: {**body, "data": _unknown_fields(body.get("data"))}
    ),
}
