"""Form fields for the API's kinds of value, and how a value reads in its field."""

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from dashboard.catalogue.widgets import ReferencesWidget

Shown = str | bool | dict[str, Any]
BLANK_ROWS = 2
MOST_PAIRS = 200


def shown(value: object) -> Shown:
    """A record's value as its form field shows it: text, a tick, or pairs of names and values."""
    if isinstance(value, bool):
        return value
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, date):
        return value.isoformat()
    return "" if value is None else str(value)


def as_sent(widget: forms.Widget, value: object) -> object:
    """A value as a browser would send it back from this widget, so that two can be compared."""
    if isinstance(widget, forms.CheckboxInput):
        return bool(value)
    if isinstance(widget, ReferencesWidget):
        return widget.as_sent(value)
    if isinstance(widget, PairsWidget):
        return {name: pair_text(item) for name, item in (value or {}).items()}  # type: ignore[attr-defined]
    text = str(value or "").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if isinstance(widget, forms.Textarea):
        return text
    one_line = text.replace("\n", "")
    return one_line.strip() if isinstance(widget, forms.EmailInput) else one_line


class IdField(forms.IntegerField):
    """The number of another record or of an entry of a list kept in the service."""

    def __init__(self, **kwargs: Any):
        super().__init__(min_value=1, max_value=2**63 - 1, **kwargs)
        self.widget = forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"})
        self.error_messages["invalid"] = "Enter a whole number, such as 17."
        self.error_messages["min_value"] = "Enter a whole number from 1 up."


class IdsField(forms.CharField):
    """Several ids with commas or spaces between; cleans to a list without repeats."""

    def to_python(self, value: object) -> list[int]:  # type: ignore[override]
        """The ids in the order they were typed."""
        words = str(value or "").replace(",", " ").split()
        wrong = [word for word in words if not re.fullmatch("[0-9]{1,18}", word)]
        if wrong:
            raise ValidationError(f"“{wrong[0]}” is not a number. Write numbers such as 4, 17.")
        return list(dict.fromkeys(int(word) for word in words))

    def validate(self, value: object) -> None:
        """An empty list counts as nothing typed."""
        forms.Field.validate(self, value or None)

    def run_validators(self, value: object) -> None:
        """No text validators: the value is a list by now."""


class PairsWidget(forms.Widget):
    """Rows of a name and a value, with a few blank ones to add more."""

    template_name = "forms/pairs.html"

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """The rows as (name, text of the value, whether the name may be typed)."""
        context = super().get_context(name, value, attrs)
        known = [(key, pair_text(item), False) for key, item in (value or {}).items()]
        context["rows"] = known + [("", "", True)] * BLANK_ROWS
        return context

    def value_from_datadict(self, data: Any, files: Any, name: str) -> dict[str, str]:
        """The typed pairs in order. Of a name that stands twice the last filled value counts."""
        names, values = (data.getlist(f"{name}-{part}") for part in ("name", "value"))
        typed = [(key.strip(), item) for key, item in zip(names, values, strict=False)][:MOST_PAIRS]
        return {key: item.replace("\r\n", "\n") for key, item in typed if key or item.strip()}

    def id_for_label(self, id_: str) -> str:
        """The rows have labels of their own, so the group is named by its legend."""
        return ""


class PairsField(forms.Field):
    """An object of named values, such as custom fields; cleans to a dict of texts."""

    widget = PairsWidget

    def clean(self, value: dict[str, str] | None) -> dict[str, str]:
        """The typed pairs, of which each has a name."""
        typed = value or {}
        if "" in typed:
            raise ValidationError(f"Give “{typed['']}” a name, or remove it.")
        return typed

    def to_send(self, typed: Mapping[str, str], opened: Mapping[str, Any]) -> dict[str, Any]:
        """The whole object: values nobody changed as they came, the others as typed.

        Empty if nothing is left, which clears every value (reference, "Custom fields rules").
        """
        if not any(text.strip() for text in typed.values()):
            return {}
        kept = {key: item for key, item in opened.items() if typed.get(key) == pair_text(item)}
        gone = {key: "" for key in opened if key not in typed}
        return {**typed, **kept, **gone}


def pair_text(value: object) -> str:
    """One custom value as text."""
    text = shown(value)
    return text if isinstance(text, str) else str(text)
