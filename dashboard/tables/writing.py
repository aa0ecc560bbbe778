"""Writes rows as CSV text or as an XLSX file, row by row, so that memory does not grow with them.

No text acts as a formula: see `cells.guarded` for CSV; in XLSX every text is stored as one.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import xlsxwriter
from xlsxwriter.worksheet import Worksheet

from .cells import Cell, cell_text, guarded, storable
from .dates import DAY_FIRST, MONTH_FIRST, YEAR_FIRST
from .limits import MOST_CELL
from .numbers import POINT

MOST_XLSX_ROWS = 1_048_576
_DIGITS = 15  # that a number of a spreadsheet keeps
_LARGEST = 300  # power of ten
_CHUNK = 200  # rows
_EXCEL_DAYS = {DAY_FIRST: "dd/mm/yyyy", MONTH_FIRST: "mm/dd/yyyy", YEAR_FIRST: "yyyy-mm-dd"}
_FIRST_DATE = date(1900, 3, 1)  # Excel counts a 29 Feb 1900, so that earlier days are off by one
_WIDTHS = 10, 60  # of a column, in characters
Written = Cell | None


@dataclass(frozen=True)
class TextFormat:
    """How CSV is written; by default with commas and ISO dates, for programs and spreadsheets."""

    separator: str = ","
    mark: str = POINT
    order: str = YEAR_FIRST
    byte_order_mark: bool = True


INTERCHANGE = TextFormat()


def write_csv(
    rows: Iterable[Sequence[Written]], style: TextFormat = INTERCHANGE
) -> Iterator[bytes]:
    """The rows as UTF-8, some hundreds in each chunk. Datetimes are written without their zone."""
    lines: list[str] = []
    writer = csv.writer(_Lines(lines), delimiter=style.separator)
    if style.byte_order_mark:
        yield "\ufeff".encode()
    for row in rows:
        writer.writerow([_csv_text(cell, style) for cell in row])
        if len(lines) >= _CHUNK:
            yield "".join(lines).encode()
            lines.clear()
    if lines:
        yield "".join(lines).encode()


class _Lines:
    """A file for `csv.writer` that collects the lines in a list."""

    def __init__(self, lines: list[str]) -> None:
        self.write = lines.append


def _csv_text(value: Written, style: TextFormat) -> str:
    if isinstance(value, Decimal) and value.is_finite():
        return f"{value:f}".replace(".", style.mark)
    if isinstance(value, datetime):
        return f"{_day(value, style.order)} {value:%H:%M:%S}"
    if isinstance(value, date):
        return _day(value, style.order)
    return guarded(_text(value))


def _day(value: date, order: str) -> str:
    year, month, day = f"{value.year:04}", f"{value.month:02}", f"{value.day:02}"
    if order == YEAR_FIRST:
        return f"{year}-{month}-{day}"
    return f"{month}/{day}/{year}" if order == MONTH_FIRST else f"{day}/{month}/{year}"


def _text(value: Written) -> str:
    return "" if value is None else storable(cell_text(value))


class XlsxFile:
    """An XLSX file that is written row by row; a context manager, the file is complete after it.

    Numbers, dates and texts keep their types. The headings stay in sight; columns become as wide as
    their texts. `notes` become a second sheet.
    """

    def __init__(self, path: Path, headings: Sequence[str], *, order: str = YEAR_FIRST) -> None:
        options = {"constant_memory": True, "tmpdir": str(path.parent)}
        self._book = xlsxwriter.Workbook(str(path), options)
        self._sheet: Worksheet = self._book.add_worksheet("Table")
        self._bold = self._book.add_format({"bold": True})
        self._day = self._book.add_format({"num_format": _EXCEL_DAYS[order]})
        self._moment = self._book.add_format({"num_format": f"{_EXCEL_DAYS[order]} hh:mm"})
        self._widths = [0] * len(headings)
        self.row_count = 0
        self.cut_count = 0  # texts that were longer than a cell can be
        self._sheet.freeze_panes(1, 0)
        for index, heading in enumerate(headings):
            self._write_text(0, index, storable(heading), self._bold)

    def __enter__(self) -> "XlsxFile":
        return self

    def __exit__(self, *error: object) -> None:
        for index, width in enumerate(self._widths):
            self._sheet.set_column(index, index, min(max(width + 2, _WIDTHS[0]), _WIDTHS[1]))
        self._book.close()

    def add_row(self, values: Sequence[Written]) -> None:
        """Append a row. Raises ValueError if the sheet is full."""
        if self.row_count + 1 >= MOST_XLSX_ROWS:
            raise ValueError(f"A sheet holds at most {MOST_XLSX_ROWS:,} rows.")
        self.row_count += 1
        for index, value in enumerate(values):
            self._write(self.row_count, index, value)

    def add_notes(self, notes: Iterable[str]) -> None:
        """Write a second sheet with one note in each row."""
        sheet = self._book.add_worksheet("Notes")
        sheet.set_column(0, 0, 100)
        for row, note in enumerate(notes):
            sheet.write_string(row, 0, storable(note)[:MOST_CELL])

    def _write(self, row: int, column: int, value: Written) -> None:
        if isinstance(value, Decimal) and _is_exact(value):
            self._sheet.write_number(row, column, float(value))
        elif isinstance(value, datetime) and value.date() >= _FIRST_DATE:
            moment = value.replace(tzinfo=None, microsecond=0)
            self._sheet.write_datetime(row, column, moment, self._moment)
            self._widen(column, 16)
        elif isinstance(value, date) and not isinstance(value, datetime) and value >= _FIRST_DATE:
            self._sheet.write_datetime(row, column, value, self._day)
        else:
            self._write_text(row, column, _text(value), None)

    def _write_text(self, row: int, column: int, text: str, style: Any) -> None:
        self.cut_count += len(text) > MOST_CELL
        self._sheet.write_string(row, column, text[:MOST_CELL], style)
        self._widen(column, len(text.partition("\n")[0]))

    def _widen(self, column: int, width: int) -> None:
        if column < len(self._widths):
            self._widths[column] = max(self._widths[column], width)


def _is_exact(value: Decimal) -> bool:
    """Whether a spreadsheet keeps all digits of the number."""
    if not value.is_finite() or abs(value.adjusted()) > _LARGEST:
        return False
    return len(value.normalize().as_tuple().digits) <= _DIGITS
