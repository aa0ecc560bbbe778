"""A temporary Redis server for tests, which keeps nothing on disk."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

import pytest

PROGRAM = "redis-server"
PATIENCE = 10  # seconds


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
        self._process: subprocess.Popen | None = None

    def start(self) -> None:
        """Start it, and wait until it accepts connections."""
        command = [PROGRAM, *self._configuration, "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        until = time.monotonic() + PATIENCE
        while not _answers(self.port):
            assert time.monotonic() < until, "Redis has not started"
            time.sleep(0.05)

    def stop(self) -> None:
        """Stop it at once: connections are cut."""
        if self._process:
            self._process.kill()
            self._process.wait()


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def stoppable() -> Iterator[Server]:
    """Start a server on a free loopback port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = Server(port)
    server.start()
    try:
        yield server
    finally:
        server.stop()
