"""Custom fields: named values whose types are in the workspace's lists.

The service takes any value under a configured name (reference, "Custom fields rules"). A value
that is changed keeps the shape the service has shown (a number that came as text goes back as
text); a new one has the shape of its type.
"""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.utils import timezone

from dashboard.gateway import decimal_of
from dashboard.office import reference_lists
from dashboard.office.kinds import Kind, ValueType
from dashboard.people.context import RequestContext
from dashboard.schema.fields import PairRow, PairsField, PairsWidget, pair_text
from dashboard.text.dates import format_date, iso_date, read_date
from dashboard.text.numbers import read_number, write_number
from dashboard.text.style import PLAIN, NotReadable, Style

YES, NO = "True", "False"
CONTROLS = {
    ValueType.TEXT: "text",
    ValueType.LONG_TEXT: "lines",
    ValueType.NUMBER: "number",
    ValueType.DATE: "date",
    ValueType.YES_NO: "select",
    ValueType.CHOICE: "select",
}


class CustomFieldsWidget(PairsWidget):
    """A row for every field the workspace has, with the control that fits its type."""

    def __init__(self, kind: Kind) -> None:
        super().__init__()
        self.kind = kind
        self.workspace = ""
        self.style = PLAIN

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """`listed`: the workspace's fields are known, so other names are the exception."""
        context = super().get_context(name, value, attrs)
        return {**context, "listed": self._is_listed()}

    def blank_rows(self) -> int:
        """One if the workspace's fields are known."""
        return 1 if self._is_listed() else super().blank_rows()

    def _is_listed(self) -> bool:
        return bool(reference_lists.entries(self.workspace, self.kind))

    def rows(self, values: Mapping[str, Any]) -> list[PairRow]:
        """The workspace's fields in order, then what the record has beyond them."""
        offered = [entry.name for entry in reference_lists.entries(self.workspace, self.kind)]
        names = dict.fromkeys([*offered, *values])
        return [self._row(name, self.text(name, values.get(name, ""))) for name in names]

    def text(self, name: str, value: object) -> str:
        """Format a number in the person's style and a date with its month's name."""
        is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
        number = decimal_of(str(value)) if is_number else None
        if number is not None and self.type_of(name) == ValueType.NUMBER:
            return write_number(number, self.style)
        if isinstance(value, str) and self.type_of(name) == ValueType.DATE:
            return _written_out(value)
        return pair_text(value)

    def type_of(self, name: str) -> str:
        """Return the type of a field, also of a retired one; text if it is not known."""
        entry = reference_lists.entry(self.workspace, self.kind, name)
        return entry.value_type if entry else ValueType.TEXT

    def options(self, name: str) -> tuple[tuple[str, str], ...]:
        entry = reference_lists.entry(self.workspace, self.kind, name)
        if entry is None or CONTROLS[ValueType(entry.value_type)] != "select":
            return ()
        if entry.value_type == ValueType.YES_NO:
            return (YES, "Yes"), (NO, "No")
        return tuple((choice, choice) for choice in entry.choices)

    def _row(self, name: str, text: str) -> PairRow:
        control, options = CONTROLS[ValueType(self.type_of(name))], self.options(name)
        if control == "select" and text and text not in dict(options):
            options = ((text, text), *options)  # whatever it is now stays possible
        if control == "text" and "\n" in text:
            control = "lines"
        return PairRow(name, text, control, options, self.error(name))


class CustomFieldsField(PairsField):
    """The custom fields of a record; `kind` says whose. Cleans to a dict of texts."""

    widget: CustomFieldsWidget

    def __init__(self, *, kind: Kind, **kwargs: Any) -> None:
        self.kind = kind
        super().__init__(widget=CustomFieldsWidget(kind), **kwargs)

    def bind(self, ctx: RequestContext) -> None:
        self.widget.workspace, self.widget.style = ctx.workspace, ctx.style

    def clean(self, value: dict[str, str] | None) -> dict[str, str]:
        """Return the typed values. Those that were changed must fit the type of their field."""
        typed = super().clean(value)
        errors = []
        for name, text in typed.items():
            if text.strip() and text != self.opened_text(name):
                try:
                    self.value(name, text)
                except (NotReadable, ValidationError) as error:
                    words = str(getattr(error, "message", error))
                    errors.append(f"{name}: {words}")
                    self.mark_row(name, words)
        if errors:
            raise ValidationError(errors)
        return typed

    def value(self, name: str, text: str, *, was: object = None) -> object:
        """Convert a typed text to the type of its field."""
        kind, as_text = self.widget.type_of(name), isinstance(was, str)
        if not text.strip():
            return ""
        if kind == ValueType.NUMBER:
            number = read_number(text, self.widget.style)
            return f"{number:f}" if as_text else number
        if kind == ValueType.DATE:
            return _day(text, self.widget.style).isoformat()
        options = dict(self.widget.options(name))
        if options and text not in options:
            raise ValidationError(f"Choose one of {', '.join(options.values())}.")
        if kind == ValueType.YES_NO:
            return options[text] if as_text else text == YES
        return text


def _written_out(text: str) -> str:
    """Format a date as 14 Mar 2026, which reads the same everywhere; return other texts as they
    are.
    """
    day = iso_date(text)
    return format_date(day) if day else text


def _day(text: str, style: Style) -> date:
    return read_date(text, timezone.localdate(), style)
