"""The ways to read a column: the decimal mark of its numbers, the order of its dates."""

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from dashboard.text.style import MARKS

from .cells import Cell
from .dates import ORDERS, datetime_of
from .errors import UnreadableCell
from .numbers import number_of

MARK, ORDER = "mark", "order"
_WAYS = {MARK: MARKS, ORDER: ORDERS}  # the codes of each kind, with an example
_READ: Mapping[str, Callable[[Cell, str], object]] = {MARK: number_of, ORDER: datetime_of}


class BetterWay(NamedTuple):
    """A way in which `cells` more cells can be read; `such_as` is an example of it."""

    code: str
    such_as: str
    cells: int


def can_read(kind: str, cell: Cell, code: str) -> bool:
    """Whether a cell can be read in the way that a kind calls `code`."""
    try:
        _READ[kind](cell, code)
    except UnreadableCell:
        return False
    return True


def better_ways(kind: str, cells: Collection[Cell], now: str = "") -> list[BetterWay]:
    """The ways of a kind that can read most of the cells, and more of them than the way `now`."""
    read = {code: sum(can_read(kind, cell, code) for cell in cells) for code in _WAYS[kind]}
    most, before = max(read.values()), read.get(now, 0)
    return [
        BetterWay(code, such_as, most - before)
        for code, such_as in _WAYS[kind].items()
        if read[code] == most > before
    ]
