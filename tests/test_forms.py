"""The HTML of forms."""

import re

from django import forms

from tests.page import inspect


class Entry(forms.Form):
    name = forms.CharField(help_text="As on the letterhead")
    kind = forms.ChoiceField(choices=[(1, "Individual"), (2, "Business")], widget=forms.RadioSelect)
    country = forms.ChoiceField(choices=[("", "-")], required=False)
    notes = forms.CharField(widget=forms.Textarea, required=False)
    notify = forms.BooleanField(required=False)
    token = forms.CharField(widget=forms.HiddenInput)


def test_widgets_get_the_classes_of_the_stylesheet():
    html = str(Entry())
    assert inspect(html) == []
    assert re.search(r'<input type="text" name="name"[^>]* class="input"', html)
    assert html.count('class="input"') == 3
    assert html.count("(optional)") == 2


def test_optional_fields_are_marked_and_none_has_the_required_attribute():
    html = str(Entry()["name"].as_field_group())
    assert "(optional)" not in html
    assert " required" not in html
    assert 'aria-required="true"' in html
    assert 'aria-describedby="id_name_helptext"' in html


def test_errors_are_shown_at_the_top_and_beside_their_fields():
    html = str(Entry({}))
    assert '<a href="#id_name">Name: This field is required.</a>' in html
    assert '<a href="#id_kind_0">Kind: This field is required.</a>' in html
    assert 'aria-describedby="id_name_helptext id_name_error"' in html
    assert html.count('aria-invalid="true"') == 3


def test_a_placeholder_that_repeats_the_label_is_left_out():
    class Echo(forms.Form):
        name = forms.CharField(label="Name", widget=forms.TextInput({"placeholder": "Name"}))

    assert "placeholder" not in str(Echo())
