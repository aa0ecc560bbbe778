"""Faults that give a response to the wrong request, on one connection and on two."""

import json
import socket
import threading

import pytest

from .conftest import Caller, Reply

CONTACT = {"cstname": "Struck", "contact_type": 1}
LONG = 5  # seconds


class Connection:
    """A connection kept open, which reads one response after another."""

    def __init__(self, call: Caller) -> None:
        self.pair = call.pair
        self.socket = socket.create_connection(("127.0.0.1", call.standin.server.port))
        self.socket.settimeout(LONG)
        self.buffer = b""

    def send(self, method, path, body=None, **headers):
        access, secret = self.pair
        lines = {"x-service-access-key": access, "x-service-secret-key": secret}
        lines.update({name.replace("_", "-"): value for name, value in headers.items()})
        data = b"" if body is None else json.dumps(body).encode()
        lines |= {"content-type": "application/json", "content-length": str(len(data))}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        self.socket.sendall(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + data)

    def receive(self) -> Reply:
        while b"\r\n\r\n" not in self.buffer:
            self._more()
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        lines = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
        length = int(lines["Content-Length"])
        while len(self.buffer) < length:
            self._more()
        body, self.buffer = self.buffer[:length], self.buffer[length:]
        return Reply(int(head.split(b" ")[1]), body.decode(), lines)

    def _more(self):
        data = self.socket.recv(1 << 20)
        assert data, "the connection was closed"
        self.buffer += data

    def has_more(self, seconds=LONG) -> bool:
        """Whether bytes follow that were not requested."""
        if self.buffer:
            return True
        self.socket.settimeout(seconds)
        try:
            return bool(self.socket.recv(1, socket.MSG_PEEK))
        except TimeoutError:
            return False
        finally:
            self.socket.settimeout(LONG)

    def close(self):
        self.socket.close()


@pytest.fixture
def connection(terse):
    connection = Connection(terse)
    yield connection
    connection.close()


def creates(call):
    return call.standin.ledger(operation="create")


@pytest.mark.parametrize("kind", ["answer-early", "answer-early-later:0.5"])
def test_answer_early_sends_a_response_of_another_workspace_without_a_request(
    terse, connection, kind
):
    connection.send("GET", "/v1/contacts", x_standin_fault=kind)
    connection.receive()
    assert bool(connection.buffer) is (kind == "answer-early")
    assert connection.has_more()
    theirs = Caller(terse.standin, "globex")("GET", "/v1/contacts")
    assert connection.receive().text == theirs.text


def at_once(*calls):
    """The results of functions that run at the same time, in their order."""
    results = [None] * len(calls)

    def run(place, call):
        results[place] = call()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_two_concurrent_requests_get_each_others_responses(terse):
    acme, globex = terse, Caller(terse.standin, "globex")
    expected = [call("GET", "/v1/contacts").text for call in (acme, globex)]
    fault = {"x_standin_fault": "answer-swapped:5"}
    swapped = at_once(
        lambda: acme("GET", "/v1/contacts", **fault), lambda: globex("GET", "/v1/contacts", **fault)
    )
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
    (entry,) = creates(terse)
    assert (entry["effect"], entry["fault"]) == (effect, f"{kind}-{when}")
    found = terse("GET", f"/v1/contacts/{response.json['data']['cstid']}")
    assert found.status == (200 if effect else 404)
