"""Faults that give an answer to the wrong request, over one connection and over two."""

import json
import socket
import threading
import time

import pytest

from .conftest import Caller, Reply, every_profile, exchange

CONTACT = {"cstname": "Struck", "contact_type": 1}
IDLE = 0.2  # seconds: longer than any copy of an answer takes to arrive


class Line:
    """One connection kept open, which reads answers one by one as they come."""

    def __init__(self, call: Caller) -> None:
        self.pair = call.pair
        self.socket = socket.create_connection(("127.0.0.1", call.standin.server.port))
        self.socket.settimeout(5)
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

    def waits(self, seconds=IDLE) -> bool:
        """Whether bytes arrive within some seconds, though nothing was asked."""
        self.socket.settimeout(seconds)
        try:
            return bool(self.socket.recv(1, socket.MSG_PEEK))
        except TimeoutError:
            return False
        finally:
            self.socket.settimeout(5)

    def close(self):
        self.socket.close()


@pytest.fixture
def line(terse):
    line = Line(terse)
    yield line
    line.close()


def creates(call):
    return call.standin.ledger(operation="create")


def test_an_answer_sent_twice_comes_in_one_segment_and_the_connection_stays(terse, line):
    line.send("POST", "/v1/contacts", CONTACT, x_standin_fault="answer-twice")
    first = line.receive()
    assert line.buffer.startswith(b"HTTP/1.1 200 OK")  # read together with the first
    assert line.receive().text == first.text
    assert [entry["effect"] for entry in creates(terse)] == [True]
    line.send("GET", "/v1/deals/301")
    assert "deal_name" in line.receive().json["data"]


def test_the_copy_stands_where_the_next_request_looks_for_its_answer(terse, line):
    """A client that reads on gets a success for a create that the service refuses."""
    line.send("POST", "/v1/contacts", CONTACT, x_standin_fault="answer-twice")
    line.receive()
    line.send("POST", "/v1/contacts", {"contact_type": 1})
    assert line.receive().json["success"] is True
    assert line.receive().status == 422
    assert [entry["effect"] for entry in creates(terse)] == [True, False]


def test_the_copy_may_come_in_a_later_segment(terse, line):
    line.send("GET", "/v1/contacts", x_standin_fault="answer-twice-later:0.1")
    first = line.receive()
    assert not line.buffer
    assert not line.waits(0.02)
    assert line.waits()
    assert line.receive().text == first.text


def test_a_request_sent_meanwhile_is_read_after_the_copy(terse, line):
    line.send("GET", "/v1/contacts", x_standin_fault="answer-twice-later:0.05")
    line.send("GET", "/v1/deals/301")
    bodies = [line.receive().json["data"] for _ in range(3)]
    assert bodies[0] == bodies[1]
    assert "deal_name" in bodies[2]


@pytest.mark.parametrize("kind", ["answer-early", "answer-early-later:0.1"])
def test_an_early_answer_is_of_another_workspace_and_there_before_it_is_asked_for(
    terse, line, kind
):
    line.send("GET", "/v1/contacts", x_standin_fault=kind)
    line.receive()
    assert bool(line.buffer) is (kind == "answer-early")
    assert line.buffer or line.waits()
    theirs = Caller(terse.standin, "globex")("GET", "/v1/contacts")
    assert line.receive().text == theirs.text


@every_profile
def test_an_early_answer_looks_like_one_to_the_same_operation(caller):
    globex, line = Caller(caller.standin, "globex"), Line(caller)
    newest = globex("GET", "/v1/contacts?sortBy=cstid&sortOrder=desc&pageSize=1").json
    number = next(row for row in newest["data"]["data"] if row)["cstid"]
    line.send("GET", "/v1/contacts/1001", x_standin_fault="answer-early")
    line.receive()
    assert line.receive().json == globex("GET", f"/v1/contacts/{number}").json
    line.send("POST", "/v1/contacts", CONTACT, x_standin_fault="answer-early")
    own, early = line.receive().json, line.receive().json
    assert early["data"]["cstid"] == str(number) or early["data"]["cstid"] == number
    assert own["data"]["cstid"] != early["data"]["cstid"]
    for method, body in (("PUT", {"cstname": "Other"}), ("DELETE", None)):
        url = f"/v1/contacts/{own['data']['cstid']}"
        line.send(method, url, body, x_standin_fault="answer-early")
        assert line.receive().json["success"] is True
        assert line.receive().json["success"] is True
    line.close()


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


