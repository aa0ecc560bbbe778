"""Form fields for the API's kinds of value, and how a value reads in its field."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from dashboard.gateway import whole_number
from dashboard.office.record_field import FormValue, RecordField
from dashboard.tables.cells import why_unreadable
from dashboard.text.dates import format_date, write_datetime
from dashboard.text.numbers import write_number
from dashboard.text.style import PLAIN, Style


def display(value: object, style: Style = PLAIN) -> FormValue:
    """Convert a value of a record to the value of its form field."""
    match value:
        case None:
            return ""
        case bool():
            return value
        case Mapping():
            return {str(name): _plain(item) for name, item in value.items()}
        case list() | tuple():
            return ", ".join(str(item) for item in value)
        case Decimal():
            return write_number(value, style)
        case datetime():
            return write_datetime(value)
        case date():
            return format_date(value)
    return str(value)


class TextField(RecordField, forms.CharField):
    """A text with "\\n" at the end of each line, which counts as one character.

    A text that is too long is refused and stays in its field: with the attribute maxlength, a
    browser would cut pasted text without a message.
    """

    api_kind = "string"
    default_error_messages = {
        "max_length": "Use at most %(limit_value)d characters; this has %(show_value)d."
    }

    def to_python(self, value: Any) -> Any:
        """Normalise line endings, then strip white space at the ends."""
        text = str(value or "").replace("\r\n", "\n").replace("\r", "\n")
        return super().to_python(text)

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        attrs = super().widget_attrs(widget)
        attrs.pop("maxlength", None)
        return attrs


class ValueField(TextField):
    """A name or number on one line, not what a spreadsheet shows in place of a value."""

    def validate(self, value: Any) -> None:
        super().validate(value)
        if reason := why_unreadable(value):
            raise ValidationError(reason)


class EmailField(RecordField, forms.EmailField):
    api_kind = "email"

    def comparable(self, value: Any) -> object:
        return str(super().comparable(value)).strip()


class BooleanField(RecordField, forms.BooleanField):
    api_kind = "boolean"

    def comparable(self, value: Any) -> object:
        return bool(value)

    def caption(self, value: Any) -> str:
        """Yes or No, also for the text of a boolean; No for no value."""
        return {"True": "Yes", "False": "No"}.get(str(value or False), str(value))


class ChoiceField(RecordField, forms.TypedChoiceField):
    """One of a few codes, which have no groups."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.api_kind = "integer" if self.coerce is int else "string"

    @property
    def captions(self) -> dict[str, str]:
        pairs: Iterable[tuple[object, object]] = self.choices  # type: ignore[assignment]
        return {str(code): str(words) for code, words in pairs}

    def caption(self, value: Any) -> str:
        return self.captions.get(str(value)) or str(value or "")


class IdField(RecordField, forms.IntegerField):
    """The number of another record or of an entry of a list kept in the service."""

    api_kind = "integer"
    widget: forms.Widget = forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"})
    default_error_messages = {"invalid": "Enter a whole number from 1 up, such as 17."}

    def to_python(self, value: Any) -> int | None:
        text = str(value or "").strip()
        number = whole_number(text)
        if text and number is None:
            words = self.error_messages["invalid"]
            raise ValidationError(words, code="invalid", params={"value": text})
        return number


def _plain(value: object) -> object:
    """A value within an object as JSON can hold it: fractions are floats where they are exact."""
    if isinstance(value, Decimal):
        return float(value) if Decimal(repr(float(value))) == value else str(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    return value
