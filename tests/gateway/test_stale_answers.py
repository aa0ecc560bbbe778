"""An answer never reaches another request: servers that answer twice, too early or in between."""

import json
import re
import select
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import httpcore
import pytest

from dashboard.gateway import (
    CONTACTS,
    Created,
    Gateway,
    Keys,
    OutcomeUnknown,
    Rejected,
    Unavailable,
)

from .servers import ACME, SAVED, RawServer, answer, chunked

Connect = Callable[..., Gateway]
Framing = Callable[[int, Any], bytes]

SETTLED = 0.05  # seconds to wait for something that must not happen


def reply(request: bytes, framing: Framing) -> bytes:
    """A list names the workspace and the page asked for. A create is saved unless its name is "no".

    The workspace is the access key.
    """
    head, _, body = request.partition(b"\r\n\r\n")
    if head.startswith(b"POST"):
        if json.loads(body)["cstname"] == "no":
            return framing(422, {"success": False, "message": "No"})
        return framing(201, SAVED)
    workspace = re.findall(rb"x-service-access-key: (\S+)", head)[0].decode()
    page = re.findall(rb"pageIndex=(\d+)", head)[0].decode()
    row = {"cstid": 1, "cstname": f"{workspace} {page}"}
    return framing(200, {"success": True, "data": {"data": [row]}})


class Twice:
    """Answers each request twice: sends the parts that `cut` makes of both answers, with a pause
    before each further part.
    """

    def __init__(self, cut: Callable[[bytes], list[bytes]], framing: Framing) -> None:
        self._cut = cut
        self._framing = framing
        self._complete = threading.Semaphore(0)

    def __call__(self, connection: socket.socket, request: bytes) -> None:
        first, *others = self._cut(reply(request, self._framing))
        connection.sendall(first)
        for part in others:
            time.sleep(0.01)
            with suppress(OSError):  # the client has closed the connection
                connection.sendall(part)
        self._complete.release()

    def wait(self) -> None:
        """Wait until the second answer to one more request has been sent."""
        assert self._complete.acquire(timeout=10)


def in_one_segment(whole: bytes) -> list[bytes]:
    return [whole * 2]


def with_a_cut(whole: bytes) -> list[bytes]:
    """The answer and the first byte of the second one, then the rest of that."""
    return [whole + whole[:1], whole[1:]]


def in_turn(whole: bytes) -> list[bytes]:
    return [whole, whole]


FRAMINGS = [answer, chunked]
CUTS = [in_one_segment, with_a_cut, in_turn]
pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def gateways(connect: Connect) -> Callable[[str], tuple[Gateway, Gateway]]:
    """Two gateways of one Service, with the key pairs of the workspaces north and south."""

    def make(url: str) -> tuple[Gateway, Gateway]:
        service = connect(url, timeout=20)._service
        north, south = (Gateway(service, Keys(access=name, secret="s")) for name in NAMES)
        return north, south

    return make


NAMES = ("north", "south")
Gateways = Callable[[str], tuple[Gateway, Gateway]]


def names(gateway: Gateway, page: int) -> list[str]:
    return [record["cstname"] for record in gateway.list(CONTACTS, page_index=page).records]


@pytest.mark.parametrize("framing", FRAMINGS)
@pytest.mark.parametrize("cut", CUTS)
def test_a_list_is_the_answer_to_its_own_request(
    gateways: Gateways, cut: Any, framing: Framing
) -> None:
    twice = Twice(cut, framing)
    with RawServer(twice) as server:
        both = dict(zip(NAMES, gateways(server.url), strict=True))
        for page in range(4):
            for name, gateway in both.items():
                assert names(gateway, page) == [f"{name} {page}"]
                twice.wait()
    assert len(server.requests) == 8


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize("framing", FRAMINGS)
@pytest.mark.parametrize("cut", CUTS)
def test_a_create_that_is_refused_is_not_told_saved(
    gateways: Gateways, cut: Any, framing: Framing, waits: bool
) -> None:
    twice = Twice(cut, framing)
    with RawServer(twice) as server:
        for gateway in gateways(server.url):
            assert gateway.create(CONTACTS, ACME).id == 9
            if waits:
                twice.wait()
            with pytest.raises(Rejected):
                gateway.create(CONTACTS, ACME | {"cstname": "no"})
            if waits:
                twice.wait()


@pytest.mark.parametrize("cut", CUTS)
def test_twenty_threads_with_two_key_pairs_see_nothing_of_each_other(
    gateways: Gateways, cut: Any
) -> None:
    """Which page of its own workspace a thread sees is not asserted: a second answer that comes
    after the next read was sent cannot be told from the answer to that read.
    """
    with RawServer(Twice(cut, answer)) as server, ThreadPoolExecutor(20) as threads:
        both = gateways(server.url)
        wrong = [
            complaint
            for found in threads.map(lambda number: act(both, number), range(20))
            for complaint in found
        ]
    assert wrong == []


