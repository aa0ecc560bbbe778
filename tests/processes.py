"""Processes that tests start."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
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


def python(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the folder of the repository, with these variables as well."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False,
    )  # fmt: skip
