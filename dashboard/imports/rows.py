"""Reads the cells of a row as the texts that a form takes, and names of records as their ids."""

import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from zlib import crc32

from django import forms

from dashboard.documents.totals import PERCENT
from dashboard.gateway import CONTACTS, GatewayError, concurrency, whole_number
from dashboard.imports.document_columns import FILE_TOTAL, line_targets, line_text
from dashboard.imports.import_file import ImportSettings
from dashboard.imports.joining import Joining
from dashboard.imports.spellings import first_spellings
from dashboard.imports.target_names import (
    ALL,
    BUSINESS,
    BUSINESS_OF_CONTACT,
    CONTACT_TYPE,
    CUSTOM,
    CUSTOM_FIELDS,
    ID,
    LEAVE,
    LINE,
    LOOSE,
    NAME,
    NAMES_OF_LINES,
    NEW,
    NOTES,
)
from dashboard.imports.targets import custom_text, form_text, id_column, meant
from dashboard.imports.totals_rows import sum_rows
from dashboard.office.reference_fields import ReferencesField
from dashboard.people.context import RequestContext
from dashboard.reader import find, lookups
from dashboard.reader.find import Match
from dashboard.resources.signatures import BUSINESS as LEGAL_FORMS
from dashboard.schema.custom_fields import CustomFieldsField
from dashboard.schema.pickers import PickerField
from dashboard.schema.record_form import RecordForm
from dashboard.schema.resource import Resource
from dashboard.tables import headings
from dashboard.tables.cells import Percent, Row, cell_text
from dashboard.tables.columns import UnreadableCell
from dashboard.tables.reading import ReadTable
from dashboard.text.style import PLAIN

AT_ONCE = 8  # calls
NOT_YET = 10**15  # more than any id: a number from here on stands for a contact to be created
MAX_NAMES = 500  # of one file
MAX_MATCHES = 100  # of one name
SHORTEST_CORE = 3  # characters of the name of a business without its legal form
MAX_NEAR = 5  # that are offered for a name that none has
TITLES_WAIT = 2.0  # seconds for the names of records whose ids stand where a name should
ID_HEADING = re.compile(r"(^|[\W_])[iI][dD]$|[a-z]ID$")
FAILED = "This name could not be looked up just now. Check again, or write its ID."
TOO_MANY = f"More than {MAX_NAMES} names are too many to look up at once. Write its ID."

IS_BUSINESS = "The row names no person: it is the business itself."
SEVERAL = "There are {} called “{}”. Choose one above, or write its ID."

Key = tuple[str, tuple[tuple[str, str], ...], str]


class SeveralMatches(UnreadableCell):
    """Several records have the name; `options`: what tells them apart, by their ids as text."""

    def __init__(self, text: str, matches: Iterable[Match]) -> None:
        told = {
            str(each.id): ", ".join(dict.fromkeys((each.title, each.hint, f"#{each.id}")))
            for each in matches
        }
        super().__init__(SEVERAL.format(len(told), text))
        self.options = told


class NoMatch(UnreadableCell):
    """No record has the name; `options`: those with a name like it, by their ids as text."""

    def __init__(self, text: str, near: Iterable[Match]) -> None:
        super().__init__(f"There is none called “{text}”. Choose above, or write its ID.")
        self.options = {str(each.id): ", ".join((each.title, each.hint)) for each in near}


