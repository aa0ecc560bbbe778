"""nginx with the example of dashboard/deploy before servers on this machine."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dashboard.administration.demo import free_port
from tests import processes
from tests.certificates import certificate_of
from tests.waits import wait_for_port

EXAMPLE = Path(__file__).parents[1] / "dashboard/deploy/nginx.conf"
HOST = "desk.example.com"


def program() -> str | None:
    """The path of nginx, which Debian keeps out of the PATH of users."""
    return shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")


def need() -> None:
    """Skip the test without nginx; with REQUIRE_NGINX=1 let it fail instead."""
    if program() is None and os.environ.get("REQUIRE_NGINX") != "1":
        pytest.skip("nginx is not installed")


@contextmanager
def running(folder: Path, *backends: int) -> Iterator[int]:
    """The https port of an nginx before servers on these ports. It logs into the folder."""
    port = free_port()
    (folder / "desk.conf").write_text(adapted(folder, port, backends))
    main = folder / "nginx.conf"
    main.write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/error.log;\n"
        f"{'user root;' if os.geteuid() == 0 else ''}\n"
        f"events {{ worker_connections 4096; }}\nhttp {{ include {folder}/desk.conf; }}\n"
    )
    command = [program() or "nginx", "-p", str(folder), "-c", str(main)]
    subprocess.run([*command, "-t"], check=True, capture_output=True)
    with processes.running(command):
        wait_for_port(port)
        yield port


def adapted(folder: Path, port: int, backends: tuple[int, ...]) -> str:
    """The example with this machine's ports, certificate and folder for logs."""
    certificate = str(certificate_of(HOST, folder))
    kept = [line for line in EXAMPLE.read_text().splitlines() if "[::]" not in line]
    servers = "\n".join(f"server 127.0.0.1:{each} max_fails=0;" for each in backends)
    other = free_port()
    changes = {
        "server 127.0.0.1:8000 max_fails=1 fail_timeout=5s;": servers,
        "listen 80": f"listen 127.0.0.1:{other}",
        "listen 443": f"listen 127.0.0.1:{port}",
        "/etc/ssl/certs/desk.example.com.pem": certificate,
        "/etc/ssl/private/desk.example.com.key": certificate,
        "/var/log/nginx": str(folder),
    }
    text = "\n".join(kept)
    for before, after in changes.items():
        assert before in text, before
        text = text.replace(before, after)
    return text
