"""Checks every row of a table by the rules of the form, before anything is sent."""

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from dashboard.catalogue.fields import ReferenceField
from dashboard.catalogue.widgets import OTHER
from dashboard.gateway import whole_number
from dashboard.imports.columns import (
    CUSTOM,
    CUSTOM_FIELDS,
    ID,
    LOOSE,
    NOTES,
    custom_text,
    form_text,
    id_column,
    meant,
    update_name,
)
from dashboard.imports.known import NAME_ALONE, Index, Other, by_name_alone, keys_of
from dashboard.imports.names import Names, SeveralMatches
from dashboard.imports.storage import CREATE, UPDATE, Wishes
from dashboard.records.forms.custom_fields import CustomFieldsField
from dashboard.records.forms.pickers import PickerField
from dashboard.records.forms.record_form import RecordForm
from dashboard.records.resource import Resource
from dashboard.tables.cells import Row, cell_text
from dashboard.tables.errors import UnreadableCell
from dashboard.tables.reading import ReadTable
from dashboard.text.style import PLAIN

READY, CHANGE, MEND, KNOWN, TWICE, LEFT = "ready", "change", "mend", "known", "twice", "left"


@dataclass
class CheckedRow:
    """One row: its texts by field, and what will happen to it.

    `errors`: by field. `problems`: of the whole row. `body`: what is sent for a new record, and
    `change` for one that is there. `same`: the id and the title of that, `seen` what it holds, and
    `by_name` whether it has no more than the name in common. `other`: a record of another resource
    that is the same. `first`: the row above with the same
    email, number or name; 0 for none. `shown`: the cells whose texts are ids. `label`: what people
    call it; "" for its title. `known_by`: more than the body tells to find it in the service.
    `offered`: by field, the records that its name may mean, by id. `note`: why a row of a document
    is no line of it. `is_left`: whether the person leaves it out.
    """

    number: int
    texts: dict[str, str] = field(default_factory=dict)
    state: str = READY
    errors: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    body: dict[str, Any] = field(default_factory=dict)
    change: dict[str, Any] = field(default_factory=dict)
    same: tuple[int, str] | None = None
    other: Other | None = None
    seen: dict[str, str] = field(default_factory=dict)
    by_name: bool = False
    first: int = 0
    shown: dict[str, str] = field(default_factory=dict)
    label: str = ""
    known_by: dict[str, str] = field(default_factory=dict)
    offered: dict[str, dict[str, str]] = field(default_factory=dict)
    note: str = ""
    is_left: bool = False

    @property
    def parts(self) -> "list[CheckedRow]":
        """The rows of the table that it is made of."""
        return [self]

    @property
    def shown_rows(self) -> "list[CheckedRow]":
        """Those of them that its page shows."""
        return self.parts


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
    checker = Checker(table, wishes, resource, form, begun, index)
    checker.look_up_names()
    return [checker.check(row) for row in table.rows]


def counts(rows: Sequence[CheckedRow]) -> Counter[str]:
    """How many rows there are of each state."""
    return Counter(row.state for row in rows)


def to_send(rows: Sequence[CheckedRow]) -> list[CheckedRow]:
    """The rows that are to be sent."""
    return [row for row in rows if row.state in (READY, CHANGE)]


def fingerprint(rows: Sequence[CheckedRow]) -> str:
    """Differs as soon as what would be sent has changed."""
    told = [
        (row.state, row.same, sorted(map(repr, row.body.items())), sorted(row.seen.items()))
        for row in to_send(rows)
    ]
    return sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()


