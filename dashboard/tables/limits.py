"""Limits of tables; larger files are rejected with the reason."""

from collections.abc import Sequence

MAX_BYTES = 10_000_000
MAX_UNPACKED = 200_000_000  # of the parts of a workbook, in bytes
MAX_ROWS = 20_000  # below the headings
MAX_COLUMNS = 200
MAX_CELLS = 500_000  # blank ones too
MAX_CELL_LENGTH = 32_767  # characters, as in Excel
MAX_CHARACTERS = 20_000_000  # of all cells
PASSWORD = "The file is password-protected. Save it without a password."  # noqa: S105
BUSY = "Other files are being read. Try again in a moment."
DAMAGED = "The file is damaged. Open it, save it again and upload it."


class UnreadableTable(Exception):  # noqa: N818 - named like the gateway's errors
    """A file or pasted text cannot be read; the message says why and what to do."""


class ReadersBusy(UnreadableTable):
    """All readers of this machine are in use."""


def check_bytes(data: bytes) -> None:
    if not data.strip(b"\0\t\r\n \xef\xbb\xbf\xff\xfe"):
        raise UnreadableTable("The file is empty.")
    if len(data) > MAX_BYTES:
        most = MAX_BYTES // 1_000_000
        raise UnreadableTable(f"The file is larger than {most} MB. Split the table.")


def check_size(rows: int, width: int = 0) -> None:
    """Raise UnreadableTable for too many rows, with that of the headings, or too many cells.
    `width`: of the widest row.
    """
    if rows > MAX_ROWS + 1:
        raise UnreadableTable(f"More than {MAX_ROWS:,} rows. Split the table.")
    if rows * width > MAX_CELLS:
        raise UnreadableTable(f"More than {MAX_CELLS:,} cells. Split the table.")


def check_row(number: int, cells: Sequence[object]) -> None:
    if len(cells) > MAX_COLUMNS:
        raise UnreadableTable(f"Row {number} has more than {MAX_COLUMNS} columns.")
    if any(isinstance(cell, str) and len(cell) > MAX_CELL_LENGTH for cell in cells):
        raise UnreadableTable(
            f"A cell of row {number} has more than {MAX_CELL_LENGTH:,} characters. "
            "A quotation mark may be missing."
        )
