"""Form fields for the API's kinds of value, how a value reads in its field, and the renderer of all
forms: labels, help, errors and controls.

Forms declare fields and widgets; classes, ARIA attributes and markup come from here and from
templates/schema/.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.forms.boundfield import BoundField
from django.forms.renderers import TemplatesSetting
from django.forms.widgets import ChoiceWidget
from django.http import HttpRequest

from dashboard.core.templates import escaped
from dashboard.gateway import whole_number
from dashboard.office.record_field import FormValue, RecordField, name_what_is_missing
from dashboard.tables.cells import why_unreadable
from dashboard.text.dates import format_date, write_datetime
from dashboard.text.numbers import write_number
from dashboard.text.plain import clean_input
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


def unknown_code(code: object) -> str:
    """Return the words for a number that stands for none of the values that we know."""
    return f"unknown ({code})"


class TextField(RecordField, forms.CharField):
    """A text with "\\n" at the end of each line, which counts as one character.

    A text that is too long is rejected and stays in its field: with the attribute maxlength, a
    browser would cut pasted text without a message.
    """

    api_kind = "string"
    default_error_messages = {
        "max_length": "Use %(limit_value)d characters or fewer. You have used %(show_value)d."
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


class AnyEmailField(EmailField):
    """A text with an @, as the service takes any. A browser would respell an address with letters
    beyond ASCII in a field for addresses.
    """

    widget: forms.Widget = forms.TextInput(attrs={"inputmode": "email"})
    default_validators = [RegexValidator(r"\S@\S", "Enter an email address.")]


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
        if words := self.captions.get(str(value)):
            return words
        return unknown_code(value) if self.coerce is int and value else str(value or "")


class IdField(RecordField, forms.IntegerField):
    """The number of another record or of an entry of a list kept in the service."""

    api_kind = "integer"
    widget: forms.Widget = forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"})
    default_error_messages = {"invalid": "Enter a whole number, for example 17."}

    def to_python(self, value: Any) -> int | None:
        text = str(value or "").strip()
        number = whole_number(text)
        if text and number is None:
            words = self.error_messages["invalid"]
            raise ValidationError(words, code="invalid", params={"value": text})
        return number


def _plain(value: object) -> object:
    """Return a value within an object as JSON can hold it: fractions are floats where they are
    exact.
    """
    if isinstance(value, Decimal):
        return float(value) if Decimal(repr(float(value))) == value else str(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    return value


EXACT_WIDGETS = (forms.HiddenInput, forms.PasswordInput)
CHECKS = (forms.CheckboxInput, forms.RadioSelect, forms.CheckboxSelectMultiple)


class DrawnField(BoundField):
    """A bound field that knows which markup it needs. A form names the focused field in
    `focused_field` until it is submitted.
    """

    def __init__(self, form: forms.BaseForm, field: forms.Field, name: str) -> None:
        super().__init__(form, field, name)
        if form.is_bound:
            name_what_is_missing(field, str(self.label))

    @property
    def data(self) -> Any:
        """Return the input without marks that nobody sees; choices, hidden texts and passwords, and
        a text with which a record's form was opened, are as they came.
        """
        field, typed = self.field, super().data
        is_exact = isinstance(field, forms.ChoiceField) or isinstance(field.widget, EXACT_WIDGETS)
        if not typed or is_exact:
            return typed
        return clean_input(typed, getattr(field, "opened", None))

    def build_widget_attrs(
        self, attrs: dict[str, Any], widget: forms.Widget | None = None
    ) -> dict[str, Any]:
        widget = widget or self.field.widget
        attrs = super().build_widget_attrs(attrs, widget)
        if widget.is_hidden:
            return attrs
        if getattr(self.form, "focused_field", "") == self.name and not self.form.is_bound:
            attrs["autofocus"] = True
        # The browser's own messages come one at a time and say less than our summary.
        if attrs.pop("required", None) and not isinstance(widget, CHECKS):
            attrs["aria-required"] = "true"
        if widget.attrs.get("placeholder") == self.label:
            attrs["placeholder"] = False  # says nothing that the label has not said
        given = str(attrs.get("class") or widget.attrs.get("class", ""))
        classes = given if isinstance(widget, CHECKS) else f"input {given}".strip()
        return attrs | ({"class": classes} if classes else {})

    @property
    def kind(self) -> str:
        """Return what to draw: "choices" (radios, boxes), "group" (of controls), "check" or
        "control".
        """
        if self.use_fieldset:
            return "choices" if isinstance(self.field.widget, ChoiceWidget) else "group"
        return "check" if isinstance(self.field.widget, forms.CheckboxInput) else "control"

    @property
    def mark(self) -> str:
        """Return what stands beside the label of an empty field: "optional" where fewer fields of
        the form are optional than required, else "required"; "" for the others and for boxes.
        """
        marks_required = _marks_required(self.form)
        is_other = self.field.required != marks_required or not _is_filled_in(self.field)
        if is_other or self.value() not in (None, "", []):  # 0 is a value
            return ""
        return "required" if marks_required else "optional"

    @property
    def anchor(self) -> str:
        return self.id_for_label or f"{self.auto_id}_0"


def _marks_required(form: Any) -> bool:
    """Return whether at most half of the fields of a form are required; worked out once."""
    if not hasattr(form, "marks_required"):
        fields = [field for field in form.fields.values() if _is_filled_in(field)]
        form.marks_required = 2 * sum(field.required for field in fields) <= len(fields)
    return bool(form.marks_required)


def _is_filled_in(field: forms.Field) -> bool:
    return not (field.widget.is_hidden or isinstance(field.widget, forms.CheckboxInput))


WidgetContext = Mapping[str, Any]


def _input(widget: WidgetContext) -> str:
    value = widget["value"]
    written = "" if value is None else f' value="{escaped(value)}"'
    start = f'<input type="{widget["type"]}" name="{escaped(widget["name"])}"'
    return f"{start}{written}{_attributes(widget)}>"


def _textarea(widget: WidgetContext) -> str:
    start = f'<textarea name="{escaped(widget["name"])}"{_attributes(widget)}>'
    return f"{start}\n{escaped(widget['value'] or '')}</textarea>"


def _select(widget: WidgetContext) -> str:
    groups = [
        f'<optgroup label="{escaped(title)}">{_options(options)}</optgroup>'
        if title
        else _options(options)
        for title, options, _ in widget["optgroups"]
    ]
    start = f'<select name="{escaped(widget["name"])}"{_attributes(widget)}>'
    return f"{start}{''.join(groups)}</select>"


def _options(options: list[WidgetContext]) -> str:
    return "".join(
        [
            f'<option value="{escaped(each["value"])}"{_attributes(each)}>'
            f"{escaped(each['label'])}</option>"
            for each in options
        ]
    )


def _attributes(widget: WidgetContext) -> str:
    return "".join(
        [
            f" {name}" if value is True else f' {name}="{escaped(value)}"'
            for name, value in widget["attrs"].items()
            if value is not False
        ]
    )


# What the templates of the same names in django/forms/widgets/ draw, at a fifth of the function
# calls: a form has up to a hundred controls.
INPUTS = ("checkbox", "checkbox_option", "date", "email", "hidden", "number", "password",
          "radio_option", "text", "url")  # fmt: skip
CONTROLS: Mapping[str, Callable[[WidgetContext], str]] = {
    **{f"django/forms/widgets/{name}.html": _input for name in INPUTS},
    "django/forms/widgets/textarea.html": _textarea,
    "django/forms/widgets/select.html": _select,
}


class Renderer(TemplatesSetting):
    """Django's renderer with our templates of forms and fields, and functions for controls."""

    form_template_name = "schema/form.html"
    field_template_name = "schema/field.html"
    bound_field_class = DrawnField

    def render(
        self, template_name: str, context: dict[str, Any], request: HttpRequest | None = None
    ) -> str:
        if control := CONTROLS.get(template_name):
            return control(context["widget"])
        return super().render(template_name, context, request)
