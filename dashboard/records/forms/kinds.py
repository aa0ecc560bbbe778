"""The kind of value that a form field holds, in the gateway's terms."""

from django import forms

from dashboard.catalogue.fields import ReferenceField, ReferencesField
from dashboard.catalogue.kinds import TEXT_CODES
from dashboard.gateway.fields import FieldKind
from dashboard.records.forms.fields import PairsField
from dashboard.records.forms.inputs import DayField, MomentField, NumberField
from dashboard.records.forms.pickers import PickerField

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
