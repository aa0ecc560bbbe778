"""Writes the rows of an export as a file, in the format that a person chose."""

import tempfile
from collections.abc import Iterable, Sequence
from datetime import date
from itertools import chain
from pathlib import Path

from dashboard.tables.sheets import Sheet, write_xlsx
from dashboard.tables.writing import TextFormat, Written, write_csv
from dashboard.text.style import COMMA, Style

XLSX, CSV, PLAIN_CSV = "xlsx", "csv", "plain"
FORMATS = {
    XLSX: "Excel (XLSX)",
    CSV: "CSV for spreadsheets, numbers and dates as I write them",
    PLAIN_CSV: "CSV for other programs: 1234.56, 2026-12-31",
}
TYPES = {
    XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    CSV: "text/csv; charset=utf-8",
    PLAIN_CSV: "text/csv; charset=utf-8",
}
CUT = "{:,} texts were longer than a cell of Excel can be, and were cut."
Rows = Iterable[Sequence[Written]]


def text_format(form: str, style: Style) -> TextFormat:
    """How CSV is written; a byte order mark for spreadsheets alone, which look for it."""
    if form == PLAIN_CSV:
        return TextFormat(byte_order_mark=False)
    separator = ";" if style.mark == COMMA else ","
    return TextFormat(separator=separator, mark=style.mark, order=style.order)


def file_name(noun: str, form: str, day: date) -> str:
    """What the file is called: contacts-2026-03-14.xlsx."""
    return f"{noun}-{day.isoformat()}.{'xlsx' if form == XLSX else 'csv'}"


def cut_note(sheet: Sheet) -> list[str]:
    """What to say of texts that were cut."""
    return [CUT.format(sheet.cut)] if sheet.cut else []


def file_bytes(
    form: str, headings: Sequence[str], rows: Rows, notes: Iterable[str], style: Style
) -> bytes:
    """A small file as a whole. `notes`: the rows of the second sheet of XLSX."""
    if form != XLSX:
        return b"".join(write_csv(chain([headings], rows), text_format(form, style)))
    sheet = Sheet()
    parts = [sheet.headings(headings), sheet.xml(rows)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export.xlsx"
        said = [*notes, *cut_note(sheet)]
        write_xlsx(path, sheet, parts, notes=said, order=style.order)
        return path.read_bytes()
