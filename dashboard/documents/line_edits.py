"""Carries out the buttons of the line table while the form is not yet submitted."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from dashboard.documents.lines import (
    CELLS,
    LARGEST_KEY,
    MOST_LINES,
    DocumentLine,
    blank_line,
    control_of,
    filled_lines,
    next_key,
    with_blank_lines,
    with_room,
)
from dashboard.documents.paste import PasteResult, number_ways, paste_cells, read_numbers
from dashboard.documents.price_list import PriceList
from dashboard.documents.validation import complete_lines
from dashboard.gateway import whole_number
from dashboard.tables.columns import BetterFormat
from dashboard.text.style import Style

READ_LIKE = "paste-like-"  # followed by a decimal mark
MORE_LINES = 5
MENU = "menu"  # of a line, as its `focus`
MOST_BEFORE = 500_000  # characters of the previous lines, which the page posts back for Undo


class WithLines(Protocol):
    """A form that has lines."""

    rows: list[DocumentLine]
    price_list: PriceList
    style: Style


@dataclass
class LineEdit:
    """The result of a button: `rows` after it, `before` (JSON of the rows before it, for Undo) and
    `said` (a message).
    `pasted`: a paste that the person looks at first; `rows` contain it, with its errors. `ways`: in
    which its numbers can be read.
    """

    rows: list[DocumentLine]
    before: str = ""
    said: str = ""
    pasted: PasteResult | None = None
    ways: Sequence[BetterFormat] = ()


def step(form: WithLines, data: Mapping[str, str]) -> LineEdit | None:
    """Carry out the pressed button; None if it is not one of the line table's."""
    action = data.get("do", "")
    if not action:
        return None
    if action == "paste-use":
        return _use(form, data)
    if action.startswith(READ_LIKE):
        return _read_like(form, data, action.removeprefix(READ_LIKE))
    if action.startswith("paste"):
        return _paste(form, data)
    if action == "undo":
        before = _unpacked(data.get("before", ""))
        return LineEdit(form.rows if before is None else with_room(before), said="Undone.")
    rows = apply_action(form.rows, action)
    complete_lines(rows, form.price_list, form.style)
    _focus(rows, form.rows, action)
    changed = [row.key for row in rows] != [row.key for row in form.rows]
    return LineEdit(rows, _packed(form.rows) if changed and action != "add" else "")


def _paste(form: WithLines, data: Mapping[str, str]) -> LineEdit:
    at, column = data.get("at", ""), data.get("column", "")
    key = whole_number(at, least=0, largest=LARGEST_KEY)
    result = paste_cells(
        form.rows,
        data.get("pasted", ""),
        at=key,
        column=column,
        price_list=form.price_list,
        style=form.style,
    )
    if not result.pasted:
        return LineEdit(form.rows, said="There was nothing to paste.")
    return _pasted(form, result, _packed(form.rows))


def _read_like(form: WithLines, data: Mapping[str, str], mark: str) -> LineEdit:
    """Read the numbers of the pasted lines with a decimal mark; Undo still takes the lines out."""
    keys = data.get("pasted-lines", "").split(",")
    result = read_numbers(form.rows, keys, mark, price_list=form.price_list, style=form.style)
    complete_lines(result.rows, form.price_list, form.style)
    if not result.pasted:
        return LineEdit(form.rows)
    return _pasted(form, result, data.get("before", ""))


def _pasted(form: WithLines, result: PasteResult, before: str) -> LineEdit:
    """The lines with those that were pasted, which the page asks about if something is wrong."""
    rows = with_room(result.rows)
    if wrong := result.wrong:
        wrong.focus = control_of(wrong, next(iter(wrong.errors)), form.price_list.taxes)
    else:
        _focus_below(rows, result.pasted[-1])
    doubtful = result if wrong or result.problems else None
    words = "" if doubtful else f"{_counted(len(result.pasted))} pasted."
    ways = number_ways(result.pasted, form.style) if wrong else ()
    return LineEdit(rows, before, said=words, pasted=doubtful, ways=ways)


def _use(form: WithLines, data: Mapping[str, str]) -> LineEdit:
    """Take the pasted lines as they were mended on the page; Undo still takes them out."""
    complete_lines(form.rows, form.price_list, form.style)
    rows = with_room(form.rows)
    focus_next(rows)
    return LineEdit(rows, data.get("before", ""), said="The pasted lines were added.")


def focus_next(rows: Sequence[DocumentLine]) -> None:
    """Set `focus` on the line below the last filled one, else on the first, if there is one."""
    if used := filled_lines(rows):
        _focus_below(rows, used[-1])
    elif rows:
        rows[0].focus = "item_name"


def _focus_below(rows: Sequence[DocumentLine], row: DocumentLine) -> None:
    place = min(rows.index(row) + 1, len(rows) - 1)
    rows[place].focus = "item_name"


def _counted(count: int) -> str:
    return "1 line was" if count == 1 else f"{count} lines were"


def _focus(rows: Sequence[DocumentLine], before: Sequence[DocumentLine], action: str) -> None:
    """Set `focus` on the new line, the moved one, the one after a removed one, or on the menu of an
    opened one.
    """
    known = {row.key for row in before}
    new = [row for row in rows if row.key not in known]
    _, _, key = action.partition("-")
    same = [row for row in rows if str(row.key) == key]
    removed_at = next((place for place, row in enumerate(before) if str(row.key) == key), 0)
    near = list(rows[min(removed_at, len(rows) - 1) :]) if rows else []
    for row in (new or same or (near if key else []))[:1]:
        row.focus = MENU if action.startswith("open") else "item_name"


def _packed(rows: Sequence[DocumentLine]) -> str:
    kept = filled_lines(rows)
    packed = json.dumps([[row.cells[name] for name in CELLS] for row in kept])
    return packed if len(packed) <= MOST_BEFORE else ""


def _unpacked(packed: str) -> list[DocumentLine] | None:
    try:
        lines: Any = json.loads(packed)
        texts = [dict(zip(CELLS, map(str, cells), strict=True)) for cells in lines][:MOST_LINES]
    except (ValueError, TypeError):
        return None
    return [
        DocumentLine(key, {**blank_line(key).cells, **cells}) for key, cells in enumerate(texts)
    ]


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