class NameSearch:
    """The records by what cells call them: a name, or the email address of a contact."""

    def __init__(self, ctx: RequestContext | None) -> None:
        self.ctx = ctx
        self.found: dict[Key, list[Match] | GatewayError] = {}
        self.near: dict[Key, list[Match] | GatewayError] = {}

    def look_up(self, field: PickerField, texts: Iterable[str], *, are_ids: bool) -> None:
        """Search for the names among these texts, for MAX_NAMES at most; for a business that is
        not found, without its legal form as well. are_ids: whether numbers among them are no names.
        """
        names = (text for text in texts if not _is_id(text, are_ids=are_ids))
        wanted = {_key(field, text): text.strip() for text in names}
        room = MAX_NAMES - len(self.found)
        keys = [key for key, text in wanted.items() if text and key not in self.found][:room]
        self.found |= self._search(field, {key: wanted[key] for key in keys})
        cores = {key: core_of(wanted[key]) for key in keys if self._is_unknown(key, wanted[key])}
        self.near |= self._search(field, {key: core for key, core in cores.items() if core})
        self._read_numbered(
            field, {key: number for key in cores if (number := _number(wanted[key]))}
        )

    def _read_numbered(self, field: PickerField, numbers: Mapping[Key, int]) -> None:
        """Offer the records whose ids stand where a name should, as the person may mean them."""
        if not self.ctx or not numbers:
            return
        pointers = [(field.endpoint, number) for number in numbers.values()]
        titles = lookups.load_titles(self.ctx.gateway, pointers, seconds=TITLES_WAIT)
        for key, number in numbers.items():
            if title := titles.get((field.endpoint.name, number)):
                self.near[key] = [Match(number, title, f"#{number}")]

    def _search(
        self, field: PickerField, texts: Mapping[Key, str]
    ) -> dict[Key, list[Match] | GatewayError]:
        ctx = self.ctx
        if ctx is None:
            return {}
        filters = field.widget.base_filters
        search = partial(
            find.search, ctx.gateway, field.endpoint, filters=filters, most=MAX_MATCHES
        )
        answers = concurrency.map(search, texts.values(), AT_ONCE)
        return dict(zip(texts, answers, strict=True))

    def _is_unknown(self, key: Key, text: str) -> bool:
        found = self.found.get(key)
        return isinstance(found, list) and not find.called(found, text)

    def id_of(
        self, field: PickerField, text: str, beside: str, *, is_id: bool, may_be_id: bool
    ) -> str:
        """The id of the one record of that name, or the id itself; "" for no text. `beside`: what
        the column with the ids of these records says, which tells several of a name apart. is_id:
        whether a number is an id; may_be_id: whether it is one where no record is called so. Raises
        UnreadableCell.
        """
        if not text.strip() or _is_id(text, are_ids=is_id):
            return text.strip().removeprefix("#")
        found = self.found.get(_key(field, text))
        if found is None:
            raise UnreadableCell(TOO_MANY)
        if isinstance(found, GatewayError):
            raise UnreadableCell(FAILED)
        if len(found) >= MAX_MATCHES:
            raise UnreadableCell(f"There are too many like “{text}”. Write its ID.")
        same = find.called(found, text)
        if not same and may_be_id and _number(text):
            return text.strip()
        if not same:
            near = self.near.get(_key(field, text), [])
            raise NoMatch(text, [*found, *(near if isinstance(near, list) else ())][:MAX_NEAR])
        meant = [each for each in same if each.id == _number(beside)] or same
        if len(meant) > 1:
            raise SeveralMatches(text, meant)
        return str(meant[0].id)

    def count(self, field: PickerField, text: str) -> int | None:
        """How many records are called so; None for what was not searched, such as an id."""
        found = self.found.get(_key(field, text))
        return len(find.called(found, text)) if isinstance(found, list) else None


def core_of(name: str) -> str:
    """The name of a business without its legal form; "" if that is all of it, or it has none."""
    core = " ".join(LEGAL_FORMS.sub(" ", name).split()).strip(" ,.&-")
    return core if core != name and len(core) >= SHORTEST_CORE else ""


def _number(text: str) -> int | None:
    return whole_number(text.strip().removeprefix("#"))


def _is_id(text: str, *, are_ids: bool) -> bool:
    """Whether a text is an id: a number with # before it, or where numbers are ids."""
    return _number(text) is not None and (are_ids or text.strip().startswith("#"))


def _key(field: PickerField, text: str) -> Key:
    filters = tuple(sorted(field.widget.base_filters.items()))
    return field.endpoint.name, filters, text.strip().casefold()


@dataclass
class CheckedRow:
    """One row of the table: its texts by target, and what is wrong with them.

    `raw`: the cells of the record as they stand. `errors`: by target. `shown`: the cells whose
    texts are ids. `offered`: by field, the records that its name may mean, by id. `creates`: by
    field, the type and the name of the contact that is created for the row. `same`: by field and
    text, the spelling that all texts of the same name are asked for with. `note`: why a row of a
    document is no line of it, or one of people a business. `is_left`: whether it is left out;
    `left_by`: the field and the name for whose sake it is, None where the row itself was chosen.
    """

    number: int
    texts: dict[str, str] = field(default_factory=dict)
    raw: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)
    offered: dict[str, dict[str, str]] = field(default_factory=dict)
    creates: dict[str, tuple[int, str]] = field(default_factory=dict)
    same: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    note: str = ""
    is_left: bool = False
    left_by: tuple[str, str] | None = None


