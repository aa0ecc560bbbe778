"""Calls over TLS: certificates are verified, deadlines kept, connections reused."""

import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dashboard.gateway import CONTACTS, Gateway, OutcomeUnknown, Unavailable
from dashboard.gateway.transport import DeadlineStream
from tests.certificates import certificate_of
from tests.waits import wait_until

from .servers import LIST, RawServer, answer, drips, says

ACME = {"cstname": "Acme", "contact_type": 2}


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    return certificate_of("127.0.0.1", tmp_path)


@pytest.fixture
def tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    return context


def test_nothing_is_sent_to_a_server_with_an_untrusted_certificate(
    connect: Callable[..., Gateway], tls: ssl.SSLContext
) -> None:
    with RawServer(says(200, {}), tls=tls) as server:
        with pytest.raises(Unavailable, match="could not connect"):
            connect(server.url).create(CONTACTS, ACME)
        assert server.requests == []


def test_a_server_trusted_by_the_machine_is_called_within_the_deadline(
    connect: Callable[..., Gateway],
    tls: ssl.SSLContext,
    certificate: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    saved = says(200, {"success": True, "message": "ok"})
    with RawServer(saved, drips(b"HTTP/1.1 200 OK\r\nx: ", b"y"), tls=tls) as server:
        gateway = connect(server.url, timeout=1.0)
        assert gateway.create(CONTACTS, ACME)
        with pytest.raises(OutcomeUnknown, match="no answer in time"):
            gateway.create(CONTACTS, ACME)


def test_session_tickets_are_not_taken_for_an_early_answer_and_connections_are_kept(
    connect: Callable[..., Gateway],
    tls: ssl.SSLContext,
    certificate: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    start_tls = DeadlineStream.start_tls
    ports = []

    def start_tls_and_wait(*args: Any, **kwargs: Any) -> Any:
        stream = start_tls(*args, **kwargs)
        wait_until(lambda: stream.get_extra_info("is_readable"))  # the tickets have arrived
        return stream

    def handle(connection: socket.socket, _request: bytes) -> None:
        ports.append(connection.getpeername()[1])
        connection.sendall(answer(200, LIST))

    monkeypatch.setattr(DeadlineStream, "start_tls", start_tls_and_wait)
    with RawServer(handle, tls=tls) as server:
        gateway = connect(server.url)
        for _ in range(3):
            assert len(gateway.list(CONTACTS).records) == 2
    assert len(ports) == 3
    assert len(set(ports)) == 1
