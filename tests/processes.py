"""Processes that tests start."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 10  # seconds until one that does not stop is killed


@contextmanager
def running(
    command: list[str], *, stop: signal.Signals = signal.SIGTERM, **options: Any
) -> Iterator[subprocess.Popen[Any]]:
    """A process, which is told to stop in the end and waited for. `options`: those of Popen."""
    with subprocess.Popen(command, **options) as process:
        try:
            yield process
        finally:
            process.send_signal(stop)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
