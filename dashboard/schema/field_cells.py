"""How a field is displayed by what its form field is, and by the endpoint's kind without one."""

from collections.abc import Iterable

from django import forms

from dashboard.gateway import Endpoint
from dashboard.gateway.api import FieldKind
from dashboard.office.kinds import TEXT_CODES
from dashboard.office.reference_fields import ReferenceField, ReferencesField
from dashboard.schema import cells
from dashboard.schema.cells import Cell
from dashboard.schema.fields import PairsField
from dashboard.schema.inputs import DayField, MomentField, MoneyField, NumberField
from dashboard.schema.phones import PhoneField
from dashboard.schema.pickers import PickerField

DATES: frozenset[FieldKind | None] = frozenset({"date", "datetime", "timestamp"})


def points_to(field: forms.Field | None) -> Endpoint | None:
    """The endpoint of the records that the field holds ids of; None for any other field."""
    return field.endpoint if isinstance(field, PickerField) else None


def detail_cell(name: str, field: forms.Field | None, target: Endpoint | None) -> Cell:
    """The cell of a field on a record's page; `target` as `points_to` gives it."""
    if isinstance(field, forms.EmailField):
        return cells.email(name)
    if isinstance(field, PhoneField):
        return cells.phone(name)
    return _cell(name, field, target)


def list_cell(
    name: str, field: forms.Field | None, target: Endpoint | None, kind: FieldKind | None
) -> Cell:
    """The cell of a field in a list: addresses without links, dates short."""
    return cells.day(name) if kind in DATES else _cell(name, field, target)


def _cell(name: str, field: forms.Field | None, target: Endpoint | None) -> Cell:
    if target:
        return cells.pointer(target, name)
    if isinstance(field, ReferenceField | ReferencesField):
        return cells.reference(field.kind, name)
    if isinstance(field, MoneyField):
        return cells.money(name)
    if isinstance(field, forms.ChoiceField):
        return cells.choice(name, words_of(field))
    return cells.plain(name)


def words_of(field: forms.ChoiceField) -> dict[str, str]:
    """The words of a choice by their codes as text. Choices have no groups."""
    pairs: Iterable[tuple[object, object]] = field.choices  # type: ignore[assignment]
    return {str(code): str(word) for code, word in pairs}


_KINDS: tuple[tuple[tuple[type[forms.Field], ...], FieldKind], ...] = (
    # A subclass stands above its base class.
    ((DayField, forms.DateField), "date"),
    ((MomentField,), "datetime"),
    ((NumberField, forms.DecimalField, forms.FloatField), "number"),
    ((PickerField, ReferenceField, forms.IntegerField), "integer"),
    ((ReferencesField,), "integers"),
    ((forms.BooleanField,), "boolean"),
    ((PairsField,), "object"),
    ((forms.EmailField,), "email"),
    ((forms.ChoiceField, forms.CharField), "string"),
)


def kind_of(field: forms.Field) -> FieldKind | None:
    """The kind of value that the field cleans to and shows; None if the field does not tell."""
    if isinstance(field, ReferenceField) and field.kind in TEXT_CODES:
        return "string"
    if isinstance(field, forms.TypedChoiceField) and field.coerce is int:
        return "integer"
    return next((kind for classes, kind in _KINDS if isinstance(field, classes)), None)
