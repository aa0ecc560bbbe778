"""The form for what is to change in every selected record, by the edit form's declaration."""

import copy
from collections.abc import Mapping
from functools import cache
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from dashboard.office.record_field import RecordField
from dashboard.office.reference_fields import ReferenceField, ReferencesField, SuggestField
from dashboard.schema.fields import ChoiceField, display
from dashboard.schema.inputs import DayField
from dashboard.schema.record_form import RecordForm
from dashboard.text.style import PLAIN

GIVEN = (ReferenceField, ReferencesField, SuggestField, DayField, ChoiceField)
EMPTY = "empty"
LABELS = {"add": "Add {}", "take": "Remove {}"}  # of fields with several entries
UNCHANGED = ("", "No change")
NOTHING = "Change at least one field."
BOTH = "You've both filled in and cleared this field. Choose one."


class NamesField(RecordField, forms.MultipleChoiceField):
    """One check box for each of some fields."""

    widget = forms.CheckboxSelectMultiple


class BulkForm(RecordForm):
    """`empty`: the fields to be emptied."""

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        emptied = data.get(EMPTY) or []
        for name in emptied:
            if data.get(name) not in (None, ""):
                self.add_error(name, BOTH)
        if not self.errors and not any(self.changes().values()):
            raise ValidationError(NOTHING)
        return data

    def changes(self) -> dict[str, dict[str, Any]]:
        """Return the values to `set`, and the entries to `add` and `take` in fields with
        several.
        """
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
    """Return the changes as (label, value). `form`: the edit form of the resource."""
    changed = []
    for part in ("set", *LABELS):
        for name, value in changes.get(part, {}).items():
            label, caption = described(form, name, value)
            if part in LABELS:
                label = LABELS[part].format(label.lower())
            changed.append((label, caption or "empty"))
    return changed


def described(form: RecordForm, name: str, value: Any) -> tuple[str, str]:
    """Return the label of a field and the caption of a value; "" for no value."""
    field, style = form.fields[name], form.ctx.style if form.ctx else PLAIN
    return str(field.label), field.caption(display(value, style))


def _part_of(name: str) -> tuple[str, str]:
    part, _, field = name.partition("_")
    return (part, field) if part in LABELS else ("set", name)


def bulk_fields(edit_form: type[RecordForm]) -> dict[str, forms.Field]:
    """Return the fields that many records can be given the same value of."""
    named = edit_form.in_bulk
    return {
        name: field
        for name, field in edit_form.base_fields.items()
        if (name in named if named else isinstance(field, GIVEN))
    }


@cache
def form_of(edit_form: type[RecordForm]) -> type[BulkForm]:
    fields: dict[str, forms.Field] = {}
    clearable = []
    for name, field in bulk_fields(edit_form).items():
        if isinstance(field, ReferencesField):
            for part, label in LABELS.items():
                fields[f"{part}_{name}"] = _copied(field, label.format(str(field.label).lower()))
        else:
            fields[name] = _copied(field, str(field.label))
            if not field.required:
                clearable.append((name, str(field.label)))
    if clearable:
        fields[EMPTY] = NamesField(
            label="Clear these fields",
            required=False,
            choices=clearable,
        )
    return type("BulkForm", (BulkForm,), fields)


def _copied(field: forms.Field, label: str) -> forms.Field:
    copied = copy.deepcopy(field)
    copied.required, copied.initial, copied.label, copied.help_text = False, None, label, ""
    copied.widget.is_required = True  # a select begins with "Choose…", as "None" would be a change
    if isinstance(copied, ChoiceField):
        copied.choices = [UNCHANGED, *copied.captions.items()]
        copied.widget = forms.Select(choices=copied.choices)
    return copied
