"""A temporary Redis server for tests, which keeps nothing on disk."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

import pytest

from dashboard.administration.demo import free_port
from tests.waits import wait_for_port

PROGRAM = "redis-server"


def need() -> None:
    """Skip the test without Redis or its client; with REQUIRE_REDIS=1 let it fail instead."""
    installed = shutil.which(PROGRAM) and find_spec("redis")
    if not installed and os.environ.get("REQUIRE_REDIS") != "1":
        pytest.skip("redis-server or the package redis is not installed")


class Server:
    """A server on a port of its own that can be stopped and started again."""

    def __init__(self, port: int, *configuration: str) -> None:
        self.port, self.url = port, f"redis://127.0.0.1:{port}/0"
        self._configuration = configuration or ("--port", str(port), "--bind", "127.0.0.1")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [PROGRAM, *self._configuration, "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        wait_for_port(self.port)

    def stop(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """Let it answer nothing meanwhile."""
        assert self._process
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)


@contextmanager
def stoppable() -> Iterator[Server]:
    """Start a server on a free loopback port."""
    port = free_port()
    server = Server(port)
    server.start()
    try:
        yield server
    finally:
        server.stop()
