"""Targets: the fields that columns can fill, how their cells are read, and guesses of both."""

import copy
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice, pairwise

from django import forms

from dashboard.core.service_name import SERVICE_AT_START
from dashboard.documents import lines
from dashboard.documents.form import DocumentForm
from dashboard.documents.lines import CELLS, HEADER, ITEM, LABELS, UNITS, LinesField
from dashboard.documents.totals import FIXED, PERCENT
from dashboard.gateway import Unreadable
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind, ValueType
from dashboard.office.reference_fields import ReferenceField, ReferencesField
from dashboard.reader.identity import PHONE
from dashboard.resources.quick_entry_grammar import EMAIL
from dashboard.schema.custom_fields import NO, YES, CustomFieldsField
from dashboard.schema.fields import ChoiceField
from dashboard.schema.inputs import DayField, MomentField, NumberField
from dashboard.schema.phones import NotAPhone, PhoneField, read_phone
from dashboard.schema.resource import Resource
from dashboard.tables import headings
from dashboard.tables.cells import Cell, cell_text, is_blank, is_percent, why_unreadable
from dashboard.tables.columns import MARK, ORDER, UnreadableCell, date_of, datetime_of, number_of
from dashboard.tables.reading import ReadTable
from dashboard.text.amounts import parse_amount
from dashboard.text.numbers import write_number
from dashboard.text.style import MARKS, Style

ID = "id"  # the column with the number of the record that a row changes
NAME, NOTES = "cstname", "cstnotes"
BUSINESS_OF_CONTACT = "contact_parent"
BUSINESSES = (BUSINESS_OF_CONTACT, "lead_company_name")  # the fields with the business of a person
CONTACT_TYPE, BUSINESS = "contact_type", "2"  # a contact that is a business
EXTRA_NOTES = "loose"  # columns whose cells are lines of the notes
CUSTOM, CUSTOM_FIELDS = "custom:", "custom_fields"  # before the name of a custom field; the field
LINE = "line:"  # before the name of a cell of a line
TYPE = f"{LINE}type"
TOTAL = "total"  # the type of a line that sums up others
ITEM_NAME, ITEM_ID = f"{LINE}item_name", f"{LINE}item_id"
PRICE, TAX_ID, TAX_RATE = f"{LINE}price", f"{LINE}tax_id", f"{LINE}tax_rate"
CLAIM = "file:"  # before the name of an amount that is compared with ours, never sent
FILE_TOTAL = f"{CLAIM}total"
OVERALL_DISCOUNT = "overall_discount"
TYPES_OF_DISCOUNTS = {
    f"{LINE}discount": f"{LINE}discount_type",
    OVERALL_DISCOUNT: f"{OVERALL_DISCOUNT}_type",
}
DISCOUNTS = tuple(TYPES_OF_DISCOUNTS)
_CLAIMS = {
    "total": "Total",
    "subtotal": "Subtotal",
    "tax_amount": "Tax amount",
    "line_total": "Line total",
    "balance": "Balance due",
}

NEW = {"new:2": 2, "new:1": 1}  # stands for a contact that is to be created, of this type
LEAVE = "leave"  # stands for leaving out the rows with a name
ALL = ""  # in place of a name: what all names without a record stand for

SPACE, COMMA, NEW_LINE = "space", "comma", "line"
BETWEEN = {SPACE: " ", COMMA: ", ", NEW_LINE: "\n"}
JOIN = "join"  # among the answers about the first column of a target
JOINERS = {SPACE: "a space", COMMA: "a comma", NEW_LINE: "a new line"}
ADDRESS = "cstaddress"
_JOINERS_OF_FIELDS = {ADDRESS: COMMA, "cstmobile": "", "ct_taxnumber": ""}  # unlike other texts
_JOINERS_OF_CUSTOM_FIELDS = {ValueType.TEXT: SPACE, ValueType.LONG_TEXT: NEW_LINE}
_HOUSE_NUMBER = re.compile(r"\d{1,4} ?[a-zA-Z]?(?:[-/]\d{1,4} ?[a-zA-Z]?)?")
_POSTCODE = re.compile(
    r"(?:[A-Z]{1,2}-)?\d{4,5}|\d{3} \d{2}|\d{2}-\d{3}|\d{4}-\d{3}|\d{4} ?[A-Z]{2}"
)

