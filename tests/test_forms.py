"""The HTML of forms."""

import pytest
from django import forms

from dashboard.lists.saved_lists import ViewForm
from dashboard.office.entry_forms import EntryForm
from dashboard.people.context import RequestContext
from dashboard.people.key_forms import KeysForm
from dashboard.schema.fields import TextField
from dashboard.schema.inputs import DayField
from dashboard.schema.record_form import RecordForm
from dashboard.text.style import MONTH_FIRST, Style


class Entry(forms.Form):
    name = forms.CharField(help_text="As on the letterhead")
    kind = forms.ChoiceField(choices=[(1, "Individual"), (2, "Business")], widget=forms.RadioSelect)
    country = forms.ChoiceField(choices=[("", "-")], required=False)
    notes = forms.CharField(widget=forms.Textarea, required=False)
    notify = forms.BooleanField(required=False)
    token = forms.CharField(widget=forms.HiddenInput)


def marks(form: forms.Form) -> dict[str, str]:
    return {field.name: field.mark for field in form if field.mark}


def test_the_fewer_of_the_optional_and_the_required_fields_are_marked_while_they_are_empty():
    class Longer(Entry):
        country = forms.ChoiceField(choices=[("", "-")])

    class Optional(forms.Form):
        name = forms.CharField(required=False)

    assert marks(Entry()) == {"name": "required", "kind": "required"}
    assert marks(Entry({"name": "Ada"})) == {"kind": "required"}
    assert marks(Longer()) == {"notes": "optional"}
    assert marks(Longer({"notes": "x"})) == {}
    assert marks(Optional()) == {}
    html = str(Entry())
    assert 'class="label must"' in html
    assert '<span class="optional">(required)</span>' in html
    assert '<span class="optional">(optional)</span>' in str(Longer())


def test_no_field_has_the_required_attribute():
    html = str(Entry()["name"].as_field_group())
    assert " required" not in html
    assert 'aria-required="true"' in html
    assert 'aria-describedby="id_name_helptext"' in html


def test_errors_are_shown_at_the_top_and_beside_their_fields():
    html = str(Entry({}))
    assert '<a href="#id_name">Enter the name.</a>' in html
    assert '<a href="#id_kind_0">Choose the kind.</a>' in html
    assert 'aria-describedby="id_name_helptext id_name_error"' in html
    assert html.count('aria-invalid="true"') == 3


def test_names_that_stand_in_mails_and_logs_are_one_line():
    fields = {
        "workspace": KeysForm.base_fields["workspace"],
        "view": ViewForm.base_fields["name"],
        "number of an entry": EntryForm.base_fields["code"],
        "name of an entry": EntryForm.base_fields["name"],
    }
    for name, field in fields.items():
        assert field.clean(" Acme & Söhne \U0001f469\u200d\U0001f4bb ")
        for odd in "\x07\x1b\x7f\u202e":
            with pytest.raises(forms.ValidationError, match="one line without control"):
                field.clean(f"Acme{odd}Role"), name
    assert fields["name of an entry"].clean("Acme\nRole") == "Acme Role"


def test_short_fields_that_follow_each_other_share_a_row():
    class DealForm(RecordForm):
        half_width = ("amount", "currency", "close")
        name, amount, currency, close, note = (TextField() for _ in range(5))

    form = DealForm()
    rows = [[field.name for field in row] for row in form.in_rows(form.main())]
    assert rows == [["name"], ["amount", "currency"], ["close"], ["note"]]


def test_a_day_has_examples_in_the_persons_style():
    field = DayField()
    assert field.help_text == "For example 15/3, fri, +30"
    ctx = RequestContext(gateway=None, style=Style(order=MONTH_FIRST))
    field.bind(ctx)
    assert field.help_text == "For example 3/15, fri, +30"
    own = DayField(help_text="When it is due.")
    own.bind(ctx)
    assert own.help_text == "When it is due."
