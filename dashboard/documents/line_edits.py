"""Carries out the buttons of the line table that need the server: those of a paste.

static/js/lines/changes.js adds, moves and removes lines, and undoes all of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from dashboard.documents.lines import (
    LARGEST_KEY,
    DocumentLine,
    control_of,
    filled_lines,
    with_room,
)
from dashboard.documents.paste import PasteResult, number_ways, paste_cells, read_numbers
from dashboard.documents.price_list import PriceList
from dashboard.documents.validation import complete_lines
from dashboard.gateway import whole_number
from dashboard.tables.columns import BetterFormat
from dashboard.text.style import Style

READ_LIKE = "paste-like-"  # followed by a decimal mark


class WithLines(Protocol):
    """A form that has lines."""

    rows: list[DocumentLine]
    price_list: PriceList
    style: Style


@dataclass
class LineEdit:
    """The result of a button: `rows` after it and a `message`.

    pasted: a paste that the person looks at first; `rows` contain it, with its errors.
    suggestions: how its numbers can be read.
    """

    rows: list[DocumentLine]
    message: str = ""
    pasted: PasteResult | None = None
    suggestions: Sequence[BetterFormat] = ()


def edit_lines(form: WithLines, data: Mapping[str, str]) -> LineEdit:
    """The lines after the pressed button."""
    action = data.get("do", "")
    if action == "paste-use":
        return _use(form)
    if action.startswith(READ_LIKE):
        return _read_like(form, data, action.removeprefix(READ_LIKE))
    return _paste(form, data)


def _paste(form: WithLines, data: Mapping[str, str]) -> LineEdit:
    result = paste_cells(
        form.rows,
        data.get("pasted", ""),
        at=whole_number(data.get("at", ""), least=0, largest=LARGEST_KEY),
        column=data.get("column", ""),
        price_list=form.price_list,
        style=form.style,
    )
    if not result.pasted:
        return LineEdit(form.rows, message="There was nothing to paste.")
    return _pasted(form, result)


def _read_like(form: WithLines, data: Mapping[str, str], mark: str) -> LineEdit:
    """Read the numbers of the pasted lines with a decimal mark."""
    keys = data.get("pasted-lines", "").split(",")
    result = read_numbers(form.rows, keys, mark, price_list=form.price_list, style=form.style)
    complete_lines(result.rows, form.price_list, form.style)
    return _pasted(form, result) if result.pasted else LineEdit(form.rows)


def _pasted(form: WithLines, result: PasteResult) -> LineEdit:
    """The lines with those that were pasted, which the page asks about if something is wrong."""
    rows = with_room(result.rows)
    if wrong := result.wrong:
        wrong.focus = control_of(wrong, next(iter(wrong.errors)), form.price_list.taxes)
        return LineEdit(rows, pasted=result, suggestions=number_ways(result.pasted, form.style))
    _focus_below(rows, result.pasted[-1])
    if result.problems:
        return LineEdit(rows, pasted=result)
    count = len(result.pasted)
    return LineEdit(rows, f"{'1 line was' if count == 1 else f'{count} lines were'} pasted.")


def _use(form: WithLines) -> LineEdit:
    """Take the pasted lines as they were corrected on the page."""
    complete_lines(form.rows, form.price_list, form.style)
    rows = with_room(form.rows)
    focus_next(rows)
    return LineEdit(rows, message="The pasted lines were added.")


def focus_next(rows: Sequence[DocumentLine]) -> None:
    """Set `focus` on the line below the last filled one, else on the first, if there is one."""
    if used := filled_lines(rows):
        _focus_below(rows, used[-1])
    elif rows:
        rows[0].focus = "item_name"


def _focus_below(rows: Sequence[DocumentLine], row: DocumentLine) -> None:
    place = min(rows.index(row) + 1, len(rows) - 1)
    rows[place].focus = "item_name"
