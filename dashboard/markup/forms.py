"""How every form of the dashboard is drawn: label, help, error and control, the same everywhere.

Forms declare fields and widgets; classes, ARIA attributes and markup come from here and from
templates/forms/.
"""

import re
from typing import Any

from django import forms
from django.forms.boundfield import BoundField
from django.forms.renderers import TemplatesSetting
from django.forms.widgets import ChoiceWidget

CHECKS = (forms.CheckboxInput, forms.RadioSelect, forms.CheckboxSelectMultiple)

# Control characters, other line breaks, and what changes the direction of the text after it.
_NOT_ON_A_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def validate_one_line(text: str) -> None:
    """Raise ValidationError for a text that would change what stands around it in a mail or log."""
    if _NOT_ON_A_LINE.search(text):
        raise forms.ValidationError("Use one line without control characters.", code="not_a_line")


class DrawnField(BoundField):
    """A bound field that knows which markup it needs."""

    def build_widget_attrs(
        self, attrs: dict[str, Any], widget: forms.Widget | None = None
    ) -> dict[str, Any]:
        widget = widget or self.field.widget
        attrs = super().build_widget_attrs(attrs, widget)
        if widget.is_hidden:
            return attrs
        # The browser's own bubbles say less than our summary, in another voice, one at a time.
        if attrs.pop("required", None) and not isinstance(widget, CHECKS):
            attrs["aria-required"] = "true"
        if widget.attrs.get("placeholder") == self.label:
            attrs["placeholder"] = False  # says nothing that the label has not said
        given = str(attrs.get("class") or widget.attrs.get("class", ""))
        classes = f"{control_class(widget)} {given}".strip()
        return attrs | ({"class": classes} if classes else {})

    @property
    def kind(self) -> str:
        """What to draw: "choices" (radios, boxes), "group" (of controls), "check" or "control"."""
        if self.use_fieldset:
            return "choices" if isinstance(self.field.widget, ChoiceWidget) else "group"
        return "check" if isinstance(self.field.widget, forms.CheckboxInput) else "control"

    @property
    def anchor(self) -> str:
        """The id that a link in the error summary leads to."""
        return self.id_for_label or f"{self.auto_id}_0"


def control_class(widget: forms.Widget) -> str:
    """The class of a text control or select; checks and radios have none."""
    return "" if isinstance(widget, CHECKS) else "input"


class Renderer(TemplatesSetting):
    form_template_name = "forms/form.html"
    field_template_name = "forms/field.html"
    bound_field_class = DrawnField
