"""Edits one field of a record in place.

htmx requests the URL of the edit form with ?field=NAME and posts there; every other request for
that URL is for the whole form. The posted field is completed to the whole form as it was opened, so
that validation, conflicts, draft and history are those of that form.
"""

from dataclasses import replace
from typing import NamedTuple

from django.contrib.messages import get_messages
from django.http import HttpResponse, QueryDict
from django_htmx.http import HttpResponseClientRedirect, retarget

from dashboard.gateway import GatewayError, Record
from dashboard.people.context import RequestContext
from dashboard.records import form_drafts
from dashboard.records.form_drafts import IN_PLACE, form_input
from dashboard.records.record_page import FIELD
from dashboard.schema import values
from dashboard.schema.cells import Names
from dashboard.schema.money import Currencies, currency_of
from dashboard.schema.record_form import RecordForm, open_snapshot, posted_fields, seal_snapshot
from dashboard.schema.resource import Detail, Resource
from dashboard.schema.values import DisplayValue
from dashboard.writes.ledger import new_token
from dashboard.writes.verification import verify_saved

CELL = "cell"  # the parameter of one that stands in a list
UNIT = "unit"  # the parameter with the currency that stands above its amounts
FORM = "records/in_place_form.html"
PLACE = "closest [data-place]"  # where the sent form stands; so any status is swapped


class Undo(NamedTuple):
    """Fields of a form that restores the previous value of a field."""

    token: str
    snapshot: str
    texts: list[str]


def requested_field(ctx: RequestContext, resource: Resource) -> str:
    """Return the field that htmx requests; "" for the whole form or one not editable in place."""
    name = ctx.params.get(FIELD, "")
    return name if ctx.request.htmx and name in resource.fields_in_place(ctx) else ""


def complete_input(ctx: RequestContext, resource: Resource, record_id: int) -> None:
    """Complete a field that was posted alone to the whole form. Raises GatewayError."""
    given, name = form_input(ctx), form_input(ctx).get(IN_PLACE)
    if given.data is None or not name:
        return
    kind = resource.edit_form
    opened = open_snapshot(given.get("snapshot"), of=resource.record_name(record_id))
    if opened is None:
        opened = kind.read(resource.read(ctx.gateway, record_id, fresh=True), ctx.style)
    data = posted_fields(kind(ctx=ctx, opened_with=opened))
    data.pop(name, None)
    for key, texts in given.data.lists():
        if key != IN_PLACE:
            data.setlist(key, texts)
    form_drafts.store_changed(ctx, data)
    ctx.request.form_input = replace(given, data=data)


def render_field(
    ctx: RequestContext, form: RecordForm, name: str, context: dict[str, object], status: int
) -> HttpResponse:
    """Render this field alone, in place of its value. `context`: of the whole form."""
    others = [
        f"{form[key].label}: {error}" if key in form.fields else error
        for key, errors in form.errors.items()
        if key != name
        for error in errors
    ]
    opened = (form.opened_with or {}).get(name, "")
    more = {
        "field": form[name],
        "field_url": ctx.request.get_full_path(),
        "others": others,
        "was": form.fields[name].caption(opened),
    }
    response = ctx.render(FORM, {**context, **more}, status=status)
    return retarget(response, PLACE) if ctx.request.method == "POST" else response


def answer(
    ctx: RequestContext, resource: Resource, record_id: int, response: HttpResponse
) -> HttpResponse:
    """Replace a redirect to the record by the field's value, and any other by its URL, for htmx."""
    name, url = requested_field(ctx, resource), response.headers.get("Location", "")
    if not name or not url:
        return response
    if url == resource.url(record_id):
        return _render_value(ctx, resource, record_id, name)
    return HttpResponseClientRedirect(url)


def _render_value(
    ctx: RequestContext, resource: Resource, record_id: int, name: str
) -> HttpResponse:
    """Render the saved value with Undo; as it was typed if the record cannot be read."""
    said = [str(each) for each in get_messages(ctx.request) if "saved" in each.tags.split()]
    before = open_snapshot(form_input(ctx).get("snapshot"), of=resource.record_name(record_id))
    form = resource.edit_form(form_input(ctx).data, ctx=ctx, opened_with=before)
    try:
        record = resource.read(ctx.gateway, record_id, fresh=True)
    except GatewayError:
        words = form.fields[name].caption(form[name].value())
        value, unit, undo, notes = values.text(words), "", None, list[str]()
    else:
        value, unit = _shown(ctx, resource, record, name)
        undo = _undo(ctx, resource, record, form, name) if said else None
        notes = verify_saved(ctx, resource, record) if said else []
    context = {
        "name": name,
        "label": form[name].label,
        "value": value,
        "unit": unit,
        "field_url": ctx.request.get_full_path(),
        "is_cell": CELL in ctx.params,
        "is_saved": bool(said),
        "notes": notes,
        "undo": undo,
    }
    return ctx.render("records/in_place_value.html", context)


def _undo(
    ctx: RequestContext, resource: Resource, record: Record, form: RecordForm, name: str
) -> Undo:
    now = resource.edit_form.read(record, ctx.style)
    before: QueryDict = posted_fields(resource.edit_form(ctx=ctx, opened_with=form.opened_with))
    snapshot = seal_snapshot(now, of=resource.record_name(record.id))
    return Undo(new_token(), snapshot, before.getlist(name))


def _shown(
    ctx: RequestContext, resource: Resource, record: Record, name: str
) -> tuple[DisplayValue, str]:
    if CELL in ctx.params:
        columns = (each for each in resource.offered_columns if each.name == name)
        column: Detail = next(columns, resource.detail(name))
        names = Names(currencies=Currencies(common=ctx.params.get(UNIT, "")))
        return values.shortened(column.value(record, ctx, names)), ""
    detail, unit = resource.detail(name), currency_of(record, ctx)
    if detail.is_amount and detail in resource.headline:
        return detail.value(record, ctx, Names(currencies=Currencies(common=unit))), unit
    return detail.value(record, ctx), ""