def act(both: tuple[Gateway, Gateway], number: int) -> list[str]:
    """What one thread saw that it should not have seen."""
    name, gateway = NAMES[number % 2], both[number % 2]
    wrong = []
    for page in range(5):
        wrong += [seen for seen in names(gateway, page) if not seen.startswith(name)]
        told = create(gateway, "yes" if page % 2 else "no")
        wrong += [] if told is (Created if page % 2 else Rejected) else [f"{page}: {told}"]
    return wrong


def create(gateway: Gateway, name: str) -> type:
    try:
        return type(gateway.create(CONTACTS, ACME | {"cstname": name}))
    except (Rejected, OutcomeUnknown) as error:
        return type(error)


def test_a_write_has_a_connection_of_its_own_and_reads_share_one(connect: Connect) -> None:
    ports = []

    def handle(connection: socket.socket, request: bytes) -> None:
        ports.append(connection.getpeername()[1])
        connection.sendall(reply(request, answer))

    with RawServer(handle) as server:
        gateway = connect(server.url)
        for _ in range(2):
            gateway.list(CONTACTS)
            gateway.create(CONTACTS, ACME)
    first, second, third, fourth = ports
    assert first == third
    assert len({first, second, fourth}) == 3


def test_key_pairs_share_no_connection(gateways: Gateways) -> None:
    seen: dict[str, set[int]] = {name: set() for name in NAMES}

    def handle(connection: socket.socket, request: bytes) -> None:
        name = NAMES[b"south" in request]
        seen[name].add(connection.getpeername()[1])
        connection.sendall(reply(request, answer))

    with RawServer(handle) as server:
        for gateway in gateways(server.url) * 3:
            names(gateway, 0)
    assert [len(ports) for ports in seen.values()] == [1, 1]
    assert not seen["north"] & seen["south"]


def test_connections_of_a_key_pair_without_calls_are_closed_when_another_calls(
    gateways: Gateways, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = threading.Event()

    def handle(connection: socket.socket, request: bytes) -> None:
        connection.sendall(reply(request, answer))
        if b"north" in request and not connection.recv(1):
            closed.set()

    with RawServer(handle) as server:
        north, south = gateways(server.url)
        assert names(north, 0) == ["north 0"]
        assert not closed.is_set()
        monkeypatch.setattr("dashboard.gateway.transport.KEEPALIVE_TIMEOUT", -20)  # as later
        assert names(south, 0) == ["south 0"]
        assert closed.wait(10)


@pytest.fixture
def slow_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests are written only after the server has said something."""
    connect_tcp = httpcore.SyncBackend.connect_tcp

    def connect_and_wait(*args: Any, **kwargs: Any) -> httpcore.NetworkStream:
        stream = connect_tcp(*args, **kwargs)
        assert select.select([stream.get_extra_info("socket")], [], [], 10)[0]
        return stream

    monkeypatch.setattr(httpcore.SyncBackend, "connect_tcp", connect_and_wait)


@pytest.mark.usefixtures("slow_to_ask")
def test_an_answer_before_the_request_is_discarded(connect: Connect) -> None:
    rows = {"data": [{"cstid": 1, "cstname": "Foreign"}]}
    greeting = answer(200, SAVED | {"data": rows})
    with RawServer(lambda *_: None, greeting=greeting) as server:
        gateway = connect(server.url)
        with pytest.raises(Unavailable, match="connection broken off"):
            gateway.list(CONTACTS)
        with pytest.raises(Unavailable, match="connection broken off"):  # not sent, so not saved
            gateway.create(CONTACTS, ACME)
        time.sleep(SETTLED)
    assert server.requests == []


@pytest.mark.parametrize("receives", [True, False])
def test_an_answer_while_the_request_is_being_sent_is_discarded(
    connect: Connect, receives: bool
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = threading.Thread(target=answer_early, args=(listener, receives), daemon=True)
        server.start()
        gateway = connect(f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=30)
        with pytest.raises(OutcomeUnknown, match="connection broken off"):
            gateway.create(CONTACTS, ACME | {"unpublished": "x" * 20_000_000})


def answer_early(listener: socket.socket, receives: bool) -> None:
    """Answer at the first bytes of a request that is too long for all buffers, then receive the
    rest or close the connection.
    """
    connection, _ = listener.accept()
    with connection, suppress(OSError):
        connection.recv(100)
        connection.sendall(answer(201, SAVED))
        while receives and connection.recv(1_000_000):
            pass
