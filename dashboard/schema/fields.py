"""Form fields for the API's kinds of value, and how a value reads in its field."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django import forms
from django.core.exceptions import ValidationError

from dashboard.gateway import whole_number
from dashboard.office.record_field import FormValue, RecordField
from dashboard.text.dates import format_date, write_datetime
from dashboard.text.numbers import write_number
from dashboard.text.style import PLAIN, Style

BLANK_ROWS = 2
MAX_PAIRS = 200


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


class PairRow(NamedTuple):
    """One named value as its widget shows it. `options`: those of a select, as (value, caption)."""

    name: str
    text: str
    control: str = "text"
    options: tuple[tuple[str, str], ...] = ()
    error: str = ""


class PairsWidget(forms.Widget):
    """Rows of a name and a value, with some blank ones to add more."""

    template_name = "schema/pairs.html"
    use_fieldset = True
    errors: Mapping[str, str] = {}
    """What is wrong with single values, by casefolded name."""

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """Add `rows`, and `nameless`: the value of each row whose name is not typed yet."""
        context = super().get_context(name, value, attrs)
        values = value or {}
        context["rows"] = self.rows({name: item for name, item in values.items() if name})
        context["nameless"] = [values[""]] if "" in values else []
        context["nameless"] += [""] * self.blank_rows()
        return context

    def blank_rows(self) -> int:
        return BLANK_ROWS

    def rows(self, values: Mapping[str, Any]) -> list[PairRow]:
        return [
            PairRow(name, self.text(name, item), error=self.error(name))
            for name, item in values.items()
        ]

    def error(self, name: str) -> str:
        return self.errors.get(name.casefold(), "")

    def text(self, name: str, value: object) -> str:
        return pair_text(value)

    def value_from_datadict(self, data: Any, files: Any, name: str) -> dict[str, str]:
        """Return the typed pairs in order; a name typed twice has its last value."""
        names, values = (data.getlist(f"{name}-{part}") for part in ("name", "value"))
        typed = [(key.strip(), item) for key, item in zip(names, values, strict=False)][:MAX_PAIRS]
        return {key: item.replace("\r\n", "\n") for key, item in typed if key or item.strip()}

    def id_for_label(self, id_: str) -> str:
        """The rows have labels of their own, so the group is named by its legend."""
        return ""


class PairsField(RecordField):
    """An object of named values, such as custom fields; cleans to a dict of texts."""

    widget: PairsWidget = PairsWidget  # type: ignore[assignment]  # Django makes it an instance
    api_kind = "object"

    @property
    def opened_pairs(self) -> Mapping[str, Any]:
        return self.opened if isinstance(self.opened, Mapping) else {}

    def comparable(self, value: Any) -> object:
        """The filled rows: a blank one counts as none."""
        texts = {name: self.widget.text(name, item) for name, item in (value or {}).items()}
        return {name: text for name, text in texts.items() if text}

    def caption(self, value: Any) -> str:
        return ", ".join(f"{name}: {item}" for name, item in (value or {}).items())

    def posted(self, name: str, value: Any) -> Iterable[tuple[str, list[str]]]:
        texts = {key: self.widget.text(key, one) for key, one in (value or {}).items()}
        return [(f"{name}-name", list(texts)), (f"{name}-value", list(texts.values()))]

    def clean(self, value: dict[str, str] | None) -> dict[str, str]:
        """Return the typed pairs. A value without a name is an error."""
        typed = value or {}
        if "" in typed:
            raise ValidationError(f"Give “{typed['']}” a name, or remove it.")
        return typed

    def mark_row(self, name: str, error: str) -> None:
        self.widget.errors = {**self.widget.errors, name.casefold(): error}

    def body_value(self, cleaned: Mapping[str, str]) -> dict[str, Any]:
        """The whole object: values nobody changed as they came, the others as typed.

        Empty if nothing is left, which clears every value (reference, "Custom fields rules").
        """
        if not any(text.strip() for text in cleaned.values()):
            return {}
        opened = self.opened_pairs
        filled = {key: text for key, text in cleaned.items() if text.strip() or key in opened}
        changed = {
            key: self.value(key, filled.get(key, ""), was=opened.get(key))
            for key in {**filled, **opened}
            if filled.get(key) != self.opened_text(key)
        }
        return {key: changed.get(key, opened.get(key)) for key in {**filled, **opened}}

    def value(self, name: str, text: str, *, was: object = None) -> object:
        """Return the value to send for a typed text; `was`: the value in the service."""
        return text

    def opened_text(self, name: str) -> str | None:
        """The value that the form was opened with under this name, as its row shows it."""
        opened = self.opened_pairs
        return self.widget.text(name, opened[name]) if name in opened else None


def _plain(value: object) -> object:
    """A value within an object as JSON can hold it: fractions are floats where they are exact."""
    if isinstance(value, Decimal):
        return float(value) if Decimal(repr(float(value))) == value else str(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    return value


def pair_text(value: object) -> str:
    return str(display(value))
