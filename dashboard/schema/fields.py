"""Form fields for the API's kinds of value, and how a value reads in its field."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from django import forms
from django.core.exceptions import ValidationError

from dashboard.gateway import whole_number

Shown = str | bool | dict[str, Any]
BLANK_ROWS = 2
MOST_PAIRS = 200


def shown(value: object) -> Shown:
    """A record's value as its form field shows it: text, a tick, or pairs of names and values."""
    if isinstance(value, bool):
        return value
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, date):
        return value.isoformat()
    return "" if value is None else str(value)


def in_words(field: forms.Field | None, value: Any) -> Any:
    """A code as the word that a form offers for it, a truth as Yes or No; the rest as it is."""
    if isinstance(field, forms.BooleanField):
        return {"True": "Yes", "False": "No"}.get(str(value), value)
    choices: Any = field.choices if isinstance(field, forms.ChoiceField) else ()
    return next((str(word) for code, word in choices if str(code) == value), value)


def as_sent(widget: forms.Widget, value: object) -> object:
    """A value as a browser would send it back from this widget, so that two can be compared."""
    if own := getattr(widget, "as_sent", None):
        return own(value)
    if isinstance(widget, forms.CheckboxInput):
        return bool(value)
    text = str(value or "").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if isinstance(widget, forms.Textarea):
        return text
    one_line = text.replace("\n", "")
    return one_line.strip() if isinstance(widget, forms.EmailInput) else one_line


class TextField(forms.CharField):
    """A text with "\\n" at the end of each line, as people count its characters.

    What is too long is refused and stays in its field: with the attribute maxlength, a browser
    cuts what is pasted without a word.
    """

    default_error_messages = {
        "max_length": "Use at most %(limit_value)d characters; this has %(show_value)d."
    }

    def to_python(self, value: Any) -> Any:
        """The text, without white space at its ends."""
        text = str(value or "").replace("\r\n", "\n").replace("\r", "\n")
        return super().to_python(text)

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        """Without maxlength."""
        attrs = super().widget_attrs(widget)
        attrs.pop("maxlength", None)
        return attrs


class IdField(forms.IntegerField):
    """The number of another record or of an entry of a list kept in the service."""

    widget: forms.Widget = forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"})
    default_error_messages = {"invalid": "Enter a whole number from 1 up, such as 17."}

    def to_python(self, value: Any) -> int | None:
        """The number; None for nothing."""
        text = str(value or "").strip()
        number = whole_number(text)
        if text and number is None:
            words = self.error_messages["invalid"]
            raise ValidationError(words, code="invalid", params={"value": text})
        return number


class PairRow(NamedTuple):
    """One named value as its widget shows it. `options`: those of a select, as (value, caption).

    `error`: what is wrong with the value.
    """

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
        """With `rows`, and `nameless`: the value of each row whose name is still to be typed."""
        context = super().get_context(name, value, attrs)
        values = value or {}
        context["rows"] = self.rows({name: item for name, item in values.items() if name})
        context["nameless"] = [values[""]] if "" in values else []
        context["nameless"] += [""] * self.blank_rows()
        return context

    def blank_rows(self) -> int:
        """How many blank rows there are for more values."""
        return BLANK_ROWS

    def rows(self, values: Mapping[str, Any]) -> list[PairRow]:
        """The rows of these values."""
        return [
            PairRow(name, self.text(name, item), error=self.error(name))
            for name, item in values.items()
        ]

    def error(self, name: str) -> str:
        """What is wrong with the value of this name; "" if nothing is."""
        return self.errors.get(name.casefold(), "")

    def text(self, name: str, value: object) -> str:
        """A value as its row shows it."""
        return pair_text(value)

    def as_sent(self, values: Mapping[str, Any] | None) -> dict[str, str]:
        """The filled rows, to compare two values: a blank row counts as none."""
        texts = {name: self.text(name, item) for name, item in (values or {}).items()}
        return {name: text for name, text in texts.items() if text}

    def value_from_datadict(self, data: Any, files: Any, name: str) -> dict[str, str]:
        """The typed pairs in order; the last value of a name that was typed twice."""
        names, values = (data.getlist(f"{name}-{part}") for part in ("name", "value"))
        typed = [(key.strip(), item) for key, item in zip(names, values, strict=False)][:MOST_PAIRS]
        return {key: item.replace("\r\n", "\n") for key, item in typed if key or item.strip()}

    def id_for_label(self, id_: str) -> str:
        """The rows have labels of their own, so the group is named by its legend."""
        return ""


class PairsField(forms.Field):
    """An object of named values, such as custom fields; cleans to a dict of texts."""

    widget: PairsWidget = PairsWidget  # type: ignore[assignment]  # Django makes it an instance
    opened: Mapping[str, Any] = {}
    """The values that the form was opened with."""

    def clean(self, value: dict[str, str] | None) -> dict[str, str]:
        """The typed pairs, of which each has a name."""
        typed = value or {}
        if "" in typed:
            raise ValidationError(f"Give “{typed['']}” a name, or remove it.")
        return typed

    def mark_row(self, name: str, error: str) -> None:
        """Show an error beside the value of this name."""
        self.widget.errors = {**self.widget.errors, name.casefold(): error}

    def to_send(self, typed: Mapping[str, str], opened: Mapping[str, Any]) -> dict[str, Any]:
        """The whole object: values nobody changed as they came, the others as typed.

        Empty if nothing is left, which clears every value (reference, "Custom fields rules").
        """
        if not any(text.strip() for text in typed.values()):
            return {}
        filled = {key: text for key, text in typed.items() if text.strip() or key in opened}
        changed = {
            key: self.value(key, filled.get(key, ""), was=opened.get(key))
            for key in {**filled, **opened}
            if filled.get(key) != self._text(key, opened)
        }
        return {key: changed.get(key, opened.get(key)) for key in {**filled, **opened}}

    def value(self, name: str, text: str, *, was: object = None) -> object:
        """What to send for a typed text; `was` is the value that the service holds."""
        return text

    def _text(self, name: str, values: Mapping[str, Any]) -> str | None:
        return self.widget.text(name, values[name]) if name in values else None


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
    """One custom value as text."""
    text = shown(value)
    return text if isinstance(text, str) else str(text)
