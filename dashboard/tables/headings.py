"""Guesses which row of a table holds the headings."""

from collections import Counter
from collections.abc import Sequence

from dashboard.text.numbers import parse_number
from dashboard.text.style import DAY_FIRST, MARKS, MONTH_FIRST

from .cells import Cell, Row, is_blank
from .dates import written_datetime
from .guesses import Guess

_LOOKED_AT = 20  # rows
_LONGEST = 60  # characters of a heading
_REPEATED = 8  # of so many headings one may be a word that stands there already


def guess_header(rows: Sequence[Row]) -> Guess[int]:
    """The number of the row of headings, 0 if there is none.

    It is the first row as wide as most, of short words, nearly all different. Certain if a cell
    below is of another sort: a number, a date, an address.
    """
    first = rows[:_LOOKED_AT]
    width = _usual_width(first)
    for index, row in enumerate(first):
        filled = [cell for cell in row.cells if not is_blank(cell)]
        if len(filled) * 2 <= width and len(first) > 1:
            continue
        if not _are_headings(filled):
            return Guess(0, certain=any(map(_is_value, filled)))
        below = first[index + 1 :]
        certain = any(_is_value(cell) for other in below for cell in other.cells)
        return Guess(row.number, certain=certain)
    return Guess(0, certain=False)


def _usual_width(rows: Sequence[Row]) -> int:
    """The number of filled cells that most rows have, the larger one of two; the median where that
    is larger, as in a table of documents whose lines fill few cells.
    """
    filled = sorted(sum(not is_blank(cell) for cell in row.cells) for row in rows)
    widths = Counter(filled)
    usual = max(widths, key=lambda width: (widths[width], width))
    return max(usual, filled[len(filled) // 2])


def _are_headings(cells: Sequence[Cell]) -> bool:
    words = [" ".join(cell.lower().split()) for cell in cells if isinstance(cell, str)]
    if len(words) < len(cells) or any(map(_is_value, cells)):
        return False
    repeated = len(words) - len(set(words))
    return repeated * _REPEATED <= len(words) and all(len(word) <= _LONGEST for word in words)


def _is_value(cell: Cell) -> bool:
    """Whether the cell is no word: a number, a date or an address of the net."""
    if not isinstance(cell, str) or "@" in cell or "://" in cell:
        return True
    is_date = any(written_datetime(cell, order) for order in (DAY_FIRST, MONTH_FIRST))
    return is_date or any(parse_number(cell, mark) is not None for mark in MARKS)
