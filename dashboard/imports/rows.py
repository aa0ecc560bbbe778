"""Converts the cells of a row to texts for the form, and names of records to ids."""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from zlib import crc32

from dashboard.documents.lines import split_discount
from dashboard.documents.price_list import PriceList, price_list_of
from dashboard.gateway import GatewayError, concurrency, whole_number
from dashboard.imports.guessing import name_groups
from dashboard.imports.import_file import ImportFile
from dashboard.imports.questions import AS_ID, IDS, OWN, Reading, Readings
from dashboard.imports.targets import (
    ALL,
    BUSINESS,
    BUSINESS_OF_CONTACT,
    CLAIM,
    CONTACT_TYPE,
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
    id_columns,
)
from dashboard.imports.totals_rows import sum_rows
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind
from dashboard.office.reference_fields import ReferencesField
from dashboard.people.context import RequestContext
from dashboard.reader import find, lookups
from dashboard.reader.find import Match
from dashboard.resources.signatures import BUSINESS as LEGAL_FORMS
from dashboard.schema.inputs import NumberField
from dashboard.schema.pickers import PickerField
from dashboard.tables.cells import Guess, Row, cell_text, why_unreadable
from dashboard.text.amounts import codes_of, currency_in, is_foreign
from dashboard.text.plain import folded
from dashboard.text.style import NotReadable

MAX_CONCURRENT_CALLS = 8  # calls
PLACEHOLDER_IDS = 10**15  # more than any id: from here on they stand for contacts to be created
MAX_NAMES = 500  # of one file
MAX_MATCHES = 100  # of one name
MAX_TITLES = 100  # of the records whose ids are in a file
MAX_NEAR = 5  # that are offered for a name that none has
TITLES_TIMEOUT = 2.0  # seconds for the names of records whose ids stand where a name should
FAILED = "This name could not be looked up just now. Check again, or write its ID."
TOO_MANY = f"More than {MAX_NAMES} names are too many to look up at once. Write its ID."
OTHER_CURRENCY = (
    "“{}” is in another currency. Write the amount without it, or correct the currency."
)
IS_BUSINESS = "The row names no person: it is the business itself."
OTHER_RECORD = "No record called “{}” has the ID {} of the file."
NO_ENTRY = "There is no entry called “{}”. Choose above."
IS_NUMBER = "{} is no name of the list."
IS_RECORD = "{} is no name. The record with this ID is {}."
OTHER_ITEM = "“{}” is not the item {}."
SEVERAL = "There are {} called “{}”. Choose one above, or write its ID."
NO_MATCH = "There is none called “{}”. Choose above, or write its ID."

FIGURES = (f"{LINE}quantity", PRICE, f"{LINE}discount", TAX_RATE)
"""The cells of a line that its sum is made of."""

Key = tuple[str, tuple[tuple[str, str], ...], str]


class UnmatchedCell(NotReadable):
    """No record has the name, or several do; `suggestions`: possible records, by id as text."""

    def __init__(self, message: str, suggestions: Mapping[str, str], *, is_unknown: bool) -> None:
        super().__init__(message)
        self.suggestions, self.is_unknown = suggestions, is_unknown