SAMPLE_SIZE = 20  # rows of a table without headings
MIN_PHONE_DIGITS = 6  # of a column of phone numbers without a heading
DATES = (DayField, MomentField)
_CHOICES = headings.names_by_word(headings.CHOICES)
_FIELDS_OF_TYPES: Mapping[str, forms.Field] = {
    ValueType.DATE: DayField(),
    ValueType.NUMBER: NumberField(),
}
_LINE_LABELS = {**LABELS, "discount_type": "Line discount type"}
_LINE_KINDS = {"item_name": Kind.ITEM, "tax_id": Kind.TAX}
_LINE_UNITS = {"discount": tuple(UNITS.values()), "tax_rate": ("%",)}
_UNITS = {OVERALL_DISCOUNT: tuple(UNITS.values())}
_LINE_CHOICES = {
    "type": {ITEM: "Item", HEADER: "Header", TOTAL: "Total of other lines"},
    "discount_type": {str(PERCENT): "Percentage", str(FIXED): "Fixed"},
}
_LINE_WORDS = {
    "line": ITEM, "position": ITEM, "product": ITEM, "service": ITEM, "heading": HEADER,
    "title": HEADER, "section": HEADER, "subtotal": TOTAL, "sum": TOTAL,
    "percent": str(PERCENT), "amount": str(FIXED), **{unit: code for code, unit in UNITS.items()},
}  # fmt: skip
_OF_THE_RECORD = ("id", "no")  # headings of the document itself, not of its lines
_UNREAD = str(Unreadable(None))  # what an export of this dashboard says of such a value
NOT_READ = (
    f"{SERVICE_AT_START} sent this in a form that could not be read. Type it again or empty it."
)


@dataclass(frozen=True)
class Target:
    """A field that a column can fill.

    `field`: of the form, or an equivalent one; None for ids and texts of lines. `choices`: captions
    by code, `words`: synonyms of these. `kind`: the list whose entries its cells name. `units`:
    possible units after its numbers. `aliases`: headings, normalised by `headings.plain`. `joiner`:
    the text between several columns; "" allows one. `edit_name`: the field of the edit form; "" if
    it is sent with new records only.
    """

    name: str
    label: str
    group: str = ""
    field: forms.Field | None = None
    choices: Mapping[str, str] | None = None
    words: Mapping[str, str] | None = None
    kind: Kind | None = None
    units: tuple[str, ...] = ()
    aliases: frozenset[str] = frozenset()
    joiner: str = ""
    edit_name: str = ""

    @property
    def may_choose_joiner(self) -> bool:
        """Whether the person may choose the joiner: entries of a list have commas."""
        return bool(self.joiner) and not isinstance(self.field, ReferencesField)

    @property
    def adds_entries(self) -> bool:
        return isinstance(self.field, ReferencesField) and bool(self.edit_name)

    @property
    def is_on_one_line(self) -> bool:
        """Whether its values are never wrapped: numbers, dates and phone numbers."""
        return self.name == PHONE or isinstance(self.field, (NumberField, *DATES))

    @property
    def is_only_for_new(self) -> bool:
        """Whether an import sends it only with a new record: the service accepts some fields in no
        update, and some custom fields alone could clear the others.
        """
        return not self.edit_name and self.name not in (ID, EXTRA_NOTES)

    def text(self, cell: Cell, codes: Mapping[str, str], style: Style) -> str:
        """Format the cell as a person would type it into the field. `codes`: the formats of the
        column, by kind. Raises UnreadableCell.
        """
        if cell == _UNREAD:
            raise UnreadableCell(NOT_READ)
        if reason := why_unreadable(cell):
            raise UnreadableCell(reason)
        if is_blank(cell):
            return ""
        if isinstance(self.field, DayField):
            return date_of(cell, codes[ORDER]).isoformat()
        if isinstance(self.field, MomentField):
            return datetime_of(cell, codes[ORDER]).isoformat(" ", "minutes")
        if isinstance(self.field, NumberField):
            return self._number(cell, codes[MARK], style)
        return self._word(cell, style)

    def _word(self, cell: Cell, style: Style) -> str:
        text = cell_text(cell).strip()
        if isinstance(self.field, forms.BooleanField):
            return "on" if _CHOICES.get(headings.plain(text)) == "yes" else ""
        if self.choices:
            return self._code(text)
        if self.name.startswith(LINE) and is_percent(cell):
            return f"{write_number(cell, style)}%"
        return text

    def _number(self, cell: Cell, mark: str, style: Style) -> str:
        unit = ""
        if isinstance(cell, str):
            unit = next((unit for unit in self.units if cell.strip().endswith(unit)), "")
            cell = cell.strip().removesuffix(unit)
        elif is_percent(cell) and "%" in self.units:
            unit = "%"
        number = write_number(number_of(cell, mark), style)
        return f"{number} {unit}".strip() if self.name in DISCOUNTS else number

    def _code(self, text: str) -> str:
        """The code of a choice from its caption, its code or a synonym."""
        choices = self.choices or {}
        other = (self.words or _CHOICES).get(headings.plain(text), "")
        for wanted in filter(None, (text.casefold(), other)):
            for code, caption in choices.items():
                if wanted in (caption.casefold(), code.casefold()):
                    return code
        raise UnreadableCell(f"“{text}” is not one of {', '.join(filter(None, choices.values()))}.")

    def join(self, texts: Iterable[str]) -> str:
        filled = [text for text in texts if text.strip()]
        if self.name == ADDRESS and self.joiner == COMMA:
            return _join_address(filled)
        return BETWEEN[self.joiner or SPACE].join(filled)


