"""Cell values: text, exact numbers, booleans, dates and times; guesses about them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Generic, NamedTuple, Self, TypeVar

from dashboard.text.numbers import write_plain
from dashboard.text.plain import cleaned

Cell = str | Decimal | bool | date | datetime | time
"""A cell as read; "" is a blank one. Cells of CSV files and pasted text are always str."""


class FormattedNumber(Decimal):
    """A number whose format tells more than its value: 20 shown as "20%", 42 as "00042", 12.5 as
    "12.5 EUR". `unit`: the percent sign or the currency; "" for none.
    """

    text: str
    unit: str

    def __new__(cls, number: Decimal | str, text: str, unit: str = "") -> Self:
        made = super().__new__(cls, number)
        made.text, made.unit = text, unit
        return made

    @classmethod
    def with_unit(cls, number: Decimal, unit: str) -> Self:
        plain = write_plain(number)
        return cls(plain, f"{plain}%" if unit == "%" else f"{plain} {unit}", unit)


class Unreadable(str):
    """What a cell holds instead of its value, such as a formula; `reason` is for the person."""

    reason: str

    def __new__(cls, text: str, reason: str) -> Self:
        made = super().__new__(cls, text)
        made.reason = reason
        return made


class Row(NamedTuple):
    """A row that is not blank; `number` counts from 1 as in a spreadsheet, with blank rows."""

    number: int
    cells: tuple[Cell, ...]

    def cleaned(self) -> "Row":
        cells = (cleaned(cell) if type(cell) is str else cell for cell in self.cells)
        return Row(self.number, tuple(cells))


Value = TypeVar("Value")


@dataclass(frozen=True)
class Guess(Generic[Value]):
    """A value, and whether the table leaves no alternative; a person's choice is certain."""

    value: Value
    certain: bool = True


_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_FORMULA = re.compile("[\\s']*[=+\\-@\uff0b\uff0d\uff1d\uff20]|'*[\t\r\n]")  # and their wide forms
_ERROR = re.compile(r"#(?:[¡¿]?[A-ZÚ_]+(?:/0)?[!?]|N/[ABD]!?|NV|GETTING_DATA|#{3,})|Err:5[0-9]{2}")
_EXPONENT = re.compile(r"[-+]?[0-9](?:[.,][0-9]+)?E\+[0-9]{2,3}", re.IGNORECASE)
KEPT_WHOLE = 10**15  # spreadsheets keep 15 digits of a number and write zeros for the others
ERROR = "The spreadsheet has an error here ({})."
LETTERS_LOST = "Letters of this text were lost (\ufffd). Enter it again."
NOT_COMPUTED = (
    "The file has the formula of this cell, not its value. Open and save the file in a "
    "spreadsheet program, or enter the value."
)
DIGITS_LOST = "The spreadsheet lost digits of this number ({}). Enter all digits."
_TYPES: Mapping[str, Callable[..., Cell]] = {
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "time": time.fromisoformat,
    "decimal": Decimal,
    "number": FormattedNumber,
    "unreadable": Unreadable,
}


def cell_as_json(cell: Cell) -> str | bool | list[str]:
    """Encode for JSON: text, boolean, or [type, text, more texts]."""
    if isinstance(cell, Unreadable):
        return ["unreadable", str(cell), cell.reason]
    if isinstance(cell, str | bool):
        return cell
    if isinstance(cell, FormattedNumber):
        return ["number", str(cell), cell.text, cell.unit]
    if isinstance(cell, Decimal):
        return ["decimal", str(cell)]
    return [type(cell).__name__, cell.isoformat()]


def cell_from_json(value: Any) -> Cell:
    if isinstance(value, list):
        kind, *texts = value
        return _TYPES[kind](*texts)
    return value if isinstance(value, bool) else str(value)


def cell_text(cell: Cell) -> str:
    """Format as text: numbers as shown, else without exponent, dates in ISO form, yes or no."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, FormattedNumber):
        return cell.text
    if isinstance(cell, Decimal):
        return f"{cell:f}"
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    return cell if isinstance(cell, str) else cell.isoformat()


def is_blank(cell: object) -> bool:
    return isinstance(cell, str) and not cell.strip()


def is_whole(number: Decimal) -> bool:
    return number == number.to_integral_value()


def is_error(text: str) -> bool:
    """Return whether a text is a spreadsheet error in some language: #N/A, #WERT!, ####,
    Err:502.
    """
    return _ERROR.fullmatch(text.strip()) is not None


def why_unreadable(cell: Cell) -> str:
    """Return why the value of a cell is not in the file, or not whole; "" if it can be read."""
    if isinstance(cell, Unreadable):
        return cell.reason
    if isinstance(cell, str) and is_error(cell):
        return ERROR.format(cell.strip())
    if isinstance(cell, str) and "\ufffd" in cell:
        return LETTERS_LOST
    is_long = isinstance(cell, Decimal) and abs(cell) >= KEPT_WHOLE
    is_short = isinstance(cell, str) and _EXPONENT.fullmatch(cell.strip())
    return DIGITS_LOST.format(cell_text(cell).strip()) if is_long or is_short else ""


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
