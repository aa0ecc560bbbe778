"""Converts the cells of a row to texts for the form, and names of records to ids."""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from zlib import crc32

from dashboard.documents.lines import split_discount
from dashboard.documents.price_list import price_list_of
from dashboard.gateway import CONTACTS, whole_number
from dashboard.imports.guessing import name_groups
from dashboard.imports.import_file import ImportFile
from dashboard.imports.names import (
    ColumnNames,
    NameSearch,
    UnmatchedCell,
    first_spellings,
    number_of,
)
from dashboard.imports.questions import AS_ID, IDS, OWN, Reading, Readings
from dashboard.imports.targets import (
    ALL,
    BUSINESS,
    BUSINESS_OF_CONTACT,
    CLAIM,
    CONTACT_TYPE,
    DISCOUNT,
    EMAIL_BESIDE,
    END,
    EXTRA_NOTES,
    ID,
    ITEM_ID,
    ITEM_NAME,
    LEAVE,
    LINE,
    NAME,
    NEW,
    NOTES,
    NOTHING,
    OVERALL_DISCOUNT,
    PRICE,
    START,
    TAX_ID,
    TAX_RATE,
    TYPES_OF_DISCOUNTS,
    paired_columns,
)
from dashboard.imports.totals_rows import sum_rows
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind
from dashboard.office.reference_fields import ReferencesField
from dashboard.people.context import RequestContext
from dashboard.resources.quick_entry_grammar import EMAIL
from dashboard.resources.signatures import BUSINESS as LEGAL_FORMS
from dashboard.schema.inputs import NumberField
from dashboard.schema.pickers import PickerField
from dashboard.tables import headings
from dashboard.tables.cells import Guess, Row, cell_text, why_unreadable
from dashboard.text.amounts import codes_of, currency_in, is_other_currency
from dashboard.text.plain import folded
from dashboard.text.style import NotReadable

PLACEHOLDER_IDS = 10**15  # more than any id: from here on they stand for contacts to be created
AMOUNT_OF_OTHER_CURRENCY = (
    "“{}” is in another currency. Enter the amount without it, or correct the currency."
)
IS_BUSINESS = "The row names no person: it is the business itself."
OTHER_RECORD = "No record called “{}” has the ID {} of the file."
NO_ENTRY = "No match for “{}”. Choose one above."
IS_NUMBER = "{} isn't in the list."
NO_RECORD = "No record has the ID {}. Enter its name, or another ID."
IS_RECORD = "{} isn't a name. The record with this ID is {}."
NOT_ITS_ITEM = "“{}” is not the item {}."
NO_ITEM = "Your list has no item {}."
FIGURES = (f"{LINE}quantity", PRICE, DISCOUNT, TAX_RATE)
"""The cells of a line that its sum is made of."""


@dataclass(slots=True)
class CheckedCell:
    """A cell of a row, or several that are joined.

    `raw`: the text in the file. `text`: the text for the form, or as it is in the file if that
    cannot be read; for a related record its id, and `name` its name. `email`: the addresses beside
    a name. `suggestions`: the records that the name may mean, by id. `creates`: the type and the
    name of the contact to create for the row. `is_open`: whether its meaning depends on a question.
    """

    raw: str = ""
    text: str = ""
    name: str = ""
    email: str = ""
    error: str = ""
    suggestions: Mapping[str, str] | None = None
    creates: tuple[int, str] | None = None
    is_open: bool = False


@dataclass
class CheckedRow:
    """One row of the table, its cells by target.

    `note`: why a row of a document is no line of it, or a row of people is a business. `others`:
    lines of the notes with values that their fields cannot take.
    `excluded_by`: the field and the name that exclude it, None if the row itself was chosen.
    """

    number: int
    cells: dict[str, CheckedCell] = field(default_factory=dict)
    note: str = ""
    others: list[str] = field(default_factory=list)
    is_excluded: bool = False
    excluded_by: tuple[str, str] | None = None

    def cell(self, name: str) -> CheckedCell:
        """Return the cell of a target; a missing one is added."""
        return self.cells.setdefault(name, CheckedCell())

    def text(self, name: str) -> str:
        return self.cells[name].text if name in self.cells else ""

    @property
    def errors(self) -> dict[str, str]:
        return {name: cell.error for name, cell in self.cells.items() if cell.error}

    @property
    def editable(self) -> set[str]:
        """Return the cells with an error; beside an amount that ours differs from, also those of
        ours.
        """
        is_contradicted = any(name.startswith(CLAIM) for name in self.errors)
        return {*self.errors, *(FIGURES if is_contradicted else ())}

    @property
    def is_open(self) -> bool:
        return any(cell.is_open for cell in self.cells.values())


