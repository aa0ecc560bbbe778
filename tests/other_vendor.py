"""A service of another vendor: one HABIT for each way in which it differs from the stand-in, and
one of REFUSALS for each shape of the reasons why it refuses a write.

None of them breaks the reference, and pages show each. What answers alone hold, such as null in
place of an empty list, is read in `tests/gateway/`.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from urllib.parse import parse_qs, urlencode

from dashboard.standin import StandIn
from dashboard.standin.server import Request, Response

Answer = Callable[[Request], Response]
Habit = Callable[[Answer], Answer]
PAGE = 25  # rows that it sends, whatever it is asked for


def put(standin: StandIn, name: str) -> None:
    """Let the stand-in answer with this habit from now on; `take_back` ends it."""
    habits = HABITS | STOPS | OTHER_VALUES
    standin.server.handle = habits[name](standin.application.handle)


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


def _totals(alter: Callable[[list[Any], dict[str, Any]], dict[str, Any]]) -> Habit:
    """A habit that tells other totals of a page, given its rows and the true ones."""

    def altered(_request: Request, body: dict[str, Any]) -> Any:
        data = body.get("data")
        if not isinstance(data, dict) or not isinstance(data.get("data"), list):
            return body
        rows = data["data"]
        return {**body, "data": {"data": rows, **alter(rows, data)}}

    return _of_bodies(altered)


def _of_page(rows: list[Any], _true: dict[str, Any]) -> dict[str, Any]:
    return {"total_records": len(rows), "total_pages": 1}


def _pages(count: int) -> Habit:
    return _totals(lambda _, true: {"total_records": true["total_records"], "total_pages": count})


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


def _without(*names: str) -> Habit:
    """A habit that ignores these parameters of a list; all filters for no name."""

    def is_kept(name: str) -> bool:
        return name not in names if names else name in COMMON

    def habit(answer: Answer) -> Answer:
        def answered(request: Request) -> Response:
            query = {name: each[-1] for name, each in parse_qs(request.query).items()}
            kept = {name: value for name, value in query.items() if is_kept(name)}
            return answer(replace(request, query=urlencode(kept)))

        return answered

    return habit


def _left_out(request: Request, body: dict[str, Any]) -> Any:
    """Records without what is empty."""

    def altered(value: Any) -> Any:
        if isinstance(value, list):
            return [altered(inner) for inner in value]
        if not isinstance(value, dict):
            return value
        kept = {
            name: inner for name, inner in value.items() if name == "data" or inner not in EMPTY
        }
        return {name: altered(inner) for name, inner in kept.items()}

    return altered(body) if request.method == "GET" else body


def _deeper(request: Request, body: dict[str, Any]) -> Any:
    """A detail record within another `data`."""
    data = body.get("data")
    is_detail = request.method == "GET" and isinstance(data, dict) and "data" not in data
    return {**body, "data": {"data": data}} if is_detail else body


def _other_values(request: Request, body: dict[str, Any]) -> Any:
    """Texts that are not required in capitals, wherever a record is read."""

    def altered(value: Any) -> Any:
        if isinstance(value, list):
            return [altered(inner) for inner in value]
        if not isinstance(value, dict):
            return value
        texts = {name: value[name].upper() for name in OPTIONAL_TEXTS if value.get(name)}
        return {name: altered(inner) for name, inner in value.items()} | texts

    return altered(body) if request.method == "GET" else body


def _stopped(status: int) -> Habit:
    """A habit that answers each write with a status alone, and does not carry it out."""

    def habit(answer: Answer) -> Answer:
        return lambda request: answer(request) if request.method == "GET" else Response(status, b"")

    return habit


def _created_without_a_word(status: int) -> Habit:
    """A habit that answers each create with a status alone."""

    def habit(answer: Answer) -> Answer:
        def answered(request: Request) -> Response:
            response = answer(request)
            is_done = request.method == "POST" and 200 <= response.status < 300
            return Response(status, b"") if is_done else response

        return answered

    return habit


def _in_zones(time: str) -> str:
    """The same moment, in India where the minute is even, else in UTC."""
    moment = datetime.fromisoformat(f"{time}+00:00")
    return moment.astimezone(INDIA if moment.minute % 2 == 0 else UTC).isoformat()


INDIA = timezone(timedelta(hours=5, minutes=30))
OPTIONAL_TEXTS = ("ct_taxnumber", "lead_source", "deal_source", "description", "reference")

COMMON = ("pageSize", "pageIndex", "search", "sortBy", "sortOrder")
EMPTY: tuple[Any, ...] = (None, "", [], {})
STOPS: dict[str, Habit] = {"a bare 401": _stopped(401), "a bare 429": _stopped(429)}
OTHER_VALUES: dict[str, Habit] = {"other values": _of_bodies(_other_values)}
QUOKKA = "quokka"  # in all that a refusal says


def refuse(standin: StandIn, shape: str, keys: Iterable[str]) -> None:
    """Let the stand-in refuse each write from now on, with a reason for each of these fields."""
    reasons = {key: f"The {key} field must be a {QUOKKA}." for key in keys}
    body = json.dumps({"success": False, **REFUSALS[shape](reasons)}).encode()

    def answered(request: Request) -> Response:
        is_write = request.method in ("POST", "PUT", "DELETE")
        return Response(422, body) if is_write else standin.application.handle(request)

    standin.server.handle = answered


def _path(key: str) -> list[str | int]:
    """The parts of a key; a custom field's name is one of them, whatever it holds."""
    first, *others = key.split(".", 1 if key.startswith("custom_fields.") else -1)
    return [first, *(int(part) if part.isdecimal() else part for part in others)]


