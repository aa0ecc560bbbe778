"""Parses numbers with a given decimal mark, and guesses the mark from many numbers."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from decimal import Decimal

from .cells import Cell
from .errors import UnreadableCell
from .guesses import Guess

POINT, COMMA = ".", ","
MARKS = {POINT: "1,234.56", COMMA: "1.234,56"}
_GROUPS = {POINT: COMMA, COMMA: POINT}
_LONGEST = 60  # characters of a number
_GAPS = re.compile("(?<=[0-9])['’\u00a0\u2009\u202f ](?=[0-9]{3}(?![0-9]))")  # noqa: RUF001


def bare_number(text: str) -> tuple[str, str]:
    """(digits and marks, sign); surrounding spaces and currency signs are removed."""
    body = text.strip().replace("\u2212", "-")
    sign = "-" if body.startswith("-") else ""
    body = body.removeprefix("-").removeprefix("+")
    body = "".join(char for char in body if unicodedata.category(char) != "Sc").strip()
    if not sign and body.startswith("-"):
        sign, body = "-", body[1:]
    return _GAPS.sub("", body), sign


def parse_number(body: str, mark: str, group: str) -> Decimal | None:
    """The number without a sign; thousands may be separated, decimals left out."""
    mark, group = re.escape(mark), re.escape(group)
    whole = rf"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:{group}[0-9]{{3}})+)"
    found = re.fullmatch(rf"({whole})(?:{mark}([0-9]*))?|{mark}([0-9]+)", body)
    if not found:
        return None
    digits, decimals = re.sub(group, "", found[1] or "0"), found[2] or found[3]
    return Decimal(f"{digits}.{decimals}" if decimals else digits)


def number_of(cell: Cell, mark: str) -> Decimal:
    """The exact number of a column whose decimal mark is `mark`; raises UnreadableCell."""
    if isinstance(cell, Decimal):
        return cell
    if not isinstance(cell, str):
        raise UnreadableCell("This is not a number.")
    body, sign = bare_number(cell)
    value = parse_number(body, mark, _GROUPS[mark])
    if value is None:
        raise UnreadableCell(f"“{cell.strip()}” is not a number written like {MARKS[mark]}.")
    return value.copy_negate() if sign else value


def _marked(cells: Iterable[Cell]) -> Iterator[str]:
    """The texts that can be numbers with a mark, without currency signs."""
    for cell in cells:
        if isinstance(cell, str) and len(cell) <= _LONGEST and (POINT in cell or COMMA in cell):
            yield bare_number(cell)[0]


def guess_mark(cells: Iterable[Cell], default: str) -> Guess[str]:
    """The decimal mark that the texts of a column use; `default` where they do not say.

    Certain unless a number has two readings and no other number decides, or two numbers disagree.
    """
    votes = {POINT: 0, COMMA: 0}
    ambiguous = False
    for body in _marked(cells):
        readings = {mark: parse_number(body, mark, _GROUPS[mark]) for mark in MARKS}
        valid = [mark for mark in MARKS if readings[mark] is not None]
        for mark in valid if len(valid) == 1 else ():
            votes[mark] += 1
        ambiguous = ambiguous or len(valid) > 1
    if votes[POINT] == votes[COMMA]:
        return Guess(default, certain=not (ambiguous or votes[POINT]))
    return Guess(max(votes, key=lambda mark: votes[mark]), certain=not all(votes.values()))
