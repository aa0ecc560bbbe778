"""Custom fields: named values whose types are in the workspace's lists.

The service takes any value under a configured name (reference, "Custom fields rules"). A value
that is changed keeps the shape the service has shown (a number that came as text goes back as
text); a new one has the shape of its type. A list or an object is shown, and goes back as it came.
"""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from decimal import Decimal
from typing import Any, NamedTuple

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone

from dashboard.gateway import decimal_of
from dashboard.office import reference_lists
from dashboard.office.kinds import Kind, ValueType
from dashboard.office.record_field import RecordField
from dashboard.people.context import RequestContext
from dashboard.schema import values
from dashboard.schema.fields import display
from dashboard.text.dates import format_date, iso_date, read_date
from dashboard.text.numbers import read_number, write_number
from dashboard.text.plain import folded
from dashboard.text.style import PLAIN, NotReadable

BLANK_ROWS, MAX_PAIRS = 2, 200
YES, NO = "True", "False"
CONTROLS = {
    ValueType.TEXT: "text",
    ValueType.LONG_TEXT: "lines",
    ValueType.NUMBER: "number",
    ValueType.DATE: "date",
    ValueType.YES_NO: "select",
    ValueType.CHOICE: "select",
}


class CustomFieldRow(NamedTuple):
    """One named value as its widget shows it. `options`: those of a select, as (value, caption).
    `kept`: what is posted for a list or an object, which cannot be typed.
    """

    name: str
    text: str
    control: str
    options: tuple[tuple[str, str], ...]
    error: str
    kept: str


class CustomFieldsWidget(forms.Widget):
    """A row for every field the workspace has, with the control that fits its type, then the
    record's own others, and blank rows to add more.
    """

    template_name = "schema/custom_fields.html"
    use_fieldset = True
    errors: Mapping[str, str] = {}  # by folded name; never changed, as forms copy the widget

    def __init__(self, kind: Kind) -> None:
        super().__init__()
        self.kind = kind
        self.workspace = ""
        self.style = PLAIN

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """Add `rows`, `nameless` (the value of each row whose name is not typed yet) and `listed`
        (the workspace's fields are known, so other names are the exception).
        """
        context = super().get_context(name, value, attrs)
        named = dict(value or {})
        nameless = [named.pop("")] if "" in named else []
        listed = [entry.name for entry in reference_lists.entries(self.workspace, self.kind)]
        rows = [self._row(each, named.get(each, "")) for each in dict.fromkeys([*listed, *named])]
        nameless += [""] * (1 if listed else BLANK_ROWS)
        return {**context, "rows": rows, "nameless": nameless, "listed": bool(listed)}

    def text(self, name: str, value: object) -> str:
        """Format a number in the person's style, a date with its month's name, and a list or an
        object in words.
        """
        if isinstance(value, list | Mapping):
            return values.text(value, self.style).words
        is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
        number = decimal_of(str(value)) if is_number else None
        if number is not None and self.type_of(name) == ValueType.NUMBER:
            return write_number(number, self.style)
        if isinstance(value, str) and self.type_of(name) == ValueType.DATE:
            day = iso_date(value)
            return format_date(day) if day else value
        return str(display(value))

    def error(self, name: str) -> str:
        return self.errors.get(folded(name), "")

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

    def value_from_datadict(self, data: Any, files: Any, name: str) -> dict[str, Any]:
        """Return the pairs in order, with the names of listed rows as they came; a name that stands
        there twice has its last value.
        """
        listed = zip(data.getlist(f"{name}-name"), data.getlist(f"{name}-value"), strict=False)
        new_names, texts = (data.getlist(f"{name}-new-{part}") for part in ("name", "value"))
        new = zip(map(str.strip, new_names), texts, strict=False)
        typed = [*listed, *((key, text) for key, text in new if key or text.strip())][:MAX_PAIRS]
        kept = map(_kept_pair, data.getlist(f"{name}-kept")[:MAX_PAIRS])
        pairs = {key: text.replace("\r\n", "\n") for key, text in typed}
        return {**pairs, **dict(filter(None, kept))}

    def id_for_label(self, id_: str) -> str:
        """Return True: the rows have labels of their own, so the group is named by its legend."""
        return ""

    def _row(self, name: str, value: object) -> CustomFieldRow:
        text = self.text(name, value)
        if _is_kept(value):
            return CustomFieldRow(name, text, "kept", (), self.error(name), _posted(name, value))
        control, options = CONTROLS[ValueType(self.type_of(name))], self.options(name)
        if control == "select" and text and text not in dict(options):
            options = ((text, text), *options)  # whatever it is now stays possible
        if control == "text" and "\n" in text:
            control = "lines"
        return CustomFieldRow(name, text, control, options, self.error(name), "")


