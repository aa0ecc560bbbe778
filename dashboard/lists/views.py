"""The list of every resource, and the fragments that follow it."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import push_url, trigger_client_event

from dashboard.core import after_response
from dashboard.core.sealed import DecryptionError, seal, unseal
from dashboard.core.templates import address, page_url
from dashboard.gateway import GatewayError, Record, whole_number
from dashboard.lists import fetch as fetching
from dashboard.lists import table
from dashboard.lists.fetch import FetchedPage, fetch, last_seen, store_page
from dashboard.lists.query import SIZES, UNSORTED, ListQuery
from dashboard.lists.saved_lists import NamedList, SavedLists
from dashboard.lists.table import (
    ColumnChoice,
    Link,
    ListTable,
    Sums,
    sum_of_amounts,
    sums_of,
)
from dashboard.people.context import RequestContext, page
from dashboard.people.permissions import EDIT_RECORDS, EXPORT_RECORDS
from dashboard.reader import all_rows, lookups
from dashboard.reader.failures import Failure, describe
from dashboard.schema import titles, unnamed_references, values
from dashboard.schema.money import Currencies, currencies_of
from dashboard.schema.resource import Resource
from dashboard.text.dates import recent_time

ENCRYPTED = "sealed"  # the parameter that holds a whole query, encrypted
PURPOSE = "way back"
PANEL = "panel"  # the parameter that names the open panel
PANELS = ("columns", "filters")
NOT_READ = values.muted("not read")


@page
def list_records(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """Render the list of the URL; htmx gets only the part that it swaps."""
    if ENCRYPTED in ctx.params:
        return redirect(_decrypted_url(resource, ctx.params.get(ENCRYPTED, ""), ctx))
    saved_lists = SavedLists(ctx, resource)
    query = saved_lists.query(ctx.params)
    result = _fetch_or_last_seen(ctx, query)
    if not result.error:
        after_response.run_after_response(store_page, ctx=ctx, query=query, page=result.page)
        after_response.run_after_response(
            lookups.cache_rows,
            gateway=ctx.gateway,
            endpoint=resource.endpoint,
            records=result.records,
        )
    after_response.run_after_response(
        unnamed_references.record_references, resource=resource, records=result.records, ctx=ctx
    )
    list_page = ListPage(ctx, saved_lists, result)
    status = list_page.failure.status if list_page.failure else HTTPStatus.OK
    template = "lists/_swapped.html" if list_page.is_swapped else "lists/list.html"
    response = ctx.render(template, {"list_page": list_page}, status=status)
    if list_page.is_swapped:
        push_url(response, result.query.url())
        trigger_client_event(response, "announce", {"value": list_page.count})
    patch_vary_headers(response, ["HX-Request"])
    return response


def _fetch_or_last_seen(ctx: RequestContext, query: ListQuery) -> FetchedPage:
    """Fetch the query. If a retry may help, return the last stored page instead, so that the search
    stays on the page; htmx keeps the rows already displayed. Raises GatewayError.
    """
    try:
        return fetch(ctx, query)
    except GatewayError as error:
        if ctx.request.htmx or not describe(error).retry:
            raise
        return last_seen(ctx, query)._replace(error=error)


class ListPage:
    """The context of lists/list.html and of the part that htmx swaps. Properties are computed when
    the template asks for them. URLs are "" if there is no link.
    """

    def __init__(self, ctx: RequestContext, saved_lists: SavedLists, result: FetchedPage) -> None:
        self.ctx, self.saved_lists, self.result = ctx, saved_lists, result
        self.query, self.resource = result.query, result.query.resource
        self.table = table_of(ctx, self.query, result.records)
        self.is_swapped = bool(ctx.request.htmx and not ctx.request.htmx.history_restore_request)
        self.has_columns_open = ctx.params.get(PANEL) == "columns"

    @cached_property
    def sums(self) -> Sums:
        sums = sums_of(self.ctx, self.result, self.table.names.currencies)
        if sums.is_total or not sums.words or self.result.read is not None:
            return sums
        return sums._replace(all_url=self._url("sum_all"))

    @property
    def count(self) -> str:
        """Return the number of records in words; "" if it is not known."""
        total = self.result.page.total_records
        return "" if total is None else self.resource.counted(total)

    @property
    def matching(self) -> str:
        """Return all records of the list in words, if they can be selected together."""
        return self.count if self.pager else ""

    @property
    def me_url(self) -> str:
        """Return the URL for choosing one's user, if a filter needs it."""
        is_asked = self.query.filters.lacks_own_user and self.ctx.may(EDIT_RECORDS)
        return page_url("setup:me") if is_asked else ""

    @cached_property
    def chips(self) -> list[Link]:
        return table.chips(self.query, self.ctx)

    @cached_property
    def pager(self) -> list[Link]:
        return table.pager(self.query, fetching.last_known(self.result))

    @property
    def page_sizes(self) -> list[Link]:
        query = self.query
        return [Link(str(size), query.url(size=size, page=1), size == query.size) for size in SIZES]

    @property
    def sorts(self) -> list[Link]:
        """Return the sort options; `url` is the value."""
        columns = [each for each in self.resource.offered_columns if each.sortable]
        values = [(self._own_order.capitalize(), UNSORTED)]
        values += [(each.label, each.name) for each in columns]
        chosen = self.query.sort or UNSORTED
        return [Link(label, value, value == chosen) for label, value in values]

    @property
    def order(self) -> str:
        """Return the default order in words, if the list is sorted by no column."""
        return "" if self.query.sort else self._own_order

    @property
    def _own_order(self) -> str:
        order = self.query.filters.row_order
        return order.caption if order else "newest first"

    @property
    def column_choices(self) -> list[ColumnChoice]:
        return table.column_choices(self.query)

    @cached_property
    def saved_list(self) -> NamedList | None:
        return self.saved_lists.active(self.query)

    @cached_property
    def is_modified(self) -> bool:
        saved_list, state = self.saved_list, self.query.saved_state()
        if saved_list and not saved_list.params:  # all records, as most lists open
            return bool(state)
        return not saved_list or saved_list.query(self.ctx).saved_state() != state

    @cached_property
    def failure(self) -> Failure | None:
        return describe(self.result.error) if self.result.error else None

    @property
    def is_bare(self) -> bool:
        """Return whether there is nothing to search: no rows, no filters and no failure."""
        return not (self.table.rows or self.chips or self.failure or self.query.filters.problems)

    @property
    def seen_at(self) -> str:
        """Return in words when the stored rows on display were read; "" for none."""
        return recent_time(self.result.seen_at, self.ctx.today) if self.result.seen_at else ""

    @property
    def new_url(self) -> str:
        return self.resource.url(page="create") if self.ctx.may(EDIT_RECORDS) else ""

    @property
    def export_url(self) -> str:
        return self._url("export") if self.ctx.may(EXPORT_RECORDS) else ""

    @property
    def import_url(self) -> str:
        return self.resource.url(page="import") if self.ctx.may(EXPORT_RECORDS) else ""

    def panel_url(self, panel: str) -> str:
        return self._url("panel", panel=panel)

    def _url(self, page: str, **params: str) -> str:
        return address(self.resource.name, page=page, query={**self.query.params(), **params})

    @property
    def look_url(self) -> str:
        """Return the URL that searches the rest of a list with filters that the service lacks."""
        read, page = self.result.read, self.result.page
        if not read or read.ended or self.query.page != page.total_pages:
            return ""
        found = len(self.result.found)
        return _look_url(self.query, all_rows.MAX_PAGES, len(read.records), found)

    @property
    def way_back(self) -> str:
        """Return the encrypted query that browsers store in place of one with a search."""
        if not self.query.search or self.ctx.person is None:
            return ""
        text = urlencode(self.query.params())
        return f"?{ENCRYPTED}={seal(text, owner=self.ctx.person.pk, purpose=PURPOSE)}"


