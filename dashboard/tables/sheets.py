"""Writes rows as the XML of a sheet, some at a time, and makes an XLSX file of them.

The rows can come from several processes, each of which continues where the last one ended. That
takes an eighth of the time of XlsxWriter, which makes all other parts of the file. Every text is
stored as one, so that no text acts as a formula.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import xlsxwriter
from xlsxwriter.utility import xl_col_to_name, xl_range

from dashboard.text.style import DAY_FIRST, MONTH_FIRST, YEAR_FIRST

from .limits import MOST_CELL
from .writing import Written, text_of

MOST_ROWS = 1_048_576
_DIGITS = 15  # that a number of a spreadsheet keeps
_LARGEST = 300  # power of ten
_EXCEL_DAYS = {DAY_FIRST: "dd/mm/yyyy", MONTH_FIRST: "mm/dd/yyyy", YEAR_FIRST: "yyyy-mm-dd"}
_FIRST_DATE = date(1900, 3, 1)  # Excel counts a 29 Feb 1900, so that earlier days are off by one
_DAY_ZERO = date(1899, 12, 30).toordinal()
_BOLD, _DAY, _MOMENT = 1, 2, 3  # formats, which XlsxWriter counts in the order of their first use
_MOMENT_WIDTH = 16  # characters
_WIDTHS = 10, 60  # of a column, in characters
_SPECIAL = re.compile("[&<>]|_x[0-9a-fA-F]{4}_")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_ROWS = re.compile("<sheetData/>|<sheetData>.*</sheetData>", re.DOTALL)
_DIMENSION = re.compile('<dimension ref="[^"]*"/>')


@dataclass
class Sheet:
    """A sheet as far as its rows are written. `cut`: texts that were longer than a cell can be.
    `widths`: of the columns, in characters.
    """

    rows: int = 0
    cut: int = 0
    widths: list[int] = field(default_factory=list)

    def headings(self, titles: Sequence[str]) -> str:
        """The first row."""
        return self._row(titles, self._heading)

    def xml(self, rows: Iterable[Sequence[Written]]) -> str:
        """The next rows. Raises ValueError if the sheet is full."""
        return "".join(self._row(row, self._cell) for row in rows)

    def _row(self, values: Sequence[Written], cell: Callable[[int, Written], str]) -> str:
        self.rows += 1
        if self.rows > MOST_ROWS:
            raise ValueError(f"A sheet holds at most {MOST_ROWS:,} rows.")
        self.widths += [0] * (len(values) - len(self.widths))
        cells = (
            f'<c r="{_letters(column)}{self.rows}"{cell(column, value)}</c>'
            for column, value in enumerate(values)
        )
        return f'<row r="{self.rows}">{"".join(cells)}</row>'

    def _heading(self, column: int, value: Written) -> str:
        return f' s="{_BOLD}"{self._text(column, text_of(value))}'

    def _cell(self, column: int, value: Written) -> str:
        """A cell without its beginning and end."""
        if isinstance(value, Decimal) and _is_exact(value):
            return f"><v>{float(value)!r}</v>"
        if isinstance(value, datetime):
            if value.date() >= _FIRST_DATE:
                self.widths[column] = max(self.widths[column], _MOMENT_WIDTH)
                return f' s="{_MOMENT}"><v>{_serial(value)!r}</v>'
        elif isinstance(value, date) and value >= _FIRST_DATE:
            return f' s="{_DAY}"><v>{value.toordinal() - _DAY_ZERO}</v>'
        return self._text(column, text_of(value))

    def _text(self, column: int, text: str) -> str:
        if len(text) > MOST_CELL:
            self.cut += 1
            text = text[:MOST_CELL]
        width = text.find("\n") if "\n" in text else len(text)
        if width > self.widths[column]:
            self.widths[column] = width
        if _SPECIAL.search(text):
            text = _SPECIAL.sub(_escaped, text)
        return f' t="inlineStr"><is><t xml:space="preserve">{text}</t></is>'


def write_xlsx(
    path: Path, sheet: Sheet, parts: Iterable[str], *, notes: Iterable[str], order: str = YEAR_FIRST
) -> None:
    """Write a file. `parts`: the XML that `sheet` made of the headings and its rows.

    Numbers, dates and texts keep their types. The headings stay in sight; columns become as wide as
    their texts. `notes` are the rows of a second sheet. `order`: of days.
    """
    second = Sheet()
    noted = second.xml([note] for note in notes)
    filled = {_sheet_file(1): (sheet, parts), _sheet_file(2): (second, [noted])}
    with TemporaryDirectory(dir=path.parent) as folder:
        frame = Path(folder) / "frame.xlsx"
        _write_frame(frame, sheet.widths, order)
        with ZipFile(frame) as made, ZipFile(path, "w", ZIP_DEFLATED) as file:
            for name in made.namelist():
                if name in filled:
                    _fill(file, name, made.read(name).decode(), *filled[name])
                else:
                    file.writestr(name, made.read(name))


def _sheet_file(number: int) -> str:
    return f"xl/worksheets/sheet{number}.xml"


def _fill(file: ZipFile, name: str, frame: str, sheet: Sheet, parts: Iterable[str]) -> None:
    """Write a sheet as its frame stands, with the parts in place of its rows."""
    head, rest = _ROWS.split(frame)
    area = xl_range(0, 0, max(sheet.rows, 1) - 1, max(len(sheet.widths), 1) - 1)
    head = _DIMENSION.sub(f'<dimension ref="{area}"/>', head)
    with file.open(name, "w") as out:
        out.write(f"{head}<sheetData>".encode())
        for part in parts:
            out.write(part.encode())
        out.write(f"</sheetData>{rest}".encode())


def _write_frame(path: Path, widths: Sequence[int], order: str) -> None:
    """A file of two sheets that is all but the rows, with a sample of each format."""
    with xlsxwriter.Workbook(str(path), {"constant_memory": True}) as book:
        table = book.add_worksheet("Table")
        day = _EXCEL_DAYS[order]
        looks: list[dict[str, Any]] = [
            {"bold": True}, {"num_format": day}, {"num_format": f"{day} hh:mm"}
        ]  # fmt: skip
        for column, look in enumerate(looks):
            table.write_blank(0, column, None, book.add_format(look))
        table.freeze_panes(1, 0)
        for column, width in enumerate(widths):
            table.set_column(column, column, min(max(width + 2, _WIDTHS[0]), _WIDTHS[1]))
        book.add_worksheet("Notes").set_column(0, 0, 100)


@cache
def _letters(column: int) -> str:
    name: str = xl_col_to_name(column)
    return name


def _escaped(found: re.Match[str]) -> str:
    """A character of XML, or what a spreadsheet takes for an escaped one."""
    return _ESCAPES.get(found[0]) or f"_x005F{found[0]}"


def _serial(value: datetime) -> float:
    """Days since the zeroth of a spreadsheet."""
    seconds = value.hour * 3600 + value.minute * 60 + value.second
    return value.toordinal() - _DAY_ZERO + seconds / 86_400


def _is_exact(value: Decimal) -> bool:
    """Whether a spreadsheet keeps all digits of the number."""
    if not value.is_finite() or abs(value.adjusted()) > _LARGEST:
        return False
    digits = value.as_tuple().digits
    return len(digits) <= _DIGITS or len(value.normalize().as_tuple().digits) <= _DIGITS