class CustomFieldsField(RecordField):
    """The custom fields of a record; `kind` says whose. Cleans to a dict of texts."""

    widget: CustomFieldsWidget
    api_kind = "object"

    def __init__(self, *, kind: Kind, **kwargs: Any) -> None:
        self.kind = kind
        super().__init__(widget=CustomFieldsWidget(kind), **kwargs)

    def bind(self, ctx: RequestContext) -> None:
        self.widget.workspace, self.widget.style = ctx.workspace, ctx.style

    @property
    def opened_pairs(self) -> Mapping[str, Any]:
        return self.opened if isinstance(self.opened, Mapping) else {}

    def comparable(self, value: Any) -> dict[str, str]:
        """Return the filled rows: a blank one counts as none."""
        return {name: text for name, text in self._texts(value).items() if text.strip()}

    def caption(self, value: Any) -> str:
        return ", ".join(f"{name}: {text}" for name, text in self._texts(value).items())

    def posted(self, name: str, value: Any) -> Iterable[tuple[str, list[str]]]:
        kept = {key: item for key, item in (value or {}).items() if _is_kept(item)}
        texts = {key: text for key, text in self._texts(value).items() if key not in kept}
        return [
            (f"{name}-name", list(texts)),
            (f"{name}-value", list(texts.values())),
            (f"{name}-kept", [_posted(key, item) for key, item in kept.items()]),
        ]

    def clean(self, value: dict[str, Any] | None) -> dict[str, Any]:
        """Return the typed values. A value without a name is an error; those that were changed must
        fit the type of their field.
        """
        typed = value or {}
        if "" in typed:
            raise ValidationError(f"Give “{typed['']}” a name, or remove it.")
        errors = []
        for name, text in typed.items():
            if not _is_kept(text) and text.strip() and text != self._opened_text(name):
                try:
                    self.value(name, text)
                except (NotReadable, ValidationError) as error:
                    words = str(getattr(error, "message", error))
                    errors.append(f"{name}: {words}")
                    self.mark_row(name, words)
        if errors:
            raise ValidationError(errors)
        return typed

    def part_label(self, part: str) -> str:
        return "" if part.isdecimal() else part

    def mark_row(self, name: str, error: str) -> None:
        self.widget.errors = {**self.widget.errors, folded(name): error}

    def body_value(self, typed: Mapping[str, Any]) -> dict[str, Any]:
        """Return the whole object: values nobody changed as they came, the others as typed.

        Empty if nothing is left, which clears every value (reference, "Custom fields rules").
        """
        filled, opened = self.comparable(typed), self.opened_pairs
        if not filled:
            return {}
        names = [name for name in {**typed, **opened} if name in filled or name in opened]
        return {
            name: self._sent(name, typed[name]) if name in typed else opened[name] for name in names
        }

    def _sent(self, name: str, value: Any) -> object:
        """Return the value to send: as it came if nobody changed it or could."""
        was = self.opened_pairs.get(name)
        if _is_kept(was) or self.widget.text(name, value) == self._opened_text(name):
            return was
        return value if _is_kept(value) else self.value(name, value, was=was)

    def value(self, name: str, text: str, *, was: object = None) -> object:
        """Convert a typed text to the type of its field. `was`: the value in the service."""
        kind, as_text = self.widget.type_of(name), isinstance(was, str)
        if not text.strip():
            return ""
        if kind == ValueType.NUMBER:
            number = read_number(text, self.widget.style)
            return f"{number:f}" if as_text else number
        if kind == ValueType.DATE:
            return read_date(text, timezone.localdate(), self.widget.style).isoformat()
        options = dict(self.widget.options(name))
        if options and text not in options:
            raise ValidationError(f"Choose one of {', '.join(options.values())}.")
        if kind == ValueType.YES_NO:
            return options[text] if as_text else text == YES
        return text

    def _texts(self, value: Any) -> dict[str, str]:
        return {name: self.widget.text(name, item) for name, item in (value or {}).items()}

    def _opened_text(self, name: str) -> str | None:
        opened = self.opened_pairs
        return self.widget.text(name, opened[name]) if name in opened else None


def _is_kept(value: object) -> bool:
    return isinstance(value, list | Mapping) and bool(value)


def _posted(name: str, value: object) -> str:
    return json.dumps([name, value])


def _kept_pair(text: str) -> tuple[str, Any] | None:
    """Return the name and the list or object that `_posted` has written; None for any other
    text.
    """
    with suppress(ValueError, RecursionError):
        match json.loads(text):
            case [str(name), list() | dict() as value]:
                return name, value
    return None
