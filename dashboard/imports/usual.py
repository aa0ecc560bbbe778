"""What all records of a file have where it has no column: set once, above its rows."""

from collections.abc import Container
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from dashboard.documents.initial import usual_values
from dashboard.imports.document_columns import is_document
from dashboard.imports.import_file import ImportSettings
from dashboard.office import choices as preferences
from dashboard.office import reference_lists as catalogue
from dashboard.office.reference_fields import ReferenceField, ReferencesField
from dashboard.people.context import RequestContext
from dashboard.schema.defaults import default_values
from dashboard.schema.pickers import PickerField
from dashboard.schema.record_form import RecordForm, posted_fields
from dashboard.schema.resource import Resource

POSTED = "usual"  # names the fields that the page has shown
LINES = "items"  # of a document
LONGEST = 500  # characters
NEEDED = "Needed: the file has no such column."


def usual_form(resource: Resource, ctx: RequestContext, choices: ImportSettings) -> RecordForm:
    """The form of a new record as it begins, with what was chosen for all."""
    initial: dict[str, Any] = default_values(resource.create_form, ctx)
    if ctx.person and is_document(resource):
        initial |= usual_values(ctx.person, resource, ctx)
    elif ctx.person:
        keys = {f"{resource.name}.{name}": name for name in resource.create_form.remembered}
        last = preferences.choices_of(ctx.person, ctx.workspace)
        initial |= {name: last[key] for key, name in keys.items() if key in last}
    return resource.create_form(ctx=ctx, initial={**initial, **choices.usual})


def take_usual(choices: ImportSettings, data: QueryDict, form: RecordForm) -> list[str]:
    """Take over what was chosen for all records. Returns what to say about it."""
    said: list[str] = []
    for name in data.getlist(POSTED):
        field = form.fields.get(name)
        if field is None:
            continue
        text = str(field.widget.value_from_datadict(data, {}, name) or "")
        if isinstance(field, PickerField):
            text, words = chosen_record(field, text)
            said += words
        choices.usual[name] = text[:LONGEST]
    return said


def chosen_record(field: PickerField, text: str) -> tuple[str, list[str]]:
    """The id of the record that was chosen or typed, "" for none; and why there is none."""
    try:
        return str(field.to_python(text) or ""), []
    except ValidationError as error:
        return "", [f"{field.label}: {error.message}"]


def usual_fields(
    resource: Resource, ctx: RequestContext, choices: ImportSettings, lacking: Container[str]
) -> list[forms.BoundField]:
    """The fields that are chosen for all records, those that are needed first: without a column,
    and required or chosen from a list. `lacking`: the fields that are wrong in some row; these tell
    what is wrong with what was chosen for all.
    """
    used = set((choices.fields or {}).values())
    begun = usual_form(resource, ctx, choices)
    names = [name for name, field in begun.fields.items() if name not in used and name not in
             (resource.title_field, LINES) and _is_usual(field, ctx)]  # fmt: skip
    names.sort(key=lambda name: not begun.fields[name].required)
    form = resource.create_form(posted_fields(begun), ctx=ctx)
    form.full_clean()
    for name in names:
        if name not in lacking:
            form.errors.pop(name, None)
        elif name in form.errors and not begun[name].value():
            form.errors[name] = form.error_class([NEEDED])
    if wrong := next((name for name in names if name in form.errors), ""):
        form.fields[wrong].widget.attrs["autofocus"] = True
    return [form[name] for name in names]


def _is_usual(field: forms.Field, ctx: RequestContext) -> bool:
    if isinstance(field, ReferenceField | ReferencesField) and not field.required:
        return bool(catalogue.choices(ctx.workspace, field.kind))
    return field.required