class NameSearch:
    """Finds the records that cells name by title, or by the email address of a contact."""

    def __init__(self, ctx: RequestContext) -> None:
        self.ctx = ctx
        self.found: dict[Key, list[Match] | GatewayError] = {}

    def look_up(self, field: PickerField, texts: Iterable[str], *, are_ids: bool) -> None:
        """Search for the names among these texts, for MAX_NAMES at most; for those without a match,
        also for similar ones. are_ids: numbers among them are ids, not names.
        """
        names = (text for text in texts if not _is_id(text, are_ids=are_ids))
        wanted = {_key(field, text): text.strip() for text in names}
        room = MAX_NAMES - len(self.found)
        keys = [key for key, text in wanted.items() if text and key not in self.found][:room]
        named = {key: wanted[key] for key in keys}
        self._search(field, named, partial(find.search, most=MAX_MATCHES))
        unknown = {key: text for key, text in named.items() if self.same(field, text) == []}
        self._search(field, unknown, find.search_alike)

    def titles(self, field: PickerField, texts: Iterable[str]) -> dict[int, str]:
        """Return the titles of the records with these ids, of MAX_TITLES at most, as far as they
        can be read just now.
        """
        numbers = dict.fromkeys(number for text in texts if (number := _number(text)))
        if not numbers:
            return {}
        pointers = [(field.endpoint, number) for number in [*numbers][:MAX_TITLES]]
        found = lookups.load_titles(self.ctx.gateway, pointers, seconds=TITLES_TIMEOUT)
        return {number: title for (_, number), title in found.items() if title}

    def _search(
        self, field: PickerField, texts: Mapping[Key, str], search: Callable[..., list[Match]]
    ) -> None:
        search = partial(
            search, self.ctx.gateway, field.endpoint, filters=field.widget.base_filters
        )
        answers = concurrency.map(search, texts.values(), MAX_CONCURRENT_CALLS)
        for key, answer in zip(texts, answers, strict=True):
            before = self.found.get(key)
            if isinstance(before, list) and isinstance(answer, list):
                answer = list({each.id: each for each in (*before, *answer)}.values())
            self.found[key] = answer

    def id_of(
        self, field: PickerField, text: str, beside: str, *, is_id: bool, may_be_id: bool
    ) -> str:
        """Return the id of the only record with this name, or the id itself; "" for no text.
        `beside`: the id that the file says, which must be of one with this name. is_id: a number is
        an id; may_be_id: it is one if no record has this name. Raises NotReadable.
        """
        if not text.strip() or _is_id(text, are_ids=is_id):
            return text.strip().removeprefix("#")
        found, same = self.found.get(_key(field, text)), self.same(field, text)
        if found is None:
            raise NotReadable(TOO_MANY)
        if isinstance(found, GatewayError):
            raise NotReadable(FAILED)
        if len(found) >= MAX_MATCHES:
            raise NotReadable(f"There are too many like “{text}”. Write its ID.")
        if not same and may_be_id and _number(text):
            return text.strip()
        if not same:
            offered = {str(each.id): ", ".join((each.title, each.hint)) for each in found}
            suggestions = dict(islice(offered.items(), MAX_NEAR))
            raise UnmatchedCell(NO_MATCH.format(text), suggestions, is_unknown=True)
        return self._one_of(same, text, _number(beside))

    def _one_of(self, same: Sequence[Match], text: str, number: int | None) -> str:
        """Return the id of the record with this name and number. Raises UnmatchedCell."""
        with_number = [each for each in same if each.id == number]
        told_apart = {
            str(each.id): ", ".join(dict.fromkeys((each.title, each.hint, f"#{each.id}")))
            for each in same
        }
        if number and not with_number:
            options = {**told_apart, str(number): f"#{number}"}
            raise UnmatchedCell(OTHER_RECORD.format(text, number), options, is_unknown=False)
        if len(with_number or same) > 1:
            message = SEVERAL.format(len(told_apart), text)
            raise UnmatchedCell(message, told_apart, is_unknown=False)
        return str((with_number or same)[0].id)

    def same(self, field: PickerField, text: str) -> list[Match] | None:
        """Return the records with this name; None if it was not found out (of an id)."""
        found = self.found.get(_key(field, text))
        return find.exact_matches(found, text) if isinstance(found, list) else None


def _number(text: str) -> int | None:
    return whole_number(text.strip().removeprefix("#"))


def _is_plain_number(text: str) -> bool:
    return whole_number(text.strip()) is not None


def _is_id(text: str, *, are_ids: bool) -> bool:
    """Whether a text is an id: a number with # before it, or any number if `are_ids`."""
    return _number(text) is not None and (are_ids or text.strip().startswith("#"))