class RowTexts:
    """Reads one row after the other.

    `columns`: the indexes of the columns by the field of the record that they go to;
    `line_columns`: by the cell of a document's line, with the `number` of the document. `number`:
    the field that rows of one document have in common; "" for records without lines.
    """

    def __init__(
        self,
        table: ReadTable,
        choices: ImportSettings,
        resource: Resource,
        form: RecordForm,
        number: str,
    ) -> None:
        self.table, self.choices, self.form, self.number = table, choices, form, number
        self.style = form.ctx.style if form.ctx else PLAIN
        self.joining = Joining(resource, form.ctx.workspace if form.ctx else "", choices.joins)
        self.places = self.joining.places(choices.fields or {}, len(table.columns))
        custom = [name for name in self.places if name.startswith(CUSTOM)]
        self.columns = self._places({ID, *form.fields, *custom})
        self.line_columns = self._places({number, *line_targets()}) if number else {}
        self.names = NameSearch(form.ctx)
        self.same: dict[str, dict[str, str]] = {}
        self.sums: dict[int, str] = {}

    def read(self) -> list[CheckedRow]:
        """All rows of the table."""
        self._look_up_names()
        self.same = {name: self._spellings(name) for name in (*self.columns, *self.line_columns)}
        kept = {*self.choices.kept}
        found = sum_rows(self.table, self.choices.fields or {})
        self.sums = {number: why for number, why in found.items() if number not in kept}
        return [self._read(row) for row in self.table.rows]

    def mended(self, number: int) -> dict[str, str]:
        """What the person has written instead of the cells of a row, by target."""
        return self.choices.mended.get(str(number), {})

    def _places(self, targets: Container[str]) -> dict[str, tuple[int, ...]]:
        return {name: indexes for name, indexes in self.places.items() if name in targets}

    def _as_in_file(self, name: str, row: Row) -> str:
        """The cells of a field as they stand in the file, joined."""
        texts = [cell_text(row.cells[index]).strip() for index in self.places[name]]
        return self.joining.joined(name, texts)

    def _look_up_names(self) -> None:
        """Look up the records that cells name, several side by side."""
        for name in self.columns:
            field = self.form.fields.get(name)
            if isinstance(field, PickerField):
                self.names.look_up(field, self._texts_of(name), are_ids=self._has_ids(name))

    def _has_ids(self, name: str) -> bool:
        """Whether the heading of the column of a field says that its numbers are ids."""
        title = self.table.columns[self.places[name][0]].title
        return headings.plain(title) == headings.plain(name) or ID_HEADING.search(title) is not None

    def _texts_of(self, name: str) -> list[str]:
        """The texts of a field in all rows, as they were mended or stand in the file."""
        cells = ((row.number, self._as_in_file(name, row)) for row in self.table.rows)
        return [self.mended(number).get(name, text) for number, text in cells]

    def _spellings(self, name: str) -> dict[str, str]:
        """By each text that a choice may be made for, the one of the same name that has one, else
        the first; of records, not those that one record alone is called.
        """
        field, chosen = self.form.fields.get(name), self.choices.means.get(name, {})
        if isinstance(field, PickerField):
            texts = dict.fromkeys(text.strip() for text in (*chosen, *self._texts_of(name)))
            found = {text: self.names.count(field, text) for text in texts}
            unknown = (text for text, count in found.items() if count == 0)
            several = (text for text, count in found.items() if count and count > 1)
            first = first_spellings(unknown, of_businesses=field.endpoint == CONTACTS)
            return first | first_spellings(several)
        if isinstance(field, ReferencesField):
            words = (word for text in self._texts_of(name) for word in field.widget.words(text))
            return first_spellings((*chosen, *words))
        if isinstance(field, forms.ChoiceField) or name in NAMES_OF_LINES:
            return first_spellings(text.strip() for text in (*chosen, *self._texts_of(name)))
        return {}

    def _read(self, row: Row) -> CheckedRow:
        """The texts of a row for the form, and what cannot be read."""
        mended = self.mended(row.number)
        is_left = row.number in self.choices.left or row.number in self.sums
        note = self.sums.get(row.number, "")
        checked = CheckedRow(row.number, is_left=is_left, note=note, same=self.same)
        # What is mended in a line may have no column, such as the number of an item.
        checked.texts = {name: text for name, text in mended.items() if name.startswith(LINE)}
        for name in (*self.columns, *self.line_columns):
            text = self._as_in_file(name, row)
            self._read_field(checked, name, row, mended.get(name, text))
            if name in self.columns or name == FILE_TOTAL:
                checked.raw[name] = text
        if BUSINESS_OF_CONTACT in self.columns:
            self._name_business(checked)
        places = self.columns.get("overall_discount", ())
        if any(isinstance(row.cells[place], Percent) for place in places):
            checked.texts["overall_discount_type"] = str(PERCENT)
        if lines := self._loose_lines(row):
            told = "\n".join(filter(None, [checked.texts.get(NOTES, ""), *lines]))
            checked.texts[NOTES] = mended.get(NOTES, told)
        return checked

    def _read_field(self, checked: CheckedRow, name: str, row: Row, text: str) -> None:
        """Read one field. `text`: as it was mended, or as it stands in the file."""
        field, means = self.form.fields.get(name), self.choices.means.get(name, {})
        words = field.widget.words(text) if isinstance(field, ReferencesField) else [text.strip()]
        words = [self.same[name].get(word, word) for word in words]
        stands_for = means.get(words[0], "") if words else ""
        if isinstance(field, PickerField):
            checked.shown[name] = text
        if left := next((word for word in words if means.get(word) == LEAVE), ""):
            checked.is_left, checked.left_by = True, (name, left)
            checked.texts[name] = text
        elif stands_for in NEW:
            self._create(checked, name, NEW[stands_for], text)
        else:
            self._read_text(checked, name, row, text)

    def _read_text(self, checked: CheckedRow, name: str, row: Row, text: str) -> None:
        try:
            checked.texts[name] = self._text(name, row, self.mended(row.number).get(name))
        except NoMatch as error:
            if all_new := NEW.get(self.choices.means.get(name, {}).get(ALL, "")):
                self._create(checked, name, all_new, text)
                return
            checked.texts[name], checked.errors[name] = text, str(error)
            checked.offered[name] = error.options
        except UnreadableCell as error:
            if name == FILE_TOTAL:  # such as "n/a": it is never sent
                checked.texts[name] = ""
                return
            checked.texts[name], checked.errors[name] = text, str(error)
            if isinstance(error, SeveralMatches):
                checked.offered[name] = error.options

    def _create(self, checked: CheckedRow, name: str, kind: int, text: str) -> None:
        """Let a contact be created for the row. The form is given a number that stands for it."""
        called = " ".join(self.same[name].get(text.strip(), text).split())
        checked.creates[name] = (kind, called)
        checked.texts[name] = str(NOT_YET + crc32(called.casefold().encode()))

    def _name_business(self, row: CheckedRow) -> None:
        """A row with a business and no person is the business itself."""
        business = row.shown.get(BUSINESS_OF_CONTACT, "").strip()
        if NAME not in self.columns or row.texts[NAME].strip() or not business:
            return
        row.texts |= {NAME: business, BUSINESS_OF_CONTACT: "", CONTACT_TYPE: BUSINESS}
        row.note = IS_BUSINESS
        for kept in (row.errors, row.shown, row.offered, row.creates):
            kept.pop(BUSINESS_OF_CONTACT, None)

    def _loose_lines(self, row: Row) -> list[str]:
        """A line for each cell whose column goes to the notes, behind its heading."""
        lines = []
        for index in self.places.get(LOOSE, ()):
            title = f"{self.table.columns[index].title}: " if self.table.header.value else ""
            if text := cell_text(row.cells[index]).strip():
                lines.append(f"{title}{text}")
        return lines

    def _text(self, name: str, row: Row, mended: str | None) -> str:
        """The text for the form, as it was mended or as the cells say. Raises UnreadableCell."""
        field, indexes = self.form.fields.get(name), self.places[name]
        means = self.choices.means.get(name, {})
        in_file = self._as_in_file(name, row)
        asked = self.same[name].get(in_file.strip(), in_file)
        if isinstance(field, forms.ChoiceField) and mended is None and asked in means:
            return means[asked]
        if mended is None:
            texts = [self._text_of_cell(name, row, index) for index in indexes]
            text = self.joining.joined(name, texts)
        else:
            text = mended
        is_chosen = bool(means.get(self.same[name].get(text, text)))
        text = meant(field, text, means, self.same[name])
        if not isinstance(field, PickerField):
            return text
        place = id_column(self.table, indexes[0])
        return self.names.id_of(
            field,
            text,
            "" if place is None else cell_text(row.cells[place]),
            is_id=is_chosen or self._has_ids(name),
            may_be_id=mended is not None and mended.strip() != in_file.strip(),
        )

    def _text_of_cell(self, name: str, row: Row, index: int) -> str:
        cell, column = row.cells[index], self.table.columns[index]
        own = self.form.fields.get(CUSTOM_FIELDS)
        if name.startswith(LINE):
            return line_text(name, cell, column, self.style)
        if name == self.number:
            return cell_text(cell).strip()
        if name.startswith(CUSTOM) and isinstance(own, CustomFieldsField):
            return custom_text(own, name.removeprefix(CUSTOM), cell, column, self.style)
        return form_text(self.form.fields.get(name), cell, column, self.style)
