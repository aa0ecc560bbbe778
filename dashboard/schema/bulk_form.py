"""The form for what is to change in every selected record, by the edit form's declaration."""

import copy
from collections.abc import Mapping
from functools import cache
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from dashboard.office.reference_fields import ReferenceField, ReferencesField, SuggestField
from dashboard.schema.fields import shown
from dashboard.schema.inputs import DayField
from dashboard.schema.record_form import RecordForm

GIVEN = (ReferenceField, ReferencesField, SuggestField, DayField, forms.ChoiceField)
ADD, TAKE, EMPTY = "add_", "take_", "empty"
ADD_WORDS, TAKE_WORDS = "Add {}", "Take {} off"
UNCHANGED = ("", "Leave as it is")
NOTHING = "Nothing would change: fill in at least one field."
BOTH = "This is filled in and also marked to be emptied. Choose one."


class BulkForm(RecordForm):
    """`empty`: the fields to be emptied."""

    def clean(self) -> dict[str, Any]:
        """Require a change."""
        data = super().clean()
        emptied = data.get(EMPTY) or []
        for name in emptied:
            if data.get(name) not in (None, ""):
                self.add_error(name, BOTH)
        if not self.errors and not any(self.changes().values()):
            raise ValidationError(NOTHING)
        return data

    def changes(self) -> dict[str, dict[str, Any]]:
        """The values to `set`, and the entries to `add` and `take` in fields with several."""
        changes: dict[str, dict[str, Any]] = {"set": {}, "add": {}, "take": {}}
        for name, value in self.cleaned_data.items():
            if name == EMPTY:
                texts = {each for each in value if isinstance(self.fields[each], forms.CharField)}
                changes["set"] |= {each: "" if each in texts else None for each in value}
            elif value not in (None, "", []):
                part, field = _part_of(name)
                changes[part][field] = value
        return changes


def in_words(form: RecordForm, changes: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str]]:
    """The changes as (what, value). `form`: the edit form of the resource."""
    changed = [
        (label_of(form, name), any_in_words(form, name, value) or "empty")
        for name, value in changes.get("set", {}).items()
    ]
    for words, part in ((ADD_WORDS, "add"), (TAKE_WORDS, "take")):
        for name, codes in changes.get(part, {}).items():
            label = words.format(label_of(form, name).lower())
            changed.append((label, any_in_words(form, name, codes)))
    return changed


def label_of(form: RecordForm, name: str) -> str:
    """What people call a field of the record, by its edit form."""
    return str(form.fields[name].label or name)


def any_in_words(form: RecordForm, name: str, value: Any) -> str:
    """A value of a field of the record, an id or a code by its name; "" for none."""
    field = form.fields[name]
    if not isinstance(field, ReferencesField):
        return form.value_in_words(name, shown(value))
    return ", ".join(field.widget.caption(str(code)) for code in value or ())


def _part_of(name: str) -> tuple[str, str]:
    for prefix, part in ((ADD, "add"), (TAKE, "take")):
        if name.startswith(prefix):
            return part, name.removeprefix(prefix)
    return "set", name


def bulk_fields(edit_form: type[RecordForm]) -> dict[str, forms.Field]:
    """The fields that many records can be given the same value of."""
    named = edit_form.in_bulk
    return {
        name: field
        for name, field in edit_form.base_fields.items()
        if (name in named if named else isinstance(field, GIVEN))
    }


@cache
def form_of(edit_form: type[RecordForm]) -> type[BulkForm]:
    """The form for the changes of many records that have this edit form."""
    fields: dict[str, forms.Field] = {}
    clearable = []
    for name, field in bulk_fields(edit_form).items():
        if isinstance(field, ReferencesField):
            noun = str(field.label).lower()
            fields[ADD + name] = _copied(field, ADD_WORDS.format(noun))
            fields[TAKE + name] = _copied(field, TAKE_WORDS.format(noun))
        else:
            fields[name] = _copied(field, str(field.label))
            if not field.required:
                clearable.append((name, str(field.label)))
    if clearable:
        fields[EMPTY] = forms.MultipleChoiceField(
            label="Clear these fields",
            required=False,
            choices=clearable,
            widget=forms.CheckboxSelectMultiple,
        )
    return type("BulkForm", (BulkForm,), fields)


def _copied(field: forms.Field, label: str) -> forms.Field:
    copied = copy.deepcopy(field)
    copied.required, copied.initial, copied.label, copied.help_text = False, None, label, ""
    copied.widget.is_required = True  # a select begins with "Choose…", as "None" would be a change
    if isinstance(copied, forms.ChoiceField):
        copied.choices = [UNCHANGED, *_choices(copied)]
        copied.widget = forms.Select(choices=copied.choices)
    return copied


def _choices(field: Any) -> list[tuple[str, str]]:
    return list(field.choices)
