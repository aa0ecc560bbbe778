"""Finds what the parts of a workbook say about its cells besides their values: formats, errors,
formulas whose values are not in the file, and hidden rows and columns.
"""

import posixpath
import re
import zipfile
import zlib
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from typing import IO
from xml.etree.ElementTree import Element, ParseError, iterparse

from dashboard.text.amounts import codes_of
from dashboard.text.numbers import is_currency_sign

from .cells import NOT_COMPUTED, Cell, FormattedNumber, Unreadable, is_error, is_whole
from .limits import DAMAGED, MAX_COLUMNS, UnreadableTable, check_size

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_PERCENT_FORMATS = {"9": "0%", "10": "0.00%"}  # every workbook has them
_SYMBOL = re.compile(r"\[\$([^\]-]+)[^\]]*\]")  # such as [$EUR] and [$€-407]
_UNSHOWN = re.compile(r"\[[^\]]*\]|[_*].")  # conditions, colours; space as wide as a character
_PARTS = re.compile(r'"([^"]*)"|\\(.)|(.)', re.DOTALL)  # of a format: literal texts, characters
_DIGITS, _PUNCTUATION = "0#?", " -+()"  # of a format that is no amount, date or fraction
_PLACE = re.compile(r"([A-Z]{1,3})[0-9]+")
_ON = ("1", "true")


@dataclass
class SheetFacts:
    """The cells that mean more than their values, by row and column from 1, and what is hidden."""

    cells: dict[int, dict[int, Cell]] = field(default_factory=dict)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)

    def add(self, row: int, column: int, cell: Cell) -> None:
        self.cells.setdefault(row, {})[column] = cell


def read_facts(file: IO[bytes], sheet: str) -> SheetFacts:
    """Return the facts of a sheet of an XLSX or ODS file. Raises UnreadableTable."""
    facts = SheetFacts()
    try:
        with zipfile.ZipFile(file) as packed:
            read = _read_ods if "content.xml" in packed.namelist() else _read_xlsx
            read(packed, sheet, facts)
    except (KeyError, ValueError, ParseError, zipfile.BadZipFile, zlib.error):
        raise UnreadableTable(DAMAGED) from None
    return facts


def exact(number: float | str) -> Decimal:
    """Return the digits that a spreadsheet keeps of a number."""
    return Decimal(f"{float(number):.15g}") or Decimal()  # not -0


def _read_xlsx(packed: zipfile.ZipFile, sheet: str, facts: SheetFacts) -> None:
    formats, row = _formats(packed), 0
    for element in _elements(packed, _part_of(packed, sheet), ("col", "row")):
        if _name(element) == "col":
            if element.get("hidden") in _ON:
                columns = range(int(element.get("min", 1)), int(element.get("max", 1)) + 1)
                facts.hidden_columns.update(columns)
            continue
        row, column = int(element.get("r") or row + 1), 0
        if element.get("hidden") in _ON:
            facts.hidden_rows.add(row)
        for cell in element:
            place = _PLACE.fullmatch(cell.get("r", ""))
            column = _column(place[1]) if place else column + 1
            if (found := _xlsx_cell(cell, formats)) is not None:
                facts.add(row, column, found)


def _column(letters: str) -> int:
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - ord("A") + 1
    return column


def _xlsx_cell(cell: Element, formats: dict[str, str]) -> Cell | None:
    kind = cell.get("t", "n")
    if kind in ("s", "inlineStr"):
        return None
    parts = {_name(part): part.text for part in cell}
    value = parts.get("v")
    if kind == "e":
        return value or "#N/A"
    if "f" in parts and (value is None or (not value and kind != "str")):
        return Unreadable(f"={parts['f'] or '…'}", NOT_COMPUTED)
    code = formats.get(cell.get("s", ""))
    return formatted(exact(value), code) if kind == "n" and value and code else None


def formatted(number: Decimal, code: str) -> FormattedNumber | None:
    """Return a number as its format shows it; None if that tells no more than the number."""
    unit, factor, parts = _read_format(code, is_negative=number < 0)
    if unit:
        return FormattedNumber.with_unit(number * factor, unit)
    if not parts or number < 0 or not is_whole(number):
        return None
    plain = f"{number:f}"
    text = _fill(parts, plain)
    is_padded = text.lstrip(" -()")[:1] in ("0", "+") and text != plain
    return FormattedNumber(number, text) if is_padded else None


@cache
def _read_format(code: str, *, is_negative: bool) -> tuple[str, int, Sequence[tuple[str, str]]]:
    """Return the unit that a format writes, the factor of the number before it, and its literal
    texts and characters if these are the digits of a whole number.
    """
    sections = code.split(";")
    shown = sections[1 if is_negative and len(sections) > 1 else 0]
    parts = [
        (quoted or escaped, character)
        for quoted, escaped, character in _PARTS.findall(_UNSHOWN.sub("", shown))
    ]
    characters = "".join(character for _, character in parts)
    if "%" in characters:
        return "%", 100, ()
    if any("%" in literal for literal, _ in parts):
        return "%", 1, ()
    symbol = _SYMBOL.search(shown)
    unit = symbol[1] if symbol else _currency([literal for literal, _ in parts], characters)
    return unit.strip(), 1, () if characters.strip(_DIGITS + _PUNCTUATION) else parts


