"""What the buttons of the line table do, without scripts: each is a pure function of the rows."""

from collections.abc import Callable

from dashboard.documents.formset import MOST_LINES, Row, blank_row, next_key, with_blanks

MORE_LINES = 5


def moved(rows: list[Row], action: str) -> list[Row]:
    """The rows after an action such as "up-3" (a key) or "add"; unknown ones change nothing."""
    word, _, key = action.partition("-")
    if word == "add":
        return with_blanks(rows, MORE_LINES)
    place = next((index for index, row in enumerate(rows) if str(row.key) == key), None)
    move = _MOVES.get(word)
    return list(rows) if move is None or place is None else move(list(rows), place)


def _swapped(rows: list[Row], one: int, other: int) -> list[Row]:
    if 0 <= other < len(rows):
        rows[one], rows[other] = rows[other], rows[one]
    return rows


def _put_in(rows: list[Row], place: int, row: Row) -> list[Row]:
    return [*rows[:place], row, *rows[place:]] if len(rows) < MOST_LINES else rows


def _copied(rows: list[Row], place: int) -> list[Row]:
    return _put_in(rows, place + 1, Row(next_key(rows), dict(rows[place].cells)))


_MOVES: dict[str, Callable[[list[Row], int], list[Row]]] = {
    "up": lambda rows, place: _swapped(rows, place, place - 1),
    "down": lambda rows, place: _swapped(rows, place, place + 1),
    "insert": lambda rows, place: _put_in(rows, place, blank_row(next_key(rows))),
    "header": lambda rows, place: _put_in(rows, place, blank_row(next_key(rows), header=True)),
    "copy": _copied,
    "remove": lambda rows, place: rows[:place] + rows[place + 1 :],
}
