"""How much of a table is read; files beyond are refused with the reason."""

from collections.abc import Sequence

from .errors import UnreadableTable

MOST_BYTES = 10_000_000
MOST_UNPACKED = 200_000_000  # of the parts of a workbook, in bytes
MOST_ROWS = 20_000  # below the headings
MOST_COLUMNS = 200
MOST_CELLS = 500_000  # blank ones too
MOST_CELL = 32_767  # characters, as in Excel
MOST_CHARACTERS = 20_000_000  # of all cells


def check_bytes(data: bytes) -> None:
    """Raise UnreadableTable if a file is empty or larger than MOST_BYTES."""
    if not data.strip(b"\0\t\r\n \xef\xbb\xbf\xff\xfe"):
        raise UnreadableTable("The file is empty.")
    if len(data) > MOST_BYTES:
        most = MOST_BYTES // 1_000_000
        raise UnreadableTable(f"The file is larger than {most} MB: divide the table.")


def check_row_count(count: int) -> None:
    """Raise UnreadableTable if so many rows are too many; one more may hold the headings."""
    if count > MOST_ROWS + 1:
        raise UnreadableTable(f"There are more than {MOST_ROWS:,} rows: divide the table.")


def check_cell_count(count: int) -> None:
    """Raise UnreadableTable if a table has too many cells, rows filled up to the widest one."""
    if count > MOST_CELLS:
        raise UnreadableTable(f"There are more than {MOST_CELLS:,} cells: divide the table.")


def check_row(number: int, cells: Sequence[object]) -> None:
    """Raise UnreadableTable if a row has too many cells, or a text that is too long."""
    if len(cells) > MOST_COLUMNS:
        raise UnreadableTable(f"Row {number} has more than {MOST_COLUMNS} columns.")
    if any(isinstance(cell, str) and len(cell) > MOST_CELL for cell in cells):
        raise UnreadableTable(
            f"A cell of row {number} has more than {MOST_CELL:,} characters. "
            "Perhaps a quotation mark before it is not closed."
        )
