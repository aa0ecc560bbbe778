"""Reads the files of a test in its own process, which takes a tenth of the time of another one."""

import io
import subprocess
from threading import Lock
from types import SimpleNamespace
from typing import Any
from unittest import mock

from dashboard.tables import workbook_process

_one_at_a_time = Lock()


def run(command: list[str], *, input: bytes, **options: Any) -> Any:
    """What `workbook_process` answers, without its limits of memory and time."""
    out = io.StringIO()
    streams = SimpleNamespace(stdin=SimpleNamespace(buffer=io.BytesIO(input)), stdout=out)
    with (
        _one_at_a_time,
        mock.patch.object(workbook_process, "sys", streams),
        mock.patch.object(workbook_process, "resource", mock.Mock()),
    ):
        workbook_process.main()
    return subprocess.CompletedProcess(command, 0, out.getvalue().encode())


IN_PLACE = {"run": run, "TimeoutExpired": subprocess.TimeoutExpired}
