"""Faults that give a response to the wrong request, on one connection and on two."""

import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import parse_headers

import pytest

from .conftest import Caller, Reply

CONTACT = {"cstname": "Struck", "contact_type": 1}
LONG = 5  # seconds


class Connection:
    """A connection kept open, which reads one response after another."""

    def __init__(self, call: Caller) -> None:
        self.pair = call.pair
        self.socket = socket.create_connection(("127.0.0.1", call.standin.server.port), LONG)
        self.read = self.socket.makefile("rb")

    def send(self, method, path, body=None, **headers):
        access, secret = self.pair
        lines = {"x-service-access-key": access, "x-service-secret-key": secret}
        lines.update({name.replace("_", "-"): value for name, value in headers.items()})
        data = b"" if body is None else json.dumps(body).encode()
        lines |= {"content-type": "application/json", "content-length": str(len(data))}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        self.socket.sendall(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + data)

    def receive(self) -> Reply:
        status = int(self.read.readline().split()[1])
        lines = dict(parse_headers(self.read).items())
        return Reply(status, self.read.read(int(lines["Content-Length"])).decode(), lines)

    def has_more(self, seconds=LONG) -> bool:
        """Whether bytes follow that were not requested."""
        self.socket.settimeout(seconds)
        try:
            return bool(self.read.peek(1))
        except TimeoutError:
            return False


@pytest.fixture
def connection(terse):
    connection = Connection(terse)
    with connection.socket, connection.read:
        yield connection


@pytest.mark.parametrize("wait", [0, 0.5])
def test_answer_early_sends_a_response_of_another_workspace_without_a_request(
    terse, connection, wait
):
    began = time.monotonic()
    kind = f"answer-early-later:{wait}" if wait else "answer-early"
    connection.send("GET", "/v1/contacts", x_standin_fault=kind)
    connection.receive()
    assert connection.has_more()
    assert time.monotonic() - began >= wait
    theirs = Caller(terse.standin, "globex")("GET", "/v1/contacts")
    assert connection.receive().text == theirs.text


def test_two_concurrent_requests_get_each_others_responses(terse):
    acme, globex = terse, Caller(terse.standin, "globex")
    expected = [call("GET", "/v1/contacts").text for call in (acme, globex)]
    fault = {"x_standin_fault": "answer-swapped:5"}
    with ThreadPoolExecutor() as pool:
        ask = [pool.submit(call, "GET", "/v1/contacts", **fault) for call in (acme, globex)]
        swapped = [each.result() for each in ask]
    assert [reply.text for reply in swapped] == expected[::-1]


KINDS = (
    "answer-twice",
    "answer-twice-later",
    "answer-early",
    "answer-early-later",
    "answer-swapped",
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("when", "effect"), [("before", False), ("after", True)])
def test_before_and_after_decide_whether_the_write_is_applied(
    terse, connection, kind, when, effect
):
    connection.send("POST", "/v1/contacts", CONTACT, x_standin_fault=f"{kind}-{when}")
    response = connection.receive()
    assert response.json["success"] is True
    surplus = kind != "answer-swapped"
    assert connection.has_more(LONG if surplus else 0.1) is surplus
    (entry,) = terse.standin.ledger(operation="create")
    assert (entry["effect"], entry["fault"]) == (effect, f"{kind}-{when}")
    found = terse("GET", f"/v1/contacts/{response.json['data']['cstid']}")
    assert found.status == (200 if effect else 404)