def _join_address(parts: Sequence[str]) -> str:
    """Join the parts of an address with commas, but "Dorfstr. 4" and "50667 Köln" with a space."""
    text = "".join(parts[:1])
    for before, part in pairwise(parts):
        is_number = _HOUSE_NUMBER.fullmatch(part.strip()) and not re.search(r"\d", before)
        is_town = _POSTCODE.fullmatch(before.strip()) and not re.search(r"\d", part)
        text += BETWEEN[SPACE if is_number or is_town else COMMA] + part
    return text


def is_document(resource: Resource) -> bool:
    return issubclass(resource.create_form, DocumentForm)


def targets_of(
    resource: Resource, workspace: str, joins: Mapping[str, str] | None = None
) -> dict[str, Target]:
    """Return the targets by name, in the order of the form; the custom fields of the workspace and
    the cells of a document's lines come last. `joins`: the chosen joiners, by target.
    """
    found = [*_targets_of_record(resource, workspace, joins or {})]
    if is_document(resource):
        found += map(_target_of_line, [*(name for name in CELLS if name != "type"), "type"])
        found += map(_target_of_claim, _CLAIMS)
    else:
        found += _targets_of_custom_fields(resource, workspace, joins or {})
    return {target.name: target for target in found}


def _targets_of_record(
    resource: Resource, workspace: str, joins: Mapping[str, str]
) -> Iterator[Target]:
    group, noun = "", resource.singular
    if is_document(resource):
        group, own = noun.capitalize(), [noun, f"{noun} no", f"{noun} number", f"{noun} id"]
        aliases = headings.aliases_of_record(resource.name, "number").union(
            map(headings.plain, own)
        )
        yield Target(resource.title_field, "Number", group, aliases=aliases)
    else:
        aliases = headings.aliases_of_record(resource.name, ID)
        yield Target(ID, f"ID of a {noun} that is there", aliases=aliases)
    for name, field in resource.create_form.base_fields.items():
        if isinstance(field, CustomFieldsField | LinesField) or field.widget.is_hidden:
            continue
        yield Target(
            name,
            str(field.label or name),
            group,
            _with_entries(field, workspace),
            choices=field.captions if isinstance(field, ChoiceField) else None,
            kind=field.kind if isinstance(field, ReferenceField | ReferencesField) else None,
            aliases=headings.aliases_of_record(resource.name, name),
            units=_UNITS.get(name, ()),
            joiner=_joiner(name, field, joins),
            edit_name=edit_name(resource, name),
        )
    if NOTES in resource.create_form.base_fields:
        yield Target(EXTRA_NOTES, "Notes, behind the heading")


