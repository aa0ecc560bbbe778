"""The pages of every resource: list, detail, create, edit and delete.

Plain functions that take the resource as data. A failure of the API that belongs on a form is
put there, with everything typed; every other one is turned into a page by the middleware.
"""

from dataclasses import replace
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django_htmx.http import push_url, trigger_client_event

from dashboard.gateway import GatewayError, Missing, Page, Rejected

from . import actions, details, sorting, table
from .desk import desk_of
from .failures import describe
from .forms import RecordForm, conflicts, open_snapshot, seal_snapshot
from .query import ListQuery
from .request import StaffRequest
from .resource import Resource


def list_records(request: StaffRequest, resource: Resource) -> HttpResponse:
    """The list as its address says; for htmx only the table and what belongs to it."""
    query, page = _fetch(request, ListQuery.read(resource, request.GET))
    last = max(1, page.total_pages or 1)
    context = {
        **_places(resource),
        "query": query,
        "filters": table.filters(query),
        "size": query.params().get("size", ""),
        "head": table.head(query, sorting.unsortable(resource)),
        "rows": table.rows(resource, page, desk_of(request)),
        "count": _count(resource, page),
        "pager": table.pager(query, last) if last > 1 else [],
        "sizes": table.sizes(query),
        "chips": table.chips(query),
        "unreadable_rows": str(page.unreadable_rows or ""),
    }
    partial = request.htmx and not request.htmx.history_restore_request
    response = render(request, f"records/{'_results' if partial else 'list'}.html", context)
    if partial:
        push_url(response, query.url())
        trigger_client_event(response, "announce", {"value": context["count"]})
    patch_vary_headers(response, ["HX-Request"])
    return response


def show(request: StaffRequest, resource: Resource, record_id: int) -> HttpResponse:
    """One record with everything the service shows of it."""
    record = request.gateway.get(resource.endpoint, record_id)
    desk = desk_of(request)
    context = {
        **_places(resource, record_id),
        "title": resource.title(record),
        "facts": details.lines(resource.facts, record, desk),
        "sections": details.sections(resource, record, desk),
    }
    return render(request, "records/detail.html", context)


