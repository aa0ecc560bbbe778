"""The values of cells: text, exact numbers, truth values, dates and times; guesses about them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Generic, NamedTuple, TypeVar

Cell = str | Decimal | bool | date | datetime | time
"""A cell as read; "" is a blank one. Cells of CSV files and pasted text are always str."""


class Percent(Decimal):
    """The number that a cell shows before its percent sign, such as 20 of a cell that holds 0.2."""


class Row(NamedTuple):
    """A row that is not blank; `number` counts from 1 as a spreadsheet does, blank rows too."""

    number: int
    cells: tuple[Cell, ...]


Value = TypeVar("Value")


@dataclass(frozen=True)
class Guess(Generic[Value]):
    """A value, and whether the table leaves no other one; a person's own choice is certain."""

    value: Value
    certain: bool = True


_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_FORMULA = re.compile("[\\s']*[=+\\-@\uff0b\uff0d\uff1d\uff20]|'*[\t\r\n]")  # and their wide forms
_TYPES: Mapping[str, Callable[[str], Cell]] = {
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "time": time.fromisoformat,
    "decimal": Decimal,
    "percent": Percent,
}


def cell_as_json(cell: Cell) -> str | bool | list[str]:
    """The cell for JSON: text, truth value, or [type, text]."""
    if isinstance(cell, str | bool):
        return cell
    if isinstance(cell, Decimal):
        return ["percent" if isinstance(cell, Percent) else "decimal", str(cell)]
    return [type(cell).__name__, cell.isoformat()]


def cell_from_json(value: Any) -> Cell:
    """The cell that `cell_as_json` was given."""
    if isinstance(value, list):
        kind, text = value
        return _TYPES[kind](text)
    return value if isinstance(value, bool) else str(value)


def cell_text(cell: Cell) -> str:
    """The cell as text: numbers without exponent, dates in ISO form, yes or no."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, Decimal):
        return f"{cell:f}%" if isinstance(cell, Percent) else f"{cell:f}"
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    return cell if isinstance(cell, str) else cell.isoformat()


def is_blank(cell: Cell) -> bool:
    """Whether the cell is text without anything but white space."""
    return isinstance(cell, str) and not cell.strip()


def strip_control_characters(text: str) -> str:
    """The text with line breaks as \\n, without the characters that XML and UTF-8 cannot hold."""
    return _UNSTORABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def escape_formula(text: str) -> str:
    """The text with an apostrophe before it if a spreadsheet could take it for a formula.

    A spreadsheet calculates what begins with = + - or @ in a CSV file, quoted or not.
    """
    return f"'{text}" if _FORMULA.match(text) else text


def unescape_formula(text: str) -> str:
    """The text without the apostrophe that `escape_formula` writes."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text[1:]) else text
