"""Faults that give a response to the wrong request, on one connection and on two."""

import json
import socket
import threading
import time

import pytest

from .conftest import Caller, Reply, every_profile, exchange

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


def test_answer_twice_sends_the_copy_in_one_segment_and_keeps_the_connection(terse, connection):
    connection.send("POST", "/v1/contacts", CONTACT, x_standin_fault="answer-twice")
    first = connection.receive()
    assert connection.buffer.startswith(b"HTTP/1.1 200 OK")  # read together with the first
    assert connection.receive().text == first.text
    assert [entry["effect"] for entry in creates(terse)] == [True]
    connection.send("GET", "/v1/deals/301")
    assert "deal_name" in connection.receive().json["data"]


def test_the_copy_is_read_as_the_response_to_the_next_request(terse, connection):
    """A client that reads on gets a success for a create that the service refuses."""
    connection.send("POST", "/v1/contacts", CONTACT, x_standin_fault="answer-twice")
    connection.receive()
    connection.send("POST", "/v1/contacts", {"contact_type": 1})
    assert connection.receive().json["success"] is True
    assert connection.receive().status == 422
    assert [entry["effect"] for entry in creates(terse)] == [True, False]


def test_answer_twice_later_sends_the_copy_in_another_segment(terse, connection):
    connection.send("GET", "/v1/contacts", x_standin_fault="answer-twice-later:0.5")
    first = connection.receive()
    assert not connection.buffer
    assert connection.receive().text == first.text


def test_a_request_sent_before_the_copy_is_read_after_it(terse, connection):
    connection.send("GET", "/v1/contacts", x_standin_fault="answer-twice-later:0.05")
    connection.send("GET", "/v1/deals/301")
    bodies = [connection.receive().json["data"] for _ in range(3)]
    assert bodies[0] == bodies[1]
    assert "deal_name" in bodies[2]


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


@every_profile
def test_an_early_response_has_the_form_of_the_same_operation(caller):
    globex, connection = Caller(caller.standin, "globex"), Connection(caller)
    newest = globex("GET", "/v1/contacts?sortBy=cstid&sortOrder=desc&pageSize=1").json
    number = next(row for row in newest["data"]["data"] if row)["cstid"]
    connection.send("GET", "/v1/contacts/1001", x_standin_fault="answer-early")
    connection.receive()
    assert connection.receive().json == globex("GET", f"/v1/contacts/{number}").json
    connection.send("POST", "/v1/contacts", CONTACT, x_standin_fault="answer-early")
    own, early = connection.receive().json, connection.receive().json
    assert early["data"]["cstid"] == str(number) or early["data"]["cstid"] == number
    assert own["data"]["cstid"] != early["data"]["cstid"]
    for method, body in (("PUT", {"cstname": "Other"}), ("DELETE", None)):
        url = f"/v1/contacts/{own['data']['cstid']}"
        connection.send(method, url, body, x_standin_fault="answer-early")
        assert connection.receive().json["success"] is True
        assert connection.receive().json["success"] is True
    connection.close()


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


def test_a_refused_create_gets_the_success_of_another(terse):
    fault = {"x_standin_fault": "answer-swapped:5"}
    good, bad = at_once(
        lambda: terse("POST", "/v1/contacts", CONTACT, **fault),
        lambda: terse("POST", "/v1/contacts", {"contact_type": 1}, **fault),
    )
    assert (good.status, bad.status) == (422, 200)
    assert [entry["effect"] for entry in creates(terse)].count(True) == 1


def test_twenty_concurrent_requests_are_swapped_in_pairs(terse):
    terse.standin.fault("answer-swapped:5")
    sizes = range(1, 21)
    replies = at_once(
        *(lambda size=size: terse("GET", f"/v1/contacts?pageSize={size}") for size in sizes)
    )
    got = [len(reply.json["data"]["data"]) for reply in replies]
    assert all(size != own and got[size - 1] == own for own, size in zip(sizes, got, strict=True))


def test_a_single_request_gets_its_own_response_after_the_timeout(terse):
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


@pytest.mark.parametrize("kind", KINDS[:4])
@pytest.mark.parametrize("way", ["typed", "rule", "header"])
def test_typed_text_a_rule_and_a_header_select_it(terse, connection, kind, way):
    headers = {"x_standin_fault": kind} if way == "header" else {}
    typed = f"?search=!fault:{kind}" if way == "typed" else ""
    if way == "rule":
        assert terse.admin("POST", "/faults", {"kind": kind, "times": 1}).json == {"id": 1}
    connection.send("GET", f"/v1/contacts{typed}", **headers)
    connection.receive()
    assert connection.receive().status == 200


@pytest.mark.parametrize("name", ["twice", "early"])
def test_a_key_pair_selects_it(terse, name):
    call = Caller(terse.standin)
    call.pair = terse.standin.personas[name]
    connection = Connection(call)
    connection.send("GET", "/v1/contacts")
    first, second = connection.receive(), connection.receive()
    assert (first.text == second.text) is (name == "twice")
    connection.close()


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


@every_profile
def test_a_create_is_answered_with_another_records_id(caller):
    first = caller("POST", "/v1/contacts", CONTACT).json["data"]["cstid"]
    answer = caller("POST", "/v1/contacts", CONTACT, x_standin_fault="created-another")
    assert (answer.status, answer.json["data"]["cstid"]) == (200, first)
    assert caller.standin.ledger(operation="create")[-1]["record"] == int(first) + 1


@every_profile
def test_a_create_is_answered_with_success_alone(caller):
    answer = caller("POST", "/v1/contacts", CONTACT, x_standin_fault="created-bare")
    assert (answer.status, answer.json) == (200, {"success": True})


@every_profile
def test_a_create_is_answered_with_a_page_of_the_list(caller):
    answer = caller("POST", "/v1/contacts", CONTACT, x_standin_fault="created-list")
    assert answer.json["success"] is True
    assert len(answer.json["data"]["data"]) > 1
    assert caller.standin.ledger(operation="create")[-1]["effect"] is True
