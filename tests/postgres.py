"""A temporary PostgreSQL cluster for tests, created by initdb in a temporary folder."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from dashboard.administration.demo import free_port
from tests.processes import python

OWNER = "postgres"  # PostgreSQL refuses to run as root
OPTIONS = "-c fsync=off -c max_connections=100 -c unix_socket_directories="  # no socket


def programs() -> Path | None:
    """The folder of initdb and pg_ctl of the newest installed version (Debian's layout)."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


def need() -> None:
    """Skip the test without PostgreSQL or psycopg; with REQUIRE_POSTGRES=1 let it fail instead."""
    installed = programs() and find_spec("psycopg")
    if not installed and os.environ.get("REQUIRE_POSTGRES") != "1":
        pytest.skip("PostgreSQL or psycopg is not installed")


@dataclass(frozen=True)
class Cluster:
    """A cluster that can be stopped and started again."""

    url: str
    folder: Path
    port: int
    options: str = OPTIONS

    def start(self) -> None:
        run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-l", str(self.folder / "log"), "-o",
             f"-p {self.port} -h 127.0.0.1 {self.options}", "start")  # fmt: skip

    def stop(self) -> None:
        run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-m", "immediate", "stop")

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """Let it answer nothing meanwhile; connections are still accepted."""
        first = int((self.folder / "data/postmaster.pid").read_text().splitlines()[0])
        children = Path(f"/proc/{first}/task/{first}/children").read_text()
        processes = [first, *map(int, children.split())]
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in processes:
                os.kill(process, signal.SIGCONT)


@contextmanager
def cluster() -> Iterator[str]:
    """Start an empty cluster on a free loopback port; yields a database URL."""
    with stoppable() as started:
        yield started.url


@contextmanager
def stoppable() -> Iterator[Cluster]:
    """Start an empty cluster on a free loopback port."""
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    if os.getuid() == 0:
        shutil.chown(folder, OWNER)
    port = free_port()
    found = Cluster(f"postgres://{OWNER}@127.0.0.1:{port}/postgres", folder, port)
    data = str(folder / "data")
    run("initdb", "-D", data, "-U", OWNER, "-A", "trust", "-E", "UTF8", "--no-sync")
    found.start()
    try:
        yield found
    finally:
        found.stop()
        shutil.rmtree(folder, ignore_errors=True)


def run(program: str, *arguments: str) -> None:
    """Run a program of PostgreSQL as its superuser."""
    folder = programs()
    assert folder, "PostgreSQL is not installed"
    command = [str(folder / program), *arguments]
    if os.getuid() == 0:
        command = ["runuser", "-u", OWNER, "--", *command]
    # No pipes: the server would inherit them and keep them open.
    subprocess.run(command, check=True, cwd="/", stdout=subprocess.DEVNULL)


def check_tests(file: str, keyword: str) -> None:
    """Run the tests of a file that match the keyword on an empty cluster; fail if one fails."""
    need()
    with cluster() as url:
        options = ["-q", "-n", "0", "-m", "", "-k", keyword]
        done = python("-m", "pytest", *options, file, TEST_DATABASE_URL=url)
    assert done.returncode == 0, done.stdout[-3000:]