def _key(field: PickerField, text: str) -> Key:
    filters = tuple(sorted(field.widget.base_filters.items()))
    return field.endpoint.name, filters, folded(text)


def first_spellings(texts: Iterable[str]) -> dict[str, str]:
    """Map each text to the first one of the same name."""
    first: dict[str, str] = {}
    return {text: first.setdefault(folded(text), text) for text in texts}


@dataclass(slots=True)
class CheckedCell:
    """A cell of a row, or several that are joined.

    `raw`: the text in the file. `text`: the text for the form, or as it is in the file if that
    cannot be read; for a related record its id, and `name` its name. `suggestions`: the records
    that the name may mean, by id. `creates`: the type and the name of the contact to create for the
    row. `is_open`: whether its meaning depends on a question.
    """

    raw: str = ""
    text: str = ""
    name: str = ""
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
        """The cells with an error; beside an amount that ours differs from, also those of ours."""
        is_contradicted = any(name.startswith(CLAIM) for name in self.errors)
        return {*self.errors, *(FIGURES if is_contradicted else ())}

    @property
    def is_open(self) -> bool:
        return any(cell.is_open for cell in self.cells.values())


class RowReader:
    """Reads one row after the other.

    `columns`: the indexes of the columns by target. `spellings`: by target and text, the spelling
    that represents all texts of the same name. `doubted`: by target, the rows with a number that
    may be an id or not, or with an id of another record than that of the name; `unnamed`: these
    numbers. `titles`: of the records whose ids are in the file, by target.
    """

    def __init__(self, file: ImportFile, ctx: RequestContext) -> None:
        self.table, self.settings, self.targets = file.table, file.settings, file.targets
        self.readings = Readings(file, ctx.style)
        self.columns = dict(file.columns)
        self.extra_notes = self.columns.pop(EXTRA_NOTES, ())
        self.name_groups = (
            name_groups(file.table, self.columns[NAME]) if NAME in self.columns else []
        )
        self.id_columns = id_columns(file.table)
        self.name_columns = {ids: names for names, ids in self.id_columns.items()}
        self.amounts = [*self._amounts()]
        self.lists = catalogue.get_cached_lists(ctx.workspace)
        self.currencies = self.lists.codes_by_name(Kind.CURRENCY)
        self.currency = next(
            (each.name for each in file.targets.values() if each.kind == Kind.CURRENCY), ""
        )
        if self.amounts and self.currency:
            self.columns.setdefault(self.currency, ())  # written beside the amounts
        self.names = NameSearch(ctx)
        self.spellings: dict[str, dict[str, str]] = {}
        self.totals: dict[int, str] = {}
        self.doubted: dict[str, set[int]] = {}
        self.unnamed: dict[str, set[str]] = {}
        self.titles: dict[str, dict[int, str]] = {}

    def prepare(self) -> None:
        """Search for the names of records, and find the spellings and the totals rows."""
        for name in self.columns:
            field = self.targets[name].field
            if isinstance(field, PickerField):
                self.names.look_up(field, self._texts_of(name), are_ids=self.has_ids(name))
                self.titles[name] = self.names.titles(field, self._texts_of(name))
            if self.columns[name] and name != TAX_ID and not self.has_ids(name):
                self._doubt_numbers(name)
        self.spellings = {name: self._spellings(name) for name in self.columns}
        found = sum_rows(self.table, self.settings.fields or {})
        self.totals = {
            number: why for number, why in found.items() if number not in self.settings.included
        }

    def read(self, numbers: Container[int] | None = None) -> list[CheckedRow]:
        """Read all rows, or those with these numbers."""
        return [
            self._read(row) for row in self.table.rows if numbers is None or row.number in numbers
        ]

    @cached_property
    def price_list(self) -> PriceList:
        return price_list_of(self.names.ctx.workspace)

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
        """The text of a target in the file; several columns are joined."""
        indexes = (
            index
            for index in self._indexes(name, row)
            if not self.readings.is_blank(index, row.cells[index])
        )
        target = self.targets[name]
        return target.join(target.written(row.cells[index]) for index in indexes)

    def _indexes(self, name: str, row: Row) -> Sequence[int]:
        """The columns of a target in a row. A blank name is replaced by one in other columns."""
        if name != NAME:
            return self.columns[name]
        groups = (
            group
            for group in self.name_groups
            if not all(self.readings.is_blank(index, row.cells[index]) for index in group)
        )
        return next(groups, self.name_groups[0])

    def ids_reading(self, name: str) -> Reading:
        index = next(iter(self.columns.get(name, ())), -1)
        return self.readings.by_column.get(index, {}).get(IDS, Reading(Guess("")))

    def answer_about_id(self, name: str, number: int) -> str | None:
        """The answer whether a number is an id, "" while it is open; None where none is doubted."""
        is_doubted = number in self.doubted.get(name, ())
        return self.ids_reading(name).answer if is_doubted else None

    def has_ids(self, name: str) -> bool:
        """Whether the heading of a field's column says that its numbers are ids."""
        return self.ids_reading(name).guess == Guess(AS_ID)

    def _doubt_numbers(self, name: str) -> None:
        """Ask about the numbers of a column that are no names, and about ids that contradict the
        names beside them.
        """
        if IDS not in self.readings.by_column[self.columns[name][0]]:
            return
        self.ask_about_ids(
            name, {row.number: self._why_doubted(name, row) for row in self.table.rows}
        )

    def ask_about_ids(self, name: str, reasons: Mapping[int, str]) -> None:
        """Ask about the numbers of a column that have a reason, "" for none, by row."""
        doubted = {number: why for number, why in reasons.items() if why}
        if doubted:
            self.doubted[name] = {*doubted}
            words = f"{next(iter(doubted.values()))} Rows with such a number: {len(doubted)}."
            self.readings.settle((self.columns[name][0], IDS), OWN, explanation=words)

    def _why_doubted(self, name: str, row: Row) -> str:
        target, text = self.targets[name], self._raw(name, row).strip()
        means = self.settings.means.get(name, {})
        if not text or text in means:
            return ""
        if name == ITEM_ID:
            item_name = self._raw(ITEM_NAME, row) if ITEM_NAME in self.columns else ""
            item = self.price_list.item(item_name)
            is_id = text.startswith("#") or (item is not None and item.code == text)
            is_known = is_id or not self.price_list.items
            return "" if is_known else OTHER_ITEM.format(item_name, text)
        if isinstance(target.field, PickerField):
            same = self.names.same(target.field, text)
            if _is_plain_number(text) and same == []:
                title = self.titles[name].get(int(text), "unknown")
                return IS_RECORD.format(text, title)
            beside = self._id_beside(name, row)
            if not same or _number(beside) in (None, *(each.id for each in same)):
                return ""
            return OTHER_RECORD.format(text, beside)
        words = [text]
        if isinstance(target.field, ReferencesField):
            words = [word.strip() for word in re.split("[,;\n]", text)]
        named = self.lists.codes_by_name(target.kind or "")
        numbers = [
            word for word in words if _is_plain_number(word) and word not in {*named, *means}
        ]
        self.unnamed.setdefault(name, set()).update(numbers)
        return IS_NUMBER.format(numbers[0]) if numbers else ""

    def _id_beside(self, name: str, row: Row) -> str:
        """The id that the file says beside a name; "" if the person said that it is none."""
        place = self.id_columns.get(self.columns[name][0])
        is_own = self.ids_reading(name).answer == OWN
        return "" if place is None or is_own else cell_text(row.cells[place]).strip()

    def _texts_of(self, name: str) -> list[str]:
        cells = ((row.number, self._raw(name, row)) for row in self.table.rows)
        return [self.edits(number).get(name, text) for number, text in cells]

    def _spellings(self, name: str) -> dict[str, str]:
        """Map each text that a choice may be made for to the spelling with a choice, else the first
        one of the same name. Names of exactly one record are left out.
        """
        target, chosen = self.targets[name], self.settings.means.get(name, {})
        if isinstance(target.field, PickerField):
            field = target.field
            texts = dict.fromkeys(text.strip() for text in (*chosen, *self._texts_of(name)))
            found = {text: self.names.same(field, text) for text in texts}
            return first_spellings(
                text for text, same in found.items() if same is not None and len(same) != 1
            )
        if isinstance(target.field, ReferencesField):
            widget = target.field.widget
            words = (word for text in self._texts_of(name) for word in widget.words(text))
            return first_spellings((*chosen, *words))
        is_entry_of_line = name.startswith(LINE) and target.kind is not None
        if is_entry_of_line or target.choices:
            return first_spellings(text.strip() for text in (*chosen, *self._texts_of(name)))
        return {}

    def _read(self, row: Row) -> CheckedRow:
        """Convert a row for the form, with errors for unreadable cells."""
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
        field, means = self.targets[name].field, self.settings.means.get(name, {})
        raw = self._raw(name, row)
        text = raw if edit is None else edit
        is_name = isinstance(field, PickerField)
        cell = checked.cells[name] = CheckedCell(raw, text, name=text if is_name else "")
        if edit is None:
            indexes = self._indexes(name, row)
            cell.is_open = self.answer_about_id(name, row.number) == "" or any(
                self.readings.is_open(index, row.cells[index]) for index in indexes
            )
        words = field.widget.words(text) if isinstance(field, ReferencesField) else [text.strip()]
        words = [self._spelling(name, word) for word in words]
        stands_for = means.get(words[0], "") if words else ""
        if left := next((word for word in words if means.get(word) == LEAVE), ""):
            checked.is_excluded, checked.excluded_by = True, (name, left)
        elif stands_for in NEW:
            self._create(cell, name, NEW[stands_for])
        else:
            self._read_text(cell, name, row, edit)
        number = _number(text)
        if number and cell.text == str(number) and number in self.titles.get(name, {}):
            cell.name = f"{self.titles[name][number]}, #{number}"

    def _read_text(self, cell: CheckedCell, name: str, row: Row, edit: str | None) -> None:
        try:
            cell.text = self._text(name, row, cell.raw, edit)
        except UnmatchedCell as error:
            all_new = NEW.get(self.settings.means.get(name, {}).get(ALL, ""))
            if error.is_unknown and all_new:
                self._create(cell, name, all_new)
            else:
                cell.error, cell.suggestions = str(error), error.suggestions
        except NotReadable as error:
            if name.startswith(CLAIM):  # such as "n/a": it is never sent
                cell.text = ""
            else:
                cell.error = str(error)

    def _create(self, cell: CheckedCell, name: str, kind: int) -> None:
        """Mark a contact for creation. The form gets a placeholder id for it."""
        called = " ".join(self._spelling(name, cell.text.strip()).split())
        cell.creates = (kind, called)
        cell.text = str(PLACEHOLDER_IDS + crc32(folded(called).encode()))

    def _spelling(self, name: str, text: str) -> str:
        return self.spellings[name].get(text, text)

    def _read_currency(self, checked: CheckedRow, row: Row) -> None:
        """Take the currency that is written beside an amount; another one than that of the record
        is an error.
        """
        edits, means = self.edits(row.number), self.settings.means.get(self.currency, {})
        for name, index in self.amounts:
            written = currency_in(cell_text(row.cells[index]))
            if not written or name in edits:
                continue
            if self.currency and self.currencies:
                own = checked.cell(self.currency)
                codes = self._currency_codes(means.get(written, written))
                if not own.text:
                    own.raw, own.text = written, next(iter(codes)) if len(codes) == 1 else written
                is_other = not codes & self._currency_codes(own.text)
            else:
                is_other = is_foreign(written, "")
            if is_other:
                cell = checked.cells[name]
                cell.text, cell.error = cell.raw, OTHER_CURRENCY.format(cell_text(row.cells[index]))

    def _currency_codes(self, text: str) -> set[str]:
        """The codes of the currencies of the list that a text may mean; else the text alone."""
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
        """A line of the notes for each cell of a notes column, after its heading."""
        lines = []
        for index in self.extra_notes:
            title = f"{self.table.columns[index].title}: " if self.table.header.value else ""
            if text := cell_text(row.cells[index]).strip():
                lines.append(f"{title}{text}")
        return lines

    def _text(self, name: str, row: Row, raw: str, edit: str | None) -> str:
        """The text for the form, from the edit or else from the cells. Raises NotReadable."""
        target, means = self.targets[name], self.settings.means.get(name, {})
        field, chosen = target.field, means.get(self._spelling(name, raw.strip()))
        if (target.choices or name == TAX_ID) and edit is None and chosen is not None:
            return "" if chosen == NOTHING else chosen
        text = self._text_of_cells(name, row, raw) if edit is None else edit
        for index in self.columns[name][:1] if edit is not None else ():
            text = self.readings.with_unit(index, text)
        if isinstance(field, PickerField):
            return self._id(field, name, row, text, is_edited=edit not in (None, raw))
        is_own = edit is None and self.answer_about_id(name, row.number) == OWN
        if name in (ID, ITEM_ID):
            return "" if is_own else text.removeprefix("#")
        if is_own:
            raise UnmatchedCell(NO_ENTRY.format(text), {}, is_unknown=False)
        if isinstance(field, ReferencesField) and means:
            words = field.widget.words(text)
            return ", ".join(means.get(self._spelling(name, word), word) for word in words)
        text = means.get(self._spelling(name, text), text)
        codes = self._currency_codes(text) if name == self.currency else set()
        return codes.pop() if len(codes) == 1 else text

    def _text_of_cells(self, name: str, row: Row, raw: str) -> str:
        tax = self.price_list.tax(raw) if name == TAX_ID else None
        if tax and tax.code != raw.strip():
            return raw  # a name, though it may look like a number
        texts = [self.readings.text(index, row.cells[index]) for index in self._indexes(name, row)]
        is_time = any(texts) and not any("-" in text for text in texts)
        if name == END and START in self.columns and is_time:
            texts.append(f"{self._text(START, row, '', None)[:10]} 00:00")  # the same day
        return self.targets[name].combine(texts)

    def _id(self, field: PickerField, name: str, row: Row, text: str, *, is_edited: bool) -> str:
        """The id of the record that a cell names. Raises NotReadable."""
        is_id, beside = self.has_ids(name), ""
        answer = None if is_edited else self.answer_about_id(name, row.number)
        if chosen := self.settings.means.get(name, {}).get(self._spelling(name, text)):
            text, is_id = chosen, True
        elif not is_edited:
            if answer != "":
                beside = self._id_beside(name, row)
            if is_id:
                self._check_name_beside(name, row, _number(text))
        return self.names.id_of(field, text, beside, is_id=is_id, may_be_id=answer != OWN)

    def _check_name_beside(self, name: str, row: Row, number: int | None) -> None:
        """Compare the record of an id with the name beside it. Raises UnmatchedCell."""
        place = self.name_columns.get(self.columns[name][0])
        title = self.titles[name].get(number or 0)
        beside = "" if place is None else cell_text(row.cells[place]).strip()
        if title and beside and folded(title) != folded(beside):
            options = {str(number): f"{title}, #{number}"}
            raise UnmatchedCell(OTHER_RECORD.format(beside, number), options, is_unknown=False)


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
