"""The nginx example: it parses, pins the host, and never sends a POST twice."""

import socket
import ssl
from contextlib import ExitStack
from http.client import HTTPResponse, HTTPSConnection

import pytest

from tests import nginx as server
from tests.gateway.servers import RawServer, closes, says
from tests.nginx import HOST
from tests.waits import wait_until

pytestmark = pytest.mark.slow


@pytest.fixture
def nginx(tmp_path):
    """nginx(*ports): the https port of an nginx with the example before these backends."""
    server.need()
    with ExitStack() as stack:
        yield lambda *ports: stack.enter_context(server.running(tmp_path, *ports))


def ask(port: int, method: str, path: str = "/contacts/?search=canary", body: bytes = b"") -> int:
    return answer_to(port, method, path, body).status


def answer_to(port: int, method: str, path: str, body: bytes) -> HTTPResponse:
    context = ssl._create_unverified_context()
    with socket.create_connection(("127.0.0.1", port)) as plain:
        person = HTTPSConnection(HOST, port, timeout=20)
        person.sock = context.wrap_socket(plain, server_hostname=HOST)
        person.request(method, path, body=body or None, headers={"X-Forwarded-For": "6.6.6.6"})
        return person.getresponse()


@pytest.fixture
def backends():
    """backends(answers, answers): two backends; the first is asked first."""
    with ExitStack() as stack:
        yield lambda *answers: [
            stack.enter_context(RawServer(says(body={}) if each else closes)) for each in answers
        ]


def logged(path, lines=1):
    """The log, once nginx has written so many lines, which it does after the answer."""
    wait_until(lambda: path.read_text().count("\n") >= lines)
    return path.read_text()


def test_host_and_address_are_those_that_the_proxy_knows(nginx, backends, tmp_path):
    [backend] = backends(True)
    assert ask(nginx(backend.port), "GET") == 200
    [request] = backend.requests
    assert b"Host: desk.example.com\r\n" in request
    assert b"X-Forwarded-Proto: https\r\n" in request
    assert b"X-Forwarded-For: 127.0.0.1\r\n" in request
    assert b"X-Request-ID: " in request
    log = logged(tmp_path / "entry-desk.log")
    assert " GET /contacts/ 200 " in log
    assert "canary" not in log


def test_no_log_holds_the_key_of_a_mailed_link(nginx, backends, tmp_path):
    """Not over http, and not where the machine behind it fails."""
    [backend] = backends(False)
    port = nginx(backend.port)
    for path in (
        "/accounts/password/reset/6-canary-key/",
        "/desk/accounts/password/reset/6-canary/",
    ):
        assert ask(port, "GET", f"{path}?search=canary") == 502
    assert ask(port, "GET", "/accounts/password/reset/") == 502
    log = logged(tmp_path / "entry-desk.log", lines=3)
    assert log.count("GET /accounts/password/reset/ 502") == 2
    assert "GET /desk/accounts/password/reset/ 502" in log
    assert not [path.name for path in tmp_path.glob("*.log") if "canary" in path.read_text()]


def test_an_address_that_sends_many_passwords_has_to_wait(nginx, backends):
    [backend] = backends(True)
    port = nginx(backend.port)
    answers = [ask(port, "POST", "/accounts/login/", b"a=1") for _ in range(80)]
    assert answers[:60] == [200] * 60
    assert 429 in answers
    assert ask(port, "GET", "/accounts/login/") == 200
    assert ask(port, "POST", "/contacts/", b"a=1") == 200


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_site_that_is_stopped_is_back_in_a_minute(nginx, backends, method):
    [backend] = backends(False)
    answer = answer_to(nginx(backend.port), method, "/contacts/", b"a=1")
    assert answer.status == 502
    assert answer.headers["Content-Type"] == "text/html"
    assert answer.headers["Cache-Control"] == "no-store"
    page = answer.read()
    assert b"Entry Desk is not available at the moment" in page
    assert b"reload this page" in page  # sends a form again; going back empties it


def test_another_host_gets_no_answer(nginx, backends):
    [backend] = backends(True)
    port = nginx(backend.port)
    context = ssl._create_unverified_context()
    refused = pytest.raises((ssl.SSLError, ConnectionError))
    with socket.create_connection(("127.0.0.1", port)) as plain, refused:
        context.wrap_socket(plain, server_hostname="evil.example.com")
    assert backend.requests == []


def test_a_read_goes_to_the_next_machine_and_a_write_never_does(nginx, backends):
    broken, sound = backends(False, True)
    port = nginx(broken.port, sound.port)
    assert [ask(port, "GET") for _ in range(4)] == [200] * 4
    assert broken.requests
    broken.requests.clear()
    sound.requests.clear()
    answers = [ask(port, "POST", "/contacts/new/", b"a=1") for _ in range(4)]
    assert sorted(set(answers)) == [200, 502]
    assert len(broken.requests) + len(sound.requests) == 4
    assert answers.count(502) == len(broken.requests)