class Checker:
    """Checks one row after the other."""

    def __init__(
        self,
        table: ReadTable,
        wishes: Wishes,
        resource: Resource,
        form: RecordForm,
        begun: QueryDict,
        index: Index,
    ) -> None:
        self.table, self.wishes, self.resource, self.index = table, wishes, resource, index
        self.form, self.begun = form, dict(begun.lists())
        self.style = form.ctx.style if form.ctx else PLAIN
        self.columns = self._columns()
        self.names = Names(form.ctx)
        self.seen: dict[str, int] = {}

    def look_up_names(self) -> None:
        """Look up the records that cells name, several side by side."""
        for name, index in self.columns.items():
            field = self.form.fields.get(name)
            if isinstance(field, PickerField):
                mended = (self.wishes.mended.get(str(row.number), {}) for row in self.table.rows)
                given = zip(self.table.rows, mended, strict=True)
                self.names.look_up(
                    field, [own.get(name, cell_text(row.cells[index])) for row, own in given]
                )

    def check(self, row: Row) -> CheckedRow:
        """The row with what will happen to it."""
        checked = self.read(row)
        if row.number in self.wishes.left:
            checked.state, checked.is_left = LEFT, True
            return checked
        self._compare(checked)
        self._validate(checked)
        return checked

    def places(self, targets: Container[str]) -> dict[str, int]:
        """The index of the column by the target that it goes to; of two the first one."""
        found: dict[str, int] = {}
        for index, name in (self.wishes.fields or {}).items():
            if name in targets and int(index) < len(self.table.columns):
                found.setdefault(name, int(index))
        return found

    def _columns(self) -> dict[str, int]:
        custom = [name for name in (self.wishes.fields or {}).values() if name.startswith(CUSTOM)]
        return self.places({ID, *self.form.fields, *custom})

    def read(self, row: Row) -> CheckedRow:
        """The texts of a row for the form, and what cannot be read."""
        mended = self.wishes.mended.get(str(row.number), {})
        checked = CheckedRow(row.number)
        for name, index in self.columns.items():
            cell = row.cells[index]
            try:
                checked.texts[name] = self._text(name, row, index, mended.get(name))
            except UnreadableCell as error:
                checked.texts[name] = mended.get(name, cell_text(cell))
                checked.errors[name] = str(error)
                if isinstance(error, SeveralMatches):
                    checked.offered[name] = error.options
            if isinstance(self.form.fields.get(name), PickerField):
                checked.shown[name] = mended.get(name, cell_text(cell))
        if lines := self._loose_lines(row):
            told = "\n".join(filter(None, [checked.texts.get(NOTES, ""), *lines]))
            checked.texts[NOTES] = mended.get(NOTES, told)
        return checked

    def _loose_lines(self, row: Row) -> list[str]:
        """A line for each cell whose column goes to the notes, behind its heading."""
        targets, lines = self.wishes.fields or {}, []
        for index, (column, cell) in enumerate(zip(self.table.columns, row.cells, strict=True)):
            if targets.get(str(index)) == LOOSE and (text := cell_text(cell).strip()):
                lines.append(f"{column.title}: {text}" if self.table.header.value else text)
        return lines

    def _text(self, name: str, row: Row, index: int, mended: str | None) -> str:
        """The text for the form, as it was mended or as the cell says. Raises UnreadableCell."""
        field, cell = self.form.fields.get(name), row.cells[index]
        own = self.form.fields.get(CUSTOM_FIELDS)
        if mended is None and name.startswith(CUSTOM) and isinstance(own, CustomFieldsField):
            wanted = name.removeprefix(CUSTOM)
            text = custom_text(own, wanted, cell, self.table.columns[index], self.style)
        elif mended is None:
            text = form_text(field, cell, self.table.columns[index], self.style)
        else:
            text = mended
        text = meant(field, text, self.wishes.means.get(name, {}))
        if not isinstance(field, PickerField):
            return text
        beside = id_column(self.table, index)
        return self.names.id_of(field, text, "" if beside is None else cell_text(row.cells[beside]))

    def _compare(self, row: CheckedRow) -> None:
        """Find the record and the row above that this one repeats."""
        keys = keys_of(self.resource, row.texts)
        row.same, row.other = self.index.find(keys), self.index.find_other(keys)
        if text := row.texts.get(ID, "").strip():
            number = whole_number(text)
            keys = [f"{ID} {text}"]
            row.same = self.index.of_id(number, self.resource.singular) if number else None
            if row.same is None:
                row.errors[ID] = f"There is no {self.resource.singular} {text}."
        row.by_name = by_name_alone(keys)
        row.first = next((self.seen[key] for key in keys if key in self.seen), 0)
        for key in keys:
            self.seen.setdefault(key, row.number)

    def _validate(self, row: CheckedRow) -> None:
        given = row.texts.items()
        texts = {name: "" if name in row.errors else text for name, text in given if name != ID}
        title, changes = self.resource.title_field, self.wishes.known == UPDATE and row.same
        if row.same and changes and not texts.get(title):
            texts[title] = row.same[1]
        self.form.data = MultiValueDict(self.begun | self.posted(texts))
        self.form.full_clean()
        self._blame_custom_cells(row)
        for name, words in self.form.errors.items():
            if changes and name in self.form.fields and not row.texts.get(name):
                self.form.cleaned_data.setdefault(name, None)
                continue  # what is blank stays as it is
            if name in self.form.fields:
                row.texts.setdefault(name, "")
                row.errors.setdefault(name, " ".join(map(str, words)))
            else:
                row.problems += map(str, words)
        if row.errors or row.problems:
            row.state = MEND
            return
        body = self.form.payload()
        row.body = {name: body[name] for name in body if not self._is_untold_tick(name)}
        named = [name for name in row.body if row.texts.get(name)]
        updates = {update_name(self.resource, name): row.body[name] for name in named}
        row.change = {name: value for name, value in updates.items() if name}
        row.state = self._state(row)
        if row.state == CHANGE and row.same:
            row.seen = self.index.seen.get(row.same[0], {})
        elif row.state == KNOWN and row.same and row.by_name and self.wishes.known == UPDATE:
            row.problems.append(NAME_ALONE)

    def _is_untold_tick(self, name: str) -> bool:
        """Whether it is a tick that the file says nothing of: the service has its own default."""
        field = self.form.fields.get(name)
        return isinstance(field, forms.BooleanField) and name not in self.columns

    def _blame_custom_cells(self, row: CheckedRow) -> None:
        """Move the errors of custom fields to the cells that they come from."""
        own = self.form.fields.get(CUSTOM_FIELDS)
        if not isinstance(own, CustomFieldsField):
            return
        for name in self.columns:
            if words := own.widget.error(name.removeprefix(CUSTOM)) if CUSTOM in name else "":
                row.errors.setdefault(name, words)
                self.form.errors.pop(CUSTOM_FIELDS, None)
        own.widget.errors = {}

    def posted(self, texts: Mapping[str, str]) -> dict[str, list[str]]:
        """The texts as a browser would send them. A list entry is typed, not chosen."""
        own = {name: text for name, text in texts.items() if name.startswith(CUSTOM)}
        posted = {name: [text] for name, text in texts.items() if name not in own}
        if own:
            posted[f"{CUSTOM_FIELDS}-name"] = [name.removeprefix(CUSTOM) for name in own]
            posted[f"{CUSTOM_FIELDS}-value"] = list(own.values())
        for name, text in texts.items():
            if name in own:
                continue
            if isinstance(self.form.fields[name], ReferenceField):
                posted |= {name: [OTHER], f"{name}-number": [text]}
            elif isinstance(self.form.fields[name], forms.ChoiceField) and not text:
                posted[name] = self.begun.get(name, [""])  # such as a medium priority
        return posted

    def _state(self, row: CheckedRow) -> str:
        if self.wishes.known == CREATE:
            return READY
        if row.first:
            return TWICE
        if row.same:
            return CHANGE if self.wishes.known == UPDATE and not row.by_name else KNOWN
        return KNOWN if row.other else READY