def _references(resource: Resource, records: Iterable[Record]) -> dict[str, tuple[int, ...]]:
    found: dict[str, dict[int, None]] = {}
    for endpoint, number in titles.pointers(resource.offered_columns, records):
        found.setdefault(endpoint.name, {})[number] = None
    return {name: tuple(ids) for name, ids in found.items()}


def table_of(
    ctx: RequestContext,
    query: ListQuery,
    records: tuple[Record, ...],
    *,
    seconds: float | None = None,
) -> ListTable:
    """Return the table of these records with the whole records that are known, and with the titles
    that arrive within `seconds`.
    """
    ids = table.awaited_ids(query, records, {})
    read = lookups.cached_records(ctx.gateway, query.resource.endpoint, ids) if ids else {}
    known = [*records, *read.values()]
    names = titles.names_around(ctx, query.shown, known, seconds=seconds)
    if any(column.is_amount for column in query.shown):
        names = replace(names, currencies=currencies_of(ctx, query.resource.endpoint, records))
    return ListTable(query, records, ctx, names, read)


def _decrypted_url(resource: Resource, text: str, ctx: RequestContext) -> str:
    """Return the decrypted URL of the list; without its query if another person encrypted it."""
    try:
        query = unseal(text, owner=ctx.person.pk if ctx.person else 0, purpose=PURPOSE)
    except DecryptionError:
        return resource.url()
    return f"{resource.url()}?{query}"


