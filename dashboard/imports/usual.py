"""What the new records of a file have where it does not say."""

from collections.abc import Container
from typing import Any

from django import forms
from django.http import QueryDict

from dashboard.documents.initial import REMEMBERED, usual_values
from dashboard.imports.choosing import LONGEST_CODE
from dashboard.imports.document_columns import is_document
from dashboard.imports.storage import Wishes
from dashboard.records.context import RequestContext
from dashboard.records.forms.record_form import RecordForm
from dashboard.records.pages.defaults import default_values
from dashboard.records.resource import Resource


def usual_form(resource: Resource, ctx: RequestContext, wishes: Wishes) -> RecordForm:
    """The form of a new record as it begins; of a document with what was chosen for all."""
    initial: dict[str, Any] = default_values(resource.create_form, ctx)
    if is_document(resource) and ctx.person:
        initial = {**usual_values(ctx.person, resource, ctx), **wishes.usual}
    return resource.create_form(ctx=ctx, initial=initial)


def take_usual(wishes: Wishes, data: QueryDict, form: RecordForm) -> None:
    """Take over what was chosen for all documents."""
    for name in REMEMBERED:
        if name in data and name in form.fields:
            text = form.fields[name].widget.value_from_datadict(data, {}, name)
            wishes.usual[name] = str(text or "")[:LONGEST_CODE]


def usual_fields(
    resource: Resource, ctx: RequestContext, wishes: Wishes, used: Container[str]
) -> list[forms.BoundField]:
    """The fields that are chosen for all documents: those without a column."""
    if not is_document(resource):
        return []
    form = usual_form(resource, ctx, wishes)
    return [form[name] for name in REMEMBERED if name not in used]