class RowReader:
    """Reads one row after the other.

    `columns`: the indexes of the columns by target. `names`: of their cells. `beside`: by target of
    names, the column with the ids of the records, or by target of ids, that with their names.
    """

    def __init__(self, file: ImportFile, ctx: RequestContext) -> None:
        self.table, self.settings, self.targets = file.table, file.settings, file.targets
        self.readings = Readings(file, ctx.style)
        self.columns = dict(file.columns)
        self.extra_notes = self.columns.pop(EXTRA_NOTES, ())
        self.email_column = next(iter(self.columns.pop(EMAIL_BESIDE, ())), None)
        self.name_with_email = self._name_with_email()
        self.name_groups = (
            name_groups(file.table, self.columns[NAME]) if NAME in self.columns else []
        )
        pairs = paired_columns(file.table)
        self.beside = {
            name: pairs[indexes[0]]
            for name, indexes in self.columns.items()
            if isinstance(self.targets[name].field, PickerField) and indexes[0] in pairs
        }
        self.id_targets = {
            name for name in self.columns if self.ids_reading(name).guess.value == AS_ID
        }
        self.amounts = [*self._amounts()]
        self.lists = catalogue.get_cached_lists(ctx.workspace)
        self.currencies = self.lists.codes_by_name(Kind.CURRENCY)
        self.currency = next(
            (each.name for each in file.targets.values() if each.kind == Kind.CURRENCY), ""
        )
        if self.amounts and self.currency:
            self.columns.setdefault(self.currency, ())  # written beside the amounts
        self.price_list, self.search = price_list_of(ctx.workspace), NameSearch(ctx)
        means = self.settings.means
        self.names = {name: ColumnNames(means.get(name, {})) for name in self.columns}
        self.totals: dict[int, str] = {}

    def prepare(self) -> None:
        """Search for the names of records, and find the spellings and the totals rows."""
        for name, names in self.names.items():
            field = self.targets[name].field
            if isinstance(field, PickerField):
                texts = self._texts_of(name)
                self.search.look_up(field, texts, are_ids=self.has_ids(name))
                names.titles = self.search.titles(field, texts)
            elif name == ITEM_ID:
                items = self.price_list.items
                names.titles = {int(code): item.name for code, item in items.items()}
            self._doubt_numbers(name)
            names.spellings = self._spellings(name)
        found = sum_rows(self.table, self.settings.fields or {})
        self.totals = {
            number: why for number, why in found.items() if number not in self.settings.included
        }

    def read(self, numbers: Container[int] | None = None) -> list[CheckedRow]:
        return [
            self._read(row) for row in self.table.rows if numbers is None or row.number in numbers
        ]

    def edits(self, number: int) -> dict[str, str]:
        return self.settings.edits.get(str(number), {})

    def _amounts(self) -> Iterator[tuple[str, int]]:
        """Yield the targets and indexes of the columns of numbers with a currency in some cell."""
        for name, indexes in self.columns.items():
            if not isinstance(self.targets[name].field, NumberField):
                continue
            for index in indexes:
                if any(currency_in(cell_text(row.cells[index])) for row in self.table.rows):
                    yield name, index

    def _raw(self, name: str, row: Row) -> str:
        if self._reads_beside(name) and (beside := self._text_beside(name, row)):
            return beside
        indexes = (
            index
            for index in self._indexes(name, row)
            if not self.readings.is_blank(index, row.cells[index])
        )
        target = self.targets[name]
        return target.join(target.written(row.cells[index]) for index in indexes)

    def _indexes(self, name: str, row: Row) -> Sequence[int]:
        """Return the columns of a target in a row. A blank name is replaced by one in other
        columns.
        """
        if name != NAME:
            return self.columns[name]
        groups = (
            group
            for group in self.name_groups
            if not all(self.readings.is_blank(index, row.cells[index]) for index in group)
        )
        return next(groups, self.name_groups[0])

    def ids_reading(self, name: str) -> Reading:
        """Return how the numbers of a target are read, as ids or not."""
        index = next(iter(self.columns[name]), -1)
        return self.readings.by_column.get(index, {}).get(IDS, Reading(Guess("")))

    def answer_about_id(self, name: str, number: int) -> str | None:
        """Return the answer whether a number is an id, "" while it is open; None where none is
        doubted.
        """
        return self.ids_reading(name).answer if number in self.names[name].doubts else None

    def has_ids(self, name: str) -> bool:
        """Return whether the numbers of a target are ids, as a heading says."""
        return name in self.columns and (name in self.id_targets) != self._reads_beside(name)

    def _name_with_email(self) -> str:
        """Return the target of names that the column of emails belongs to: that whose heading it
        repeats, else the person rather than their business; "" for none.
        """
        if self.email_column is None:
            return ""
        columns = self.table.columns
        title = headings.normalise(columns[self.email_column].title)

        def is_repeated(name: str) -> bool:
            return title.startswith(headings.normalise(columns[self.columns[name][0]].title))

        fields = {name: self.targets[name].field for name in reversed(self.targets)}
        pickers = {name: each for name, each in fields.items() if isinstance(each, PickerField)}
        contacts = [name for name, field in pickers.items() if field.endpoint == CONTACTS]
        named = [name for name in contacts if name in self.columns]
        return max(named, key=is_repeated, default="")

    def _email_beside(self, name: str, row: Row) -> str:
        if self.email_column is None or name != self.name_with_email:
            return ""
        words = EMAIL.findall(folded(cell_text(row.cells[self.email_column])))
        return " ".join(word.strip("<>()") for word in words)

    def _reads_beside(self, name: str) -> bool:
        """Return whether the person said that the column beside it counts: that of the ids beside
        names, or of the names beside numbers that are no ids.
        """
        answer = self.ids_reading(name).answer if name in self.beside else ""
        return bool(answer) and (answer == AS_ID) != (name in self.id_targets)

    def _text_beside(self, name: str, row: Row) -> str:
        return cell_text(row.cells[self.beside[name]]).strip() if name in self.beside else ""

    def ask_about_ids(self, name: str, reasons: Mapping[int, str]) -> None:
        """Ask about the numbers of a column that have a reason, "" for none, by row."""
        doubts = {number: why for number, why in reasons.items() if why}
        if doubts:
            self.names[name].doubts = doubts
            words = f"{next(iter(doubts.values()))} Rows with such a number: {len(doubts)}."
            self.readings.settle((self.columns[name][0], IDS), OWN, explanation=words)

    def _doubt_numbers(self, name: str) -> None:
        """Ask about the numbers of a column that are no names, and about ids that contradict the
        names beside them.
        """
        is_asked = bool(self.ids_reading(name).code) and not self._reads_beside(name)
        if not is_asked or name == TAX_ID or (self.has_ids(name) and name not in self.beside):
            return
        texts = ((row, self._raw(name, row).strip()) for row in self.table.rows)
        reasons = {
            row.number: self._why_doubted(name, row, text)
            for row, text in texts
            if text and text not in self.names[name].chosen
        }
        self.ask_about_ids(name, reasons)

    def _why_doubted(self, name: str, row: Row, text: str) -> str:
        field = self.targets[name].field
        if isinstance(field, PickerField):
            return self._why_other_record(field, name, row, text)
        if name == ITEM_ID:
            return self._why_other_item(row, text)
        numbers = self._unnamed_numbers(name, text)
        return IS_NUMBER.format(numbers[0]) if numbers else ""

    def _why_other_item(self, row: Row, text: str) -> str:
        items, called = self.price_list, self._item_name(row)
        if text.startswith("#") or not items.items:
            return ""
        if not called:
            return NO_ITEM.format(self._unknown_item) if self._unknown_item else ""
        item = items.item(called)
        return "" if item and item.code == text else NOT_ITS_ITEM.format(called, text)

    def _item_name(self, row: Row) -> str:
        return self._raw(ITEM_NAME, row).strip() if ITEM_NAME in self.columns else ""

    @cached_property
    def _unknown_item(self) -> str:
        rows = (row for row in self.table.rows if not self._item_name(row))
        texts = (self._raw(ITEM_ID, row).strip().removeprefix("#") for row in rows)
        return next((text for text in texts if text and not self.price_list.item_of_id(text)), "")

    def _why_other_record(self, field: PickerField, name: str, row: Row, text: str) -> str:
        titles, beside = self.names[name].titles, self._text_beside(name, row)
        if self.has_ids(name):
            title = titles.get(number_of(text) or 0, "")
            is_other = bool(title and beside) and folded(title) != folded(beside)
            return OTHER_RECORD.format(beside, text) if is_other else ""
        same = self.search.same(field, text)
        if same == [] and (number := whole_number(text)):
            return IS_RECORD.format(text, titles.get(number) or "unknown")
        numbers = [each.id for each in same or ()]
        is_other = bool(numbers) and number_of(beside) not in (None, *numbers)
        return OTHER_RECORD.format(text, beside) if is_other else ""

    def _unnamed_numbers(self, name: str, text: str) -> list[str]:
        target, names = self.targets[name], self.names[name]
        is_list = isinstance(target.field, ReferencesField)
        parts = re.split("[,;\n]", text) if is_list else [text]
        groups = [part.split() for part in parts]
        numbers = [word for words in groups if all(map(whole_number, words)) for word in words]
        named = self.lists.codes_by_name(target.kind or "")
        return [word for word in numbers if word not in named and word not in names.chosen]

    def _texts_of(self, name: str) -> list[str]:
        cells = ((row.number, self._raw(name, row)) for row in self.table.rows)
        return [self.edits(number).get(name, text) for number, text in cells]

    def _spellings(self, name: str) -> dict[str, str]:
        """Map each text that a choice may be made for to the spelling with a choice, else the first
        one of the same name. Texts that are ids are left out.
        """
        target, chosen = self.targets[name], self.names[name].chosen
        field, texts = target.field, [text.strip() for text in self._texts_of(name)]
        if isinstance(field, PickerField):
            found = {text: self.search.same(field, text) for text in (*chosen, *texts)}
            return first_spellings(text for text, same in found.items() if same is not None)
        if isinstance(field, ReferencesField):
            texts = [word for text in texts for word in field.widget.words(text)]
        return first_spellings((*chosen, *texts)) if target.kind or target.choices else {}

    def _read(self, row: Row) -> CheckedRow:
        edits, note = self.edits(row.number), self.totals.get(row.number, "")
        is_excluded = row.number in self.settings.excluded or bool(note)
        checked = CheckedRow(row.number, note=note, is_excluded=is_excluded)
        for name in self.columns:
            self._read_cell(checked, name, row, edits.get(name))
        # What is written in a line may have no column, such as the number of an item.
        for name, text in edits.items():
            if name.startswith(LINE) and name not in self.columns:
                checked.cell(name).text = text
        self._read_currency(checked, row)
        if NAME in self.columns and BUSINESS_OF_CONTACT in self.columns:
            is_person = self._indexes(NAME, row) == self.name_groups[0]
            _name_business(checked, is_person=is_person)
        type_of = TYPES_OF_DISCOUNTS[OVERALL_DISCOUNT]
        is_read = OVERALL_DISCOUNT in self.columns and OVERALL_DISCOUNT not in checked.errors
        if is_read and not checked.text(type_of):
            text, kind = split_discount(checked.text(OVERALL_DISCOUNT))
            checked.cell(OVERALL_DISCOUNT).text, checked.cell(type_of).text = text, kind
        checked.others = [*self._other_values(checked, edits)]
        if lines := [*self._extra_lines(row), *checked.others]:
            notes = "\n".join(filter(None, [checked.text(NOTES), *lines]))
            checked.cell(NOTES).text = edits.get(NOTES, notes)
            reasons = (why_unreadable(row.cells[index]) for index in self.extra_notes)
            if NOTES not in edits:
                checked.cell(NOTES).error = next(filter(None, reasons), "")
        return checked

    def _read_cell(self, checked: CheckedRow, name: str, row: Row, edit: str | None) -> None:
        field, names = self.targets[name].field, self.names[name]
        raw = self._raw(name, row)
        text = raw if edit is None else edit
        is_name = isinstance(field, PickerField)
        cell = checked.cells[name] = CheckedCell(raw, text, name=text if is_name else "")
        cell.is_open = edit is None and self._is_open(name, row)
        if isinstance(field, PickerField) and edit in (None, raw):
            cell.email = self._email_beside(name, row)
            found = self.search.with_email(field, text, cell.email)
            if len(found) == 1:
                cell.text, cell.name = str(found[0].id), f"{text.strip()}, {found[0].hint}"
                return
        words = field.widget.words(text) if isinstance(field, ReferencesField) else [text.strip()]
        if left := next((word for word in words if names.meaning(word) == LEAVE), ""):
            checked.is_excluded, checked.excluded_by = True, (name, names.spelling(left))
        elif words and names.meaning(words[0]) in NEW:
            self._create(cell, name, NEW[names.meaning(words[0])])
        else:
            self._read_text(cell, name, row, edit)
        if cell.text == text.strip().removeprefix("#"):
            cell.name = names.caption(cell.text) or cell.name

    def _is_open(self, name: str, row: Row) -> bool:
        return self.answer_about_id(name, row.number) == "" or any(
            self.readings.is_open(index, row.cells[index]) for index in self._indexes(name, row)
        )

    def _read_text(self, cell: CheckedCell, name: str, row: Row, edit: str | None) -> None:
        try:
            cell.text = self._text(name, row, cell.raw, edit)
        except UnmatchedCell as error:
            all_new = NEW.get(self.names[name].chosen.get(ALL, ""))
            if error.is_unknown and all_new:
                self._create(cell, name, all_new)
            else:
                cell.error, cell.suggestions = str(error), error.suggestions
        except NotReadable as error:
            has_digits = any(map(str.isdigit, cell.raw))
            if name.startswith(CLAIM) and not has_digits:  # such as "n/a"
                cell.raw = cell.text = ""
            else:
                cell.error = str(error)

    def _create(self, cell: CheckedCell, name: str, kind: int) -> None:
        called = " ".join(self.names[name].spelling(cell.text.strip()).split())
        cell.creates = (kind, called)
        cell.text = str(PLACEHOLDER_IDS + crc32(folded(called).encode()))

    def _read_currency(self, checked: CheckedRow, row: Row) -> None:
        """Take the currency that is written beside an amount; a currency other than the record's is
        an error.
        """
        edits = self.edits(row.number)
        for name, index in self.amounts:
            written = currency_in(cell_text(row.cells[index]))
            if not written or name in edits:
                continue
            if self.currency and self.currencies:
                own = checked.cell(self.currency)
                codes = self._currency_codes(self.names[self.currency].meaning(written) or written)
                if not own.text:
                    own.raw, own.text = written, next(iter(codes)) if len(codes) == 1 else written
                is_other = not codes & self._currency_codes(own.text)
            else:
                is_other = is_other_currency(written, "")
            if is_other:
                cell, amount = checked.cells[name], cell_text(row.cells[index])
                cell.text, cell.error = cell.raw, AMOUNT_OF_OTHER_CURRENCY.format(amount)

    def _currency_codes(self, text: str) -> set[str]:
        names = map(folded, (text, *codes_of(text)))
        return {self.currencies[name] for name in names if name in self.currencies} or {text}

    def _other_values(self, checked: CheckedRow, edits: Container[str]) -> Iterator[str]:
        """Leave one value in fields that take one, such as a phone number; yield a line of the
        notes for each other one.
        """
        for name, cell in checked.cells.items():
            target = self.targets[name]
            is_read = name not in edits and not cell.error
            if target.takes_first and is_read and NOTES in self.targets:
                cell.text, others = target.split(cell.text)
                yield from (f"{target.label}: {value}" for value in others)

    def _extra_lines(self, row: Row) -> list[str]:
        lines = []
        for index in self.extra_notes:
            title = f"{self.table.columns[index].title}: " if self.table.header.value else ""
            if text := cell_text(row.cells[index]).strip():
                lines.append(f"{title}{text}")
        return lines

    def _text(self, name: str, row: Row, raw: str, edit: str | None) -> str:
        """Return the text for the form, from the edit or else from the cells. Raises
        NotReadable.
        """
        target, names = self.targets[name], self.names[name]
        field, chosen = target.field, names.meaning(raw)
        if (target.choices or name == TAX_ID) and edit is None and chosen:
            return "" if chosen == NOTHING else chosen
        text = self._text_of_cells(name, row, raw) if edit is None else edit
        for index in self.columns[name][:1] if edit is not None else ():
            text = self.readings.with_unit(index, text)
        if isinstance(field, PickerField):
            return self._id(field, name, row, text, is_edited=edit not in (None, raw))
        is_own = edit is None and self.answer_about_id(name, row.number) == OWN
        if name in (ID, ITEM_ID):
            is_own = edit is None and self.ids_reading(name).answer == OWN
            return "" if is_own and not text.startswith("#") else text.removeprefix("#")
        if is_own:
            names.own_numbers.update(self._unnamed_numbers(name, text))
            raise UnmatchedCell(NO_ENTRY.format(text), {})
        if isinstance(field, ReferencesField) and names.chosen:
            words = field.widget.words(text)
            return ", ".join(names.meaning(word) or word for word in words)
        text = names.meaning(text) or text
        codes = self._currency_codes(text) if name == self.currency else set()
        return codes.pop() if len(codes) == 1 else text

    def _text_of_cells(self, name: str, row: Row, raw: str) -> str:
        tax = self.price_list.tax(raw) if name == TAX_ID else None
        is_tax = tax and tax.code != raw.strip()  # a name, though it may look like a number
        if is_tax or self._reads_beside(name):
            return raw
        texts = [self.readings.text(index, row.cells[index]) for index in self._indexes(name, row)]
        is_time = any(texts) and not any("-" in text for text in texts)
        if name == END and START in self.columns and is_time:
            texts.append(f"{self._text(START, row, '', None)[:10]} 00:00")  # the same day
        return self.targets[name].combine(texts)

    def _id(self, field: PickerField, name: str, row: Row, text: str, *, is_edited: bool) -> str:
        if chosen := self.names[name].meaning(text):
            return chosen.removeprefix("#")
        is_id, is_own = self.has_ids(name), self.ids_reading(name).answer == OWN
        is_unread = self.names[name].titles.get(number_of(text) or 0) == ""
        if is_unread and is_id and self._reads_beside(name):
            raise NotReadable(NO_RECORD.format(text))
        beside = "" if is_edited or is_own else self._text_beside(name, row)
        email = "" if is_edited else self._email_beside(name, row)
        return self.search.id_of(
            field, text, beside, email, is_id=is_id, may_be_id=is_edited or not is_own
        )


def _name_business(row: CheckedRow, *, is_person: bool) -> None:
    """Turn a row with a business and no person into a row of the business itself. `is_person`:
    whether the name is that of a person, who has no business if it is called like the person.
    """
    business, name = row.cells[BUSINESS_OF_CONTACT].name.strip(), row.text(NAME).strip()
    if not business or (name and folded(name) != folded(business)):
        return
    row.cells[BUSINESS_OF_CONTACT] = CheckedCell(row.cells[BUSINESS_OF_CONTACT].raw)
    if name and is_person and not LEGAL_FORMS.search(name):
        return
    row.cell(NAME).text, row.cell(CONTACT_TYPE).text = business, BUSINESS
    row.note = IS_BUSINESS