def test_two_requests_at_once_get_each_others_answers(terse):
    acme, globex = terse, Caller(terse.standin, "globex")
    expected = [call("GET", "/v1/contacts").text for call in (acme, globex)]
    fault = {"x_standin_fault": "answer-swapped:5"}
    swapped = at_once(
        lambda: acme("GET", "/v1/contacts", **fault), lambda: globex("GET", "/v1/contacts", **fault)
    )
    assert [reply.text for reply in swapped] == expected[::-1]


def test_a_refused_create_gets_the_success_of_another(terse):
    fault = {"x_standin_fault": "answer-swapped:5"}
    good, bad = at_once(
        lambda: terse("POST", "/v1/contacts", CONTACT, **fault),
        lambda: terse("POST", "/v1/contacts", {"contact_type": 1}, **fault),
    )
    assert (good.status, bad.status) == (422, 200)
    assert [entry["effect"] for entry in creates(terse)].count(True) == 1


def test_twenty_requests_at_once_are_swapped_in_pairs(terse):
    terse.standin.fault("answer-swapped:5")
    sizes = range(1, 21)
    replies = at_once(
        *(lambda size=size: terse("GET", f"/v1/contacts?pageSize={size}") for size in sizes)
    )
    got = [len(reply.json["data"]["data"]) for reply in replies]
    assert all(size != own and got[size - 1] == own for own, size in zip(sizes, got, strict=True))


def test_a_request_alone_gets_its_own_answer_after_a_while(terse):
    own = terse("GET", "/v1/contacts").text
    started = time.monotonic()
    assert terse("GET", "/v1/contacts", x_standin_fault="answer-swapped:0.1").text == own
    assert time.monotonic() - started >= 0.1
    assert terse("GET", "/v1/contacts", x_standin_fault="answer-swapped:0.1").text == own


KINDS = (
    "answer-twice",
    "answer-twice-later",
    "answer-early",
    "answer-early-later",
    "answer-swapped",
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("when", "effect"), [("before", False), ("after", True)])
def test_the_write_is_applied_or_not_as_the_kind_says(terse, line, kind, when, effect):
    line.send("POST", "/v1/contacts", CONTACT, x_standin_fault=f"{kind}-{when}")
    answer = line.receive()
    assert answer.json["success"] is True
    assert (bool(line.buffer) or line.waits()) is (kind != "answer-swapped")
    (entry,) = creates(terse)
    assert (entry["effect"], entry["fault"]) == (effect, f"{kind}-{when}")
    found = terse("GET", f"/v1/contacts/{answer.json['data']['cstid']}")
    assert found.status == (200 if effect else 404)


@pytest.mark.parametrize("kind", KINDS[:4])
@pytest.mark.parametrize("door", ["typed", "rule", "header"])
def test_it_comes_through_every_door(terse, line, kind, door):
    headers = {"x_standin_fault": kind} if door == "header" else {}
    typed = f"?search=!fault:{kind}" if door == "typed" else ""
    if door == "rule":
        assert terse.admin("POST", "/faults", {"kind": kind, "times": 1}).json == {"id": 1}
    line.send("GET", f"/v1/contacts{typed}", **headers)
    line.receive()
    assert line.buffer or line.waits()
    assert line.receive().status == 200


@pytest.mark.parametrize("name", ["twice", "early"])
def test_it_comes_with_a_key_pair(terse, name):
    call = Caller(terse.standin)
    call.pair = terse.standin.personas[name]
    line = Line(call)
    line.send("GET", "/v1/contacts")
    first, second = line.receive(), line.receive()
    assert (first.text == second.text) is (name == "twice")
    line.close()


def test_two_calls_of_one_key_pair_are_swapped(terse):
    access, secret = terse.standin.personas["swapped"]
    headers = {"x-service-access-key": access, "x-service-secret-key": secret}
    port = terse.standin.server.port
    contacts, deals = at_once(
        lambda: exchange(port, "GET", "/v1/contacts", None, headers),
        lambda: exchange(port, "GET", "/v1/deals", None, headers),
    )
    assert "deal_name" in contacts.text
    assert "contact_type" in deals.text
