"""Every kind of fault: a table of small functions keyed by name. See `faults` for how they act."""

import gzip
import json
import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any

from . import fault_answers as answers
from . import fault_state as state
from .faults import Change, Exchange, Kind
from .profiles import HTML
from .server import Answer

LONGEST_HANG = 60.0
MEGABYTE = 1024 * 1024


def _later(seconds: str, act: Callable[[], object]) -> None:
    timer = threading.Timer(float(seconds or 1), act)
    timer.daemon = True
    timer.start()


# around the operation


def _slow(run: Callable[[], Answer], argument: str) -> Answer:
    time.sleep(float(argument or 1))
    return run()


def _late(run: Callable[[], Answer], argument: str) -> Answer:
    """Give up on the answer at once and do the work afterwards."""
    _later(argument, run)
    return Answer(504, REFUSED)


# on the answer


def _body(body: bytes | str, content_type: str = "application/json") -> Change:
    sent = body.encode() if isinstance(body, str) else body
    return lambda answer, argument: replace(answer, body=sent, content_type=content_type)


def _altered(alter: Callable[[dict[str, Any]], None]) -> Change:
    """Changes the answer as JSON; answers that are no JSON object stay."""

    def change(answer: Answer, argument: str) -> Answer:
        with suppress(ValueError, AttributeError, TypeError, KeyError):
            body = json.loads(answer.body)
            alter(body)
            return replace(answer, body=json.dumps(body, ensure_ascii=False).encode())
        return answer

    return change


def _success(value: Any) -> Change:
    return _altered(lambda body: body.update(success=value))


def _listed(alter: Callable[[list[Any]], list[Any]]) -> Change:
    """Changes the rows of a list."""
    return _altered(lambda body: body["data"].update(data=alter(body["data"]["data"])))


def _counted(alter: Callable[[int], int]) -> Change:
    """Changes what a list says about its length."""

    def lie(body: dict[str, Any]) -> None:
        data = body["data"]
        for name in ("total_records", "total_pages"):
            data[name] = alter(int(data[name]))

    return _altered(lie)


def _gzipped(data: Callable[[bytes], bytes]) -> Change:
    headers = (("Content-Encoding", "gzip"),)
    return lambda answer, argument: replace(answer, body=data(answer.body), headers=headers)


@cache
def _bomb_made() -> bytes:
    zeros = b"0" * (100 * MEGABYTE)
    return gzip.compress(b'{"success":true,"data":"' + zeros + b'"}', compresslevel=1)


def _bomb(body: bytes) -> bytes:
    """Half a megabyte that unpacks to 100 MB."""
    return _bomb_made()


def _status(status: int, body: bytes, content_type: str = "application/json") -> Change:
    def change(answer: Answer, argument: str) -> Answer:
        headers = (("Retry-After", argument),) if argument else ()
        return Answer(status, body, content_type, headers)

    return change


def _redirect(answer: Answer, argument: str) -> Answer:
    return Answer(302, b"", headers=(("Location", "/v1/elsewhere"), ("Set-Cookie", "a=b")))


# on the wire


def _set_reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _reset(exchange: Exchange) -> None:
    """End the connection with a TCP reset."""
    _set_reset(exchange.connection)


def _refuse(exchange: Exchange) -> None:
    """Reset, and refuse connections for `argument` seconds (1)."""
    _set_reset(exchange.connection)
    exchange.server.refuse()
    _later(exchange.argument, exchange.server.accept)


def _hang(exchange: Exchange) -> None:
    """Say nothing until the client gives up, or for `argument` seconds (60)."""
    exchange.connection.settimeout(float(exchange.argument or LONGEST_HANG))
    with suppress(TimeoutError):
        exchange.connection.recv(1)


def _drip(exchange: Exchange) -> None:
    """One byte at a time, `argument` seconds (0.2) apart."""
    for number in exchange.answer.head() + exchange.answer.body:
        exchange.connection.sendall(bytes((number,)))
        time.sleep(float(exchange.argument or 0.2))


def _truncate(exchange: Exchange) -> None:
    answer = exchange.answer
    exchange.connection.sendall(answer.head() + answer.body[: len(answer.body) // 2])


def _truncate_head(exchange: Exchange) -> None:
    exchange.connection.sendall(exchange.answer.head()[:-20])


def _truncate_reset(exchange: Exchange) -> None:
    _truncate(exchange)
    _set_reset(exchange.connection)


def _close(exchange: Exchange) -> None:
    return


def _garbage(exchange: Exchange) -> None:
    exchange.connection.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(64)))


STATUSES: tuple[int, ...] = (400, 401, 402, 403, 404, 405, 408, 409, 410, 412, 413, 415, 422)
STATUSES += (429, 451, 500, 501, 502, 503, 504, 507)
REFUSED = b'{"success":false,"message":"Fault on request"}'
DEEP = b'{"success":true,"data":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
GIANT = b'{"success":true,"data":"' + b"x" * (9 * MEGABYTE) + b'"}'
DIGITS = b'{"success":true,"data":{"cstid":' + b"9" * 5000 + b"}}"
TWICE = b'{"success":false,"success":true,"data":{"cstid":1,"cstid":2}}'

