"""A service of another vendor: one HABIT for each way in which it differs from the stand-in.

None of them breaks the reference, and pages show each. What answers alone hold, such as null in
place of an empty list, is read in `tests/gateway/`.
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


def _no_totals(_request: Request, body: dict[str, Any]) -> Any:
    data = body.get("data")
    if isinstance(data, dict) and isinstance(data.get("data"), list):
        return {**body, "data": {"data": data["data"]}}
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


HABITS: dict[str, Habit] = {
    "rows beyond the size": rows_beyond_the_size,
    "no totals": _of_bodies(_no_totals),
    "times with a zone": _times(lambda time: f"{time}+05:30"),
    "times in UTC": _times(lambda time: f"{time}Z"),
    "times of another clock": _times(_later),
}
