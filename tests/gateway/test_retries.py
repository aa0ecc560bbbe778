"""Retries of reads, single attempts of writes, connecting, and the circuit breaker."""

import socket
import time
from collections.abc import Callable
from typing import Any

import httpcore
import pytest

from dashboard.administration.demo import free_port
from dashboard.gateway import (
    CONTACTS,
    Busy,
    Gateway,
    GatewayError,
    Keys,
    OutcomeUnknown,
    Paused,
    Rejected,
    Unavailable,
)

from .servers import ACME, LIST, SAVED, RawServer, answer, closes, resets, says

Connect = Callable[..., Gateway]


@pytest.mark.parametrize("fault", [resets, closes, says(502, {}), says(503, {}), says(504, {})])
def test_a_read_is_tried_three_times_and_a_write_once(connect: Connect, fault: Any) -> None:
    with RawServer(fault) as server:
        gateway = connect(server.url)
        with pytest.raises(Unavailable):
            gateway.list(CONTACTS)
        assert len(server.requests) == 3
        with pytest.raises(OutcomeUnknown):
            gateway.create(CONTACTS, ACME)
        assert len(server.requests) == 4


def test_a_read_returns_the_answer_of_its_second_attempt(connect: Connect) -> None:
    with RawServer(resets, says(503, {}), says(200, LIST)) as server:
        assert connect(server.url).list(CONTACTS).total_records == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 500, 501])
def test_other_statuses_are_not_retried(connect: Connect, status: int) -> None:
    with RawServer(says(status, {"success": False})) as server:
        with pytest.raises(GatewayError):
            connect(server.url).list(CONTACTS)
        assert len(server.requests) == 1


def test_a_429_is_retried_only_after_a_short_wait(connect: Connect) -> None:
    soon = says(429, b"", "Retry-After: 1\r\n")
    with RawServer(soon, says(200, LIST)) as server:
        assert connect(server.url).list(CONTACTS).total_records == 2
    later = says(429, {"success": False, "message": "Slow down"}, "Retry-After: 60\r\n")
    with RawServer(later) as server:
        with pytest.raises(Busy) as raised:
            connect(server.url).list(CONTACTS)
        assert len(server.requests) == 1
    assert (raised.value.retry_after, raised.value.message) == (60.0, "Slow down")


def test_a_write_is_not_repeated_after_a_429(connect: Connect) -> None:
    with RawServer(says(429, {"success": False}, "Retry-After: 0\r\n")) as server:
        with pytest.raises(Busy):
            connect(server.url).create(CONTACTS, ACME)
        assert len(server.requests) == 1


def test_a_write_to_a_closed_port_is_not_saved(connect: Connect) -> None:
    gateway = connect(f"http://127.0.0.1:{free_port()}")
    with pytest.raises(Unavailable, match="could not connect"):
        gateway.create(CONTACTS, ACME)


def test_all_addresses_of_a_host_are_tried(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RawServer(says(200, SAVED)) as server:
        resolve_to(monkeypatch, "127.0.0.2", "127.0.0.1")
        assert connect(f"http://service.test:{server.port}").create(CONTACTS, ACME).id == 9


def test_the_connect_timeout_is_for_all_addresses_together(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = []

    def waits(_self: Any, _host: str, _port: int, timeout: float, **_: Any) -> Any:
        waited.append(timeout)
        time.sleep(min(timeout, 0.15))
        raise httpcore.ConnectTimeout

    monkeypatch.setattr(httpcore.SyncBackend, "connect_tcp", waits)
    resolve_to(monkeypatch, *(f"192.0.2.{number}" for number in range(1, 9)))
    gateway = connect("http://service.test", connect_timeout=0.4)
    with pytest.raises(Unavailable, match="could not connect in time"):
        gateway.create(CONTACTS, ACME)
    assert len(waited) <= 3
    assert waited == sorted(waited, reverse=True)
    assert waited[0] <= 0.4


def resolve_to(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    resolve = socket.getaddrinfo

    def resolved(host: str, port: int, *args: Any, **kwargs: Any) -> Any:
        hosts = addresses if host == "service.test" else (host,)
        return [entry for each in hosts for entry in resolve(each, port, *args, **kwargs)]

    monkeypatch.setattr(socket, "getaddrinfo", resolved)


def test_a_write_with_a_truncated_answer_has_an_unknown_outcome(connect: Connect) -> None:
    def cuts(connection: Any, _request: bytes) -> None:
        connection.sendall(answer(200, SAVED)[:-5])
        connection.close()

    with RawServer(cuts) as server, pytest.raises(OutcomeUnknown):
        connect(server.url).create(CONTACTS, ACME)


def test_five_failures_in_a_row_open_the_breaker(connect: Connect) -> None:
    with RawServer(says(500, {})) as server:
        gateway = connect(server.url)
        for _ in range(5):
            with pytest.raises(OutcomeUnknown):
                gateway.create(CONTACTS, ACME)
        with pytest.raises(Paused, match="paused") as raised:
            gateway.create(CONTACTS, ACME)
        with pytest.raises(Paused, match="paused"):
            gateway.list(CONTACTS)
        assert len(server.requests) == 5
    assert raised.value.status is None


@pytest.mark.parametrize("fault", [resets, closes, says(500, {}), says(503, b"")])
def test_the_failures_of_one_key_pair_pause_no_other(connect: Connect, fault: Any) -> None:
    def answers(connection: Any, request: bytes) -> None:
        (says(200, LIST) if b"colleague" in request else fault)(connection, request)

    with RawServer(answers) as server:
        gateway = connect(server.url)
        colleague = Gateway(gateway._service, Keys(access="colleague", secret="colleague"))
        for _ in range(6):
            with pytest.raises(GatewayError):
                gateway.create(CONTACTS, ACME)
        with pytest.raises(Paused):
            gateway.list(CONTACTS)
        assert colleague.list(CONTACTS).total_records == 2
        with pytest.raises(Paused):  # a colleague's success closes only the colleague's breaker
            gateway.list(CONTACTS)


def test_a_service_that_cannot_be_reached_pauses_every_key_pair(connect: Connect) -> None:
    gateway = connect(f"http://127.0.0.1:{free_port()}")
    colleague = Gateway(gateway._service, Keys(access="colleague", secret="colleague"))
    for _ in range(5):
        with pytest.raises(Unavailable, match="could not connect"):
            gateway.create(CONTACTS, ACME)
    with pytest.raises(Paused):
        colleague.list(CONTACTS)


def test_refusals_do_not_open_the_breaker(connect: Connect) -> None:
    with RawServer(says(422, {"success": False, "message": "No"})) as server:
        gateway = connect(server.url)
        for _ in range(8):
            with pytest.raises(Rejected, match="Rejected"):
                gateway.create(CONTACTS, ACME)
