"""Starts the servers, each on its own loopback port: stand-in, dashboard, Django's admin, nginx."""

import json
import os
import secrets
import shutil
import subprocess
import sys
import urllib.request
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from types import MappingProxyType
from typing import IO, Any

from dashboard.administration.demo import free_port
from tests import postgres, processes, redis_server
from tests.waits import wait_for_port, wait_until

from . import usage

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 60.0  # seconds for a server to come up, or for a command to end
API_PORT_IN_THE_LINE, ADMIN_PORT_IN_THE_LINE = 3, 5
WORKERS = 2
CONFIGURATION = ("-c", "python:dashboard.core.gunicorn")
# Each worker then listens by itself, and the kernel spreads the connections. Otherwise one worker
# often accepts most of those that come at once, and keeps them while the other is idle.
SPREAD = "--reuse-port"
LIKEWISE = ("--worker-class", "gthread", "--threads", "32", "--keep-alive", "15", "--preload")


@dataclass
class Server:
    """A running server. `processes`: the ids of the processes that answer requests."""

    port: int
    processes: list[int]


@dataclass
class StandInServer(Server):
    """The stand-in with its admin port."""

    admin_url: str = ""

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
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
    application: str,
    environment: dict[str, str],
    *options: str,
    workers: int = WORKERS,
    settings: tuple[str, ...] = CONFIGURATION,
) -> Iterator[Server]:
    """A Django application under gunicorn; `options` are added to its command line."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", *settings, "--log-level", "warning"]
    command += ["--bind", f"127.0.0.1:{port}", "--workers", str(workers), *options, application]
    with TemporaryFile() as log, _running(command, environment, log) as process:
        _wait_for_workers(process.pid, workers)
        wait_for_port(port)
        yield Server(port, usage.children(process.pid))


@contextmanager
def stores(*, shared: bool) -> Iterator[dict[str, str]]:
    """The settings of database and cache: PostgreSQL and Redis, else none for the defaults."""
    if not shared:
        yield {}
        return
    with postgres.cluster() as database, redis_server.stoppable() as cache:
        yield {"DATABASE_URL": database, "CACHE_URL": cache.url}


def dashboard_environment(
    folder: Path, api_port: int, kept_in: Mapping[str, str] = MappingProxyType({})
) -> dict[str, str]:
    """The defaults of .env.example, with metrics, but without https, which
    a proxy adds, and without a bound of requests. kept_in: of `stores`.
    """
    metrics = folder / "metrics"
    metrics.mkdir()
    return dict(os.environ) | {
        "DJANGO_SETTINGS_MODULE": "bench.settings",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "FIELD_ENCRYPTION_KEYS": urlsafe_b64encode(secrets.token_bytes(32)).decode(),
        "API_BASE_URL": f"http://127.0.0.1:{api_port}",
        "DATABASE_URL": f"sqlite:///{folder / 'dashboard.sqlite3'}",
        "STATIC_ROOT": str(folder / "static"),
        "DEBUG": "off",
        "SITE_URL": "http://127.0.0.1",
        "PROMETHEUS_MULTIPROC_DIR": str(metrics),
        **kept_in,
    }


def admin_environment(folder: Path) -> dict[str, str]:
    """The settings of `admin_site`, whose files are in `folder` too."""
    return dict(os.environ) | {
        "DJANGO_SETTINGS_MODULE": "bench.admin_site.settings",
        "BENCH_FOLDER": str(folder),
    }


NGINX = """
daemon off; {user} pid nginx.pid; error_log stderr error; worker_processes 1;
events {{ worker_connections 4096; }}
http {{
  access_log off; gzip off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  upstream desk {{ server 127.0.0.1:{desk}; keepalive 32; keepalive_timeout 10s; }}
  server {{
    listen 127.0.0.1:{port} backlog=2048;
    location / {{
      proxy_pass http://desk; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header Host $host; proxy_set_header X-Forwarded-For $remote_addr;
    }}
  }}
}}
"""


@contextmanager
def nginx(folder: Path, desk: Server) -> Iterator[Server | None]:
    """nginx in front of the dashboard, as docs/install.md has it; None where it is missing."""
    program = shutil.which("nginx")
    if program is None:
        yield None
        return
    port = free_port()
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(NGINX.format(user=user, desk=desk.port, port=port))
    command = [program, "-p", str(folder), "-c", "nginx.conf"]
    with _running(command, dict(os.environ)) as process:
        wait_for_port(port)
        yield Server(port, [process.pid, *usage.children(process.pid)])


@contextmanager
def worker(environment: dict[str, str]) -> Iterator[None]:
    """A worker of the dashboard's jobs, as docs/install.md sets it up."""
    command = [sys.executable, "manage.py", "db_worker", "--interval", "0.5", "--verbosity", "0"]
    with TemporaryFile() as log, _running(command, environment, log):
        yield


def _running(
    command: list[str], environment: dict[str, str], log: IO[bytes] | None = None
) -> AbstractContextManager[subprocess.Popen[str]]:
    """A process; its lines of log go to `log`, else to the terminal."""
    return processes.running(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=log, text=True
    )


def _wait_for_workers(arbiter: int, count: int) -> None:
    """Wait until gunicorn has forked its workers; the first request waits until they serve."""
    wait_until(lambda: len(usage.children(arbiter)) >= count)
