"""Checks the records of a table by the rules of the form, before anything is sent."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from hashlib import sha256
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import TextChoices
from django.utils.datastructures import MultiValueDict

from dashboard.core.service_name import SERVICE_AT_START
from dashboard.documents.form import DocumentForm
from dashboard.documents.totals import add_up
from dashboard.gateway import whole_number
from dashboard.gateway.api import INDIVIDUAL
from dashboard.gateway.records import currency_id
from dashboard.imports.document_rows import (
    Group,
    Line,
    Lines,
    claims_of,
    group_rows,
    in_words,
    tell_errors,
    why_apart,
)
from dashboard.imports.duplicates import Existing, Index, identity_of
from dashboard.imports.file_totals import (
    Comparison,
    DocumentSums,
    compare,
    compare_gross,
    decide,
)
from dashboard.imports.import_file import CREATE, UPDATE, ImportFile
from dashboard.imports.names import ColumnNames
from dashboard.imports.questions import ACCEPT, HOLD, OWN, ROUNDING, TAX, TAX_ADDED, Codes, Readings
from dashboard.imports.rows import CheckedCell, CheckedRow, RowReader
from dashboard.imports.targets import (
    CHARGE,
    CLAIM,
    CONTACT_TYPE,
    CUSTOM,
    CUSTOM_FIELDS,
    ID,
    NOTES,
    PRICE,
)
from dashboard.office.reference_fields import OTHER, ReferenceField
from dashboard.office.reference_lists import is_foreign, only_currency
from dashboard.people.context import RequestContext
from dashboard.reader.identity import Identity, Key
from dashboard.resources.signatures import LEGAL_FORM
from dashboard.schema.custom_fields import CustomFieldsField
from dashboard.schema.inputs import NumberField
from dashboard.schema.money import write_money
from dashboard.schema.record_form import RecordForm, posted_fields
from dashboard.text.plain import folded

NOT_THE_ONLY_CURRENCY = "Your workspace uses only {}."
LOOKS_LIKE_BUSINESS = "This looks like a business but is sent as an individual."
SAME_IN_FILE = "Row {} has the same {}."
CONTRADICTS = "Row {} of the same document says “{}”."
SAYS_ANOTHER = (
    "The file says {}, but {} {}. Correct the columns or cells, or clear this cell to send the "
    "calculated amount."
)
CHARGED = (
    f"{SERVICE_AT_START} has no field for {{}}. Add it as a line, or clear this cell to skip it."
)
FROM_LIST = " Prices come from your list, because the file has no column for them."
ROUNDED = "{}: the file says {}, but these lines make {}."
NO_RECORD = "There is no {} {}."
OTHER_RECORD = "The ID {} is of {}, not of {}."
MAX_IDS = 20  # of a long list, whose records are compared with their rows
SAMPLE_SIZE = 8  # documents whose sums decide how columns are read


class RowStatus(TextChoices):
    """The action for a record, in the order of pages."""

    NEEDS_FIXING = "needs_fixing", "Needs fixing"
    NEEDS_ANSWER = "needs_answer", "Needs an answer"
    SAME_EMAIL = "email", "Same email, other name"
    SAME_PHONE = "phone", "Same phone, other name"
    SAME_NAME = "name", "Same name, other details"
    EXISTS = "exists", "Already exists"
    DUPLICATE_ROW = "duplicate_row", "Duplicate row"
    READY = "ready", "New"
    CHANGE = "change", "Changes"
    EXCLUDED = "excluded", "Skipped"


SIMILAR = (RowStatus.SAME_EMAIL, RowStatus.SAME_PHONE, RowStatus.SAME_NAME)
TO_SEND = (*SIMILAR, RowStatus.READY, RowStatus.CHANGE)


@dataclass
class CheckedRecord:
    """The rows of one record, usually one row, and the action for it.

    `problems`: of the whole record. `body`: of a new record; `change`: of an existing one. `same`:
    the existing record, `seen` its values, and `is_change` whether the rows change it. `similar`:
    an existing record that has a value in common, after the status for that; it is `same` if the
    person said so. `first`: the row above of the same record; 0 for none. `label`: the displayed
    name; "" for its title. `known_by`: values besides the body that find it in the service.
    `creates`: the type and name of the contact to create for a field of the body. `unchanged`: the
    labels of fields in the file that an existing record keeps. `sums`: of a document, None if they
    cannot be computed; `comparisons`: with what the file says.
    """

    rows: list[CheckedRow]
    status: RowStatus = RowStatus.READY
    problems: list[str] = field(default_factory=list)
    body: dict[str, Any] = field(default_factory=dict)
    change: dict[str, Any] = field(default_factory=dict)
    same: Existing | None = None
    is_change: bool = False
    similar: tuple[RowStatus, Existing] | None = None
    seen: dict[str, str] = field(default_factory=dict)
    first: int = 0
    label: str = ""
    known_by: dict[str, str] = field(default_factory=dict)
    creates: dict[str, tuple[int, str]] = field(default_factory=dict)
    unchanged: list[str] = field(default_factory=list)
    sums: DocumentSums | None = None
    comparisons: list[Comparison] = field(default_factory=list)

    @property
    def number(self) -> int:
        return self.rows[0].number

    @property
    def shown_rows(self) -> list[CheckedRow]:
        if self.status != RowStatus.NEEDS_FIXING:
            return self.rows
        return [*self.rows[:1], *(row for row in self.rows[1:] if row.errors or row.is_excluded)]


@dataclass(frozen=True)
class CheckedTable:
    """All records of a table, in the order of their first rows, how its columns are read, and the
    names in them by target.
    """

    records: Sequence[CheckedRecord]
    readings: Readings
    names: Mapping[str, ColumnNames]

    @cached_property
    def rows(self) -> list[CheckedRow]:
        return [row for record in self.records for row in record.rows]

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(record.status for record in self.records)

    @property
    def to_send(self) -> list[CheckedRecord]:
        return [record for record in self.records if record.status in TO_SEND]

    @property
    def fingerprint(self) -> str:
        """Return a digest of the data to send, to notice any change."""
        content = [
            (
                str(one.status),
                one.same,
                sorted(map(repr, one.body.items())),
                sorted(one.seen.items()),
                sorted(one.creates.items()),
            )
            for one in self.to_send
        ]
        return sha256(repr(content).encode("utf-8", "surrogatepass")).hexdigest()


class Checker:
    """Checks one record after the other; one without lines is a group of one row.

    `form`: of a new record, in its initial state; its fields are reused for every record.
    `defaults`: values of fields without a column. `head`: the targets with columns that are no
    cells of lines, and not the `number` of a document.
    """

    def __init__(
        self, file: ImportFile, form: RecordForm, ctx: RequestContext, index: Index
    ) -> None:
        self.resource, self.targets, self.index = file.resource, file.targets, index
        self.on_existing = file.settings.on_existing
        defaults = posted_fields(form)
        self.defaults = dict(defaults.lists())
        self.form = file.resource.create_form(defaults, ctx=ctx)
        self.reader = RowReader(file, ctx)
        self.lines, self.number = None, ""
        if isinstance(self.form, DocumentForm):
            self.lines, self.number = Lines(self.reader, self.form), file.resource.title_field
        self.head = [
            name
            for name in self.reader.columns
            if name in self.form.fields or name == ID or name.startswith(CUSTOM)
        ]
        self.same_as, self.ctx = file.settings.same_as, ctx
        self.seen: dict[Key, int] = {}

    def check(self) -> CheckedTable:
        self.reader.prepare()
        rows = self.reader.read()
        if ID in self.reader.columns:
            self._doubt_ids(rows)
        if self.lines and self._decide_by_sums(rows):
            rows = self.reader.read()
        records = self._records(rows)
        if self.lines:
            self._compare_sums(records)
        return CheckedTable(records, self.reader.readings, self.reader.names)

    def _doubt_ids(self, rows: Sequence[CheckedRow]) -> None:
        """Ask about a column of ids if one is not that of the record that its row describes."""
        rows = [row for row in rows if row.text(ID) and ID not in self.reader.edits(row.number)]
        if not self.index.is_whole:
            numbers = (whole_number(row.text(ID)) for row in rows[:MAX_IDS])
            self.index.read_records(self.ctx.gateway, filter(None, numbers))
        self.reader.ask_about_ids(ID, {row.number: self._why_doubted(row) for row in rows})
        is_own = self.reader.ids_reading(ID).answer == OWN
        for row in rows:
            row.cells[ID].is_open = self.reader.answer_about_id(ID, row.number) == ""
            row.cells[ID].text = "" if is_own else row.text(ID)

    def _why_doubted(self, row: CheckedRow) -> str:
        """Return the reason if there is no record with the id of a row, or another one: without its
        name and email.
        """
        text, number = row.text(ID), whole_number(row.text(ID)) or 0
        record = self.index.records.get(number)
        if record is None:
            is_missing = self.index.with_id(number) is None
            return NO_RECORD.format(self.resource.singular, text) if is_missing else ""
        names = [name for name in (self.resource.title_field, "cstemail") if row.text(name).strip()]
        same = (folded(row.text(name)) == folded(str(record.get(name) or "")) for name in names)
        if not names or any(same):
            return ""
        return OTHER_RECORD.format(text, self.resource.title(record), row.text(names[0]))

    def _groups(self, rows: Sequence[CheckedRow]) -> list[Group]:
        if not self.lines:
            return [Group([row]) for row in rows]
        head = {name for name in self.head if self.reader.columns[name]}
        return group_rows(rows, self.number, head)

    def _records(self, rows: Sequence[CheckedRow]) -> list[CheckedRecord]:
        kept = (row.number for row in rows if not row.is_excluded)
        order = {number: place for place, number in enumerate(kept)}
        self.seen = {}
        return [self._record(group, order) for group in self._groups(rows)]

    def _decide_by_sums(self, rows: Sequence[CheckedRow]) -> bool:
        """Let the sums of some documents decide how columns are read, those first whose rows are
        open. Return whether any column is read otherwise now.
        """
        claims = [name for name in self.reader.columns if name.startswith(CLAIM)]
        groups = [
            group.rows
            for group in self._groups(rows)
            if any(row.cells[name].raw for row in group.rows for name in claims)
        ]
        groups.sort(key=lambda each: not any(row.is_open for row in each))
        numbers = {row.number for each in groups[:SAMPLE_SIZE] for row in each}

        def check(codes: Codes) -> list[DocumentSums]:
            self.reader.readings.forced = codes
            records = self._records(self.reader.read(numbers))
            self.reader.readings.forced = {}
            return [record.sums for record in records if record.sums]

        return bool(numbers) and decide(self.reader.readings, check)

    def _compare_sums(self, records: Sequence[CheckedRecord]) -> None:
        readings = self.reader.readings
        sums = [record.sums for record in records if record.sums]
        found = compare(sums, net=readings.reading(TAX).answer == TAX_ADDED)
        for each in sums:
            found.setdefault(each.number, []).extend(compare_gross(each))
        rounded = []
        for record in records:
            record.comparisons = found.get(record.number, [])
            if record.status not in TO_SEND or not record.sums:
                continue
            if readings.reading(TAX).is_open and record.sums.totals.taxes:
                record.status = RowStatus.NEEDS_ANSWER
            elif wrong := [each for each in record.comparisons if not each.agrees]:
                self._hold(record, wrong)
            elif differing := next((each for each in record.comparisons if each.difference), None):
                rounded.append((record, differing))
        self._ask_about_rounding(rounded)

    def _ask_about_rounding(self, rounded: Sequence[tuple[CheckedRecord, Comparison]]) -> None:
        readings = self.reader.readings
        place, reading = readings.place(ROUNDING), readings.reading(ROUNDING)
        for record, differing in rounded:
            if reading.code == HOLD:
                self._hold(record, [differing])
            elif not reading.answer:
                record.status = RowStatus.NEEDS_ANSWER
        if rounded and place and not reading.answer:
            record, most = max(rounded, key=lambda each: abs(each[1].difference))
            label = record.sums.label if record.sums else ""
            words = ROUNDED.format(label, *most.amounts(readings.style))
            readings.settle(place, ACCEPT, explanation=words)

    def _hold(self, record: CheckedRecord, wrong: Sequence[Comparison]) -> None:
        """Hold a document at the first amount that differs, and at those that may be the cause."""
        record.status = RowStatus.NEEDS_FIXING
        for each in wrong:
            rows = (row for row in record.rows if each.row in (0, row.number))
            filled = (row.cells[each.claim] for row in rows if row.text(each.claim))
            cell = next(filled, record.rows[0].cell(each.claim))
            claimed, ours = each.amounts(self.reader.readings.style)
            words = "this line makes" if each.row else "these lines make"
            if each.claim == CHARGE:
                cell.error = CHARGED.format(write_money(each.claimed, self.reader.readings.style))
            elif each is wrong[0]:
                cell.error = SAYS_ANOTHER.format(claimed, words, ours)
                cell.error += FROM_LIST if PRICE not in self.reader.columns else ""

    def _record(self, group: Group, order: dict[int, int]) -> CheckedRecord:
        rows = group.rows
        record = CheckedRecord(rows)
        if self.lines:
            number = next(filter(None, (row.text(self.number) for row in rows)), "")
            noun = self.resource.singular.capitalize()
            record.label = f"{number or noun}, {in_words(rows)}"
            record.known_by = {self.number: number}
        if rows[0].is_excluded:
            record.status = RowStatus.EXCLUDED
            return record
        kept = [row for row in rows if not row.is_excluded]
        apart = why_apart(kept, order)
        record.problems += filter(None, (group.problem, apart))
        sources = self._sources(kept)
        self._compare(record, sources)
        self._validate(record, kept, sources)
        if any(row.is_open for row in kept):
            record.status = RowStatus.NEEDS_ANSWER  # which may be why there are errors
        elif record.problems or any(row.errors for row in kept):
            record.status = RowStatus.NEEDS_FIXING
        else:
            self._decide(record, sources)
        return record

    def _sources(self, rows: Sequence[CheckedRow]) -> dict[str, CheckedCell]:
        own = [name for name in rows[0].cells if name in self.form.fields]
        sources: dict[str, CheckedRow] = {}
        first_with: dict[tuple[str, str], CheckedRow] = {}
        for row in rows:
            for name in self.head:
                cell = row.cells[name]
                first = first_with.setdefault((name, cell.raw), row)
                is_same = cell.email in ("", first.cells[name].email)
                if first is not row and is_same and name not in self.reader.edits(row.number):
                    cell.text, cell.error = first.cells[name].text, ""  # as edited above
                elif cell.text.strip():
                    self._compare_rows(name, sources.setdefault(name, row), row)
        names = dict.fromkeys([*self.head, *own])
        return {name: sources.get(name, rows[0]).cells[name] for name in names}

    def _compare_rows(self, name: str, first: CheckedRow, row: CheckedRow) -> None:
        """Mark a row that contradicts the cell that a field is taken from."""
        source, cell = first.cells[name], row.cells[name]
        if first is row or source.error or cell.error:
            return
        if self._meaning(name, source.text) != self._meaning(name, cell.text):
            cell.error = CONTRADICTS.format(first.number, (source.name or source.text)[:100])

    def _meaning(self, name: str, text: str) -> str | Decimal | None:
        """Normalise a text for comparison: entries to their codes, numbers to their values."""
        own = self.form.fields[name]
        if isinstance(own, ReferenceField):
            return own.widget.resolve(text)
        if not isinstance(own, NumberField):
            return text.strip()
        try:
            return own.to_python(text)
        except ValidationError:
            return text.strip()

    def _compare(self, record: CheckedRecord, sources: Mapping[str, CheckedCell]) -> None:
        texts = {name: cell.text for name, cell in sources.items()}
        texts = {name: text for name, text in texts.items() if self._is_valid(name, text)}
        kind = texts.get(CONTACT_TYPE) or "".join(self.defaults.get(CONTACT_TYPE, []))
        wanted = identity_of(self.resource, {**texts, **record.known_by, CONTACT_TYPE: kind})
        record.same = self.index.find(wanted)
        if text := texts.get(ID, "").strip():
            wanted = Identity(((ID, text),), ((ID, text),))
            record.same = self.index.with_id(whole_number(text) or 0)
            if record.same is None and not sources[ID].is_open:
                sources[ID].error = NO_RECORD.format(self.resource.singular, text)
        elif record.same is None:
            self._compare_similar(record, wanted)
        is_update = self.on_existing == UPDATE or record.similar
        record.is_change = bool(record.same and not record.same.noun and is_update)
        record.first = next((self.seen[key] for key in wanted.wanted if key in self.seen), 0)
        for key in wanted.keys:
            self.seen.setdefault(key, record.number)

    def _compare_similar(self, record: CheckedRecord, wanted: Identity) -> None:
        if found := self.index.find_similar(wanted):
            word, existing = found
            record.similar = (RowStatus(word), existing)
            if self.same_as.get(str(record.number)) == str(existing.id) and not existing.noun:
                record.same = existing
            return
        shared = ((word, self.seen[key]) for word, key in wanted.shared.items() if key in self.seen)
        for word, number in shared:
            record.rows[0].note = record.rows[0].note or SAME_IN_FILE.format(number, word)

    def _is_valid(self, name: str, text: str) -> bool:
        own = self.form.fields.get(name)
        if not isinstance(own, forms.EmailField) or not text.strip():
            return True
        try:
            own.clean(text)
        except ValidationError:
            return False
        return True

    def _validate(
        self, record: CheckedRecord, rows: Sequence[CheckedRow], sources: Mapping[str, CheckedCell]
    ) -> None:
        posted = self.defaults | self._posted(self._texts(record, sources))
        self.form.data = MultiValueDict(posted)  # the lines need the currency
        lines = self.lines.of_rows(rows) if self.lines else []
        if self.lines:
            self.form.data = MultiValueDict(posted | self.lines.posted(lines))
        self.form.full_clean()
        self._blame_custom_cells(rows[0])
        if tell_errors(lines):
            self.form.errors.pop("items", None)
        if self.lines:
            record.sums = self._sums(record, rows, self.lines, lines)
        for name, words in self.form.errors.items():
            if name not in self.form.fields or name == "items":
                record.problems += map(str, words)
                continue
            cell = sources.get(name) or rows[0].cell(name)
            if record.is_change and not cell.text:
                self.form.cleaned_data.setdefault(name, None)  # what is blank stays as it is
            else:
                cell.error = cell.error or " ".join(map(str, words))

    def _sums(
        self, record: CheckedRecord, rows: Sequence[CheckedRow], made: Lines, lines: Sequence[Line]
    ) -> DocumentSums | None:
        form = made.form
        table, claims = form.table(), claims_of(rows, form.style)
        if table.left_out:
            return None
        totals, currency = table.totals, form.currency
        in_lines = [
            DocumentSums(
                row.number,
                in_words([row]),
                currency,
                add_up([line.amounts(form.style)], unit=totals.unit),
                claims_of([row], form.style),
            )
            for row, line in lines
            if not line.is_header
        ]
        gross = made.gross(row for row, _ in lines) if totals.taxes else None
        label = record.known_by[self.number] or in_words(rows).capitalize()
        return DocumentSums(
            record.number,
            label,
            currency,
            totals,
            claims,
            in_lines,
            None if gross is None else add_up(gross, unit=totals.unit).total - totals.discount,
        )

    def _texts(self, record: CheckedRecord, sources: Mapping[str, CheckedCell]) -> dict[str, str]:
        texts = {
            name: "" if cell.error else cell.text for name, cell in sources.items() if name != ID
        }
        title = self.resource.title_field
        if record.same and record.is_change and not texts.get(title):
            texts[title] = record.same.title
        if self.lines and not texts.get("reference"):
            texts["reference"] = record.known_by[title]  # the service numbers documents itself
        return texts

    def _decide(self, record: CheckedRecord, sources: Mapping[str, CheckedCell]) -> None:
        body = self.form.payload()
        record.creates = {name: cell.creates for name, cell in sources.items() if cell.creates}
        record.body = {name: value for name, value in body.items() if name not in record.creates}
        record.status = self._status(record)
        if record.status in TO_SEND and not record.rows[0].note:
            record.rows[0].note = self._warning(body, is_new=record.status != RowStatus.CHANGE)
        if self.on_existing != UPDATE and not record.is_change:
            return
        others = record.rows[0].others
        for name, value in record.body.items():
            if name == NOTES and others:
                continue  # they would replace the notes of the record
            if name in sources and sources[name].text and self.targets[name].edit_name:
                record.change[self.targets[name].edit_name] = value
        fields = self.form.fields.items()
        by_name = {name for name, field in fields if record.body.keys() & {*field.more_names}}
        record.unchanged = [
            target.label
            for name, target in self.targets.items()
            if (target.is_only_for_new or name in by_name or (name == NOTES and others))
            and name in sources
            and sources[name].text.strip()
        ]
        if record.status == RowStatus.CHANGE and record.same:
            record.seen = self.index.values_of(record.same.id)

    def _warning(self, body: Mapping[str, Any], *, is_new: bool) -> str:
        if is_foreign(self.ctx.workspace, currency_id(body)):
            return NOT_THE_ONLY_CURRENCY.format(only_currency(self.ctx.workspace))
        is_person = is_new and body.get(CONTACT_TYPE) == INDIVIDUAL
        is_firm = is_person and LEGAL_FORM.search(body.get(self.resource.title_field, ""))
        return LOOKS_LIKE_BUSINESS if is_firm else ""

    def _blame_custom_cells(self, row: CheckedRow) -> None:
        own = self.form.fields.get(CUSTOM_FIELDS)
        if not isinstance(own, CustomFieldsField):
            return
        for name in self.head:
            if words := own.widget.error(name.removeprefix(CUSTOM)) if CUSTOM in name else "":
                row.cells[name].error = row.cells[name].error or words
                self.form.errors.pop(CUSTOM_FIELDS, None)
        own.widget.errors = {}

    def _posted(self, texts: Mapping[str, str]) -> dict[str, list[str]]:
        """Return the texts as a browser would send them. A list entry is typed, not chosen."""
        posted: dict[str, list[str]] = {}
        for name, text in texts.items():
            if name.startswith(CUSTOM):
                posted.setdefault(f"{CUSTOM_FIELDS}-name", []).append(name.removeprefix(CUSTOM))
                posted.setdefault(f"{CUSTOM_FIELDS}-value", []).append(text)
            elif isinstance(self.form.fields[name], ReferenceField):
                posted |= {name: [OTHER], f"{name}-number": [text]}
            elif isinstance(self.form.fields[name], forms.ChoiceField) and not text:
                posted[name] = self.defaults.get(name, [""])  # such as a medium priority
            else:
                posted[name] = [text]
        return posted

    def _status(self, record: CheckedRecord) -> RowStatus:
        if self.on_existing == CREATE:
            return RowStatus.READY
        if record.first:
            return RowStatus.DUPLICATE_ROW
        if record.same:
            return RowStatus.CHANGE if record.is_change else RowStatus.EXISTS
        return record.similar[0] if record.similar else RowStatus.READY
