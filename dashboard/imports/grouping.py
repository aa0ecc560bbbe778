"""Which rows of a table are the lines of one document."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

NO_DOCUMENT = "No document starts above this row: enter its number or its customer."
NO_NUMBER = (
    "Other rows have a number: write the one of this document, or empty the cells of the document "
    "if this is a line of the one above."
)
APART = (
    "Its rows stand apart: {}. Sort the file by number, or leave out the rows that repeat the "
    "document."
)


class RowHead(NamedTuple):
    """What a row says of its document. `number`: of the row. `key`: the document's number as it is
    compared, "" for none. `has_head`: whether another cell of the document is filled.
    """

    number: int
    key: str
    has_head: bool


@dataclass
class Group:
    """The numbers of the rows of one document, in the order of the table; why they are none."""

    rows: list[int] = field(default_factory=list)
    problem: str = ""


def group_rows(heads: Sequence[RowHead]) -> list[Group]:
    """Every row in one group.

    A row belongs to the document of its number; without number and head to that of the row above.
    """
    is_numbered = any(head.key for head in heads)
    found: list[Group] = []
    by_key: dict[str, Group] = {}
    above: Group | None = None
    for head in heads:
        group = by_key.get(head.key) if head.key else above
        if group is None or (head.has_head and not head.key):
            group = Group(problem=_problem(head, is_numbered=is_numbered))
            found.append(group)
        if head.key:
            by_key[head.key] = group
        group.rows.append(head.number)
        above = group
    return found


def why_apart(rows: Iterable[int], places: dict[int, int]) -> str:
    """Why the rows of a document cannot be sent as one: other rows stand between; "" if none do.

    `places`: where each row stands among those that are not left out.
    """
    pieces = list[list[int]]()
    for number in rows:
        if not pieces or places[number] != places[pieces[-1][-1]] + 1:
            pieces.append([])
        pieces[-1].append(number)
    return APART.format(", ".join(map(_span, pieces))) if len(pieces) > 1 else ""


def in_words(rows: Sequence[int]) -> str:
    """The numbers of a document's rows: row 7, or rows 2 to 9."""
    return f"row {rows[0]}" if len(rows) == 1 else f"rows {_span(rows)}"


def _span(rows: Sequence[int]) -> str:
    return str(rows[0]) if len(rows) == 1 else f"{rows[0]} to {rows[-1]}"


def _problem(head: RowHead, *, is_numbered: bool) -> str:
    if head.key:
        return ""
    if head.has_head:
        return NO_NUMBER if is_numbered else ""
    return NO_DOCUMENT
