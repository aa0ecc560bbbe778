"""The list and the page of a record, for every resource. Forms are in form_flow.py."""

from dataclasses import replace
from time import monotonic

from django.http import HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.safestring import SafeString
from django_htmx.http import push_url, trigger_client_event

from dashboard.accounts.permissions import EDIT_RECORDS
from dashboard.gateway import Page, Rejected
from dashboard.records.context import RequestContext, StaffRequest, context_of
from dashboard.records.lists import filters, sorting, table
from dashboard.records.lists.chips import chips
from dashboard.records.lists.query import ListQuery
from dashboard.records.pages import unnamed_references
from dashboard.records.pages.rendering import (
    render_record,
)
from dashboard.records.references import lookups, titles
from dashboard.records.resource import Resource
from dashboard.shell import framed


def list_records(
    request: StaffRequest, resource: Resource, *, template: str = "records/list.html"
) -> HttpResponse:
    """The list as its address says; for htmx only the table and what belongs to it."""
    ctx, begun = context_of(request), monotonic()
    query, page = _fetch(request, ListQuery.read(resource, request.GET))
    lookups.learn(ctx.gateway, resource.endpoint, page.records)
    unnamed_references.learn(resource, page.records, ctx)
    ctx = titles.fill(ctx, resource.columns, page.records, round_trip=monotonic() - begun)
    may_create = request.user.has_perm(EDIT_RECORDS)
    where = {"list_url": resource.url(), "new_url": resource.url(action="new") * may_create}
    results = _results(query, page, ctx, where)
    if request.htmx and not request.htmx.history_restore_request:
        response = HttpResponse(results)
        push_url(response, query.url())
        trigger_client_event(response, "announce", {"value": _count(resource, page)})
    else:
        drawn = tuple(filters.controls(resource, query.filters, ctx, request.GET))
        facts = {
            **where,
            "resource": resource,
            "search": query.search,
            "filters": drawn,
            "pickers": any(control.picker for control in drawn),
        }
        response = HttpResponse(framed(request, template, results, **facts))
    patch_vary_headers(response, ["HX-Request"])
    return response


def _results(
    query: ListQuery, page: Page, ctx: RequestContext, where: dict[str, str]
) -> SafeString:
    """The table and what belongs to it."""
    rows = table.rows(query.resource, page, ctx)
    around = table.around(
        query,
        **where,
        empty=not rows,
        last=max(1, page.total_pages or 1),
        unsortable=sorting.unsortable(query.resource),
        late=ctx.late,
        count=_count(query.resource, page),
        chips=tuple(chips(query, ctx)),
        unreadable_rows=str(page.unreadable_rows or ""),
    )
    return SafeString(rows.join(around))  # between its two pieces, where there are any rows


def show(request: StaffRequest, resource: Resource, record_id: int) -> HttpResponse:
    """One record with everything the service shows of it."""
    begun = monotonic()
    record = request.gateway.get(resource.endpoint, record_id)
    lookups.learn_whole(request.gateway, resource.endpoint, record)
    return render_record(request, resource, record, round_trip=monotonic() - begun)


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