def create(request: StaffRequest, resource: Resource) -> HttpResponse:
    """A new record."""
    if request.method != "POST":
        return _form_page(request, resource, resource.create_form(desk=desk_of(request)))
    form = resource.create_form(request.POST, desk=desk_of(request))
    if not form.is_valid():
        return _form_page(request, resource, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        created = actions.create(gateway=request.gateway, resource=resource, body=form.payload())
    except GatewayError as error:
        return _not_saved(request, resource, form, error)
    messages.success(request, f"{resource.singular.capitalize()} {created.label} was created.")
    if "save_new" in request.POST:
        return redirect(resource.url(action="new"))
    return redirect(resource.url(created.id))


def edit(request: StaffRequest, resource: Resource, record_id: int) -> HttpResponse:
    """Change a record. Only what was touched is sent, and never over somebody else's change."""
    if request.method != "POST":
        record = request.gateway.get(resource.endpoint, record_id)
        desk = desk_of(request)
        opened_with = resource.edit_form.read(record, desk.style)
        form = resource.edit_form(opened_with=opened_with, desk=desk)
        return _form_page(request, resource, form, record_id=record_id)
    opened = open_snapshot(request.POST.get("snapshot", ""), of=_name(resource, record_id))
    if opened is None:
        return _start_over(request, resource, record_id)
    form = resource.edit_form(request.POST, opened_with=opened, desk=desk_of(request))
    if not form.is_valid():
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return _form_page(request, resource, form, record_id=record_id, status=status)
    if not form.touched():
        messages.info(request, "Nothing was changed.")
        return redirect(resource.url(record_id))
    try:
        return _save(request, resource, form, record_id)
    except GatewayError as error:
        return _not_saved(request, resource, form, error, record_id=record_id)


def delete(request: StaffRequest, resource: Resource, record_id: int) -> HttpResponse:
    """Delete a record, after asking."""
    if request.method != "POST":
        record = request.gateway.get(resource.endpoint, record_id)
        context = {**_places(resource, record_id), "title": resource.title(record)}
        return render(request, "records/delete.html", context)
    try:
        actions.delete(gateway=request.gateway, resource=resource, record_id=record_id)
    except Missing:
        messages.info(request, f"This {resource.singular} was already gone.")
    else:
        messages.success(request, f"The {resource.singular} was deleted.")
    return redirect(resource.url())


def _fetch(request: StaffRequest, query: ListQuery) -> tuple[ListQuery, Page]:
    """The page asked for, or the nearest there is: the last page, or the list unsorted."""
    try:
        page = request.gateway.list(query.resource.endpoint, **query.arguments())
    except Rejected:
        if not query.sort:
            raise
        return _fetch(request, _give_up_sort(query))
    if page.total_pages and query.page > page.total_pages:
        return _fetch(request, replace(query, page=page.total_pages))
    if query.sort and sorting.ignored(query, page):
        query = _give_up_sort(query)
    return query, page


def _give_up_sort(query: ListQuery) -> ListQuery:
    sorting.remember(query)
    return replace(query, sort="", descending=False)


def _count(resource: Resource, page: Page) -> str:
    if page.total_records is None:
        return ""
    noun = resource.singular if page.total_records == 1 else resource.name
    return f"{page.total_records:,} {noun}"


def _places(resource: Resource, record_id: int | None = None) -> dict[str, Any]:
    """The resource and the addresses that its pages link to; empty where the API offers none."""
    offered = resource.endpoint.operations
    one = {name: resource.url(record_id, name) for name in ("edit", "delete")} if record_id else {}
    return {
        "resource": resource,
        "list_url": resource.url(),
        "new_url": resource.url(action="new"),
        "url": resource.url(record_id),
        "edit_url": one.get("edit", "") if "update" in offered else "",
        "delete_url": one.get("delete", "") if "delete" in offered else "",
    }


def _name(resource: Resource, record_id: int | None) -> str:
    return f"{resource.name}/{record_id}"


def _form_page(
    request: StaffRequest,
    resource: Resource,
    form: RecordForm,
    *,
    record_id: int | None = None,
    status: int = HTTPStatus.OK,
    **more: Any,
) -> HttpResponse:
    """The form as it stands, with everything typed and the snapshot it opened with."""
    context = {**_places(resource, record_id), "form": form, **more}
    if form.opened_with is not None:
        context["snapshot"] = seal_snapshot(form.opened_with, of=_name(resource, record_id))
        context["title"] = form.opened_with.get(resource.title_field) or _name(resource, record_id)
    return render(request, "records/form.html", context, status=status)


def _save(
    request: StaffRequest, resource: Resource, form: RecordForm, record_id: int
) -> HttpResponse:
    """Send what was touched, unless somebody else changed the same fields meanwhile."""
    record = request.gateway.get(resource.endpoint, record_id)
    fresh = resource.edit_form.read(record, desk_of(request).style)
    clashes = list(conflicts(form, fresh))
    if clashes:
        form.show_conflicts(clashes)
        status = HTTPStatus.CONFLICT
        return _form_page(request, resource, form, record_id=record_id, status=status)
    body = form.payload()
    actions.update(gateway=request.gateway, resource=resource, record_id=record_id, body=body)
    messages.success(request, "Your changes were saved.")
    return redirect(resource.url(record_id))


def _not_saved(
    request: StaffRequest,
    resource: Resource,
    form: RecordForm,
    error: GatewayError,
    *,
    record_id: int | None = None,
) -> HttpResponse:
    """The form again with everything typed and the failure in words, beside its fields."""
    if isinstance(error, Rejected):
        form.show_rejection(error)
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return _form_page(request, resource, form, record_id=record_id, status=status)
    failure = describe(error)
    return _form_page(
        request, resource, form, record_id=record_id, status=failure.status, failure=failure
    )


def _start_over(request: StaffRequest, resource: Resource, record_id: int) -> HttpResponse:
    """What was typed, with a fresh snapshot for the one that cannot be read any more."""
    desk = desk_of(request)
    opened = resource.edit_form.read(request.gateway.get(resource.endpoint, record_id), desk.style)
    form = resource.edit_form(request.POST, opened_with=opened, desk=desk)
    form.add_error(
        None,
        "This form was open for too long to be sure what you changed. "
        "Please look through it and save again.",
    )
    status = HTTPStatus.CONFLICT
    return _form_page(request, resource, form, record_id=record_id, status=status)
