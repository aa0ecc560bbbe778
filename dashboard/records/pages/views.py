"""The list and the page of a record, for every resource. Forms are in form_flow.py."""

from collections.abc import Mapping
from time import monotonic
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django_htmx.http import push_url, trigger_client_event

from dashboard.accounts.permissions import DELETE_RECORDS, EDIT_RECORDS, EXPORT_RECORDS
from dashboard.gateway import Page, Record
from dashboard.reader import lookups, whole_records
from dashboard.reader.all_rows import ReadRows
from dashboard.records.addresses import address
from dashboard.records.context import RequestContext, StaffRequest, context_of
from dashboard.records.display import titles
from dashboard.records.lists import fetching, paging, table, way_back
from dashboard.records.lists import views as list_views
from dashboard.records.lists.bulk_actions import offered
from dashboard.records.lists.fetching import fetch
from dashboard.records.lists.query import ListQuery
from dashboard.records.lists.table import chips
from dashboard.records.pages import unnamed_references
from dashboard.records.pages.late_cells import FILL, LateCells
from dashboard.records.pages.rendering import render_record
from dashboard.records.pages.view_pages import SHARES
from dashboard.records.resource import Resource


def list_records(
    request: StaffRequest, resource: Resource, *, template: str = "records/list.html"
) -> HttpResponse:
    """The list as its address says; for htmx only the table and what belongs to it."""
    ctx, begun = context_of(request), monotonic()
    if way_back.PARAM in request.GET:
        return redirect(way_back.opened(resource, request.GET[way_back.PARAM], ctx))
    views = list_views.views_of(resource, ctx)
    first = list_views.first_view(resource, ctx)
    asked = list_views.query_of(resource, ctx, request.GET, views, first)
    query, page, note, looked = fetch(ctx, asked)
    lookups.cache_rows(ctx.gateway, resource.endpoint, page.records)
    unnamed_references.learn(resource, page.records, ctx)
    read = _read_records(request, query, page)
    rows = [*page.records, *read.values()]
    ctx = titles.fill(ctx, query.shown, rows, round_trip=monotonic() - begun)
    swapped = bool(request.htmx and not request.htmx.history_restore_request)
    context = {
        "bulk": offered(resource, ctx.gateway) if request.user.has_perm(DELETE_RECORDS) else [],
        **_results(query, page, ctx, read),
        **_views(request, query, views, first),
        "note": note,
        "look": _look_through(request, query, looked),
        "problems": query.problems,
        "new_url": resource.url(action="new") * request.user.has_perm(EDIT_RECORDS),
        "swapped": swapped,
        "choosing": "choosing" in request.GET,
        "way_back": way_back.sealed(query, ctx),
    }
    if swapped:
        response = render(request, "records/_swapped.html", context)
        push_url(response, query.url())
        trigger_client_event(response, "announce", {"value": context["count"]})
    else:
        context |= _page_context(request, query, ctx)
        response = render(request, template, context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _look_through(
    request: StaffRequest, query: ListQuery, read: ReadRows | None
) -> dict[str, Any] | None:
    """Where the list is read to its end, and how many rows it has, None if the service does not
    say; None where all was looked through, and for those who may not begin jobs.
    """
    if read is None or read.complete or not request.user.has_perm(EDIT_RECORDS):
        return None
    url = address(query.resource.name, action="look-through", query=query.params())
    return {"url": url, "total": read.total}


def _page_context(request: StaffRequest, query: ListQuery, ctx: RequestContext) -> dict[str, Any]:
    """What the page of a list has beside what htmx swaps."""
    resource = query.resource
    params, values = request.GET or _params(query), query.filters
    controls = [item.control(values.get(item.name, ""), ctx, params) for item in resource.filters]
    return {
        "list_pages": [
            (label, resource.url(action=action), key) for label, action, key in resource.list_pages
        ],
        "search": query.search,
        "filters": [control for control in controls if not control.is_local],
        "own_filters": [control for control in controls if control.is_local],
        "pickers": any(control.picker for control in controls),
        "days": any(control.days for control in controls),
    }


def _params(query: ListQuery) -> QueryDict:
    params = QueryDict(mutable=True)
    params.update(query.params())
    return params


def _views(
    request: StaffRequest, query: ListQuery, views: list[list_views.ListView], first: str
) -> dict[str, Any]:
    """The context of records/_views.html."""
    ctx, view = context_of(request), list_views.current(views, query)
    shares = request.user.has_perm(SHARES)
    return {
        "views": views,
        "view": view,
        "is_changed": list_views.is_changed(view, query),
        "is_first": view and view.key == first,
        "state": urlencode(query.state()),
        "may_change_view": view and view.may_change(ctx, shares=shares),
    }


def _read_records(request: StaffRequest, query: ListQuery, page: Page) -> Mapping[int, Record]:
    """The whole records of the page that are known, for the columns that its rows lack; all of
    them where the address asks for that, as it does without JavaScript.
    """
    wanted = table.awaited_ids(query, page.records, {})
    if not wanted:
        return {}
    load = whole_records.read_records if FILL in request.GET else whole_records.cached_records
    return load(request.gateway, query.resource.endpoint, wanted)


def _results(
    query: ListQuery, page: Page, ctx: RequestContext, read: Mapping[int, Record]
) -> dict[str, Any]:
    """The context of records/_results.html: the table and what belongs to it."""
    resource, rows = query.resource, table.rows(query, page, ctx, read)
    unsortable = fetching.unsortable(ctx.gateway, resource)
    return {
        "resource": resource,
        "list_url": resource.url(),
        "query": query,
        "all_url": query.everything(),
        "kept": {
            name: query.params().get(name, "") for name in ("size", "columns", "rows", "view")
        },
        "count": _count(resource, page),
        "export_url": _export_url(query, ctx),
        "import_url": _import_url(resource, ctx),
        "chips": chips(query, ctx),
        "head": table.head(query, unsortable),
        "sorts": table.sorts(query, unsortable),
        "rows": rows,
        "places": table.places(rows),
        "pager": table.pager(query, paging.last_known(page)),
        "sizes": table.sizes(query),
        "unreadable_rows": page.unreadable_rows,
        "late": ctx.late,
        "late_cells": LateCells(query, table.awaited_ids(query, page.records, read)),
        "choices": table.column_choices(query),
    }


def _export_url(query: ListQuery, ctx: RequestContext) -> str:
    """The address that exports this list; "" for those who may not."""
    if not ctx.person or not ctx.person.has_perm(EXPORT_RECORDS):
        return ""
    return address(query.resource.name, action="export", query=query.params())


def _import_url(resource: Resource, ctx: RequestContext) -> str:
    if not ctx.person or not ctx.person.has_perm(EXPORT_RECORDS):
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
