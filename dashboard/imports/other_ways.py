"""Columns whose numbers or dates are written the other way: one button reads all of them so."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dashboard.imports.rows import CheckedRow
from dashboard.imports.shown_columns import ShownColumn
from dashboard.tables.cells import is_blank
from dashboard.tables.columns import MARK, ORDER, WAYS, readable
from dashboard.tables.guesses import Guess
from dashboard.tables.reading import ReadTable


@dataclass(frozen=True)
class OtherWay:
    """A way in which more cells of a column can be read than now: `cells` more. `code`: of the
    way, of which `such_as` is an example.
    """

    kind: str
    index: int
    title: str
    code: str
    such_as: str
    cells: int


def other_ways(
    columns: Iterable[ShownColumn], table: ReadTable, rows: Sequence[CheckedRow]
) -> list[OtherWay]:
    """The better ways to read the columns that have cells which cannot be read."""
    wrong = {name for row in rows if not row.is_left for name in row.errors}
    found: list[OtherWay] = []
    for column in columns:
        if not column.is_used or column.target not in wrong:
            continue
        for kind, guess in ((MARK, column.mark), (ORDER, column.order)):
            if guess and (better := _better(kind, guess, column, table)):
                found.append(better)
    return found


def _better(kind: str, now: Guess[str], column: ShownColumn, table: ReadTable) -> OtherWay | None:
    cells = [row.cells[column.index] for row in table.rows if not is_blank(row.cells[column.index])]
    read = readable(kind, cells)
    best = max(read, key=lambda code: read[code])
    more = read[best] - read[now.value]
    if more <= 0:
        return None
    return OtherWay(kind, column.index, column.title, best, WAYS[kind][best], more)
