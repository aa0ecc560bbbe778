"""Writes rows as CSV or XLSX in chunks, so that memory does not grow with them.

No text acts as a formula: CSV has `cells.escape_formula`, XLSX stores every text as one.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import IO

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from dashboard.text.dates import write_date
from dashboard.text.style import DAY_FIRST, MONTH_FIRST, POINT, YEAR_FIRST

from .cells import Cell, cell_text, escape_formula, strip_control_characters

MAX_ROWS = 1_048_576  # of a sheet
CUT = "{:,} texts were too long for an Excel cell and were shortened."
FULL = "The list has too many rows for a sheet: some are missing. Export it as CSV."
_CHUNK = 200  # rows
_DIGITS = 15  # that a number of a spreadsheet keeps
_LARGEST = 300  # power of ten
_EXCEL_DAYS = {DAY_FIRST: "dd/mm/yyyy", MONTH_FIRST: "mm/dd/yyyy", YEAR_FIRST: "yyyy-mm-dd"}
_FIRST_DATE = date(1900, 3, 1)  # Excel counts a 29 Feb 1900, so that earlier days are off by one
_MOMENT_WIDTH = 16  # characters
_WIDTHS = 10, 60  # of a column, in characters
_WAS_CUT = -2  # of Worksheet.write_string
CellValue = Cell | None


@dataclass(frozen=True)
class TextFormat:
    """The format of a CSV; by default commas and ISO dates, for programs and spreadsheets."""

    separator: str = ","
    mark: str = POINT
    order: str = YEAR_FIRST
    byte_order_mark: bool = True


INTERCHANGE = TextFormat()


def write_csv(
    rows: Iterable[Sequence[CellValue]], style: TextFormat = INTERCHANGE
) -> Iterator[bytes]:
    """Yield the rows as UTF-8, in chunks. Datetimes are written without their zone."""
    lines: list[str] = []
    writer = csv.writer(SimpleNamespace(write=lines.append), delimiter=style.separator)
    if style.byte_order_mark:
        yield "\ufeff".encode()
    for row in rows:
        writer.writerow([_csv_text(cell, style) for cell in row])
        if len(lines) >= _CHUNK:
            yield "".join(lines).encode()
            lines.clear()
    if lines:
        yield "".join(lines).encode()


def _csv_text(value: CellValue, style: TextFormat) -> str:
    if isinstance(value, Decimal) and value.is_finite():
        return f"{value:f}".replace(".", style.mark)
    if isinstance(value, datetime):
        return f"{write_date(value, style.order)} {value:%H:%M:%S}"
    if isinstance(value, date):
        return write_date(value, style.order)
    return escape_formula(text_of(value))


def text_of(value: CellValue) -> str:
    return "" if value is None else strip_control_characters(cell_text(value))


def write_xlsx(
    file: IO[bytes],
    rows: Iterable[Sequence[CellValue]],
    *,
    notes: Iterable[str] = (),
    order: str = YEAR_FIRST,
) -> None:
    """Write a file. `rows`: the first are the headings, which stay in sight.

    Numbers, dates and texts keep their types; columns become as wide as their texts. `notes` are
    the rows of a second sheet, which also says how many texts were cut. `order`: of days. Rows are
    buffered in a temporary folder, which is always deleted.
    """
    with TemporaryDirectory() as folder:
        options = {"constant_memory": True, "tmpdir": folder, "remove_timezone": True}
        with xlsxwriter.Workbook(file, options) as book:
            day = _EXCEL_DAYS[order]
            table = _Sheet(
                book.add_worksheet("Table"),
                bold=book.add_format({"bold": True}),
                day=book.add_format({"num_format": day}),
                moment=book.add_format({"num_format": f"{day} hh:mm"}),
            )
            table.write(rows)
            sheet = book.add_worksheet("Notes")
            sheet.set_column(0, 0, 100)
            said = [*notes, *([CUT.format(table.cut)] if table.cut else [])]
            for number, note in enumerate(said):
                sheet.write_string(number, 0, _text_of_sheet(note))


class _Sheet:
    """The sheet of the table. `cut`: the number of texts that were too long for a cell."""

    def __init__(self, sheet: Worksheet, *, bold: Format, day: Format, moment: Format) -> None:
        self.sheet, self.bold, self.day, self.moment = sheet, bold, day, moment
        self.cut = 0
        self.widths: dict[int, int] = {}  # of the columns, in characters

    def write(self, rows: Iterable[Sequence[CellValue]]) -> None:
        """Write all rows that fit; if some are missing, the last row says so."""
        self.sheet.freeze_panes(1, 0)
        for number, row in enumerate(rows):
            if number == MAX_ROWS - 1:
                self._write_text(number, 0, FULL, None)
                break
            for column, value in enumerate(row):
                self._write_cell(number, column, value)
        for column, width in self.widths.items():
            self.sheet.set_column(column, column, min(max(width + 2, _WIDTHS[0]), _WIDTHS[1]))

    def _write_cell(self, row: int, column: int, value: CellValue) -> None:
        if isinstance(value, Decimal) and _is_exact(value):
            self.sheet.write_number(row, column, float(value))
        elif isinstance(value, datetime):
            self._write_moment(row, column, value)
        elif isinstance(value, date) and value >= _FIRST_DATE:
            self.sheet.write_datetime(row, column, value, self.day)
        else:
            self._write_text(row, column, text_of(value), self.bold if row == 0 else None)

    def _write_moment(self, row: int, column: int, value: datetime) -> None:
        if value.date() < _FIRST_DATE:
            self._write_text(row, column, text_of(value), None)
            return
        self.widths[column] = max(self.widths.get(column, 0), _MOMENT_WIDTH)
        self.sheet.write_datetime(row, column, value, self.moment)

    def _write_text(self, row: int, column: int, text: str, look: Format | None) -> None:
        width = text.find("\n") if "\n" in text else len(text)
        self.widths[column] = max(self.widths.get(column, 0), width)
        if text and self.sheet.write_string(row, column, _text_of_sheet(text), look) == _WAS_CUT:
            self.cut += 1


def _text_of_sheet(text: str) -> str:
    return f" {text}" if text.startswith("<r>") else text


def _is_exact(value: Decimal) -> bool:
    if not value.is_finite() or abs(value.adjusted()) > _LARGEST:
        return False
    digits = value.as_tuple().digits
    return len(digits) <= _DIGITS or len(value.normalize().as_tuple().digits) <= _DIGITS
