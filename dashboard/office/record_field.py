"""The base class of the fields of record forms, and what any field says when it is empty."""

from collections.abc import Iterable
from typing import Any

from django import forms

from dashboard.gateway.api import FieldKind
from dashboard.people.context import RequestContext

FormValue = str | bool | dict[str, Any]
"""A value as a form shows it: text, a tick, or named values."""


CHOSEN = (forms.ChoiceField, forms.FileField)


def name_what_is_missing(field: forms.Field, label: str) -> None:
    """Let the error of an empty field name it, unless the field has words of its own."""
    if field.error_messages["required"] != forms.Field.default_error_messages["required"]:
        return
    verb = "Choose" if isinstance(field, CHOSEN) else getattr(field, "verb", "Enter")
    is_box = isinstance(field.widget, forms.CheckboxInput)
    words = "Tick the box to continue." if is_box else f"{verb} the {label.lower()}."
    field.error_messages["required"] = words


class RecordField(forms.Field):
    """A field of a record form, to be mixed into one of Django's.

    api_kind: the kind of value that it cleans to and shows; None if the field does not tell.
    opened: the value that an edit form was opened with; None in the form of a new record.
    more_names: the names of the API under which a part of the value is sent, beside its own.
    """

    api_kind: FieldKind | None = None
    opened: FormValue | None = None
    more_names: tuple[str, ...] = ()

    def bind(self, ctx: RequestContext) -> None:
        """Parse and display in the person's style, and offer the entries of their workspace."""

    def comparable(self, value: Any) -> object:
        """Return a value as a browser would send it back, so that two can be compared."""
        text = str(value or "").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
        return text if isinstance(self.widget, forms.Textarea) else text.replace("\n", "")

    def caption(self, value: Any) -> str:
        return str(value or "")

    def part_label(self, part: str) -> str:
        """Return the label of a part of the value, such as "2.price"; "" for the whole."""
        return ""

    def body_value(self, cleaned: Any) -> Any:
        return cleaned

    def in_body(self, name: str, cleaned: Any) -> dict[str, Any]:
        """Return the values to send by the names of the API."""
        return {name: self.body_value(cleaned)}

    def posted(self, name: str, value: Any) -> Iterable[tuple[str, list[str]]]:
        """Return what a browser sends for a value: the names of its controls with their texts."""
        if value is None or value is False:
            return []
        posted = "on" if value is True else self.widget.format_value(value)
        texts = posted if isinstance(posted, list | tuple) else [posted]
        return [(name, [str(text) for text in texts if text is not None])]
