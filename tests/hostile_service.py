"""A service whose answers hold what no record should: one MODE for each kind of mischief.

Each takes the right answer of the stand-in and returns another. Names of fields and the ids of
records stay, except where the mode is about them, so that pages show what came.
"""

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import cycle
from typing import Any

from dashboard.standin import StandIn
from dashboard.standin.faults.kinds import DEEP, DIGITS, GIANT, TWICE
from dashboard.standin.faults.response import bomb
from dashboard.standin.server import Request, Response
from tests.hostile import STRINGS

Mode = Callable[[Request, Response], Response]
Alter = Callable[[str, Any], Any]  # (name of the field, value) -> value

VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 10**17, -(10**17), 10**40, 0.1, -0.0, 1e300, 1e-300, "", " ", [], {},
    [[]], [None], [{}], {"id": {"id": 1}}, {"id": 1, "name": "<zz-hit>"}, {"id": "x", "name": {}},
    {"name": ["<zz-hit>"]}, ["<zz-hit>"], [1, "2", None, {"id": 3}], {"<zz-hit>": "<zz-hit>"},
    "9" * 400, "1" * 18, "1e309", "NaN", "Infinity", "-0", "1,5", "0x10", "٣", "²", "½",
    "0000-00-00", "0000-01-01", "0001-01-01", "0001-01-01T00:00:00+14:00", "9999-12-31",
    "9999-12-31T23:59:59-14:00", "9999999-01-01", "2026-02-30", "2026-11-22T24:00:00",
    "2026-11-22T10:00:00.123456789Z", "2026-W01-1", "2026-11-22 10:00:00 Europe/Berlin", "now",
    "<zz-hit>", '"><zz-hit>', "javascript:zzHit()", "//evil.invalid/", "\u202etxt.exe",
    "a\u0000b", "x" * 100_000, "{{7*191}}", "=1+1", "%s%n",
)  # fmt: skip
ODD_IDS = (None, 0, -1, 10**17, 10**18, 2**63, "1", " 1 ", "x", 1.0, 1.5, True, [], {}, "<zz-hit>")
COUNTS = (
    -1, 0, 10**17, 10**30, "-5", "9" * 50, None, True, 1.5, "<zz-hit>", [], {}, [1], {"total": 1},
)  # fmt: skip
ID_FIELDS = ("cstid", "inv_id", "est_id", "deal_id", "activity_id", "id")


def put(standin: StandIn, mode: Mode) -> None:
    """Let the stand-in answer so from now on; `take_back` ends it."""
    handle = standin.application.handle
    standin.server.handle = lambda request: mode(request, handle(request))


def take_back(standin: StandIn) -> None:
    """Let the stand-in answer rightly again."""
    standin.server.handle = standin.application.handle


def body_of(content: Any) -> Response:
    return Response(200, json.dumps(content).encode())


def altered(alter: Alter) -> Mode:
    """Each scalar below `data` altered; the envelope stays."""

    def answer(_request: Request, response: Response) -> Response:
        found = json.loads(response.body)
        if not isinstance(found, dict):
            return response
        found["data"] = _walk(found.get("data"), "", alter)
        return replace(response, body=json.dumps(found).encode())

    return answer


def _walk(value: Any, name: str, alter: Alter) -> Any:
    if isinstance(value, dict):
        return {key: _walk(inner, key, alter) for key, inner in value.items()}
    if isinstance(value, list):
        return [_walk(inner, name, alter) for inner in value]
    return alter(name, value)


def _next_of(values: tuple[Any, ...], choose: Callable[[str, Any], bool]) -> Alter:
    following: Iterator[Any] = cycle(values)
    return lambda name, value: next(following) if choose(name, value) else value


def _is_text(name: str, value: Any) -> bool:
    return isinstance(value, str) and name not in ID_FIELDS


def _is_any(name: str, _value: Any) -> bool:
    return name not in (*ID_FIELDS, "total_records", "total_pages", "current_page")


def _is_id(name: str, _value: Any) -> bool:
    return name in ID_FIELDS or name.endswith("_id")


def _is_count(name: str, _value: Any) -> bool:
    return name in ("total_records", "total_pages", "current_page")


def more_keys(_request: Request, response: Response) -> Response:
    """Keys that nobody knows in every object, with markup as name and value."""
    following = cycle(STRINGS)

    def grow(value: Any) -> Any:
        if isinstance(value, list):
            return [grow(one) for one in value]
        if not isinstance(value, dict):
            return value
        more = {next(following): next(following) for _ in range(20)}
        named = {f"{name}_name": next(following) for name in value if name.endswith("_id")}
        grown = {name: grow(inner) for name, inner in value.items()}
        return {**more, **named, "custom_fields": more, "tags": [{"id": 1, "name": "<zz-hit>"}]} | {
            name: inner for name, inner in grown.items() if name != "custom_fields"
        }

    found = json.loads(response.body)
    return replace(response, body=json.dumps({**found, "data": grow(found.get("data"))}).encode())


