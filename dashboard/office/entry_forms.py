"""One entry of a list, as a form: for its page, and for each line of a spreadsheet."""

import re
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import DecimalValidator, MaxValueValidator, MinValueValidator

from dashboard.core.service_name import SERVICE
from dashboard.core.templates import validate_one_line
from dashboard.text.amounts import currency_in, why_foreign
from dashboard.text.numbers import read_any_number, write_plain
from dashboard.text.style import NotReadable

from .editing import Values, entries_of
from .kinds import KEYED_BY_NAME, KIND_SPECS, Kind, ValueType, code_of
from .models import ListEntry
from .reference_fields import ReferenceField
from .reference_lists import only_currency

WORDS_OF_RETIRED = {"": False, "no": False, "0": False, "false": False}
WORDS_OF_RETIRED |= {"yes": True, "1": True, "true": True}


class NameField(forms.CharField):
    """One line of text without repeated spaces."""

    default_validators = [validate_one_line]

    def to_python(self, value: Any) -> str:
        return " ".join((super().to_python(value) or "").split())


class PlainNumberField(forms.Field):
    """A number in either style. A comma is read as the decimal point ("4,35") but rejected where it
    may be a thousands separator ("1,234"). `unit`: what may follow it. `currency`: the one
    that may stand beside it.
    """

    default_validators = [DecimalValidator(max_digits=20, decimal_places=6)]
    widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})

    currency = ""

    def __init__(self, *, unit: str = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.unit = unit

    def to_python(self, value: Any) -> Decimal | None:
        text = str(value or "").strip().removesuffix(self.unit)
        if foreign := why_foreign(text, self.currency):
            raise ValidationError(foreign)
        text = text.replace(currency_in(text), "").strip()
        try:
            return read_any_number(text) if text else None
        except NotReadable as error:
            raise ValidationError(str(error)) from None


class CallingCodeField(forms.CharField):
    """The digits of a calling code, with or without + or 00."""

    def to_python(self, value: Any) -> str:
        text = "".join((super().to_python(value) or "").split()).lstrip("+0")
        if text and not re.fullmatch("[0-9]{1,6}", text):
            raise ValidationError("Enter digits only, for example 44.")
        return text


class ChoicesField(forms.CharField):
    """One choice per line, or several with | between; cleans to a list without repeats."""

    widget = forms.Textarea(attrs={"rows": 5})

    def clean(self, value: Any) -> list[str]:
        parts = re.split(r"[|\n]", super().clean(value))
        return list(dict.fromkeys(words for part in parts if (words := " ".join(part.split()))))


class TypeField(forms.ChoiceField):
    """The type of a custom field, as its code or as its words."""

    def to_python(self, value: Any) -> str:
        words = "_".join(str(value or ValueType.TEXT).lower().split())
        named = {label.lower().replace(" ", "_"): code for code, label in ValueType.choices}
        return named.get(words, words)


class EntryForm(forms.Form):
    """The fields of an entry of one kind. `entry`: the one to change, None for a new one."""

    use_required_attribute = False

    code = forms.CharField(
        label="Code",
        max_length=200,
        help_text=f"The ID in {SERVICE}, as in records and web addresses.",
        validators=[validate_one_line],
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    name = NameField(
        label="Name", max_length=200, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
    parent = ReferenceField(kind=Kind.PIPELINE, label="Pipeline", required=False)
    price = PlainNumberField(label="Price", required=False, help_text="For one unit")
    tax = ReferenceField(kind=Kind.TAX, label="Usual tax", required=False)
    rate = PlainNumberField(
        label="Rate",
        unit="%",
        required=False,
        help_text="In percent",
        validators=[MinValueValidator(0), MaxValueValidator(100)],
    )
    calling_code = CallingCodeField(
        label="Calling code", required=False, help_text="For example 44"
    )
    value_type = TypeField(label="Type", choices=ValueType.choices, required=False)
    choices = ChoicesField(label="Choices", required=False, help_text="Options, one per line")

    def __init__(
        self, data: Any = None, *, workspace: str, kind: Kind, entry: ListEntry | None = None
    ) -> None:
        super().__init__(data, initial=_initial(entry) if entry else None)
        self.workspace, self.kind, self.entry = workspace, kind, entry
        own = () if kind in KEYED_BY_NAME else ("code",)
        names = (*own, "name", *KIND_SPECS[kind].details)
        self.fields = {name: self.fields[name] for name in names}
        for field in self.fields.values():
            if isinstance(field, ReferenceField):
                field.bind_workspace(workspace)
            elif isinstance(field, PlainNumberField):
                field.currency = only_currency(workspace)

    def clean(self) -> dict[str, Any]:
        """Check that an id is a number where the service's are, and has one name."""
        if not self.errors:
            try:
                self.cleaned_data = complete(self.kind, self.cleaned_data)
            except ValidationError as error:
                self.add_error("code" if "code" in self.fields else "name", error)
            else:
                self._check_alone()
        return self.cleaned_data

    def _check_alone(self) -> None:
        others = entries_of(self.workspace, self.kind)
        if self.entry:
            others = others.exclude(pk=self.entry.pk)
        other = others.filter(code=self.cleaned_data["code"]).first()
        if other:
            field = "code" if "code" in self.fields else "name"
            retired = " (retired)" if other.retired else ""
            self.add_error(field, f"Already in the list: {other.name}{retired}.")


def complete(kind: Kind, cleaned: Values) -> dict[str, Any]:
    """Cleaned values for a ListEntry, with its code. Raises ValidationError without one."""
    code = code_of(kind, cleaned["name"] if kind in KEYED_BY_NAME else cleaned["code"])
    if not code:
        raise ValidationError(f"Enter the number that {SERVICE} uses, for example 17.")
    values = {**cleaned, "code": code}
    for name in {"parent", "tax"} & values.keys():
        values[name] = str(values[name] or "")
    if values.get("value_type") == ValueType.CHOICE and not values.get("choices"):
        raise ValidationError("Add at least one option.")
    return values


def _initial(entry: ListEntry) -> dict[str, Any]:
    values = {name: getattr(entry, name) for name in EntryForm.base_fields}
    for name in ("price", "rate"):
        values[name] = write_plain(values[name])
    return {**values, "choices": "\n".join(entry.choices)}
