"""How gunicorn's workers share what comes in, and what each of them keeps to."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.client import HTTPConnection
from itertools import islice
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PEOPLE = 40
REQUESTS = 200
APPLICATION = """
import json, os

def wakings():
    with open("/proc/self/status") as status:  # of the first thread, which has the worker's loop
        return next(int(line.split()[1]) for line in status if line.startswith("voluntary"))

def application(environ, start_response):
    cpus = sorted(os.sched_getaffinity(0))
    body = json.dumps({"pid": os.getpid(), "cpus": cpus, "wakings": wakings()}).encode()
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]
"""
Serve = Callable[..., int]


@pytest.fixture
def serve(tmp_path) -> Iterator[Serve]:
    """serve("--threads", "9", cpus={0}): the port of a gunicorn under the dashboard's settings."""
    (tmp_path / "who.py").write_text(APPLICATION)
    with ExitStack() as stack:
        yield lambda *options, **more: started(stack, tmp_path, options, **more)


def started(
    stack: ExitStack,
    folder: Path,
    options: tuple[str, ...],
    *,
    cpus: set[int] | None = None,
    bind: str = "",
) -> int:
    listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=PEOPLE))
    command = [sys.executable, "-m", "gunicorn", "-c", "python:dashboard.gunicorn"]
    command += ["--bind", bind or f"fd://{listener.fileno()}", "--pythonpath", str(folder)]
    server = subprocess.Popen(
        [*command, "--log-level", "critical", *options, "who:application"],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        pass_fds=(listener.fileno(),),
        preexec_fn=lambda: os.sched_setaffinity(0, cpus or os.sched_getaffinity(0)),
    )
    stack.callback(server.wait)
    stack.callback(server.terminate)
    return int(listener.getsockname()[1])


def asked(port: int) -> HTTPConnection:
    """A person's connection, on which the answer is still to come."""
    person = HTTPConnection("127.0.0.1", port, timeout=30)
    person.request("GET", "/")
    return person


def heard(person: HTTPConnection) -> dict:
    """The answer."""
    return json.loads(person.getresponse().read())


def workers(port: int, count: int = 2) -> dict[int, list[int]]:
    """The CPUs of every worker by its process, once there are as many; two people come at once."""
    found: dict[int, list[int]] = {}
    for _ in range(300):
        for answer in [heard(person) for person in [asked(port), asked(port)]]:
            found[answer["pid"]] = answer["cpus"]
        if len(found) >= count:
            return found
    raise AssertionError(f"{len(found)} of {count} workers answer")


def two_cpus() -> set[int]:
    """Two of those that this process may use, or the only one."""
    return set(islice(sorted(os.sched_getaffinity(0)), 2))


def test_people_who_come_at_once_are_shared_among_the_workers(serve):
    port = serve()
    workers(port)
    people = [asked(port) for _ in range(PEOPLE)]
    shares = Counter(heard(one)["pid"] for one in people)
    assert len(shares) == 2
    assert min(shares.values()) >= PEOPLE // 5, shares


def test_as_many_workers_as_cpus_have_one_each_and_a_successor_takes_the_free_one(serve):
    cpus = two_cpus()
    port = serve("--workers", "2", cpus=cpus)
    first = workers(port)
    assert [len(own) for own in first.values()] == [1, 1]
    assert {own[0] for own in first.values()} == cpus
    killed = next(iter(first))
    os.kill(killed, signal.SIGKILL)
    later = workers_but(port, killed)
    assert {own[0] for own in later.values()} == cpus


def workers_but(port: int, gone: int) -> dict[int, list[int]]:
    """Those that answer after one was killed, whose connections break off."""
    found: dict[int, list[int]] = {}
    for _ in range(300):
        try:
            for answer in [heard(person) for person in [asked(port), asked(port)]]:
                found[answer["pid"]] = answer["cpus"]
        except OSError:
            continue
        if len(set(found) - {gone}) == 2:
            return {pid: own for pid, own in found.items() if pid != gone}
    raise AssertionError("nobody took its place")


def test_fewer_workers_than_cpus_keep_to_none(serve):
    cpus = two_cpus()
    port = serve("--workers", "1", cpus=cpus)
    assert heard(asked(port))["cpus"] == sorted(cpus)


def test_who_asks_again_at_once_is_answered_past_the_loop(serve):
    assert wakings_while_asked(serve("--workers", "1")) < REQUESTS / 2


def test_with_few_threads_none_stays_with_anybody(serve):
    assert wakings_while_asked(serve("--workers", "1", "--threads", "2")) > REQUESTS / 2


def wakings_while_asked(port: int) -> int:
    """How often the worker's loop woke up for one person's REQUESTS, one after the other."""
    heard(asked(port))  # it has started
    person = asked(port)
    before = heard(person)["wakings"]
    for _ in range(REQUESTS):
        person.request("GET", "/")
        answer = heard(person)
    return int(answer["wakings"] - before)


def test_an_answer_comes_in_one_piece(serve):
    port = serve("--workers", "1")
    with socket.create_connection(("127.0.0.1", port), timeout=30) as person:
        for _ in range(3):
            person.sendall(b"GET / HTTP/1.1\r\nHost: desk\r\n\r\n")
            head, _, body = person.recv(65_536).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200")
            assert json.loads(body)["pid"]


def test_a_unix_socket_serves_as_well(serve, tmp_path):
    """It has no packets to hold back."""
    path = str(tmp_path / "desk")
    serve("--workers", "1", bind=f"unix:{path}")
    with socket.socket(socket.AF_UNIX) as person:
        connected(person, path)
        person.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert b" 200 OK" in person.makefile("rb").readline()


def connected(person: socket.socket, path: str) -> None:
    """Once the server has made its socket."""
    for _ in range(300):
        try:
            return person.connect(path)
        except OSError:
            time.sleep(0.1)
    raise AssertionError("nobody listens")


def test_threads_that_stay_with_somebody_leave_enough_for_everybody_else(serve):
    port = serve("--workers", "1", "--threads", "10")
    people = [asked(port) for _ in range(PEOPLE)]
    for _ in range(3):
        for person in people:
            heard(person)
            person.request("GET", "/")
    assert {heard(person)["pid"] for person in people} == {heard(asked(port))["pid"]}
