"""The pages of every resource: list, detail, create and edit; deleting.py has how one is deleted.

Plain functions that take the resource as data. A failure of the API that belongs on a form is
put there, with everything typed; every other one is turned into a page by the middleware.
"""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from time import monotonic
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django_htmx.http import push_url, trigger_client_event

from dashboard.accounts.permissions import EDIT_RECORDS
from dashboard.gateway import GatewayError, Page, Record
from dashboard.preferences import services as preferences
from dashboard.records.context import RequestContext, StaffRequest, context_of
from dashboard.records.forms.pickers import ID
from dashboard.records.forms.record_form import EMPTY, RecordForm, conflicts, open_snapshot
from dashboard.records.lists import filters, sorting, table
from dashboard.records.lists.chips import chips
from dashboard.records.lists.fetching import fetch
from dashboard.records.lists.query import ListQuery
from dashboard.records.pages import deleted_copies, picker_steps, unnamed_references
from dashboard.records.pages.rendering import (
    not_offered,
    record_name,
    render_failed_save,
    render_form,
    render_record,
)
from dashboard.records.references import lookups, titles
from dashboard.records.resource import Resource
from dashboard.records.writes import writer


def list_records(
    request: StaffRequest, resource: Resource, *, template: str = "records/list.html"
) -> HttpResponse:
    """The list as its address says; for htmx only the table and what belongs to it."""
    ctx, begun = context_of(request), monotonic()
    query, page = fetch(ctx.gateway, ListQuery.read(resource, request.GET))
    lookups.learn(ctx.gateway, resource.endpoint, page.records)
    unnamed_references.learn(resource, page.records, ctx)
    ctx = titles.fill(ctx, resource.columns, page.records, round_trip=monotonic() - begun)
    context = {
        "list_url": resource.url(),
        "new_url": resource.url(action="new") * request.user.has_perm(EDIT_RECORDS),
        **_results(query, page, ctx),
    }
    if request.htmx and not request.htmx.history_restore_request:
        response = render(request, "records/_results.html", context)
        push_url(response, query.url())
        trigger_client_event(response, "announce", {"value": context["count"]})
    else:
        controls = filters.controls(resource, query.filters, ctx, request.GET)
        context |= {
            "search": query.search,
            "filters": controls,
            "pickers": any(control.picker for control in controls),
        }
        response = render(request, template, context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _results(query: ListQuery, page: Page, ctx: RequestContext) -> dict[str, Any]:
    """The context of records/_results.html: the table and what belongs to it."""
    resource = query.resource
    return {
        "resource": resource,
        "query": query,
        "size": query.params().get("size", ""),
        "count": _count(resource, page),
        "chips": chips(query, ctx),
        "head": table.head(query, sorting.unsortable(ctx.gateway, resource)),
        "rows": table.rows(resource, page, ctx),
        "pager": table.pager(query, page.total_pages or 1),
        "sizes": table.sizes(query),
        "unreadable_rows": page.unreadable_rows,
        "late": ctx.late,
    }


def _count(resource: Resource, page: Page) -> str:
    if page.total_records is None:
        return ""
    noun = resource.singular if page.total_records == 1 else resource.name
    return f"{page.total_records:,} {noun}"


def show(request: StaffRequest, resource: Resource, record_id: int) -> HttpResponse:
    """One record with everything the service shows of it."""
    begun = monotonic()
    record = request.gateway.get(resource.endpoint, record_id)
    lookups.learn_whole(request.gateway, resource.endpoint, record)
    return render_record(request, resource, record, round_trip=monotonic() - begun)


def create(request: StaffRequest, resource: Resource) -> HttpResponse:
    """A new record, linked to another (?contact=17) or copied from one (?copy=17) if asked."""
    return create_with(request, resource, resource.create_form, beginning(request, resource))


def create_with(
    request: StaffRequest,
    resource: Resource,
    form_class: type[RecordForm],
    initial: Mapping[str, Any] | None,
    **more: Any,
) -> HttpResponse:
    """The page of a new record, whose form begins with `initial`."""
    ctx = context_of(request)
    if request.method != "POST":
        form = form_class(ctx=ctx, initial=initial)
        return render_form(request, resource, form, **more)
    form = form_class(request.POST, ctx=ctx, initial=initial)
    if picker_steps.step(form):
        return render_form(request, resource, form, **more)
    if not form.is_valid():
        return render_form(request, resource, form, status=HTTPStatus.UNPROCESSABLE_ENTITY, **more)
    token = request.POST.get("token", "")
    try:
        created = writer.create(ctx=ctx, resource=resource, body=form.payload(), token=token)
    except GatewayError as error:
        return render_failed_save(request, resource, form, error, **more)
    _remember(request, resource, form)
    messages.success(request, f"{resource.singular.capitalize()} {created.label} was created.")
    if "save_new" in request.POST:
        return redirect(resource.url(action="new"))
    return redirect(resource.url(created.id))


def _remember(request: StaffRequest, resource: Resource, form: RecordForm) -> None:
    """What was chosen in the remembered fields, for the person's next form."""
    said = {name: form.cleaned_data.get(name) for name in form.remembered}
    chosen = {f"{resource.name}.{name}": value for name, value in said.items() if value}
    if chosen and form.ctx:
        preferences.remember_used(request.user, form.ctx.workspace, chosen)


def edit(request: StaffRequest, resource: Resource, record_id: int) -> HttpResponse:
    """Change a record. Only what was touched is sent, and never over somebody else's change."""
    if not request.gateway.offers(resource.endpoint, "update"):
        return not_offered(request, resource, record_id, "update")
    return edit_with(
        request, resource, record_id, lambda: request.gateway.get(resource.endpoint, record_id)
    )


def edit_with(
    request: StaffRequest, resource: Resource, record_id: int, read: Callable[[], Record]
) -> HttpResponse:
    """The edit page of a record that `read` gives as it is in the service now."""
    if request.method != "POST":
        ctx = context_of(request)
        opened_with = resource.edit_form.read(read(), ctx.style)
        form = resource.edit_form(opened_with=opened_with, ctx=ctx)
        return render_form(request, resource, form, record_id=record_id)
    opened = open_snapshot(request.POST.get("snapshot", ""), of=record_name(resource, record_id))
    if opened is None:
        return _start_over(request, resource, read())
    form = resource.edit_form(request.POST, opened_with=opened, ctx=context_of(request))
    if picker_steps.step(form):
        return render_form(request, resource, form, record_id=record_id)
    if not form.is_valid():
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return render_form(request, resource, form, record_id=record_id, status=status)
    if not form.touched():
        messages.info(request, "Nothing was changed.")
        return redirect(resource.url(record_id))
    try:
        return _save(request, resource, form, record_id, read)
    except GatewayError as error:
        return render_failed_save(request, resource, form, error, record_id=record_id)


def beginning(request: StaffRequest, resource: Resource) -> dict[str, Any]:
    """What a new record's form begins with, as its address says."""
    if begun_from := original(request, resource):
        return copy_of(resource, begun_from, context_of(request))
    ctx, form = context_of(request), resource.create_form
    keys = {f"{resource.name}.{name}": name for name in form.remembered}
    used = preferences.last_used(request.user, ctx.workspace, keys)
    chosen_last = {keys[key]: value for key, value in used.items()}
    return {**chosen_last, **form.linked_to(request.GET, ctx)}


def original(request: StaffRequest, resource: Resource) -> Record | None:
    """What a new record is to be a copy of, as the address says: a record (?copy=17), or what is
    kept of a deleted one (?again=3). A form that was typed needs it no more: it may be gone.
    """
    if request.method == "POST":
        return None
    copied = request.GET.get("copy", "")
    if ID.fullmatch(copied):
        return resource.read(request.gateway, int(copied))
    return deleted_copies.kept_copy(request, resource)


def copy_of(resource: Resource, record: Record, ctx: RequestContext) -> dict[str, Any]:
    """The values of a record for the form of a new one, as far as the service shows them."""
    values = resource.create_form.read(record, ctx.style)
    return {name: value for name, value in values.items() if value not in EMPTY}


def _save(
    request: StaffRequest,
    resource: Resource,
    form: RecordForm,
    record_id: int,
    read: Callable[[], Record],
) -> HttpResponse:
    """Send what was touched, unless somebody else changed the same fields meanwhile."""
    ctx, token, typed = context_of(request), request.POST.get("token", ""), form.payload()
    one: dict[str, Any] = {"ctx": ctx, "resource": resource, "record_id": record_id}
    with writer.lock_for_form(**one, token=token, typed=typed) as lock:
        if lock:
            fresh = read()
            clashes = list(conflicts(form, resource.edit_form.read(fresh, ctx.style)))
            if clashes:
                form.show_conflicts(clashes)
                status = HTTPStatus.CONFLICT
                return render_form(request, resource, form, record_id=record_id, status=status)
            writer.update(
                **one,
                body={**_always_sent(resource, fresh), **typed},
                token=token,
                label=str((form.opened_with or {}).get(resource.title_field) or ""),
                typed=typed,
                fresh=fresh,
                lock=lock,
            )
    messages.success(request, "Your changes were saved.")
    return redirect(resource.url(record_id))


def _always_sent(resource: Resource, fresh: Record) -> dict[str, Any]:
    """What every update must carry (reference, "Deal"), as it stands in the service now. What
    cannot be read is left out, and the check before sending then asks for it beside its field.
    """
    if resource.endpoint.whole_body_update:
        return {}
    values = {item.name: fresh.get(item.name) for item in resource.endpoint.update if item.required}
    return {name: value for name, value in values.items() if value}


def _start_over(request: StaffRequest, resource: Resource, fresh: Record) -> HttpResponse:
    """What was typed, with a fresh snapshot for the one that cannot be read any more."""
    ctx = context_of(request)
    opened = resource.edit_form.read(fresh, ctx.style)
    form = resource.edit_form(request.POST, opened_with=opened, ctx=ctx)
    form.add_error(
        None,
        "This form was open for too long to be sure what you changed. "
        "Please look through it and save again.",
    )
    status = HTTPStatus.CONFLICT
    return render_form(request, resource, form, record_id=fresh.id, status=status)
