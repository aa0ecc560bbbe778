"""How gunicorn's workers share what comes in."""

import os
import socket
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path

ROOT = Path(__file__).parents[1]
PEOPLE = 40
APPLICATION = """
import os

def application(environ, start_response):
    body = str(os.getpid()).encode()
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]
"""


def test_people_who_come_at_once_are_shared_among_the_workers(tmp_path):
    (tmp_path / "who.py").write_text(APPLICATION)
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=PEOPLE))
        port = listener.getsockname()[1]
        serve(stack, listener, tmp_path)
        wait_for_both(port)
        people = [asked(port) for _ in range(PEOPLE)]
        shares = Counter(one.getresponse().read() for one in people)
    assert len(shares) == 2
    assert min(shares.values()) >= PEOPLE // 5, shares


def serve(stack: ExitStack, listener: socket.socket, folder: Path) -> None:
    command = [sys.executable, "-m", "gunicorn", "-c", "python:dashboard.gunicorn"]
    command += ["--bind", f"fd://{listener.fileno()}", "--pythonpath", str(folder)]
    server = subprocess.Popen(
        [*command, "--log-level", "error", "who:application"],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        pass_fds=(listener.fileno(),),
    )
    stack.callback(server.wait)
    stack.callback(server.terminate)


def wait_for_both(port: int) -> None:
    """Two at once, until each of them meets a worker of their own."""
    for _ in range(300):
        if len({one.getresponse().read() for one in [asked(port), asked(port)]}) == 2:
            return
    raise AssertionError("one worker takes all")


def asked(port: int) -> HTTPConnection:
    """A person's connection, on which the answer is still to come."""
    person = HTTPConnection("127.0.0.1", port, timeout=30)
    person.request("GET", "/")
    return person
