"""Checks the records of a table by the rules of the form, before anything is sent."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import sha256
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from dashboard.documents.form import DocumentForm
from dashboard.gateway import whole_number
from dashboard.imports.document_rows import (
    Group,
    Lines,
    RowHead,
    contradicted,
    group_rows,
    in_words,
    tell_errors,
    why_apart,
)
from dashboard.imports.duplicates import NAME_ALONE, Index, Other, by_name_alone, keys_of
from dashboard.imports.import_file import CREATE, UPDATE, ImportSettings
from dashboard.imports.rows import CheckedRow, RowTexts
from dashboard.imports.target_names import CONTACT_TYPE, CUSTOM, CUSTOM_FIELDS, ID
from dashboard.imports.targets import never_changed, update_name
from dashboard.office.reference_fields import OTHER, ReferenceField
from dashboard.reader import identity
from dashboard.reader.identity import PHONE
from dashboard.schema.custom_fields import CustomFieldsField
from dashboard.schema.inputs import NumberField
from dashboard.schema.record_form import RecordForm
from dashboard.schema.resource import Resource
from dashboard.tables.reading import ReadTable

READY, CHANGE, MEND, KNOWN, TWICE, LEFT = "ready", "change", "mend", "known", "twice", "left"
SAME_NUMBER = "{} has this number, too."
CONTRADICTS = "Row {} of the same document says “{}”."


@dataclass
class CheckedRecord:
    """The rows that make one record, most often one row, and what will happen to it.

    `problems`: of the whole record. `body`: what is sent for a new record, and `change` for one
    that is there. `same`: the id and the title of that, `seen` what it holds, and `by_name` whether
    it has no more than the name in common. `other`: a record of another resource that is the same.
    `first`: the row above with the same email, number or name; 0 for none. `label`: what people
    call it; "" for its title. `known_by`: more than the body tells to find it in the service.
    `creates`: the type and the name of the contact that is created for a field of the body.
    `unchanged`: the labels of what a record that is there keeps, though the file has it.
    """

    rows: list[CheckedRow]
    state: str = READY
    problems: list[str] = field(default_factory=list)
    body: dict[str, Any] = field(default_factory=dict)
    change: dict[str, Any] = field(default_factory=dict)
    same: tuple[int, str] | None = None
    other: Other | None = None
    seen: dict[str, str] = field(default_factory=dict)
    by_name: bool = False
    first: int = 0
    label: str = ""
    known_by: dict[str, str] = field(default_factory=dict)
    creates: dict[str, tuple[int, str]] = field(default_factory=dict)
    unchanged: list[str] = field(default_factory=list)

    @property
    def number(self) -> int:
        """That of its first row."""
        return self.rows[0].number

    @property
    def shown_rows(self) -> list[CheckedRow]:
        """Its rows; of one that is to be mended, the first one and those that say why."""
        if self.state != MEND:
            return self.rows
        return [*self.rows[:1], *(row for row in self.rows[1:] if row.errors or row.is_left)]


def counts(records: Sequence[CheckedRecord]) -> Counter[str]:
    """How many records there are of each state."""
    return Counter(record.state for record in records)


def to_send(records: Sequence[CheckedRecord]) -> list[CheckedRecord]:
    """The records that are to be sent."""
    return [record for record in records if record.state in (READY, CHANGE)]


def fingerprint(records: Sequence[CheckedRecord]) -> str:
    """Differs as soon as what would be sent has changed."""
    told = [
        (
            one.state,
            one.same,
            sorted(map(repr, one.body.items())),
            sorted(one.seen.items()),
            sorted(one.creates.items()),
        )
        for one in to_send(records)
    ]
    return sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()


class Checker:
    """Checks one record after the other; one without lines is a group of one row.

    `form`: of a new record, whose fields are used for one after the other. `begun`: what it is sent
    with where the table has no column.
    """

    def __init__(
        self,
        table: ReadTable,
        choices: ImportSettings,
        resource: Resource,
        form: RecordForm,
        begun: QueryDict,
        index: Index,
    ) -> None:
        self.choices, self.resource, self.index = choices, resource, index
        self.form, self.begun = form, dict(begun.lists())
        self.number = resource.title_field if isinstance(form, DocumentForm) else ""
        self.reader = RowTexts(table, choices, resource, form, self.number)
        self.lines = Lines(self.reader, form) if isinstance(form, DocumentForm) else None
        self.seen: dict[str, int] = {}

    def check(self) -> list[CheckedRecord]:
        """All records with what will happen to them, in the order of their first rows."""
        rows = {row.number: row for row in self.reader.read()}
        kept = (number for number, row in rows.items() if not row.is_left)
        order = {number: place for place, number in enumerate(kept)}
        groups = self._groups(rows.values())
        return [self._record(group, [rows[one] for one in group.rows], order) for group in groups]

    def _groups(self, rows: Iterable[CheckedRow]) -> list[Group]:
        if not self.lines:
            return [Group([row.number]) for row in rows]
        heads = []
        for row in rows:
            others = (text for name, text in row.texts.items() if name in self.form.fields)
            key = " ".join(row.texts.get(self.number, "").casefold().split())
            heads.append(RowHead(row.number, key, has_head=any(map(str.strip, others))))
        return group_rows(heads)

    def _record(self, group: Group, rows: list[CheckedRow], order: dict[int, int]) -> CheckedRecord:
        record = CheckedRecord(rows)
        if self.lines:
            texts = (row.texts.get(self.number) for row in rows)
            number = next(filter(None, texts), "")
            noun = self.resource.singular.capitalize()
            record.label = f"{number or noun}, {in_words(group.rows)}"
            record.known_by = {self.number: number}
        if rows[0].is_left:
            record.state = LEFT
            return record
        kept = [row for row in rows if not row.is_left]
        apart = why_apart([row.number for row in kept], order)
        record.problems += filter(None, (group.problem, apart))
        sources = self._sources(kept)
        self._compare(record, sources)
        self._validate(record, kept, sources)
        wrong = record.problems or any(row.errors for row in kept)
        if wrong or (isinstance(self.form, DocumentForm) and contradicted(kept, self.form)):
            record.state = MEND
        else:
            self._decide(record, sources)
            self._drop_placeholders(record)
        return record

    def _sources(self, rows: Sequence[CheckedRow]) -> dict[str, CheckedRow]:
        """The row that each field of a record is taken from; others that differ say so."""
        own = [name for name in rows[0].texts if name in self.form.fields]
        sources: dict[str, CheckedRow] = {}
        first_with: dict[tuple[str, str], CheckedRow] = {}
        for row in rows:
            for name in self.reader.columns:
                first = first_with.setdefault((name, row.raw[name]), row)
                if first is not row and name not in self.reader.mended(row.number):
                    row.texts[name] = first.texts[name]  # what was mended above counts here, too
                    row.errors.pop(name, None)
                elif row.texts.get(name, "").strip():
                    self._compare_rows(name, sources.setdefault(name, row), row)
        return {**dict.fromkeys([*self.reader.columns, *own], rows[0]), **sources}

    def _compare_rows(self, name: str, first: CheckedRow, row: CheckedRow) -> None:
        """Say so if a row contradicts the one that a field is taken from."""
        if first is row or first.errors.get(name) or row.errors.get(name):
            return
        if self._meaning(name, first.texts[name]) != self._meaning(name, row.texts[name]):
            said = first.shown.get(name) or first.texts[name]
            row.errors[name] = CONTRADICTS.format(first.number, said[:100])

    def _meaning(self, name: str, text: str) -> str | Decimal | None:
        """A text as it is compared: entries by their codes, and numbers by their value."""
        own = self.form.fields[name]
        if isinstance(own, ReferenceField):
            return own.widget.resolve(text)
        if not isinstance(own, NumberField):
            return text.strip()
        try:
            return own.to_python(text)
        except ValidationError:
            return text.strip()

    def _compare(self, record: CheckedRecord, sources: Mapping[str, CheckedRow]) -> None:
        """Find the record in the service and the row above that this one repeats."""
        texts = {name: row.texts[name] for name, row in sources.items()}
        texts = {name: text for name, text in texts.items() if self._is_valid(name, text)}
        kind = texts.get(CONTACT_TYPE) or "".join(self.begun.get(CONTACT_TYPE, []))
        keys = keys_of(self.resource, {**texts, **record.known_by, CONTACT_TYPE: kind})
        record.same, record.other = self.index.find(keys), self.index.find_other(keys)
        if text := texts.get(ID, "").strip():
            number = whole_number(text)
            keys = [f"{ID} {text}"]
            record.same = self.index.of_id(number, self.resource.singular) if number else None
            if record.same is None:
                sources[ID].errors[ID] = f"There is no {self.resource.singular} {text}."
        record.by_name = by_name_alone([key for key in keys if key in self.index.records] or keys)
        owner = self.index.by_number.get(identity.key(PHONE, texts.get(PHONE)))
        if owner and not record.same:
            record.rows[0].note = SAME_NUMBER.format(owner)
        record.first = next((self.seen[key] for key in keys if key in self.seen), 0)
        for key in keys:
            self.seen.setdefault(key, record.number)

    def _is_valid(self, name: str, text: str) -> bool:
        """Whether a text may say who somebody is: an email address that is none, such as "n/a",
        makes nobody the same.
        """
        own = self.form.fields.get(name)
        if not isinstance(own, forms.EmailField) or not text.strip():
            return True
        try:
            own.clean(text)
        except ValidationError:
            return False
        return True

    def _validate(
        self, record: CheckedRecord, rows: Sequence[CheckedRow], sources: Mapping[str, CheckedRow]
    ) -> None:
        """Let the form check the record, and put what it says at the cells."""
        lines = self.lines.of_rows(rows) if self.lines else []
        posted = self.lines.posted(lines) if self.lines else {}
        texts = self._texts(record, sources)
        self.form.data = MultiValueDict(self.begun | self._posted(texts) | posted)
        self.form.full_clean()
        self._blame_custom_cells(rows[0])
        if tell_errors(lines):
            self.form.errors.pop("items", None)
        is_change = self.choices.known == UPDATE and record.same
        for name, words in self.form.errors.items():
            row = sources.get(name, rows[0])
            if name not in self.form.fields or name == "items":
                record.problems += map(str, words)
            elif is_change and not row.texts.get(name):
                self.form.cleaned_data.setdefault(name, None)  # what is blank stays as it is
            else:
                row.texts.setdefault(name, "")
                row.errors.setdefault(name, " ".join(map(str, words)))

    def _texts(self, record: CheckedRecord, sources: Mapping[str, CheckedRow]) -> dict[str, str]:
        """What the form is given: nothing of cells that cannot be read."""
        texts = {
            name: "" if name in row.errors else row.texts[name]
            for name, row in sources.items()
            if name != ID
        }
        title = self.resource.title_field
        if record.same and self.choices.known == UPDATE and not texts.get(title):
            texts[title] = record.same[1]
        if self.lines and not texts.get("reference"):
            texts["reference"] = record.known_by[title]  # the service numbers documents itself
        return texts

    def _decide(self, record: CheckedRecord, sources: Mapping[str, CheckedRow]) -> None:
        """What is sent for a record without errors, and its state."""
        body = self.form.payload()
        made = ((name, row.creates.get(name)) for name, row in sources.items())
        record.creates = {name: contact for name, contact in made if contact}
        record.body = {name: body[name] for name in body if not self._is_untold_tick(name)}
        record.state = self._state(record)
        if self.choices.known != UPDATE:
            return
        named = [one for one in record.body if one in sources and sources[one].texts[one]]
        updates = {update_name(self.resource, name): record.body[name] for name in named}
        record.change = {name: value for name, value in updates.items() if name}
        given = [name for name, row in sources.items() if row.texts.get(name, "").strip()]
        record.unchanged = never_changed(self.resource, given)
        if record.state == CHANGE and record.same:
            record.seen = self.index.seen.get(record.same[0], {})
        elif record.state == KNOWN and record.same and record.by_name:
            record.problems.append(NAME_ALONE)

    def _drop_placeholders(self, record: CheckedRecord) -> None:
        """Take the numbers that stand for contacts to be created out of what is sent."""
        for name in record.creates:
            record.body.pop(name, None)
            record.change.pop(update_name(self.resource, name), None)

    def _is_untold_tick(self, name: str) -> bool:
        """Whether it is a tick that the file says nothing of: the service has its own default."""
        field = self.form.fields.get(name)
        return isinstance(field, forms.BooleanField) and name not in self.reader.columns

    def _blame_custom_cells(self, row: CheckedRow) -> None:
        """Move the errors of custom fields to the cells that they come from."""
        own = self.form.fields.get(CUSTOM_FIELDS)
        if not isinstance(own, CustomFieldsField):
            return
        for name in self.reader.columns:
            if words := own.widget.error(name.removeprefix(CUSTOM)) if CUSTOM in name else "":
                row.errors.setdefault(name, words)
                self.form.errors.pop(CUSTOM_FIELDS, None)
        own.widget.errors = {}

    def _posted(self, texts: Mapping[str, str]) -> dict[str, list[str]]:
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

    def _state(self, record: CheckedRecord) -> str:
        if self.choices.known == CREATE:
            return READY
        if record.first:
            return TWICE
        if record.same:
            return CHANGE if self.choices.known == UPDATE and not record.by_name else KNOWN
        return KNOWN if record.other else READY
