"""Pure functions that move, insert, copy and remove lines, one for each button of the table."""

from collections.abc import Callable

from dashboard.documents.formset import (
    MOST_LINES,
    DocumentLine,
    blank_line,
    next_key,
    with_blank_lines,
)

MORE_LINES = 5


def apply_action(rows: list[DocumentLine], action: str) -> list[DocumentLine]:
    """The rows after an action such as "up-3" (3 is a line's key) or "add"; an unknown action
    changes nothing.
    """
    word, _, key = action.partition("-")
    if word == "add":
        return with_blank_lines(rows, MORE_LINES)
    place = next((index for index, row in enumerate(rows) if str(row.key) == key), None)
    move = _MOVES.get(word)
    return list(rows) if move is None or place is None else move(list(rows), place)


def _swapped(rows: list[DocumentLine], one: int, other: int) -> list[DocumentLine]:
    if 0 <= other < len(rows):
        rows[one], rows[other] = rows[other], rows[one]
    return rows


def _inserted(rows: list[DocumentLine], place: int, row: DocumentLine) -> list[DocumentLine]:
    return [*rows[:place], row, *rows[place:]] if len(rows) < MOST_LINES else rows


def _copied(rows: list[DocumentLine], place: int) -> list[DocumentLine]:
    return _inserted(rows, place + 1, DocumentLine(next_key(rows), dict(rows[place].cells)))


_MOVES: dict[str, Callable[[list[DocumentLine], int], list[DocumentLine]]] = {
    "up": lambda rows, place: _swapped(rows, place, place - 1),
    "down": lambda rows, place: _swapped(rows, place, place + 1),
    "insert": lambda rows, place: _inserted(rows, place, blank_line(next_key(rows))),
    "header": lambda rows, place: _inserted(rows, place, blank_line(next_key(rows), header=True)),
    "copy": _copied,
    "remove": lambda rows, place: rows[:place] + rows[place + 1 :],
}