KINDS: dict[str, Kind] = {
    # transport
    "refuse": Kind("reset, then connections refused for `argument` seconds", False, wire=_refuse),
    "reset": Kind("connection reset", wire=_reset),
    "close": Kind("connection closed without a byte", wire=_close),
    "hang": Kind("no answer for `argument` seconds, then closed", wire=_hang),
    "slow": Kind("the operation starts `argument` seconds late", effect=_slow),
    "drip": Kind("one byte at a time, `argument` seconds apart", wire=_drip),
    "truncate": Kind("half the body, then closed", wire=_truncate),
    "truncate-head": Kind("closed within the headers", wire=_truncate_head),
    "truncate-reset": Kind("half the body, then reset", wire=_truncate_reset),
    "garbage": Kind("bytes that are no HTTP", wire=_garbage),
    # body
    "wrong-json": Kind("JSON that breaks off", answer=_body('{"success": true, "data": {"da')),
    "not-json": Kind("plain words called JSON", answer=_body("OK")),
    "empty-body": Kind("no body", answer=_body(b"")),
    "html": Kind("an HTML page with status 200", answer=_body(HTML.format("Oops"), "text/html")),
    "bad-utf8": Kind("bytes that are no UTF-8", answer=_body(b'{"success": true, "data": "\xff"}')),
    "bad-gzip": Kind("said to be gzip, and is not", answer=_gzipped(lambda body: body)),
    "gzip-bomb": Kind("half a megabyte that unpacks to 100 MB", answer=_gzipped(_bomb)),
    "giant": Kind("a body of 9 MB", answer=_body(GIANT)),
    "deep": Kind("100,000 arrays within each other", answer=_body(DEEP)),
    "many-digits": Kind("a number of 5,000 digits", answer=_body(DIGITS)),
    "nan": Kind("NaN where a number should be", answer=_body('{"success": true, "data": NaN}')),
    "duplicate-keys": Kind("every key twice", answer=_body(TWICE)),
    "lone-surrogate": Kind("half a character", answer=_body('{"success":true,"data":"\\ud800"}')),
    "json-array": Kind("an array where the envelope should be", answer=_body("[]")),
    "json-null": Kind("null where the envelope should be", answer=_body("null")),
    # envelope
    "success-missing": Kind("no `success`", answer=_altered(lambda b: b.pop("success", None))),
    "success-string": Kind('`success` is "true"', answer=_success("true")),
    "success-one": Kind("`success` is 1", answer=_success(1)),
    "success-null": Kind("`success` is null", answer=_success(None)),
    "success-false": Kind("200 with success false", applied=False, answer=_success(False)),
    "data-missing": Kind("no `data`", answer=_altered(lambda b: b.pop("data", None))),
    "data-null": Kind("`data` is null", answer=_altered(lambda b: b.update(data=None))),
    "data-string": Kind("`data` is a string", answer=_altered(lambda b: b.update(data="none"))),
    "data-data-null": Kind(
        "`data.data` is null", answer=_altered(lambda b: b["data"].update(data=None))
    ),
    # lists
    "list-more": Kind("claims ten times the records", answer=_counted(lambda n: n * 10 + 10)),
    "list-none": Kind("claims no records", answer=_counted(lambda n: 0)),
    "list-negative": Kind("claims -1 records", answer=_counted(lambda n: -1)),
    "list-empty": Kind("a page without rows", answer=_listed(lambda rows: [])),
    "list-oversized": Kind("twice the rows asked for", answer=_listed(lambda rows: rows * 2)),
    "list-shifted": Kind("the first row is missing", answer=_listed(lambda rows: rows[1:])),
    "list-repeated": Kind("the first row twice", answer=_listed(lambda rows: rows[:1] + rows)),
    "list-odd-rows": Kind(
        "rows that are no records", answer=_listed(lambda rows: [None, 1, "x", [], {}, *rows])
    ),
    # state
    "late": Kind("status 504 at once, the effect `argument` seconds later", effect=_late),
    "stale": Kind("reads answer as before the last write", state=state.stale),
    "interleave": Kind(
        "somebody else changes another field between read and write",
        state=state.meddle(same=False),
    ),
    "interleave-same": Kind(
        "somebody else changes the same field between read and write", state=state.meddle(same=True)
    ),
    "interleave-gone": Kind(
        "somebody else deletes the record between read and write", state=state.vanish
    ),
    "partial": Kind(
        "half the fields are stored, then status 500", state=state.partly, answer=_status(500, b"")
    ),
    "partial-saved": Kind("half the fields are stored, called a success", state=state.partly),
    "clock-ahead": Kind("a clock `argument` seconds ahead", state=state.clock(ahead=True)),
    "clock-behind": Kind("a clock `argument` seconds behind", state=state.clock(ahead=False)),
    "list-shifting": Kind("a record is added just before the list is read", state=state.shifting),
    # an answer that reaches another request; the connection stays open
    "answer-twice": Kind("the answer twice, in one segment", answer=answers.twice),
    "answer-twice-later": Kind(
        "the answer again `argument` seconds later", answer=answers.twice_later
    ),
    "answer-early": Kind(
        "after the answer, in one segment, an answer of another workspace", state=answers.early
    ),
    "answer-early-later": Kind(
        "an answer of another workspace `argument` seconds after the answer",
        state=answers.early,
        answer=answers.later,
    ),
    "answer-swapped": Kind(
        "two such requests that are under way within `argument` seconds swap answers", swapped=True
    ),
    # status
    "redirect": Kind("302 to elsewhere, with a cookie", applied=False, answer=_redirect),
}
for _number in STATUSES:
    KINDS[f"status-{_number}"] = Kind(
        f"status {_number} as JSON; `argument` is Retry-After",
        applied=False,
        answer=_status(_number, REFUSED),
    )
    KINDS[f"status-{_number}-html"] = Kind(
        f"status {_number} as an HTML page",
        applied=False,
        answer=_status(_number, HTML.format(_number).encode(), "text/html"),
    )
    KINDS[f"status-{_number}-empty"] = Kind(
        f"status {_number} without a body", applied=False, answer=_status(_number, b"")
    )
