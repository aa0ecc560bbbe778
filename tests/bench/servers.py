"""The three servers, each on a loopback port of its own: stand-in, dashboard, Django's admin."""

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import usage

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60.0  # seconds for a server to come up, or for a command to end
API_PORT_IN_THE_LINE, ADMIN_PORT_IN_THE_LINE = 3, 5


@dataclass
class Server:
    """A running server. `processes` are those that answer."""

    port: int
    processes: list[int]


@dataclass
class StandInServer(Server):
    """The API's stand-in with its admin port."""

    admin_url: str = ""

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """Call the admin port: POST with a body, else GET."""
        data = json.dumps(body).encode() if body is not None else None
        with urllib.request.urlopen(self.admin_url + path, data, timeout=PATIENCE) as answer:
            return json.load(answer)


@contextmanager
def standin(*, size: int) -> Iterator[StandInServer]:
    """The stand-in with `size` records of all kinds, in memory."""
    command = ("-m", "dashboard.standin", "--port", "0", "--admin-port", "0", "--size", str(size))
    with _running([sys.executable, *command], dict(os.environ)) as process:
        assert process.stdout is not None
        words = process.stdout.readline().split()
        if not words:
            raise RuntimeError("the stand-in did not start")
        url, admin_url = words[API_PORT_IN_THE_LINE], words[ADMIN_PORT_IN_THE_LINE]
        yield StandInServer(int(url.rpartition(":")[2]), [process.pid], admin_url)


@contextmanager
def gunicorn(
    application: str, environment: dict[str, str], *options: str, workers: int = 0
) -> Iterator[Server]:
    """An application under the dashboard's own gunicorn settings; `workers` if not as many."""
    count = workers or WORKERS
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
        handle = listener.fileno()
        command = [sys.executable, "-m", "gunicorn", "-c", "python:dashboard.gunicorn"]
        command += ["--bind", f"fd://{handle}", "--log-level", "warning"]
        command += ["--workers", str(count), *options, application]
        with _running(command, environment, handle) as process:
            _wait_for_workers(process.pid, count)
            yield Server(listener.getsockname()[1], usage.children(process.pid))


def dashboard_environment(folder: Path, api_port: int) -> dict[str, str]:
    """Production's settings, but for https, which a proxy would add."""
    return dict(os.environ) | {
        "DJANGO_SETTINGS_MODULE": "dashboard.settings",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "FIELD_ENCRYPTION_KEYS": urlsafe_b64encode(secrets.token_bytes(32)).decode(),
        "API_BASE_URL": f"http://127.0.0.1:{api_port}",
        "DATABASE_URL": f"sqlite:///{folder / 'dashboard.sqlite3'}",
        "STATIC_ROOT": str(folder / "static"),
        "DEBUG": "off",
        "HTTPS_ONLY": "off",
        "LOG_LEVEL": "WARNING",
    }


def admin_environment(folder: Path) -> dict[str, str]:
    """The settings of `admin_site`, whose files are in `folder` too."""
    return dict(os.environ) | {
        "DJANGO_SETTINGS_MODULE": "tests.bench.admin_site.settings",
        "BENCH_FOLDER": str(folder),
    }


@contextmanager
def _running(
    command: list[str], environment: dict[str, str], *handles: int
) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, pass_fds=handles
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for_workers(arbiter: int, count: int) -> None:
    """Gunicorn forks its workers at once; that they serve is seen by the first request."""
    limit = time.monotonic() + PATIENCE
    while len(usage.children(arbiter)) < count:
        if time.monotonic() > limit:
            raise RuntimeError("gunicorn did not start its workers")
        time.sleep(0.1)


def _configured_workers() -> int:
    from dashboard import gunicorn as configuration

    return configuration.workers


WORKERS = _configured_workers()
