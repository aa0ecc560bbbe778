"""The process that reads a file from standard input and writes its rows as lines of JSON.

The first line of the input is `workbooks.ReadOptions` as JSON; the rest is the file. The first line
of the output is {"sheets": {name: rows}, "sheet": name, "hidden_sheets": [name], "hidden_rows":
[number], "hidden_columns": [index]} for a workbook, {"encoding": guess, "separator": guess} for a
text, or {"error": message}; each further one is a list of the row's number and its cells
(`cell_as_json`). `workbooks` starts it.
"""

import io
import json
import resource
import sys
from collections.abc import Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    SheetVisibleEnum,
    XmlError,
    ZipError,
)

from .cells import Cell, cell_as_json, is_blank
from .encodings import decode
from .limits import (
    DAMAGED,
    MAX_CHARACTERS,
    PASSWORD,
    UnreadableTable,
    check_row,
    check_size,
)
from .texts import read_text
from .workbook_facts import exact, read_facts

MAX_MEMORY = 1_000_000_000  # bytes of address space
MAX_SECONDS = 20  # of processor time


def main() -> None:
    """Read a text, or the named sheet of a workbook, or the one with most rows."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
    asked = json.loads(sys.stdin.buffer.readline())
    data = sys.stdin.buffer.read()
    try:
        if asked["is_text"]:
            lines = _lines_of_text(data, asked["encoding"], asked["separator"])
        else:
            lines = _lines(data, asked["sheet"])
    except UnreadableTable as error:
        lines = [json.dumps({"error": str(error)})]
    except PasswordError:
        lines = [json.dumps({"error": PASSWORD})]
    except (CalamineError, XmlError, ZipError):
        lines = [json.dumps({"error": DAMAGED})]
    sys.stdout.write("\n".join(lines))


def _lines_of_text(data: bytes, encoding: str, separator: str) -> list[str]:
    text, found = decode(data, encoding)
    rows, guess = read_text(text, separator)
    head = {"encoding": [found.value, found.certain],
            "separator": guess and [guess.value, guess.certain]}  # fmt: skip
    return [json.dumps(head), *(json.dumps([row.number, *row.cells]) for row in rows)]


def _lines(data: bytes, sheet_name: str) -> list[str]:
    book = CalamineWorkbook.from_filelike(io.BytesIO(data))
    if not book.sheet_names:
        raise UnreadableTable("The file has no sheets.")
    sizes = {name: _size(book.get_sheet_by_name(name)) for name in book.sheet_names}
    hidden_sheets = [each.name for each in book.sheets_metadata
                     if each.visible != SheetVisibleEnum.Visible]  # fmt: skip
    shown = [name for name in sizes if name not in hidden_sheets] or [*sizes]
    chosen = sheet_name if sheet_name in sizes else max(shown, key=lambda name: sizes[name])
    sheet = book.get_sheet_by_name(chosen)
    rows = {name: number for name, (_, number) in sizes.items()}
    facts, lines = read_facts(io.BytesIO(data), chosen), list[str]()
    hidden_rows = list[int]()
    size = width = 0
    for number, cells in _filled_rows(sheet, facts.cells):
        check_row(number, cells)
        width = max(width, len(cells))
        check_size(len(lines) + 1, width)
        lines.append(json.dumps([number, *map(cell_as_json, cells)]))
        size += len(lines[-1])
        if number in facts.hidden_rows:
            hidden_rows.append(number)
        if size > 2 * MAX_CHARACTERS:
            raise UnreadableTable("The sheet has too much text. Split the table.")
    hidden_columns = [index for index in range(width) if index + 1 in facts.hidden_columns]
    head = {"sheets": rows, "sheet": sheet.name, "hidden_sheets": hidden_sheets,
            "hidden_rows": hidden_rows, "hidden_columns": hidden_columns}  # fmt: skip
    return [json.dumps(head), *lines]


def _size(sheet: CalamineSheet) -> tuple[int, int]:
    filled = [sum(not is_blank(cell) for cell in cells) for cells in sheet.iter_rows()]
    return sum(number > 1 for number in filled), sum(map(bool, filled))


def _filled_rows(
    sheet: CalamineSheet, known: Mapping[int, Mapping[int, Cell]]
) -> Iterator[tuple[int, list[Cell]]]:
    """Yield (number, cells without trailing blank ones) of the rows that are not blank. `known`:
    the cells that are more than the values of the sheet.
    """
    rows = sheet.to_python(skip_empty_area=False)
    for number in range(1, max(len(rows), *known, 0) + 1):
        cells = [_value(cell) for cell in rows[number - 1]] if number <= len(rows) else []
        for place, cell in known.get(number, {}).items():
            cells += [""] * (place - len(cells))
            cells[place - 1] = cell
        while cells and is_blank(cells[-1]):
            cells.pop()
        if cells:
            yield number, cells


def _value(cell: Any) -> Cell:
    """Convert a number to the digits that a spreadsheet shows, a duration to text."""
    if isinstance(cell, float):
        return exact(cell)
    if isinstance(cell, timedelta):
        minutes, seconds = divmod(round(cell.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return Decimal(cell) if type(cell) is int else cell


if __name__ == "__main__":
    main()