@require_safe
@page
def show_panel(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """Render the contents of a panel. Where the service lacks a filter, pickers first offer the
    records that the rows last read refer to.
    """
    panel = ctx.params.get(PANEL)
    if panel not in PANELS:
        raise Http404
    query = ListQuery.from_params(resource, ctx.params, ctx)
    if query.filters.is_local:
        query.filters.suggest(_references(resource, last_seen(ctx, query).records))
    context = {"query": query, "columns": table.column_choices(query)}
    return ctx.render(f"lists/_{panel}_form.html", context)


@require_safe
@page
def show_cells(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """Render the cells that only whole records have, for the records in `ids`, as a fragment that
    follows the list.
    """
    numbers = map(whole_number, ctx.params.get("ids", "").split(",")[: SIZES[-1]])
    ids = [number for number in numbers if number]
    columns_shown = ListQuery.from_params(resource, ctx.params, ctx).shown
    columns = [column for column in columns_shown if column.from_record]
    read = lookups.read_records(ctx.gateway, resource.endpoint, ids) if columns else {}
    after_response.run_after_response(
        unnamed_references.record_references, resource=resource, records=read.values(), ctx=ctx
    )
    names = titles.names_around(ctx, columns, read.values(), seconds=titles.LATE_WAIT)
    cells = [
        (
            resource.place(number, column),
            values.shortened(column.value(read[number], ctx, names))
            if number in read
            else NOT_READ,
        )
        for number in ids
        for column in columns
    ]
    return ctx.render("lists/_late_cells.html", {"cells": cells})


@require_safe
@page
def look_through(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """Render the matches in the next pages of a list, as a fragment that asks for those after them.
    `from`: the first page. `read`, `found`: how many rows were read and match so far.
    """
    query = ListQuery.from_params(resource, ctx.params, ctx)
    begin, read, found = (
        whole_number(ctx.params.get(name, ""), least=0) or 0 for name in ("from", "read", "found")
    )
    if query.filters.errors or not query.filters.is_local:
        raise Http404
    if not all_rows.MAX_PAGES <= begin < fetching.MAX_PAGES:
        raise Http404
    actions = ListTable(query, (), ctx).actions
    context: dict[str, Any] = {"resource": resource, "span": len(query.shown) + bool(actions)}
    try:
        further = fetching.look_further(ctx, query, begin)
    except GatewayError as error:
        here = _look_url(query, begin, read, found)
        context |= {"read": read, "found": found, "failure": describe(error), "again_url": here}
        return ctx.render("lists/_further.html", context)
    read, found = read + further.read, found + len(further.records)
    shown = table_of(ctx, query, further.records, seconds=titles.LATE_WAIT)
    currencies = replace(shown.names.currencies, common="")  # the head may have another one
    shown = replace(shown, names=replace(shown.names, currencies=currencies))
    context |= {"table": shown, "read": read, "found": found, "ended": further.ended}
    context["at_once"] = SIZES[-1]
    if further.next_page:
        context["next_url"] = _look_url(query, further.next_page, read, found)
    return ctx.render("lists/_further.html", context)


def _look_url(query: ListQuery, begin: int, read: int, found: int) -> str:
    so_far = {"from": str(begin), "read": str(read), "found": str(found)}
    return address(query.resource.name, page="look_through", query={**query.params(), **so_far})


@require_safe
@page
def sum_all(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """Render the sums over all pages of a list, as a fragment in place of those of its page."""
    query = ListQuery.from_params(resource, ctx.params, ctx)
    if query.filters.errors or query.filters.is_local:
        raise Http404
    try:
        fetched = fetching.fetch_whole(ctx, query)
    except GatewayError as error:
        url = address(resource.name, page="sum_all", query=query.params())
        failed = Sums(f"not read: {describe(error).title}", False, url)
        return ctx.render("lists/_sums.html", {"sums": failed, "sum_label": "Try again"})
    return ctx.render("lists/_sums.html", {"sums": sums_of(ctx, fetched, Currencies())})


@require_POST
@page
def sum_chosen(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """Return the sum of the amounts of selected rows in words."""
    words = sum_of_amounts(ctx.request.POST.getlist("amount"), ctx.style)
    return HttpResponse(words, content_type="text/plain; charset=utf-8")
