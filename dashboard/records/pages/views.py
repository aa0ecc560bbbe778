"""The list and the page of a record, for every resource. Forms are in form_flow.py."""

from time import monotonic
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django_htmx.http import push_url, trigger_client_event

from dashboard.accounts.permissions import EDIT_RECORDS, EXPORT_RECORDS
from dashboard.gateway import Page
from dashboard.records.addresses import address
from dashboard.records.context import RequestContext, StaffRequest, context_of
from dashboard.records.lists import fetching, filters, table
from dashboard.records.lists.fetching import fetch
from dashboard.records.lists.query import ListQuery
from dashboard.records.lists.table import chips
from dashboard.records.pages import unnamed_references
from dashboard.records.pages.rendering import render_record
from dashboard.records.references import lookups, titles
from dashboard.records.resource import Resource


def list_records(
    request: StaffRequest, resource: Resource, *, template: str = "records/list.html"
) -> HttpResponse:
    """The list as its address says; for htmx only the table and what belongs to it."""
    ctx, begun = context_of(request), monotonic()
    query, page, note = fetch(ctx.gateway, ListQuery.read(resource, request.GET, ctx.style))
    lookups.cache_rows(ctx.gateway, resource.endpoint, page.records)
    unnamed_references.learn(resource, page.records, ctx)
    ctx = titles.fill(ctx, resource.columns, page.records, round_trip=monotonic() - begun)
    context = {
        "list_url": resource.url(),
        "list_pages": [
            (label, resource.url(action=action), key) for label, action, key in resource.list_pages
        ],
        "new_url": resource.url(action="new") * request.user.has_perm(EDIT_RECORDS),
        **_results(query, page, ctx),
        "note": note,
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
    resource, rows = query.resource, table.rows(query.resource, page, ctx)
    return {
        "resource": resource,
        "query": query,
        "size": query.params().get("size", ""),
        "count": _count(resource, page),
        "export_url": _export_url(query, ctx),
        "import_url": _import_url(resource, ctx),
        "chips": chips(query, ctx),
        "head": table.head(query, fetching.unsortable(ctx.gateway, resource)),
        "rows": rows,
        "places": table.places(rows),
        "pager": table.pager(query, page.total_pages or 1),
        "sizes": table.sizes(query),
        "unreadable_rows": page.unreadable_rows,
        "late": ctx.late,
    }


def _export_url(query: ListQuery, ctx: RequestContext) -> str:
    """The address that exports this list; "" for those who may not."""
    if not ctx.person or not ctx.person.has_perm(EXPORT_RECORDS):
        return ""
    return address(query.resource.name, action="export", query=query.params())


def _import_url(resource: Resource, ctx: RequestContext) -> str:
    if not resource.is_imported or not ctx.person or not ctx.person.has_perm(EXPORT_RECORDS):
        return ""
    return resource.url(action="import")


def _count(resource: Resource, page: Page) -> str:
    if page.total_records is None:
        return ""
    noun = resource.singular if page.total_records == 1 else resource.name
    return f"{page.total_records:,} {noun}"


def show(request: StaffRequest, resource: Resource, record_id: int) -> HttpResponse:
    """One record with everything the service shows of it."""
    begun = monotonic()
    record = request.gateway.get(resource.endpoint, record_id)
    lookups.cache_record(request.gateway, resource.endpoint, record)
    return render_record(request, resource, record, round_trip=monotonic() - begun)
