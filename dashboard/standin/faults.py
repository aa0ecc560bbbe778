"""What can go wrong: a table of fault kinds, each a few small functions keyed by its name.

A fault is written `kind[-before|-after][:argument]`: "reset-after", "hang-before:5",
"status-429:2". `-before` means that the write is not applied, `-after` that it is; without
either, the kind's own default holds. A kind acts in up to three places:

effect  around the operation (waits, late or partial effects)
answer  on the finished answer (other status, other body)
wire    on the connection instead of a clean send (reset, hang, truncate); it ends afterwards
"""

import json
import socket
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from .profiles import HTML
from .server import Answer

Effect = Callable[[Callable[[], Answer], str], Answer]
Change = Callable[[Answer, str], Answer]
Wire = Callable[[socket.socket, Answer, str], None]

LONGEST_HANG = 60.0


@dataclass(frozen=True)
class Kind:
    """One way to fail."""

    about: str
    applied: bool = True
    effect: Effect | None = None
    answer: Change | None = None
    wire: Wire | None = None


@dataclass(frozen=True)
class Fault:
    """A kind as asked for."""

    text: str
    kind: Kind
    applied: bool
    argument: str = ""

    def around(self, run: Callable[[], Answer]) -> Answer:
        """Run the operation with this fault in every place where it acts."""
        kind, argument = self.kind, self.argument
        answer = kind.effect(run, argument) if kind.effect else run()
        if kind.answer:
            answer = kind.answer(answer, argument)
        if (wire := kind.wire) is not None:
            answer = replace(answer, wire=lambda sock, sent: wire(sock, sent, argument))
        return answer


def parse(text: str) -> Fault:
    """The fault that `text` names; ValueError when there is none such."""
    name, _, argument = text.strip().partition(":")
    if name in KINDS:
        return Fault(text, KINDS[name], KINDS[name].applied, argument)
    stem, _, when = name.rpartition("-")
    if stem in KINDS and when in {"before", "after"}:
        return Fault(text, KINDS[stem], when == "after", argument)
    raise ValueError(f"no such fault: {name}")


# around the operation


def _slow(run: Callable[[], Answer], argument: str) -> Answer:
    time.sleep(float(argument or 1))
    return run()


# on the answer


def _body(body: bytes | str, content_type: str = "application/json") -> Change:
    sent = body.encode() if isinstance(body, str) else body
    return lambda answer, argument: replace(answer, body=sent, content_type=content_type)


def _altered(alter: Callable[[dict[str, Any]], None]) -> Change:
    """Changes the answer as JSON; answers that are no JSON object stay."""

    def change(answer: Answer, argument: str) -> Answer:
        with suppress(ValueError):
            body = json.loads(answer.body)
            alter(body)
            return replace(answer, body=json.dumps(body, ensure_ascii=False).encode())
        return answer

    return change


def _success(value: Any) -> Change:
    return _altered(lambda body: body.update(success=value))


def _inner_null(body: dict[str, Any]) -> None:
    body["data"] = {**body["data"], "data": None} if isinstance(body.get("data"), dict) else None


def _status(status: int, body: bytes, content_type: str = "application/json") -> Change:
    def change(answer: Answer, argument: str) -> Answer:
        headers = (("Retry-After", argument),) if argument else ()
        return Answer(status, body, content_type, headers)

    return change


# on the wire


def reset(connection: socket.socket, answer: Answer, argument: str) -> None:
    """End the connection with a TCP reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _hang(connection: socket.socket, answer: Answer, argument: str) -> None:
    """Say nothing until the client gives up, or for `argument` seconds (60)."""
    connection.settimeout(float(argument or LONGEST_HANG))
    with suppress(TimeoutError):
        connection.recv(1)


def _drip(connection: socket.socket, answer: Answer, argument: str) -> None:
    """One byte at a time, `argument` seconds (0.2) apart."""
    for number in answer.head() + answer.body:
        connection.sendall(bytes((number,)))
        time.sleep(float(argument or 0.2))


def _truncate(connection: socket.socket, answer: Answer, argument: str) -> None:
    connection.sendall(answer.head() + answer.body[: len(answer.body) // 2])


def _truncate_head(connection: socket.socket, answer: Answer, argument: str) -> None:
    connection.sendall(answer.head()[:-20])


def _truncate_reset(connection: socket.socket, answer: Answer, argument: str) -> None:
    _truncate(connection, answer, argument)
    reset(connection, answer, argument)


def _close(connection: socket.socket, answer: Answer, argument: str) -> None:
    return


def _garbage(connection: socket.socket, answer: Answer, argument: str) -> None:
    connection.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(64)))


STATUSES: tuple[int, ...] = (
    400,
    401,
    402,
    403,
    404,
    405,
    408,
    409,
    410,
    412,
    413,
    415,
    422,
    429,
    451,
)
STATUSES += (429, 451, 500, 501, 502, 503, 504, 507)
REFUSED = b'{"success":false,"message":"Fault on request"}'

KINDS: dict[str, Kind] = {
    # transport
    "reset": Kind("connection reset", wire=reset),
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
    "data-data-null": Kind("`data.data` is null", answer=_altered(_inner_null)),
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
