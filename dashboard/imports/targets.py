"""Targets: the fields that columns can fill, and how their cells are read."""

import copy
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import pairwise

from django import forms
from django.core.exceptions import ValidationError

from dashboard.core.service_name import SERVICE
from dashboard.documents import lines
from dashboard.documents.form import DocumentForm
from dashboard.documents.lines import CELLS, HEADER, ITEM, LABELS, UNITS, LinesField
from dashboard.documents.totals import FIXED, PERCENT
from dashboard.gateway import Unreadable
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind, ValueType
from dashboard.office.reference_fields import ReferenceField, ReferencesField
from dashboard.reader.identity import PHONE
from dashboard.schema.custom_fields import NO, YES, CustomFieldsField
from dashboard.schema.fields import ChoiceField
from dashboard.schema.inputs import DayField, MomentField, NumberField
from dashboard.schema.phones import (
    MAY_BE_BETWEEN,
    NotAPhone,
    PhoneField,
    has_digits_of_phone,
    read_phone,
)
from dashboard.schema.resource import Resource
from dashboard.tables import headings
from dashboard.tables.cells import Cell, FormattedNumber, cell_text, is_blank, why_unreadable
from dashboard.tables.columns import (
    MARK,
    ORDER,
    date_of,
    datetime_of,
    number_of,
    time_of,
)
from dashboard.tables.reading import ReadTable
from dashboard.text.amounts import is_amount
from dashboard.text.numbers import write_number
from dashboard.text.plain import folded
from dashboard.text.style import NotReadable, Style

ID = "id"  # the column with the number of the record that a row changes
NAME, NOTES = "cstname", "cstnotes"
PARTS_OF_NAME = ("given_name", "surname")  # tables of headings
BUSINESS_OF_CONTACT = "contact_parent"
BUSINESSES = (BUSINESS_OF_CONTACT, "lead_company_name")  # the fields with the business of a person
CONTACT_TYPE, BUSINESS = "contact_type", "2"  # a contact that is a business
EXTRA_NOTES = "loose"  # columns whose cells are lines of the notes
CUSTOM, CUSTOM_FIELDS = "custom:", "custom_fields"  # before the name of a custom field; the field
LINE = "line:"  # before the name of a cell of a line
START, END = "start_datetime", "end_datetime"
TYPE = f"{LINE}type"
TOTAL = "total"  # the type of a line that sums up others
ITEM_NAME, ITEM_ID = f"{LINE}item_name", f"{LINE}item_id"
DESCRIPTION = f"{LINE}description"
PRICE, TAX_ID, TAX_RATE = f"{LINE}price", f"{LINE}tax_id", f"{LINE}tax_rate"
CLAIM = "file:"  # before the name of an amount that is compared with ours, never sent
FILE_TOTAL, SUBTOTAL, LINE_TOTAL = f"{CLAIM}total", f"{CLAIM}subtotal", f"{CLAIM}line_total"
CHARGE = f"{CLAIM}charge"  # what no field takes, such as shipping
DISCOUNT, OVERALL_DISCOUNT = f"{LINE}discount", "overall_discount"
TAXES = (TAX_ID, TAX_RATE)
IN_TAX = "in tax"  # after an amount of tax instead of a rate
TYPES_OF_DISCOUNTS = {
    DISCOUNT: f"{DISCOUNT}_type",
    OVERALL_DISCOUNT: f"{OVERALL_DISCOUNT}_type",
}
_CLAIMS = {
    "total": "Total",
    "subtotal": "Subtotal",
    "tax_amount": "Tax amount",
    "line_total": "Line total",
    "balance": "Balance due",
    "charge": "Shipping and other amounts",
}

EMAIL_BESIDE = "email_beside"  # of the contact that a row names; compared, never sent
NEW = {"new:2": 2, "new:1": 1}  # stands for a contact that is to be created, of this type
LEAVE = "leave"  # stands for leaving out the rows with a name
NOTHING = "nothing"  # stands for no choice, or the usual one
ALL = "*"  # in place of a name: what all names without a record stand for

