"""Cells in which an export of this dashboard says that it could not read a value."""

from dashboard.gateway import Unreadable
from dashboard.tables.cells import Cell
from dashboard.tables.errors import UnreadableCell

WORDS = str(Unreadable(None))
NOT_READ = "The service sent this in a form that could not be read. Type it again or empty it."


def refuse_unread(cell: Cell) -> None:
    """Raises UnreadableCell for such a cell, whose words are no value."""
    if cell == WORDS:
        raise UnreadableCell(NOT_READ)