def _with_entries(field: forms.Field, workspace: str) -> forms.Field:
    """Bind a field that splits a text at entry names to the workspace."""
    if isinstance(field, ReferencesField):
        field = copy.deepcopy(field)
        field.bind_workspace(workspace)
    return field


def _joiner(name: str, field: forms.Field, joins: Mapping[str, str]) -> str:
    if isinstance(field, ReferencesField):
        return COMMA
    usual = NEW_LINE if isinstance(field.widget, forms.Textarea) else SPACE
    if not isinstance(field, forms.CharField) or isinstance(field, forms.EmailField | PhoneField):
        usual = ""
    usual = _JOINERS_OF_FIELDS.get(name, usual)
    return joins.get(name, usual) if usual else ""


def _targets_of_custom_fields(
    resource: Resource, workspace: str, joins: Mapping[str, str]
) -> Iterator[Target]:
    own = resource.create_form.base_fields.get(CUSTOM_FIELDS)
    entries = catalogue.entries(workspace, own.kind) if isinstance(own, CustomFieldsField) else ()
    for entry in entries:
        name, kind = f"{CUSTOM}{entry.name}", ValueType(entry.value_type)
        choices = {choice: choice for choice in entry.choices} if kind == ValueType.CHOICE else None
        usual = _JOINERS_OF_CUSTOM_FIELDS.get(kind, "")
        yield Target(
            name,
            entry.name,
            field=_FIELDS_OF_TYPES.get(kind),
            choices={YES: "Yes", NO: "No"} if kind == ValueType.YES_NO else choices,
            joiner=joins.get(name, usual) if usual else "",
        )


def _target_of_line(name: str) -> Target:
    return Target(
        f"{LINE}{name}",
        _LINE_LABELS[name],
        "Line",
        NumberField() if name in lines.NUMBERS else None,
        choices=_LINE_CHOICES.get(name),
        words=_LINE_WORDS,
        kind=_LINE_KINDS.get(name),
        units=_LINE_UNITS.get(name, ()),
        aliases=headings.aliases(headings.LINES, name).difference(_OF_THE_RECORD),
        joiner=NEW_LINE if name == "description" else "",
    )


def _target_of_claim(name: str) -> Target:
    aliases = headings.aliases(headings.CLAIMS, name)
    label = f"{_CLAIMS[name]}, compared"
    return Target(f"{CLAIM}{name}", label, "The file says", NumberField(), aliases=aliases)


def edit_name(resource: Resource, name: str) -> str:
    """Return the field of the edit form for one of a new record, which may differ for lists of
    entries (reference, section 2, "Contact"); "" if the service accepts it only in a new record.
    """
    fields = resource.edit_form.base_fields
    field = resource.create_form.base_fields.get(name)
    if name in fields or not isinstance(field, ReferencesField):
        return name if name in fields else ""
    same = (key for key, other in fields.items() if isinstance(other, ReferencesField)
            and other.kind == field.kind)  # fmt: skip
    return next(same, "")


def columns_of(
    targets: Mapping[str, Target], fields: Mapping[str, str], width: int
) -> dict[str, tuple[int, ...]]:
    """Return the indexes of the columns for each target, in the order of the file; only the first
    for a target of one column. `fields`: as in ImportSettings; `width`: the number of columns.
    """
    found: dict[str, tuple[int, ...]] = {}
    for index in range(width):
        target = targets.get(fields.get(str(index), ""))
        if target is None:
            continue
        if target.name not in found or target.name == EXTRA_NOTES or target.joiner:
            found[target.name] = (*found.get(target.name, ()), index)
    return found


