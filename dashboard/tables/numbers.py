"""Reads the numbers of a column with its decimal mark, and guesses the mark from many numbers."""

from collections.abc import Iterable
from decimal import Decimal

from dashboard.text.numbers import parse_number
from dashboard.text.style import COMMA, MARKS, POINT

from .cells import Cell
from .errors import UnreadableCell
from .guesses import Guess

_LONGEST = 60  # characters of a number


def number_of(cell: Cell, mark: str) -> Decimal:
    """The exact number of a column whose decimal mark is `mark`; raises UnreadableCell."""
    if isinstance(cell, Decimal):
        return cell
    if not isinstance(cell, str):
        raise UnreadableCell("This is not a number.")
    value = parse_number(cell, mark)
    if value is None:
        raise UnreadableCell(f"“{cell.strip()}” is not a number written like {MARKS[mark]}.")
    return value


def guess_mark(cells: Iterable[Cell], default: str) -> Guess[str]:
    """The decimal mark that the texts of a column use; `default` where they do not say.

    Certain unless a number has two readings and no other number decides, or two numbers disagree.
    """
    votes = {POINT: 0, COMMA: 0}
    ambiguous = False
    for cell in cells:
        if not isinstance(cell, str) or len(cell) > _LONGEST or not {POINT, COMMA} & {*cell}:
            continue
        valid = [mark for mark in MARKS if parse_number(cell, mark) is not None]
        for mark in valid if len(valid) == 1 else ():
            votes[mark] += 1
        ambiguous = ambiguous or len(valid) > 1
    if votes[POINT] == votes[COMMA]:
        return Guess(default, certain=not (ambiguous or votes[POINT]))
    return Guess(max(votes, key=lambda mark: votes[mark]), certain=not all(votes.values()))
