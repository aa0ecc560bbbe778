"""The list and the page of a record, for every resource. Forms are in form_flow.py."""

from collections.abc import Mapping
from time import monotonic
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django_htmx.http import push_url, trigger_client_event

from dashboard.accounts.permissions import EDIT_RECORDS
from dashboard.gateway import Page, Record
from dashboard.records.context import RequestContext, StaffRequest, context_of
from dashboard.records.lists import fetching, filters, table
from dashboard.records.lists.fetching import fetch
from dashboard.records.lists.query import ListQuery
from dashboard.records.lists.table import chips
from dashboard.records.pages import late_cells, unnamed_references
from dashboard.records.pages.late_cells import FILL
from dashboard.records.pages.rendering import render_record
from dashboard.records.references import lookups, titles, whole_records
from dashboard.records.resource import Resource


def list_records(
    request: StaffRequest, resource: Resource, *, template: str = "records/list.html"
) -> HttpResponse:
    """The list as its address says; for htmx only the table and what belongs to it."""
    ctx, begun = context_of(request), monotonic()
    query, page, note = fetch(ctx.gateway, ListQuery.read(resource, request.GET, ctx.style))
    lookups.cache_rows(ctx.gateway, resource.endpoint, page.records)
    unnamed_references.learn(resource, page.records, ctx)
    read = _read_records(request, resource, page)
    ctx = titles.fill(
        ctx, resource.columns, [*page.records, *read.values()], round_trip=monotonic() - begun
    )
    context = {
        "list_url": resource.url(),
        "list_pages": [
            (label, resource.url(action=action), key) for label, action, key in resource.list_pages
        ],
        "new_url": resource.url(action="new") * request.user.has_perm(EDIT_RECORDS),
        **_results(query, page, ctx, read),
        "note": note,
        "problems": filters.problems(resource, request.GET, ctx.style),
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
            "days": any(control.days for control in controls),
        }
        response = render(request, template, context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _read_records(request: StaffRequest, resource: Resource, page: Page) -> Mapping[int, Record]:
    """The whole records of the page that are known, for the columns that its rows lack; all of
    them where the address asks for that, as it does without JavaScript.
    """
    wanted = table.awaited_ids(resource, page, {})
    if not wanted:
        return {}
    load = whole_records.read_records if FILL in request.GET else whole_records.cached_records
    return load(request.gateway, resource.endpoint, wanted)


def _results(
    query: ListQuery, page: Page, ctx: RequestContext, read: Mapping[int, Record]
) -> dict[str, Any]:
    """The context of records/_results.html: the table and what belongs to it."""
    resource, rows = query.resource, table.rows(query.resource, page, ctx, read)
    unsortable = fetching.unsortable(ctx.gateway, resource)
    return {
        "resource": resource,
        "query": query,
        "size": query.params().get("size", ""),
        "count": _count(resource, page),
        "chips": chips(query, ctx),
        "head": table.head(query, unsortable),
        "sorts": table.sorts(query, unsortable),
        "rows": rows,
        "places": table.places(rows),
        "pager": table.pager(query, page.total_pages or 1),
        "sizes": table.sizes(query),
        "unreadable_rows": page.unreadable_rows,
        "late": ctx.late,
        "cells_url": late_cells.url(resource, table.awaited_ids(resource, page, read)),
        "fill_url": late_cells.fill_url(query),
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
    lookups.cache_record(request.gateway, resource.endpoint, record)
    return render_record(request, resource, record, round_trip=monotonic() - begun)