def guess_fields(table: ReadTable, targets: Mapping[str, Target]) -> dict[str, str]:
    """Guess the target of each column by its heading, or by its cells in a table without headings;
    "" for none. Columns of one text are joined; redundant ones are left out.
    """
    if not table.header.value:
        return _fields_by_cells(table, targets)
    by_heading = _names_by_heading(targets)
    named: dict[str, list[int]] = {}
    for index, column in enumerate(table.columns):
        if name := by_heading.get(headings.plain(column.title)):
            named.setdefault(name, []).append(index)
    if NAME in targets and NAME not in named:
        business = next((name for name in BUSINESSES if name in named), "")
        named[NAME] = named.pop(business, [])[:1]
    found = dict.fromkeys(map(str, range(len(table.columns))), "")
    for name, indexes in named.items():
        kept = without_repeats(table, indexes) if len(indexes) > 1 else indexes
        found |= {str(index): name for index in (kept if targets[name].joiner else kept[:1])}
    if {ITEM_NAME, ITEM_ID}.intersection(named) and PRICE not in named:
        rest = (index for index in range(len(table.columns)) if not found[str(index)])
        found |= {
            str(index): PRICE for index in islice(filter(partial(_has_amounts, table), rest), 1)
        }
    return found


def _has_amounts(table: ReadTable, index: int) -> bool:
    """Whether all cells of a column are numbers, which may be prices then."""
    cells = [cell for row in table.rows if not is_blank(cell := row.cells[index])]
    return bool(cells) and all(
        any(parse_amount(cell_text(cell), mark) for mark in MARKS) for cell in cells
    )


def names_businesses(
    table: ReadTable, fields: Mapping[str, str], targets: Mapping[str, Target]
) -> bool:
    """Whether the names of the table are of businesses, by the heading of their column."""
    by_heading = _names_by_heading(targets)
    titles = (column.title for index, column in enumerate(table.columns)
              if fields.get(str(index)) == NAME)  # fmt: skip
    named = [by_heading.get(headings.plain(title)) in BUSINESSES for title in titles]
    return CONTACT_TYPE in targets and bool(named) and all(named)


def _names_by_heading(targets: Mapping[str, Target]) -> dict[str, str]:
    """The target by each of its normalised headings; names and labels first."""
    found = {
        headings.plain(word): name
        for name, target in targets.items()
        for word in (name, target.label)
    }
    for name, target in targets.items():
        for alias in target.aliases:
            found.setdefault(alias, name)
    return found


def without_repeats(table: ReadTable, indexes: Sequence[int]) -> list[int]:
    """Drop redundant columns of a field, in the order of the file: blank ones, and such as a first
    name beside the whole name. The first one remains if all are blank.
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
    """The words of a text with spaces around each, normalised."""
    return " ".join(["", *re.findall(r"[^\W_]+", text.casefold()), ""])


def _fields_by_cells(table: ReadTable, targets: Mapping[str, Target]) -> dict[str, str]:
    """Guess the fields of people by most of the first cells. The first other texts are the name and
    the company.
    """
    rest = iter([name for name in (NAME, "lead_company_name") if name in targets])
    found: dict[str, str] = {}
    for index in range(len(table.columns)):
        cells = [cell_text(row.cells[index]).strip() for row in islice(table.rows, SAMPLE_SIZE)]
        filled = list(filter(None, cells))
        name = next((name for name, is_one in _CONTENTS.items() if _most(filled, is_one)), "")
        if name not in targets:
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


_CONTENTS = {"cstemail": _is_email, PHONE: _is_phone}


def id_column(table: ReadTable, index: int) -> int | None:
    """Return the column with the ids of the records that another column names, as in an export."""
    titles = [headings.plain(column.title) for column in table.columns]
    wanted = f"{titles[index]}id"
    return titles.index(wanted) if wanted in titles else None


def name_column(table: ReadTable, index: int) -> int | None:
    """Return the column with the names of the records whose ids another column has."""
    pairs = {id_column(table, place): place for place in range(len(table.columns))}
    return pairs.get(index)