def other_shapes(_request: Request, response: Response) -> Response:
    """Objects where lists belong and lists where objects belong, below the rows."""
    found = json.loads(response.body)
    data = found.get("data")
    if isinstance(data, dict) and isinstance(data.get("data"), list):
        rows = [list(row) if index % 2 else {**row, **_swapped(row)} for index, row in
                enumerate(data["data"])]  # fmt: skip
        return body_of({**found, "data": {**data, "data": [*rows, None, 1, "x", [[]]]}})
    return body_of({**found, "data": _swapped(data) if isinstance(data, dict) else [data]})


def _swapped(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value if name in ID_FIELDS else {"0": value} if isinstance(value, list) else [value]
        for name, value in row.items()
    }


def long_texts(_request: Request, response: Response) -> Response:
    """Texts of 300 kB in a list and of 2 MB in a record, as long as the answer is read at all."""
    found = json.loads(response.body)
    text = "<zz-hit>&" * (250_000 if not isinstance(found.get("data"), list) else 1_000)
    left = cycle((text[:2_000_000], text[:300_000], text[:300_000]))
    spent = [0]

    def alter(name: str, value: Any) -> Any:
        if not _is_text(name, value) or spent[0] > 5_000_000:
            return value
        longer = next(left)
        spent[0] += len(longer)
        return longer

    return body_of({**found, "data": _walk(found.get("data"), "", alter)})


def many_parts(_request: Request, response: Response) -> Response:
    """Thousands of rows, lines, payments, tags and fields of an office's own."""
    found = json.loads(response.body)
    data = found.get("data")
    if isinstance(data, dict) and isinstance(data.get("data"), list):
        return body_of({**found, "data": {**data, "data": data["data"] * 300}})
    if not isinstance(data, dict):
        return response
    inner = next((value for value in data.values() if isinstance(value, dict) and value), data)
    lines = [{"item_id": 1, "item_name": "<zz-hit>", "price": "1", "quantity": "1"}] * 3_000
    inner |= {"items": lines, "payments": [{"amount": "<zz-hit>"}] * 3_000}
    inner |= {"custom_fields": {f"<zz-hit>{one}": "<zz-hit>" for one in range(3_000)}}
    inner |= {"tag_ids": list(range(1, 1_000))}
    return body_of(found)


def refusals(_request: Request, _response: Response) -> Response:
    """A refusal in words that nobody should show as they are, for fields that nobody has."""
    some = next(_refusing)
    return Response(422, json.dumps({"success": False, **some}).encode())


_SHAPES: tuple[Callable[[str], dict[str, Any]], ...] = (
    lambda text: {"message": text, "errors": {"cstname": [text], text: [], "items.0.price": text}},
    lambda text: {"message": {"a": text}, "errors": [text, [text], {text: [text]}, None, 1]},
    lambda text: {"error": text, "errors": {"items": [{text: text}] * 500, "": text, "a.b": {}}},
    lambda text: {"message": text * 3, "errors": text},
)
_refusing = map(lambda shape, text: shape(text), cycle(_SHAPES), cycle(STRINGS))


def always(response: Response) -> Mode:
    return lambda _request, _response: response


def packed(_request: Request, response: Response) -> Response:
    """Half a megabyte that unpacks to 100 MB."""
    return Response(200, bomb(b""), headers=(("Content-Encoding", "gzip"),))


EVIL = (("Location", "https://evil.invalid/"), ("Set-Cookie", "sessionid=evil; Path=/"))
EVIL += (("Refresh", "0;url=//evil.invalid"), ("Retry-After", "9" * 300), ("X-A", "b" * 9_000))
PAGE = b"<!doctype html><script>zzHit()</script><zz-hit>"

MODES: dict[str, Mode] = {
    "texts": altered(_next_of(STRINGS, _is_text)),
    "values": altered(_next_of(VALUES, _is_any)),
    "values again": altered(_next_of((*VALUES[7:], *VALUES[:4]), _is_any)),
    "ids": altered(_next_of(ODD_IDS, _is_id)),
    "counts": altered(_next_of(COUNTS, _is_count)),
    "more keys": more_keys,
    "other shapes": other_shapes,
    "long texts": long_texts,
    "many parts": many_parts,
    "refusals": refusals,
    "redirect": always(Response(302, PAGE, "text/html", EVIL)),
    "cookies": lambda _request, response: replace(response, headers=EVIL[1:]),
    "html": always(Response(200, PAGE, "text/html")),
    "html refusal": always(Response(403, PAGE, "text/html")),
    "bomb": packed,
    "giant": always(Response(200, GIANT)),
    "deep": always(Response(200, DEEP)),
    "digits": always(Response(200, DIGITS)),
    "duplicates": always(Response(200, TWICE)),
    "not a number": always(Response(200, b'{"success": true, "data": {"data": [NaN]}}')),
    "surrogate": always(Response(200, b'{"success": true, "message": "\\ud800", "data": {}}')),
    "half packed": always(
        Response(200, gzip.compress(b"{}" * 99)[:-4], headers=(("Content-Encoding", "gzip"),))
    ),
    "twice packed": always(
        Response(200, gzip.compress(b"{}"), headers=(("Content-Encoding", "gzip, gzip"),))
    ),
    "status 999": always(Response(999, b'{"success": false, "message": "<zz-hit>"}')),
    "status 299": always(Response(299, b'{"success": true, "message": "<zz-hit>"}')),
    "no content": always(Response(204, b"")),
}