def _bracketed(key: str) -> str:
    first, *others = _path(key)
    return f"{first}{''.join(f'[{part}]' for part in others)}"


Reasons = Mapping[str, str]
REFUSALS: dict[str, Callable[[Reasons], dict[str, Any]]] = {
    "errors by field": lambda reasons: {
        "message": f"The {QUOKKA} was invalid.",
        "errors": {key: [words] for key, words in reasons.items()},
    },
    "errors by field in brackets": lambda reasons: {
        "errors": {_bracketed(key): [words] for key, words in reasons.items()}
    },
    "a message for each": lambda reasons: {"message": [*reasons.values()]},
    "messages by field": lambda reasons: {
        "message": {key: [words] for key, words in reasons.items()}
    },
    "details with a place": lambda reasons: {
        "detail": [
            {"loc": ["body", *_path(key)], "msg": words, "type": "value_error"}
            for key, words in reasons.items()
        ]
    },
    "issues with a path": lambda reasons: {
        "error": {
            "name": "ZodError",
            "issues": [
                {"code": "custom", "path": _path(key), "message": words}
                for key, words in reasons.items()
            ],
        }
    },
    "errors in the data": lambda reasons: {
        "data": {"errors": {key: [words] for key, words in reasons.items()}}
    },
    "a list with paths": lambda reasons: {
        "errors": [{"path": _path(key), "message": words} for key, words in reasons.items()]
    },
    "only a message": lambda reasons: {"message": " ".join(reasons.values())},
}


HABITS: dict[str, Habit] = {
    "fields left out": _of_bodies(_left_out),
    "filters ignored": _without(),
    "search ignored": _without("search"),
    "details one level deeper": _of_bodies(_deeper),
    "an empty 201": _created_without_a_word(201),
    "an empty 202": _created_without_a_word(202),
    "rows beyond the size": rows_beyond_the_size,
    "no totals": _totals(lambda rows, true: {}),
    "no pages told": _pages(0),
    "one page told": _pages(1),
    "totals of the page": _totals(_of_page),
    "times with a zone": _times(lambda time: f"{time}+05:30"),
    "times in UTC": _times(lambda time: f"{time}Z"),
    "times of another clock": _times(_later),
    "times in different zones": _times(_in_zones),
}
