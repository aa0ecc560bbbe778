"""Which field each column of a table goes to, and the cells as the texts that a form takes."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

from django import forms

from dashboard.imports import document_columns as documents
from dashboard.imports.document_columns import refuse_unread
from dashboard.imports.joining import usual_joiner
from dashboard.imports.target_names import (
    BUSINESSES,
    CONTACT_TYPE,
    CUSTOM,
    CUSTOM_FIELDS,
    ID,
    LINE,
    LOOSE,
    NAME,
    NOTES,
)
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import ValueType
from dashboard.office.reference_fields import ReferencesField
from dashboard.reader.identity import PHONE
from dashboard.resources.quick_entry_grammar import EMAIL
from dashboard.schema.cells import words_of
from dashboard.schema.custom_fields import NO as NO_WORD
from dashboard.schema.custom_fields import YES as YES_WORD
from dashboard.schema.custom_fields import CustomFieldsField
from dashboard.schema.fields import PairsField
from dashboard.schema.inputs import DayField, MomentField, NumberField
from dashboard.schema.phones import NotAPhone, read_phone
from dashboard.schema.resource import Resource
from dashboard.tables import headings
from dashboard.tables.cells import Cell, cell_text, is_blank
from dashboard.tables.columns import UnreadableCell, date_of, datetime_of, number_of
from dashboard.tables.reading import ReadTable, TableColumn
from dashboard.text.numbers import write_number
from dashboard.text.style import Style

SAMPLE_SIZE = 20  # rows of a table without headings
MIN_PHONE_DIGITS = 6  # of a column of phone numbers without a heading
CHOICES = headings.names_by_word(headings.CHOICES)
NUMBERS, DATES = NumberField, (DayField, MomentField)  # whose columns have a mark, an order
FIELDS_OF_TYPES: Mapping[str, forms.Field] = {
    ValueType.DATE: DayField(),
    ValueType.NUMBER: NumberField(),
}


def words_of_fields(resource: Resource) -> dict[str, dict[str, str]]:
    """The words of the fields that are chosen from, by name and code."""
    fields = resource.create_form.base_fields.items()
    of_lines = documents.CHOICES if documents.is_document(resource) else {}
    return of_lines | {
        name: words_of(field) for name, field in fields if isinstance(field, forms.ChoiceField)
    }


def grouped_targets(resource: Resource, workspace: str) -> dict[str, dict[str, str]]:
    """The targets of `targets_of` by what they belong to: "" where that needs no words."""
    if not documents.is_document(resource):
        return {"": _fields_of(resource, workspace)}
    noun = resource.singular.capitalize()
    return {noun: documents.head_targets(resource), "Line": documents.line_targets()}


def targets_of(resource: Resource, workspace: str) -> dict[str, str]:
    """The labels of the fields that a column can go to, by name, in the order of the form; the
    custom fields of the workspace and the cells of a document's lines last.
    """
    groups = grouped_targets(resource, workspace).values()
    return {name: label for group in groups for name, label in group.items()}


def field_of(resource: Resource, name: str, workspace: str) -> forms.Field | None:
    """The form field of a target, or one that reads its cells alike; None for the ID, and for a
    text of a line or of a custom field.
    """
    if name.startswith(LINE):
        return documents.field_of(name)
    fields = resource.create_form.base_fields
    own = fields.get(CUSTOM_FIELDS)
    if name.startswith(CUSTOM) and isinstance(own, CustomFieldsField):
        entry = catalogue.entry(workspace, own.kind, name.removeprefix(CUSTOM))
        return FIELDS_OF_TYPES.get(entry.value_type) if entry else None
    return fields.get(name)


def _fields_of(resource: Resource, workspace: str) -> dict[str, str]:
    fields = resource.create_form.base_fields
    own = fields.get(CUSTOM_FIELDS)
    kinds = [own.kind] if isinstance(own, CustomFieldsField) else []
    entries = [entry for kind in kinds for entry in catalogue.entries(workspace, kind)]
    return (
        {ID: f"ID of a {resource.singular} that is there"}
        | {
            name: str(field.label or name)
            for name, field in fields.items()
            if not isinstance(field, PairsField) and not isinstance(field.widget, forms.HiddenInput)
        }
        | ({LOOSE: "Notes, behind the heading"} if NOTES in fields else {})
        | {f"{CUSTOM}{entry.name}": entry.name for entry in entries}
    )


def guess_fields(table: ReadTable, resource: Resource, workspace: str) -> dict[str, str]:
    """The field of each column by its heading, or by its cells in a table without headings; "" for
    none. Columns that go to one text are joined; those that repeat another one are left out.
    """
    if not table.header.value:
        return _fields_by_cells(table, resource)
    words = _words_of_targets(resource, workspace)
    named: dict[str, list[int]] = {}
    for index, column in enumerate(table.columns):
        if name := words.get(headings.plain(column.title)):
            named.setdefault(name, []).append(index)
    if NAME in resource.create_form.base_fields and NAME not in named:
        business = next((name for name in BUSINESSES if name in named), "")
        named[NAME] = named.pop(business, [])[:1]
    found = dict.fromkeys(map(str, range(len(table.columns))), "")
    for name, indexes in named.items():
        joins = bool(usual_joiner(resource, name, workspace))
        kept = without_repeats(table, indexes) if len(indexes) > 1 else indexes
        found |= {str(index): name for index in (kept if joins else kept[:1])}
    return found


def names_businesses(table: ReadTable, fields: Mapping[str, str], resource: Resource) -> bool:
    """Whether the names of the table are of businesses, as the heading of their column says."""
    words = _words_of_targets(resource, "")
    titles = (column.title for index, column in enumerate(table.columns)
              if fields.get(str(index)) == NAME)  # fmt: skip
    named = [words.get(headings.plain(title)) in BUSINESSES for title in titles]
    return CONTACT_TYPE in resource.create_form.base_fields and bool(named) and all(named)


def _words_of_targets(resource: Resource, workspace: str) -> dict[str, str]:
    """The field by each of its headings, as they are compared; labels and custom fields first."""
    targets = targets_of(resource, workspace)
    words = {
        headings.plain(word): name for name, label in targets.items() for word in (name, label)
    }
    is_document = documents.is_document(resource)
    for name in targets:
        known = headings.words_of_record(resource.name, name)
        for word in documents.words_of_target(resource, name) if is_document else known:
            words.setdefault(headings.plain(word), name)
    return words


def without_repeats(table: ReadTable, indexes: Sequence[int]) -> list[int]:
    """Those of several columns of one field that add something, in the order of the file: neither
    blank ones nor such as a first name beside the whole name. The first one where all are blank.
    """
    cells = [[_words(cell_text(row.cells[one])) for one in indexes] for row in table.rows]
    filled = [place for place in range(len(indexes)) if any(row[place].strip() for row in cells)]

    def repeats(place: int, other: int) -> bool:
        is_part = all(row[place] in row[other] for row in cells)
        is_same = all(row[place] == row[other] for row in cells)
        return is_part and place != other and (not is_same or other < place)

    kept = [one for one in filled if not any(repeats(one, other) for other in filled)]
    return [indexes[place] for place in kept or [0]]


def _words(text: str) -> str:
    """The words of a text with spaces around each, as they are compared."""
    return " ".join(["", *re.findall(r"[^\W_]+", text.casefold()), ""])


def _fields_by_cells(table: ReadTable, resource: Resource) -> dict[str, str]:
    """The fields of people by what most of the first cells are. Of other texts the first ones are
    the name and the company.
    """
    fields = resource.create_form.base_fields
    rest = iter([name for name in (NAME, "lead_company_name") if name in fields])
    found: dict[str, str] = {}
    for index in range(len(table.columns)):
        cells = [cell_text(row.cells[index]).strip() for row in islice(table.rows, SAMPLE_SIZE)]
        filled = list(filter(None, cells))
        name = next((name for name, is_one in CONTENTS.items() if _most(filled, is_one)), "")
        if name not in fields:
            name = next(rest, "") if filled else ""
        found[str(index)] = "" if name in found.values() else name
    return found


def _most(cells: Sequence[str], is_one: Callable[[str], bool]) -> bool:
    return sum(map(is_one, cells)) * 2 > len(cells)


def _is_email(text: str) -> bool:
    return EMAIL.fullmatch(text) is not None


def _is_phone(text: str) -> bool:
    try:
        return len(read_phone(text).sent) >= MIN_PHONE_DIGITS
    except NotAPhone:
        return False


CONTENTS = {"cstemail": _is_email, "cstmobile": _is_phone}


def rest_to_notes(guessed: Mapping[str, str], resource: Resource) -> dict[str, str]:
    """The fields of the columns, where those without one become lines of the notes."""
    rest = LOOSE if NOTES in resource.create_form.base_fields else ""
    return {index: name or rest for index, name in guessed.items()}


def id_column(table: ReadTable, index: int) -> int | None:
    """The column with the ids of the records that another one names, as an export has it."""
    wanted = headings.plain(f"{table.columns[index].title} ID")
    titles = [headings.plain(column.title) for column in table.columns]
    return titles.index(wanted) if wanted in titles else None


def on_one_line(resource: Resource, names: Iterable[str], workspace: str) -> list[str]:
    """Those of the fields whose values are not broken: numbers, dates and phone numbers."""
    kinds = (NumberField, *DATES)
    return [name for name in names
            if name == PHONE or isinstance(field_of(resource, name, workspace), kinds)]  # fmt: skip


def update_name(resource: Resource, name: str) -> str:
    """The field of the edit form for one of a new record, which may differ for lists of entries
    (reference, section 2, "Contact"); "" where the service takes it with a new record alone.
    """
    fields = resource.edit_form.base_fields
    field = resource.create_form.base_fields.get(name)
    if name in fields or not isinstance(field, ReferencesField):
        return name if name in fields else ""
    same = (key for key, other in fields.items() if isinstance(other, ReferencesField)
            and other.kind == field.kind)  # fmt: skip
    return next(same, "")


def never_changed(resource: Resource, used: Iterable[str]) -> list[str]:
    """The labels of the fields that an import sends only with a new record: the service takes
    some with no other, and a part of the custom fields could clear the others.
    """
    fields = resource.create_form.base_fields
    names = [name for name in used if name in fields and not update_name(resource, name)]
    own = [name.removeprefix(CUSTOM) for name in used if name.startswith(CUSTOM)]
    return [*(str(fields[name].label) for name in names), *own]


def added(resource: Resource, names: Iterable[str]) -> list[str]:
    """Those of the fields whose entries an import adds to what a record has."""
    fields = resource.create_form.base_fields
    return [name for name in names if isinstance(fields.get(name), ReferencesField)
            and update_name(resource, name)]  # fmt: skip


def form_text(field: forms.Field | None, cell: Cell, column: TableColumn, style: Style) -> str:
    """The cell as a person would type it into the field, None for the ID. Raises
    UnreadableCell.
    """
    refuse_unread(cell)
    if is_blank(cell):
        return ""
    if isinstance(field, DayField):
        return date_of(cell, column.order.value).isoformat()
    if isinstance(field, MomentField):
        return datetime_of(cell, column.order.value).isoformat(" ", "minutes")
    if isinstance(field, NumberField):
        return write_number(number_of(cell, column.mark.value), style)
    text = cell_text(cell).strip()
    if isinstance(field, forms.BooleanField):
        return "on" if CHOICES.get(headings.plain(text)) == "yes" else ""
    if isinstance(field, forms.ChoiceField):
        return _code(words_of(field), text)
    return text


def meant(
    field: forms.Field | None, text: str, means: Mapping[str, str], same: Mapping[str, str]
) -> str:
    """The text with the list entries that its names stand for; a field may hold several names.
    `same`: by each text, the spelling that was chosen for.
    """
    if means and isinstance(field, ReferencesField):
        words = field.widget.words(text)
        return ", ".join(means.get(same.get(word, word), word) for word in words)
    return means.get(same.get(text, text), text)


def custom_text(
    field: CustomFieldsField, name: str, cell: Cell, column: TableColumn, style: Style
) -> str:
    """The cell as a person would type it into a custom field. Raises UnreadableCell."""
    kind = field.widget.type_of(name)
    text = form_text(FIELDS_OF_TYPES.get(kind), cell, column, style)
    if kind in FIELDS_OF_TYPES or not text:
        return text
    options = dict(field.widget.options(name))
    if kind == ValueType.YES_NO:
        words = {"yes": YES_WORD, "no": NO_WORD}
        return words.get(CHOICES.get(headings.plain(text), "")) or _code(options, text)
    return _code(options, text) if options else text


def _code(words: Mapping[str, str], text: str) -> str:
    """The code of a choice that is named by its word or its code. Raises UnreadableCell."""
    for wanted in (text.casefold(), CHOICES.get(headings.plain(text), "")):
        for code, word in words.items():
            if wanted and wanted in (word.casefold(), code.casefold()):
                return code
    raise UnreadableCell(f"“{text}” is not one of {', '.join(filter(None, words.values()))}.")
