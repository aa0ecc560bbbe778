"""Cell values: text, exact numbers, booleans, dates and times; guesses about them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Generic, NamedTuple, TypeVar

Cell = str | Decimal | bool | date | datetime | time
"""A cell as read; "" is a blank one. Cells of CSV files and pasted text are always str."""


class Percent(Decimal):
    """A number as displayed before its percent sign, such as 20 for a cell with 0.2."""


class Row(NamedTuple):
    """A row that is not blank; `number` counts from 1 as in a spreadsheet, with blank rows."""

    number: int
    cells: tuple[Cell, ...]


Value = TypeVar("Value")


@dataclass(frozen=True)
class Guess(Generic[Value]):
    """A value, and whether the table leaves no alternative; a person's choice is certain."""

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
    """Encode for JSON: text, boolean, or [type, text]."""
    if isinstance(cell, str | bool):
        return cell
    if isinstance(cell, Decimal):
        return ["percent" if isinstance(cell, Percent) else "decimal", str(cell)]
    return [type(cell).__name__, cell.isoformat()]


def cell_from_json(value: Any) -> Cell:
    if isinstance(value, list):
        kind, text = value
        return _TYPES[kind](text)
    return value if isinstance(value, bool) else str(value)


def cell_text(cell: Cell) -> str:
    """Format as text: numbers without exponent, dates in ISO form, yes or no."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, Decimal):
        return f"{cell:f}%" if isinstance(cell, Percent) else f"{cell:f}"
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    return cell if isinstance(cell, str) else cell.isoformat()


def is_blank(cell: Cell) -> bool:
    """Whether the cell is empty text or white space."""
    return isinstance(cell, str) and not cell.strip()


def strip_control_characters(text: str) -> str:
    """Normalise line breaks to \\n and remove the characters that XML and UTF-8 cannot hold."""
    return _UNSTORABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def escape_formula(text: str) -> str:
    """Prefix an apostrophe if a spreadsheet could take the text for a formula.

    A spreadsheet evaluates texts that begin with = + - or @ in a CSV file, quoted or not.
    """
    return f"'{text}" if _FORMULA.match(text) else text


def unescape_formula(text: str) -> str:
    return text[1:] if text.startswith("'") and _FORMULA.match(text[1:]) else text
