"""Controls drawn by functions are those of Django's own templates."""

import re

import pytest
from django import forms
from django.forms.renderers import TemplatesSetting

from dashboard.schema.fields import Renderer

HOSTILE = '<b a="1">&\''
CHOICES = [("", "None"), ("1", HOSTILE), ("Group <i>", [("2", "Two"), ("3", "Three")])]
WIDGETS = [
    forms.TextInput(attrs={"class": HOSTILE, "autofocus": True, "hidden": False}),
    forms.EmailInput(),
    forms.NumberInput(attrs={"step": 2}),
    forms.PasswordInput(render_value=True),
    forms.URLInput(),
    forms.DateInput(),
    forms.HiddenInput(),
    forms.CheckboxInput(),
    forms.Textarea(attrs={"rows": 3}),
    forms.Select(choices=CHOICES),
    forms.SelectMultiple(choices=CHOICES),
]


class ByTemplates(Renderer):
    render = TemplatesSetting.render


def drawn(widget: forms.Widget, value: object, renderer: object) -> str:
    html = widget.render("name", value, {"id": "id_name", "required": True}, renderer)
    return re.sub(r">\s+<", "><", html)


@pytest.mark.parametrize("value", [None, "", "1", HOSTILE, 0, "a\nb"])
@pytest.mark.parametrize("widget", WIDGETS, ids=lambda widget: type(widget).__name__)
def test_a_control_is_drawn_as_by_django(widget, value):
    given = [value] if widget.__class__ is forms.SelectMultiple else value
    assert drawn(widget, given, Renderer()) == drawn(widget, given, ByTemplates())


@pytest.mark.parametrize("widget", [forms.RadioSelect, forms.CheckboxSelectMultiple])
def test_a_choice_is_drawn_as_by_django(widget):
    class ChoiceForm(forms.Form):
        choice = forms.MultipleChoiceField(choices=CHOICES, widget=widget)

    tags = [
        [str(choice.tag()) for choice in ChoiceForm({"choice": "1"}, renderer=each)["choice"]]
        for each in (Renderer(), ByTemplates())
    ]
    assert tags[0] == tags[1]
    assert len(tags[0]) == 4