SPACE, COMMA, NEW_LINE, PLUS = "space", "comma", "line", "plus"
JOIN = "join"  # among the answers about the first column of a target
JOINERS = {SPACE: (" ", "a space"), COMMA: (", ", "a comma"), NEW_LINE: ("\n", "a new line")}
"""The text between the texts of several columns, and its label."""
SUM = " + "  # between amounts
ADDRESS = "cstaddress"
_JOINERS_OF_FIELDS = {ADDRESS: COMMA, "ct_taxnumber": ""}  # unlike other texts
_JOINERS_OF_CUSTOM_FIELDS = {ValueType.TEXT: SPACE, ValueType.LONG_TEXT: NEW_LINE}
_BETWEEN_VALUES = re.compile(r":::|\n")
_HOUSE_NUMBER = re.compile(r"\d{1,4} ?[a-zA-Z]?(?:[-/]\d{1,4} ?[a-zA-Z]?)?")
_POSTCODE = re.compile(
    r"(?:[A-Z]{1,2}-)?\d{4,5}|\d{3} \d{2}|\d{2}-\d{3}|\d{4}-\d{3}|\d{4} ?[A-Z]{2}"
)

_GOOGLE_GROUPS = ("* myContacts", "* starred")  # in which every contact is, or a favourite
DATES = (DayField, MomentField)
_CHOICES = headings.names_by_word(headings.CHOICES)
_FIELDS_OF_TYPES: Mapping[str, forms.Field] = {
    ValueType.DATE: DayField(),
    ValueType.NUMBER: NumberField(),
}
_LINE_LABELS = {**LABELS, "discount_type": "Line discount type"}
_LINE_KINDS = {"item_name": Kind.ITEM, "tax_id": Kind.TAX}
_UNITS = {
    **dict.fromkeys(TAXES, ("%", IN_TAX)),
    **dict.fromkeys(TYPES_OF_DISCOUNTS, tuple(UNITS.values())),
}
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
NOT_READ = f"We couldn't read this value from {SERVICE}. Enter it again or clear it."


