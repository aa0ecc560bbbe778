"""DeadlineStream detects surplus bytes behind an answer, however it is split into segments."""

from collections.abc import Iterable
from math import inf
from typing import Any

import httpcore
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.gateway.transport import Attempt, DeadlineStream, current_attempt

from .servers import answer, chunked

URL = "http://service.test/"
ANSWERS = [
    answer(200, {"a": "b" * 30}),
    chunked(200, {"a": "b" * 30}),
    answer(204, b""),
    b"HTTP/1.1 100 Continue\r\n\r\n" + answer(200, b"{}"),
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nx: y\r\n\r\n",
]
BODIES = [b'{"a": "' + b"b" * 30 + b'"}'] * 2 + [b"", b"{}", b"{}"]


class Segments(httpcore.MockBackend):
    """A network on which exactly these segments arrive."""

    def connect_tcp(self, *args: Any, **kwargs: Any) -> httpcore.NetworkStream:
        return DeadlineStream(self.connection(*args, **kwargs))

    def connection(self, *args: Any, **kwargs: Any) -> httpcore.NetworkStream:
        return super().connect_tcp(*args, **kwargs)


class Unwritable(httpcore.MockStream):
    """A connection that holds an answer but cannot be written to."""

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        raise httpcore.WriteError


def cut(data: bytes, places: Iterable[int]) -> list[bytes]:
    """The data in segments that end at these places; no empty one, which would mean the end."""
    ends = sorted({place % len(data) for place in places} - {0})
    return [data[start:end] for start, end in zip([0, *ends], [*ends, len(data)], strict=True)]


def ask(segments: list[bytes]) -> tuple[bytes, bool]:
    """The body of the first answer, and whether its connection may be used again."""
    current_attempt.set(Attempt(inf))
    with httpcore.ConnectionPool(network_backend=Segments(segments)) as pool:
        body = pool.request("GET", URL).content
        return body, bool(pool.connections)


cuts = st.lists(st.integers(0, 10_000), max_size=6)
kinds = st.integers(0, len(ANSWERS) - 1)


@given(kinds, cuts)
def test_an_answer_alone_is_read_whole_and_its_connection_kept(kind: int, places: Any) -> None:
    assert ask(cut(ANSWERS[kind], places)) == (BODIES[kind], True)


@given(kinds, cuts, st.binary(min_size=1, max_size=200) | st.sampled_from(ANSWERS))
def test_a_connection_with_surplus_in_the_last_segment_is_closed(
    kind: int, places: Any, surplus: bytes
) -> None:
    *first, last = cut(ANSWERS[kind], places)
    assert ask([*first, last + surplus]) == (BODIES[kind], False)


def test_no_answer_is_read_after_a_failed_write(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = Unwritable([ANSWERS[0]])
    monkeypatch.setattr(Segments, "connection", lambda *_args, **_kwargs: connection)
    with pytest.raises(httpcore.RemoteProtocolError, match="not fully sent"):
        ask([])
