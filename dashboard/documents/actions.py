"""Steps inside a form with lines that is not finished: a button of the line table was pressed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from dashboard.documents.formset import CELLS, MOST_LINES, Row, blank_row, filled, with_blanks
from dashboard.documents.paste import Pasted, paste
from dashboard.documents.price_list import PriceList
from dashboard.documents.row_moves import moved
from dashboard.documents.validation import complete
from dashboard.records.parsing.style import Style

MOST_BEFORE = 500_000  # characters of the lines as they were, which come back with the page


class WithLines(Protocol):
    """A form that has lines."""

    rows: list[Row]
    price_list: PriceList
    style: Style


@dataclass
class Step:
    """Where a step leads: the rows after it, those before it for Undo, what to say.

    `pasted`: a paste that has something to look at first, so that `rows` are still without it.
    """

    rows: list[Row]
    before: str = ""
    said: str = ""
    pasted: Pasted | None = None
    paste_of: Mapping[str, str] = field(default_factory=dict)


def step(form: WithLines, data: Mapping[str, str]) -> Step | None:
    """What the pressed button asks for; None if it is not one of the line table's."""
    action = data.get("do", "")
    if not action:
        return None
    if action.startswith("paste"):
        return _paste(form, data, checked=action == "paste-use")
    if action == "undo":
        before = _unpacked(data.get("before", ""))
        return Step(form.rows if before is None else with_blanks(before, 1), said="Undone.")
    rows = moved(form.rows, action)
    complete(rows, form.price_list, form.style)
    _focus(rows, form.rows, action)
    changed = [row.key for row in rows] != [row.key for row in form.rows]
    return Step(rows, _packed(form.rows) if changed and action != "add" else "")


def _paste(form: WithLines, data: Mapping[str, str], *, checked: bool) -> Step:
    at, column = data.get("at", ""), data.get("column", "")
    text = data.get("pasted", "")
    key = int(at) if at.isascii() and at.isdigit() and len(at) < 6 else None
    result = paste(
        form.rows, text, at=key, column=column, price_list=form.price_list, style=form.style
    )
    if not result.count:
        return Step(form.rows, said="There was nothing to paste.")
    if result.problems and not checked:
        return Step(form.rows, pasted=result, paste_of={"at": at, "column": column, "text": text})
    lines = "1 line was" if result.count == 1 else f"{result.count} lines were"
    return Step(result.rows, _packed(form.rows), said=f"{lines} pasted.")


def _focus(rows: Sequence[Row], before: Sequence[Row], action: str) -> None:
    """Put the cursor where a person goes on: the new line, the moved one, or near a removed one."""
    known = {row.key for row in before}
    new = [row for row in rows if row.key not in known]
    _, _, key = action.partition("-")
    same = [row for row in rows if str(row.key) == key]
    gone = next((place for place, row in enumerate(before) if str(row.key) == key), 0)
    near = list(rows[min(gone, len(rows) - 1) :]) if rows else []
    for row in (new or same or (near if key else []))[:1]:
        row.focus = True


def _packed(rows: Sequence[Row]) -> str:
    kept = filled(rows)
    packed = json.dumps([[row.cells[name] for name in CELLS] for row in kept])
    return packed if len(packed) <= MOST_BEFORE else ""


def _unpacked(packed: str) -> list[Row] | None:
    try:
        found: Any = json.loads(packed)
        texts = [dict(zip(CELLS, map(str, cells), strict=True)) for cells in found][:MOST_LINES]
    except (ValueError, TypeError):
        return None
    return [Row(key, {**blank_row(key).cells, **cells}) for key, cells in enumerate(texts)]
