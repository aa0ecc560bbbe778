"""The process that reads a file from standard input and writes its rows as lines of JSON.

The first line of the input is `workbooks.ReadOptions` as JSON; the rest is the file. The first line
of the output is {"sheets": {name: rows}, "sheet": name} for a workbook, {"encoding": guess,
"separator": guess} for a text, or {"error": message}; each further one is a list of the row's
number and its cells (`cell_as_json`). `workbooks` starts it.
"""

import io
import json
import posixpath
import re
import resource
import sys
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from typing import Any
from xml.etree.ElementTree import ParseError, iterparse

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    XmlError,
    ZipError,
)

from .cells import Cell, Percent, cell_as_json
from .encodings import decode
from .limits import (
    DAMAGED,
    MAX_CHARACTERS,
    PASSWORD,
    UnreadableTable,
    check_cell_count,
    check_row,
    check_row_count,
)
from .separated import read_separated

MAX_MEMORY = 1_000_000_000  # bytes of address space
MAX_SECONDS = 20  # of processor time
PERCENT_FORMATS = {"9", "10"}  # those that every workbook has
_LITERALS = re.compile(r'"[^"]*"|\\.')  # of a format: they are shown as they stand
_CELL = re.compile(r"([A-Z]{1,3})([0-9]+)")


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
    rows, guess = read_separated(text, separator)
    head = {"encoding": [found.value, found.certain], "separator": [guess.value, guess.certain]}
    return [json.dumps(head), *(json.dumps([row.number, *row.cells]) for row in rows)]


def _lines(data: bytes, sheet_name: str) -> list[str]:
    book = CalamineWorkbook.from_filelike(io.BytesIO(data))
    if not book.sheet_names:
        raise UnreadableTable("The file has no sheets.")
    sizes = {name: _size(book.get_sheet_by_name(name)) for name in book.sheet_names}
    chosen = sheet_name if sheet_name in sizes else max(sizes, key=lambda name: sizes[name])
    sheet = book.get_sheet_by_name(chosen)
    rows = {name: number for name, (_, number) in sizes.items()}
    lines = [json.dumps({"sheets": rows, "sheet": sheet.name})]
    size = width = 0
    percents = _percent_cells(data, chosen)
    for number, cells in _filled_rows(sheet):
        check_row(number, cells)
        width = max(width, len(cells))
        check_row_count(len(lines))
        check_cell_count(len(lines) * width)
        values = (
            cell_as_json(_value(cell, is_percent=(number, place) in percents))
            for place, cell in enumerate(cells, 1)
        )
        lines.append(json.dumps([number, *values]))
        size += len(lines[-1])
        if size > 2 * MAX_CHARACTERS:
            raise UnreadableTable("The sheet holds too much text: divide the table.")
    return lines


def _size(sheet: CalamineSheet) -> tuple[int, int]:
    """(number of a sheet's rows with several cells, number of filled rows)."""
    filled = [sum(not _is_blank(cell) for cell in cells) for cells in sheet.iter_rows()]
    return sum(number > 1 for number in filled), sum(map(bool, filled))


def _filled_rows(sheet: CalamineSheet) -> Iterator[tuple[int, list[Any]]]:
    """(number, cells without trailing blank ones) of the rows that are not blank."""
    for number, cells in enumerate(sheet.to_python(skip_empty_area=False), 1):
        while cells and _is_blank(cells[-1]):
            cells.pop()
        if cells:
            yield number, cells


def _is_blank(cell: Any) -> bool:
    return isinstance(cell, str) and not cell.strip()


def _value(cell: Any, *, is_percent: bool) -> Cell:
    """Convert a number to the digits that a spreadsheet shows, a duration to text."""
    if isinstance(cell, float):
        number = Decimal(f"{cell:.15g}") or Decimal()  # not -0
        return Percent(f"{(number * 100).normalize():f}") if is_percent else number
    if isinstance(cell, timedelta):
        minutes, seconds = divmod(round(cell.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return Decimal(cell) if type(cell) is int else cell


def _percent_cells(data: bytes, sheet: str) -> set[tuple[int, int]]:
    """(row, column) of the cells of a sheet with a percent format, counted from 1; none for other
    files.
    """
    with suppress(KeyError, ParseError, zipfile.BadZipFile):
        packed = zipfile.ZipFile(io.BytesIO(data))
        styles = _percent_styles(packed)
        return set(_styled_cells(packed, _part_of(packed, sheet), styles)) if styles else set()
    return set()


def _percent_styles(packed: zipfile.ZipFile) -> set[str]:
    formats, styles = set(PERCENT_FORMATS), list[str]()
    for name, told in _elements(packed, "xl/styles.xml"):
        if name == "numFmt" and "%" in _LITERALS.sub("", told.get("formatCode", "")):
            formats.add(told.get("numFmtId", ""))
        elif name == "cellStyleXfs":
            styles.clear()  # these are styles of styles
        elif name == "xf":
            styles.append(told.get("numFmtId", ""))
    return {str(place) for place, one in enumerate(styles) if one in formats}


def _part_of(packed: zipfile.ZipFile, sheet: str) -> str:
    parts = {told["Id"]: told["Target"] for name, told in
             _elements(packed, "xl/_rels/workbook.xml.rels") if name == "Relationship"}  # fmt: skip
    for name, told in _elements(packed, "xl/workbook.xml"):
        if name == "sheet" and told.get("name") == sheet:
            key = next(value for key, value in told.items() if key.endswith("}id"))
            return posixpath.join("/xl", parts[key]).removeprefix("/")
    raise KeyError(sheet)


def _styled_cells(
    packed: zipfile.ZipFile, part: str, styles: set[str]
) -> Iterator[tuple[int, int]]:
    for name, told in _elements(packed, part):
        found = _CELL.fullmatch(told.get("r", "")) if name == "c" else None
        if found and told.get("s") in styles:
            column = 0
            for letter in found[1]:
                column = column * 26 + ord(letter) - ord("A") + 1
            yield int(found[2]), column


def _elements(packed: zipfile.ZipFile, part: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The name and attributes of each element of a part, when it ends."""
    with packed.open(part) as file:
        for _, element in iterparse(file):  # noqa: S314 # nosec B314 - a bounded process
            yield element.tag.rpartition("}")[2], dict(element.attrib)
            element.clear()


if __name__ == "__main__":
    main()
