"""gunicorn with the dashboard's settings: it serves, refuses wrong settings, finishes requests."""

import json
import os
import runpy
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from threading import Event, Thread

import pytest

from dashboard.core import gunicorn
from tests.processes import running
from tests.waits import wait_until

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
APPLICATION = """
import time

def application(environ, start_response):
    if environ["QUERY_STRING"]:
        time.sleep(float(environ["QUERY_STRING"]))
    start_response("200 OK", [("Content-Length", "4")])
    return [b"done"]
"""
PROCESS = """
import os

def application(environ, start_response):
    start_response("200 OK", [])
    return [str(os.getpid()).encode()]
"""


@contextmanager
def started(
    application: str, *options: str, **environment: str
) -> Iterator[tuple[int, subprocess.Popen]]:
    """The port and the process of a gunicorn with the dashboard's settings."""
    with socket.create_server(("127.0.0.1", 0), backlog=100) as listener:
        command = [sys.executable, "-m", "gunicorn", "-c", "python:dashboard.core.gunicorn"]
        command += ["--bind", f"fd://{listener.fileno()}", "--log-level", "critical"]
        command += ["--workers", "1", *options]  # a second one that still starts would not stop
        with running(
            [*command, application],
            cwd=ROOT,
            env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings", **environment},
            pass_fds=(listener.fileno(),),
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            yield listener.getsockname()[1], process


def ask(port: int, path: str) -> tuple[int, bytes]:
    person = HTTPConnection("127.0.0.1", port, timeout=120)
    person.request("GET", path)
    answer = person.getresponse()
    return answer.status, answer.read()


def test_below_a_path_a_page_finds_its_files():
    with started("dashboard.wsgi", SITE_URL="http://127.0.0.1/desk") as (port, _):
        page = ask(port, "/desk/accounts/login/")[1].decode()
    assert 'href="/desk/static/site.css"' in page
    assert 'data-root="/desk/"' in page


COLLECTOR = """
import gc

def application(environ, start_response):
    start_response("200 OK", [])
    return [f"{gc.get_freeze_count()} {gc.get_threshold()}".encode()]
"""


def test_workers_leave_the_loaded_code_out_of_garbage_collections(tmp_path):
    (tmp_path / "collector.py").write_text(COLLECTOR)
    with started("collector:application", "--pythonpath", str(tmp_path)) as (port, _):
        frozen, _, thresholds = ask(port, "/")[1].decode().partition(" ")
    assert int(frozen) > 50_000
    assert thresholds == str(gunicorn.GC_THRESHOLDS)


def test_a_server_with_wrong_settings_refuses_to_start():
    wrong = {"API_BASE_URL": "nowhere", "DJANGO_SETTINGS_MODULE": "dashboard.settings"}
    with started("dashboard.wsgi", **wrong) as (_, process):
        _, words = process.communicate(timeout=60)
    assert process.returncode not in (0, None)
    *_, line = map(json.loads, words.splitlines())
    assert "dashboard.E002" in line["event"]
    assert "Traceback" not in words


def test_what_the_server_says_is_json(tmp_path):
    with started("dashboard.wsgi", "--log-level", "info") as (port, process):
        assert ask(port, "/healthz")[0] == 200
        process.terminate()
        _, words = process.communicate(timeout=60)
    lines = [json.loads(line) for line in words.splitlines()]
    assert any("Listening at" in line["event"] for line in lines)
    assert {line["logger"] for line in lines} >= {"gunicorn.error"}
    assert {*lines[0]} >= {"timestamp", "level", "event"}


def test_what_a_server_says_that_cannot_load_its_pages_is_json(tmp_path):
    (tmp_path / "broken.py").write_text("def application(:\n")
    with started("broken:application", "--pythonpath", str(tmp_path)) as (_, process):
        _, words = process.communicate(timeout=60)
    assert process.returncode == 1
    *_, line = map(json.loads, words.splitlines())
    assert line["event"] == "the process ends: SyntaxError"
    assert "broken.py" in line["exception"]


def test_what_the_server_says_of_a_killed_process_is_json(tmp_path):
    (tmp_path / "process.py").write_text(PROCESS)
    options = ["--pythonpath", str(tmp_path), "--log-level", "info"]
    with started("process:application", *options) as (port, server):
        killed = int(ask(port, "/")[1])
        os.kill(killed, signal.SIGKILL)
        wait_until(lambda: other_process(port, killed))
        server.terminate()
        _, words = server.communicate(timeout=60)
    lines = [json.loads(line) for line in words.splitlines()]
    assert any(f"(pid:{killed}) was sent SIGKILL" in line["event"] for line in lines)


def other_process(port: int, process: int) -> bool:
    """Whether another process answers; none does until the server has started one."""
    try:
        return int(ask(port, "/")[1]) != process
    except OSError:
        return False


@pytest.mark.parametrize("api_timeout", [10.0, 45.0])
def test_the_server_waits_longer_than_the_calls_of_one_request(settings, api_timeout):
    settings.API_TIMEOUT = api_timeout
    configured = runpy.run_path(str(Path(gunicorn.__file__)))
    for name in ("timeout", "graceful_timeout"):
        assert configured[name] > gunicorn.MAX_CALLS_OF_A_REQUEST * api_timeout


# What systemd does: the socket is descriptor 3, and the environment says so.
HANDED_OVER = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ |= {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())}
os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
"""


def test_a_restart_on_a_socket_that_systemd_holds_fails_no_request(tmp_path):
    (tmp_path / "quick.py").write_text(APPLICATION)
    options = [
        "-c",
        "python:dashboard.core.gunicorn",
        "--pythonpath",
        str(tmp_path),
        "--workers",
        "1",  # a second one that still starts would not stop
        "quick:application",
    ]
    answers: list[object] = []
    over = Event()

    def keep_asking(port: int) -> None:
        while not over.is_set():
            try:
                answers.append(ask(port, "/?0.01")[0])
            except OSError as error:
                answers.append(error)

    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
        held = str(listener.fileno())
        command = [sys.executable, "-c", HANDED_OVER, held, "-m", "gunicorn", *options]
        environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
        start = partial(
            subprocess.Popen, command, cwd=ROOT, env=environment, pass_fds=(listener.fileno(),)
        )
        running = start()
        port = listener.getsockname()[1]
        people = [Thread(target=keep_asking, args=(port,)) for _ in range(8)]
        for person in people:
            person.start()
        for _ in range(2):
            before = len(answers)
            wait_until(lambda served=before + 50: len(answers) >= served)
            running.terminate()
            running.wait(timeout=60)
            running = start()
        over.set()
        for person in people:
            person.join()
        running.terminate()
        running.wait(timeout=60)
    assert [each for each in answers if each != 200] == []
