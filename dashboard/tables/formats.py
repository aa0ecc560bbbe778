"""Finds the cells of an XLSX file that are shown in percent: python-calamine tells no formats."""

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from xml.etree.ElementTree import ParseError, iterparse

PERCENT_FORMATS = {"9", "10"}  # those that every workbook has
_LITERALS = re.compile(r'"[^"]*"|\\.')  # of a format: they are shown as they stand
_CELL = re.compile(r"([A-Z]{1,3})([0-9]+)")


def percent_cells(data: bytes, sheet: str) -> set[tuple[int, int]]:
    """(row, column) of the cells of a sheet that are shown in percent, counted from 1; none in
    other files.
    """
    with suppress(KeyError, ParseError, zipfile.BadZipFile):
        packed = zipfile.ZipFile(io.BytesIO(data))
        styles = _percent_styles(packed)
        return set(_cells(packed, _part_of(packed, sheet), styles)) if styles else set()
    return set()


def _percent_styles(packed: zipfile.ZipFile) -> set[str]:
    """The indexes of the styles of cells that show percent."""
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
    """The part of the file that holds a sheet."""
    parts = {told["Id"]: told["Target"] for name, told in
             _elements(packed, "xl/_rels/workbook.xml.rels") if name == "Relationship"}  # fmt: skip
    for name, told in _elements(packed, "xl/workbook.xml"):
        if name == "sheet" and told.get("name") == sheet:
            key = next(value for key, value in told.items() if key.endswith("}id"))
            return posixpath.join("/xl", parts[key]).removeprefix("/")
    raise KeyError(sheet)


def _cells(packed: zipfile.ZipFile, part: str, styles: set[str]) -> Iterator[tuple[int, int]]:
    for name, told in _elements(packed, part):
        found = _CELL.fullmatch(told.get("r", "")) if name == "c" else None
        if found and told.get("s") in styles:
            column = 0
            for letter in found[1]:
                column = column * 26 + ord(letter) - ord("A") + 1
            yield int(found[2]), column


def _elements(packed: zipfile.ZipFile, part: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The names and the attributes of the elements of a part, each when it ends."""
    with packed.open(part) as file:
        for _, element in iterparse(file):  # noqa: S314 # nosec B314 - a bounded process
            yield element.tag.rpartition("}")[2], dict(element.attrib)
            element.clear()