@dataclass(frozen=True)
class Target:
    """A field that a column can fill.

    `field`: of the form, or an equivalent one; None for ids and texts of lines. `choices`: captions
    by code, `words`: synonyms of these. `kind`: the list whose entries its cells name. `units`:
    possible units after its numbers. `aliases`: headings by `headings.normalise`, the best one
    first. `joiner`: of JOINERS or PLUS, between several columns; "" allows one. `edit_name`: the
    field of the edit form; "" if it is sent with new records only.
    """

    name: str
    label: str
    group: str = ""
    field: forms.Field | None = None
    choices: Mapping[str, str] | None = None
    words: Mapping[str, str] | None = None
    kind: Kind | None = None
    units: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    joiner: str = ""
    edit_name: str = ""

    @property
    def may_choose_joiner(self) -> bool:
        """Return whether the person may choose the joiner: of texts alone."""
        return bool(self.joiner) and not (
            self.takes_first or isinstance(self.field, ReferencesField | MomentField | NumberField)
        )

    @property
    def takes_first(self) -> bool:
        """Return whether the first usable value of several counts, and the others go to the
        notes.
        """
        return self.name == PHONE or isinstance(self.field, forms.EmailField)

    @property
    def adds_entries(self) -> bool:
        return isinstance(self.field, ReferencesField) and bool(self.edit_name)

    @property
    def is_on_one_line(self) -> bool:
        """Return whether its values are never wrapped: numbers, dates and phone numbers."""
        return self.name == PHONE or isinstance(self.field, (NumberField, *DATES))

    @property
    def has_numbers(self) -> bool:
        """Return whether its cells are numbers, or may be: of taxes."""
        return isinstance(self.field, NumberField) or self.name == TAX_ID

    @property
    def is_only_for_new(self) -> bool:
        """Return whether an import sends it only with a new record: the service accepts some fields
        in no update, and some custom fields alone could clear the others.
        """
        return not self.edit_name and self.name not in (ID, EXTRA_NOTES, EMAIL_BESIDE)

    def text(self, cell: Cell, codes: Mapping[str, str], style: Style) -> str:
        """Format the cell as a person would type it into the field. `codes`: the formats of the
        column, by kind. Raises NotReadable.
        """
        if cell == _UNREAD:
            raise NotReadable(NOT_READ)
        if reason := why_unreadable(cell):
            raise NotReadable(reason)
        if is_blank(cell):
            return ""
        if isinstance(self.field, DayField):
            return date_of(cell, codes[ORDER]).isoformat()
        if isinstance(self.field, MomentField):
            time = time_of(cell)  # such as that beside a day
            if time:
                return time.isoformat("minutes")
            return datetime_of(cell, codes[ORDER]).isoformat(" ", "minutes")
        if isinstance(self.field, NumberField) or (self.has_numbers and self._is_figure(cell)):
            return self._number(cell, codes[MARK], style)
        return self._word(cell)

    def reads(self, cell: Cell) -> bool:
        try:
            return bool(self._code(cell_text(cell).strip()))
        except NotReadable:
            return False

    def written(self, cell: Cell) -> str:
        """Return the text of a cell, of an entry of a list without the marks of Google."""
        text = cell_text(cell).strip()
        if not isinstance(self.field, ReferencesField):
            return text
        words = (word.strip() for word in text.split(":::"))
        return ", ".join(word.removeprefix("* ") for word in words if word not in _GOOGLE_GROUPS)

    def _word(self, cell: Cell) -> str:
        text = self.written(cell)
        if isinstance(self.field, forms.BooleanField):
            return "on" if _CHOICES.get(headings.normalise(text)) == "yes" else ""
        return self._code(text) if self.choices else text

    def _is_figure(self, cell: Cell) -> bool:
        text = cell_text(cell).strip()
        return isinstance(cell, Decimal) or is_amount(text.removesuffix(self._unit(text)))

    def _unit(self, text: str) -> str:
        return next((unit for unit in self.units if text.endswith(unit)), "")

    def _number(self, cell: Cell, mark: str, style: Style) -> str:
        unit = ""
        if isinstance(cell, str):
            unit = self._unit(cell.strip())
            cell = cell.strip().removesuffix(unit)
        elif isinstance(cell, FormattedNumber) and cell.unit in self.units:
            unit = cell.unit
        return f"{write_number(number_of(cell, mark), style)} {unit}".strip()

    def _code(self, text: str) -> str:
        choices = self.choices or {}
        other = (self.words or _CHOICES).get(headings.normalise(text), "")
        for wanted in filter(None, (folded(text), other)):
            for code, caption in choices.items():
                if wanted in (folded(caption), folded(code)):
                    return code
        raise NotReadable(f"“{text}” is not one of {', '.join(filter(None, choices.values()))}.")

    def combine(self, texts: Iterable[str]) -> str:
        filled = [text for text in texts if text.strip()]
        if not filled or not isinstance(self.field, MomentField):
            return self.join(filled)
        days = {text[:10] for text in filled if "-" in text}
        times = {text[-5:] for text in filled if not text.endswith(" 00:00")}
        if len(days) != 1 or len(times) > 1:
            raise NotReadable(f"“{', '.join(filled)}” is not one day with one time.")
        return f"{days.pop()} {times.pop() if times else '00:00'}"

    def split(self, text: str) -> tuple[str, list[str]]:
        """Return the first of several values that can be used, and the others."""
        values: dict[str, None] = {}
        for part in _BETWEEN_VALUES.split(text):
            pieces = [piece.strip() for piece in MAY_BE_BETWEEN.split(part)]
            values |= dict.fromkeys(pieces if all(map(self._is_whole, pieces)) else [part.strip()])
        first = next(filter(self._is_usable, values), text) if len(values) > 1 else text
        return first, [value for value in values if first != text and value not in ("", first)]

    def _is_whole(self, value: str) -> bool:
        return has_digits_of_phone(value) if self.name == PHONE else "@" in value

    def _is_usable(self, value: str) -> bool:
        try:
            if self.name == PHONE:
                return bool(read_phone(value))
            return self.field is not None and bool(self.field.clean(value))
        except (NotAPhone, ValidationError):
            return False

    def join(self, texts: Iterable[str]) -> str:
        filled = [text for text in texts if text.strip()]
        if self.name == ADDRESS and self.joiner == COMMA:
            return _join_address(filled)
        between = SUM if self.joiner == PLUS else JOINERS[self.joiner or SPACE][0]
        return between.join(filled)


