"""Checks every row of a table by the rules of the form of a new record, before anything is sent."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from dashboard.imports.columns import form_text
from dashboard.imports.known import Index, keys_of
from dashboard.imports.storage import CREATE, Wishes
from dashboard.records.forms.record_form import RecordForm
from dashboard.records.parsing.style import PLAIN
from dashboard.records.resource import Resource
from dashboard.tables.cells import Row, cell_text
from dashboard.tables.errors import UnreadableCell
from dashboard.tables.reading import ReadTable

READY, MEND, KNOWN, TWICE, LEFT = "ready", "mend", "known", "twice", "left"


@dataclass
class CheckedRow:
    """One row: its texts by field, and what will happen to it.

    `errors`: by field. `problems`: of the whole row. `body`: what is sent for a READY row. `same`:
    the id and the title of the record that is there already.
    """

    number: int
    texts: dict[str, str]
    state: str = READY
    errors: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    body: dict[str, Any] = field(default_factory=dict)
    same: tuple[int, str] | None = None
    first: int = 0  # the row above with the same email, number or name


def check_rows(
    table: ReadTable,
    wishes: Wishes,
    resource: Resource,
    form: RecordForm,
    begun: QueryDict,
    index: Index,
) -> list[CheckedRow]:
    """Every row with what will happen to it.

    `form`: of a new record, whose fields are used for one row after the other. `begun`: what it is
    sent with where the table has no column.
    """
    columns = _columns(wishes, len(table.columns))
    seen: dict[str, int] = {}
    found = []
    for row in table.rows:
        checked = _read(row, table, columns, wishes, form)
        if row.number in wishes.left:
            checked.state = LEFT
        else:
            _check(checked, form, begun)
            _compare(checked, index, seen, wishes)
        found.append(checked)
    return found


def counts(rows: Sequence[CheckedRow]) -> Counter[str]:
    """How many rows there are of each state."""
    return Counter(row.state for row in rows)


def _columns(wishes: Wishes, count: int) -> dict[str, int]:
    """The index of the column by the field that it goes to; of two the first one."""
    found: dict[str, int] = {}
    for index, name in (wishes.fields or {}).items():
        if name and int(index) < count:
            found.setdefault(name, int(index))
    return found


def _read(
    row: Row, table: ReadTable, columns: Mapping[str, int], wishes: Wishes, form: RecordForm
) -> CheckedRow:
    mended = wishes.mended.get(str(row.number), {})
    checked = CheckedRow(row.number, {})
    style = form.ctx.style if form.ctx else PLAIN
    for name, index in columns.items():
        if name in mended:
            checked.texts[name] = mended[name]
            continue
        cell = row.cells[index]
        try:
            checked.texts[name] = form_text(form.fields[name], cell, table.columns[index], style)
        except UnreadableCell as error:
            checked.texts[name] = cell_text(cell)
            checked.errors[name] = str(error)
    return checked


def _check(row: CheckedRow, form: RecordForm, begun: QueryDict) -> None:
    texts = {name: [text] for name, text in row.texts.items()}
    form.data = MultiValueDict({**dict(begun.lists()), **texts})
    form.full_clean()
    for name, words in form.errors.items():
        if name in row.texts or name in form.fields:
            row.texts.setdefault(name, "")
            row.errors.setdefault(name, " ".join(map(str, words)))
        else:
            row.problems += map(str, words)
    if row.errors or row.problems:
        row.state = MEND
    else:
        row.body = form.payload()


def _compare(row: CheckedRow, index: Index, seen: dict[str, int], wishes: Wishes) -> None:
    """Find the row above, or the record, that this one repeats."""
    keys = keys_of(row.body or row.texts)
    row.first = next((seen[key] for key in keys if key in seen), 0)
    row.same = index.find(keys)
    for key in keys:
        seen.setdefault(key, row.number)
    if row.state == READY and wishes.known != CREATE:
        row.state = KNOWN if row.same else TWICE if row.first else READY


def ready(rows: Sequence[CheckedRow]) -> Iterator[CheckedRow]:
    """The rows that are to be sent."""
    return (row for row in rows if row.state == READY)
