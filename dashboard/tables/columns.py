"""The ways to read a column: the decimal mark of its numbers, the order of its dates."""

from collections.abc import Callable, Iterable, Mapping

from dashboard.text.style import MARKS

from .cells import Cell
from .dates import ORDERS, datetime_of
from .errors import UnreadableCell
from .numbers import number_of

MARK, ORDER = "mark", "order"
WAYS = {MARK: MARKS, ORDER: ORDERS}  # the codes of each kind, with an example
_READ: Mapping[str, Callable[[Cell, str], object]] = {MARK: number_of, ORDER: datetime_of}


def can_read(kind: str, cell: Cell, code: str) -> bool:
    """Whether a cell can be read in the way that a kind calls `code`."""
    try:
        _READ[kind](cell, code)
    except UnreadableCell:
        return False
    return True


def readable(kind: str, cells: Iterable[Cell]) -> dict[str, int]:
    """How many of the cells each way of a kind can read, by its code."""
    cells = list(cells)
    return {code: sum(can_read(kind, cell, code) for cell in cells) for code in WAYS[kind]}