def _join_address(parts: Sequence[str]) -> str:
    """Join the parts of an address with commas, but "Dorfstr. 4" and "50667 Köln" with a space."""
    text = "".join(parts[:1])
    for before, part in pairwise(parts):
        is_number = _HOUSE_NUMBER.fullmatch(part.strip()) and not re.search(r"\d", before)
        is_town = _POSTCODE.fullmatch(before.strip()) and not re.search(r"\d", part)
        text += JOINERS[SPACE if is_number or is_town else COMMA][0] + part
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
    if "cstemail" not in resource.create_form.base_fields:
        aliases = headings.aliases("people", "cstemail")
        found.append(Target(EMAIL_BESIDE, "Email of the contact, compared", aliases=aliases))
    return {target.name: target for target in found}


def _targets_of_record(
    resource: Resource, workspace: str, joins: Mapping[str, str]
) -> Iterator[Target]:
    group, noun = "", resource.singular
    if is_document(resource):
        group = noun.capitalize()
        own = [noun, f"{noun} no", f"{noun} number"]
        aliases = (
            *map(headings.normalise, own),
            *headings.aliases_of_record(resource.name, "number"),
            headings.normalise(f"{noun} id"),
        )
        yield Target(resource.title_field, "Number", group, aliases=aliases)
    else:
        aliases = headings.aliases_of_record(resource.name, ID)
        yield Target(ID, f"ID of an existing {noun}", aliases=aliases)
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
            aliases=_aliases(resource, name),
            units=_UNITS.get(name, ()),
            joiner=_joiner(name, field, joins),
            edit_name=edit_name(resource, name),
        )
    if NOTES in resource.create_form.base_fields:
        yield Target(EXTRA_NOTES, "Notes, after the heading")


def _aliases(resource: Resource, name: str) -> tuple[str, ...]:
    found = headings.aliases_of_record(resource.name, name)
    if name != NAME:
        return found
    return sum((headings.aliases_of_record(resource.name, part) for part in PARTS_OF_NAME), found)


def _with_entries(field: forms.Field, workspace: str) -> forms.Field:
    if isinstance(field, ReferenceField | ReferencesField):
        field = copy.deepcopy(field)
        field.bind_workspace(workspace)
    return field


def _joiner(name: str, field: forms.Field, joins: Mapping[str, str]) -> str:
    if isinstance(field, ReferencesField):
        return COMMA
    if isinstance(field, MomentField):
        return SPACE
    if name == PHONE or isinstance(field, forms.EmailField):
        return NEW_LINE
    usual = NEW_LINE if isinstance(field.widget, forms.Textarea) else SPACE
    if not isinstance(field, forms.CharField) or isinstance(field, PhoneField):
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
        units=_UNITS.get(f"{LINE}{name}", ()),
        aliases=_aliases_of_line(name),
        joiner=NEW_LINE if name == "description" else "",
    )


def _target_of_claim(name: str) -> Target:
    is_charge = f"{CLAIM}{name}" == CHARGE
    return Target(
        f"{CLAIM}{name}",
        f"{_CLAIMS[name]}, {'not sent' if is_charge else 'compared'}",
        "The file says",
        NumberField(),
        aliases=headings.aliases(headings.CLAIMS, name),
        units=("%",) if is_charge else (),
        joiner=PLUS if is_charge else "",
    )


@cache
def _aliases_of_line(name: str) -> tuple[str, ...]:
    found = headings.aliases(headings.LINES, name)
    return tuple(word for word in found if word not in _OF_THE_RECORD)


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


def paired_columns(table: ReadTable) -> dict[int, int]:
    """Return the columns with the names and with the ids of the same records, each by the other."""
    titles = {headings.normalise(each.title): index for index, each in enumerate(table.columns)}
    pairs = {
        index: titles[f"{title}id"] for title, index in titles.items() if f"{title}id" in titles
    }
    return pairs | {ids: names for names, ids in pairs.items()}