def _currency(literals: Iterable[str], characters: str) -> str:
    for text in (*literals, characters):
        signs = "".join(filter(is_currency_sign, text))
        if signs or codes_of(text.strip()):
            return signs or text
    return ""


def _fill(parts: Sequence[tuple[str, str]], digits: str) -> str:
    """Put the digits in the places of a format, from the right; the first takes the rest."""
    places = "".join(character for _, character in parts if character in _DIGITS)
    left, text = digits.zfill(len(places.lstrip("#?"))), ""
    for literal, character in reversed(parts):
        if not character or character not in _DIGITS:
            text = (literal or character) + text
            continue
        places = places[1:]
        taken = left[-1:] if places else left
        left = left[: len(left) - len(taken)]
        text = taken + text
    return text


def _formats(packed: zipfile.ZipFile) -> dict[str, str]:
    if "xl/styles.xml" not in packed.namelist():
        return {}
    codes, styles = dict(_PERCENT_FORMATS), list[str]()
    for element in _elements(packed, "xl/styles.xml", ("numFmt", "cellXfs")):
        if _name(element) == "numFmt":
            codes[element.get("numFmtId", "")] = element.get("formatCode", "")
        else:
            styles = [style.get("numFmtId", "") for style in element]
    return {str(place): codes[one] for place, one in enumerate(styles) if one in codes}


def _part_of(packed: zipfile.ZipFile, sheet: str) -> str:
    targets = {
        element.get("Id"): element.get("Target", "")
        for element in _elements(packed, "xl/_rels/workbook.xml.rels", ("Relationship",))
    }
    for element in _elements(packed, "xl/workbook.xml", ("sheet",)):
        if element.get("name") == sheet:
            key = next((value for name, value in element.items() if name.endswith("}id")), None)
            return posixpath.join("/xl", targets[key]).removeprefix("/")
    raise KeyError(sheet)


def _read_ods(packed: zipfile.ZipFile, sheet: str, facts: SheetFacts) -> None:
    name, row, column = "", 1, 1
    with packed.open("content.xml") as file:
        for event, element in iterparse(file, ("start", "end")):  # noqa: S314 # nosec B314
            kind = element.tag.removeprefix(_TABLE)
            if kind == "table":
                name = element.get(f"{_TABLE}name", "") if event == "start" else ""
            if event == "start" or kind not in ("table-column", "table-row"):
                continue
            is_hidden = element.get(f"{_TABLE}visibility", "visible") != "visible"
            if name == sheet and kind == "table-column":
                columns = range(column, column + _repeats(element, "columns"))
                facts.hidden_columns.update(columns if is_hidden else ())
                column = columns.stop
            elif name == sheet:
                rows = range(row, row + _repeats(element, "rows"))
                facts.hidden_rows.update(rows if is_hidden else ())
                for place, cell in _ods_row(element):
                    check_size(len(rows))
                    for number in rows:
                        facts.add(number, place, cell)
                row = rows.stop
            element.clear()


def _ods_row(row: Element) -> Iterator[tuple[int, Cell]]:
    column = 1
    for element in row:
        columns = range(column, column + _repeats(element, "columns"))
        if (cell := _ods_cell(element)) is not None:
            yield from ((place, cell) for place in columns[: MAX_COLUMNS + 1])
        column = columns.stop


def _ods_cell(element: Element) -> Cell | None:
    kind, value = (element.get(_OFFICE + name, "") for name in ("value-type", "value"))
    paragraphs = element.iterfind(f"{_TEXT}p")  # not those of a comment
    text = "".join("".join(paragraph.itertext()) for paragraph in paragraphs)
    if formula := element.get(f"{_TABLE}formula"):
        if is_error(text):
            return text
        if not kind:
            return Unreadable(formula.partition(":")[2] or formula, NOT_COMPUTED)
    if not value:
        return None
    number = exact(value)
    if kind == "percentage":
        return FormattedNumber.with_unit(number * 100, "%")
    if unit := element.get(f"{_OFFICE}currency"):
        return FormattedNumber.with_unit(number, unit)
    digits = re.sub(r"[^0-9]", "", text)
    is_padded = text[:1] in ("0", "+") and digits.lstrip("0") == f"{number:f}" != text
    return FormattedNumber(number, text) if is_padded else None


def _repeats(element: Element, kind: str) -> int:
    return int(element.get(f"{_TABLE}number-{kind}-repeated", 1))


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _elements(packed: zipfile.ZipFile, part: str, names: Container[str]) -> Iterator[Element]:
    with packed.open(part) as file:
        for _, element in iterparse(file):  # noqa: S314 # nosec B314 - a bounded process
            if _name(element) in names:
                yield element
                element.clear()
