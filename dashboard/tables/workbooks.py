"""Reads CSV, XLSX and ODS files in a separate process with bounded memory and time; a machine runs
two of them at a time.

A small file can unpack to any size, and its few cells can span billions; the process that reads it
may die of that without harm. Its environment is empty, and it writes only the rows that it read.
"""

import fcntl
import io
import json
import subprocess
import sys
import time
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

from .cells import Row, cell_from_json
from .limits import BUSY, DAMAGED, MAX_UNPACKED, PASSWORD, ReadersBusy, UnreadableTable

XLSX, ODS = "xlsx", "ods"
_PARTS = {XLSX: "xl/workbook.xml", ODS: "content.xml"}
_MANIFEST = "META-INF/manifest.xml"  # of ODS; says which parts are encrypted
_MAX_MANIFEST = 1_000_000  # bytes
_OLD = b"\xd0\xcf\x11\xe0"  # of files of Excel up to 2003, and of newer ones under a password
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
MAX_SECONDS = 20
LOCKS = (Path(__file__), Path(__file__).with_name("workbook_process.py"))
"""As many files of a machine are read at a time: the process that reads one locks one of these."""
WAIT_TIMEOUT, POLL_INTERVAL = 5.0, 0.05  # seconds
_ROOT = Path(__file__).resolve().parents[2]
_TOO_LARGE = (
    "The file is too large to read. Split the table. "
    "A cell far below or to the right may be filled by mistake."
)


def workbook_format(data: bytes) -> str:
    """Return XLSX, ODS, or "" for other files. Raises UnreadableTable for other binaries."""
    if data.startswith(_OLD):
        if _ENCRYPTED in data:
            raise UnreadableTable(PASSWORD)
        raise UnreadableTable("This is an old Excel format. Save it as XLSX or CSV.")
    if not data.startswith(b"PK"):
        return ""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            return _packed_format(packed)
    except (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, OSError, RuntimeError):
        raise UnreadableTable(DAMAGED) from None


def _packed_format(packed: zipfile.ZipFile) -> str:
    sizes = {part.filename: part.file_size for part in packed.infolist()}
    if sum(sizes.values()) > MAX_UNPACKED:
        raise UnreadableTable(_TOO_LARGE)
    if _MANIFEST in sizes:
        with packed.open(_MANIFEST) as manifest:
            if b"encryption-data" in manifest.read(_MAX_MANIFEST):
                raise UnreadableTable(PASSWORD)
    found = next((name for name, part in _PARTS.items() if part in sizes), "")
    if not found:
        raise UnreadableTable("This is not a table. Choose a file of type CSV, XLSX or ODS.")
    return found


class ReadOptions(NamedTuple):
    """How to read a file; "" is guessed."""

    is_text: bool
    sheet: str = ""
    encoding: str = ""
    separator: str = ""


def read_file(data: bytes, asked: ReadOptions) -> tuple[dict[str, Any], list[Row]]:
    """Return the first line of `workbook_process`, and the rows that are not blank. Raises
    UnreadableTable, and ReadersBusy after WAIT_TIMEOUT without a free reader.
    """
    command = [sys.executable, "-m", "dashboard.tables.workbook_process"]
    given = json.dumps(asked._asdict()).encode() + b"\n" + data
    try:
        with _turn():
            done = subprocess.run(  # noqa: S603 (a fixed command, no shell)
                command, input=given, capture_output=True, cwd=_ROOT, env={}, timeout=MAX_SECONDS
            )
    except subprocess.TimeoutExpired:
        raise UnreadableTable(_TOO_LARGE) from None
    if done.returncode:
        raise UnreadableTable(_TOO_LARGE)
    lines = io.BytesIO(done.stdout)
    head = json.loads(next(lines, b"{}"))
    if "error" in head:
        raise UnreadableTable(head["error"])
    return head, [_row(line) for line in lines]


@contextmanager
def _turn() -> Iterator[None]:
    """Hold one of LOCKS, whose files are only locked and never written."""
    until = time.monotonic() + WAIT_TIMEOUT
    with ExitStack() as files:
        locks = [files.enter_context(path.open("rb")) for path in LOCKS]
        while not any(map(_is_locked, locks)):
            if time.monotonic() > until:
                raise ReadersBusy(BUSY)
            time.sleep(POLL_INTERVAL)
        yield


def _is_locked(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _row(line: bytes) -> Row:
    number, *cells = json.loads(line)
    return Row(number, tuple(map(cell_from_json, cells)))
