"""The HTTP server: keep-alive, partial requests, malformed requests."""

import json
import socket

import pytest

CONTACT = {"cstname": "Ann", "contact_type": 1}


@pytest.fixture
def connection(terse):
    with socket.create_connection(("127.0.0.1", terse.standin.server.port)) as connection:
        connection.settimeout(5)
        yield connection


def keys(call):
    access, secret = call.pair
    return {"x-service-access-key": access, "x-service-secret-key": secret}


def test_requests_are_read_in_parts_and_one_after_another(terse, connection):
    head = "".join(f"{name}: {value}\r\n" for name, value in keys(terse).items())
    body = json.dumps(CONTACT)
    request = (
        f"POST /v1/contacts HTTP/1.1\r\n{head}content-type: application/json\r\n"
        f"content-length: {len(body)}\r\n\r\n{body}"
    )
    for piece in (request[:40], request[40:-5], request[-5:] + request):
        connection.sendall(piece.encode())
    answer = b""
    while answer.count(b'"success":true') < 2:
        answer += connection.recv(65536)
    assert len(terse.standin.ledger(effect=True)) == 2


def test_expect_100_continue_is_answered(terse, connection):
    head = "".join(f"{name}: {value}\r\n" for name, value in keys(terse).items())
    head += "expect: 100-continue\r\ncontent-length: 2\r\n"
    connection.sendall(f"POST /v1/contacts HTTP/1.1\r\n{head}\r\n".encode())
    assert connection.recv(65536).startswith(b"HTTP/1.1 100 ")
    connection.sendall(b"{}")
    assert connection.recv(65536).startswith(b"HTTP/1.1 415 ")


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"POST /v1/contacts HTTP/1.1\r\ncontent-length: x\r\n\r\n", 400),
        (b"POST /v1/contacts HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n", 411),
        (b"POST /v1/contacts HTTP/1.1\r\ncontent-length: 99999999\r\n\r\n", 413),
        (b"GET / HTTP/1.1\r\na: " + b"x" * 70_000, 431),
    ],
)
def test_a_malformed_request_is_refused_and_the_connection_closed(connection, sent, status):
    connection.sendall(sent)
    answer = b""
    while piece := connection.recv(65536):
        answer += piece
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
