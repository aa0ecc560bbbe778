"""The list and the page of a record, for every resource. Forms are in form_pages.py."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlencode

from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import push_url, trigger_client_event

from dashboard import write_status
from dashboard.accounts.permissions import EDIT_RECORDS, EXPORT_RECORDS
from dashboard.context import RequestContext, page
from dashboard.declare.filters import FilterForm
from dashboard.declare.resource import Resource
from dashboard.display import titles, values
from dashboard.display.cells import Names
from dashboard.display.money import currencies_of
from dashboard.gateway import GatewayError, Page, Record, whole_number
from dashboard.lists import fetching, seen, table
from dashboard.lists.fetching import Fetched, fetch
from dashboard.lists.query import SIZES, ListQuery
from dashboard.lists.sums import Foot, foot_of, keep_amounts, sum_of_chosen
from dashboard.lists.table import ColumnChoice, Link, ListTable
from dashboard.markup import address
from dashboard.pages import unnamed_references
from dashboard.pages.form_drafts import time_in_words
from dashboard.pages.rendering import render_record
from dashboard.pages.saved_lists import NamedList, first_view, opening_query, views_of
from dashboard.reader import all_rows, lookups
from dashboard.sealed import Unreadable, seal, unseal
from dashboard.writes.failures import Failure, describe

ENCRYPTED = "sealed"  # the parameter that holds a whole query, encrypted
PURPOSE = "way back"
CHOOSING = "choosing"  # the parameter with which the panel of columns is open
NOTHING_READ = Page((), 0, 0, None, None, 0)
NOT_READ = values.muted("not read")


@dataclass(frozen=True, kw_only=True)
class ListPage:
    """A list as templates/lists/list.html draws it, and the part of it that htmx swaps. foot: the
    sums below its rows.

    count: how many records there are, in words. views: the named lists of the resource, of which
    that of the key `first_view` opens. view: the one that this list began from; is_changed: whether
    the list differs from it. look_url: what reads on in a list of `total` rows, None if that is not
    known. late: the fragment with the names still to come. way_back: what browsers keep in place of
    the query. is_choosing: whether the panel of columns stays open. failure: why no rows were read,
    None if they were; seen_at: when those were that are shown instead, in words, "" for none.
    is_swapped: whether htmx swaps the table alone, without the filters. Addresses are "" where
    there is nothing to press.
    """

    query: ListQuery
    table: ListTable
    foot: Foot | None
    count: str
    chips: list[Link]
    pager: list[Link]
    sizes: list[Link]
    sorts: list[Link]
    views: list[NamedList]
    first_view: str
    view: NamedList | None
    is_changed: bool
    may_change_view: bool
    new_url: str
    export_url: str
    import_url: str
    look_url: str
    total: int | None
    note: str
    unreadable_rows: int
    late: str
    way_back: str
    is_choosing: bool
    is_swapped: bool
    failure: Failure | None = None
    seen_at: str = ""

    @property
    def resource(self) -> Resource:
        """Whose list it is."""
        return self.query.resource

    @property
    def filters(self) -> FilterForm:
        """The form of the filters."""
        return self.query.filters

    @property
    def order(self) -> str:
        """How the records are ordered where they are sorted by no column, in words."""
        return "" if self.query.sort else self.sorts[0].label.lower()

    @property
    def columns(self) -> list[ColumnChoice]:
        """Those that may be shown."""
        return table.column_choices(self.query)

    @property
    def columns_url(self) -> str:
        """The address of the panel of columns."""
        return address(self.resource.name, page="columns", query=self.query.params())


@page
def list_records(
    ctx: RequestContext, resource: Resource, *, template: str = "lists/list.html"
) -> HttpResponse:
    """The list as its address says; for htmx only the table and what belongs to it."""
    if ENCRYPTED in ctx.params:
        return redirect(_decrypted_url(resource, ctx.params.get(ENCRYPTED, ""), ctx))
    views, first = views_of(resource, ctx), first_view(resource, ctx)
    if ctx.params:
        asked = ListQuery.read(resource, ctx.params, ctx)
    else:
        asked = opening_query(views, first, ctx)
    fetched, failure, seen_at = _fetch_or_say(ctx, asked)
    records = fetched.page.records
    if not failure:
        write_status.after_answer(seen.keep, ctx=ctx, query=asked, page=fetched.page)
        lookups.cache_rows(ctx.gateway, resource.endpoint, records)
    unnamed_references.learn(resource, records, ctx)
    read = _read_records(ctx, fetched.query, records)
    known = [*records, *read.values()]
    names = titles.names_around(ctx, fetched.query.shown, known)
    names = _with_currencies(names, ctx, fetched.query, records)
    keep_amounts(ctx, fetched.query, records, names.currencies)
    listed = _list_page(ctx, fetched, names, read, views, first)
    listed = replace(listed, failure=failure, seen_at=seen_at)
    if listed.is_swapped:
        template = "lists/_swapped.html"
    status = failure.status if failure else HTTPStatus.OK
    response = ctx.render(template, {"list_page": listed}, status=status)
    if listed.is_swapped:
        push_url(response, listed.query.url())
        trigger_client_event(response, "announce", {"value": listed.count})
    patch_vary_headers(response, ["HX-Request"])
    return response


def _fetch_or_say(ctx: RequestContext, query: ListQuery) -> tuple[Fetched, Failure | None, str]:
    """What the query asks for. Where trying again may help: what it was answered with the last
    time, with the time of that, "" without any, and why it was not read, so that its page stands
    with what was searched for. htmx leaves the rows that are shown as they are. Raises
    GatewayError.
    """
    try:
        return fetch(ctx, query), None, ""
    except GatewayError as error:
        failure = describe(error)
        if ctx.request.htmx or not failure.retry:
            raise
    if kept := seen.last_seen(ctx, query):
        page, at = kept
        return Fetched(query, page), failure, time_in_words(at)
    return Fetched(query, NOTHING_READ), failure, ""


def _list_page(
    ctx: RequestContext,
    fetched: Fetched,
    names: Names,
    read: Mapping[int, Record],
    views: list[NamedList],
    first: str,
) -> ListPage:
    """The page of a list. `read`: the whole records known."""
    query, page, resource = fetched.query, fetched.page, fetched.query.resource
    count = "" if page.total_records is None else resource.counted(page.total_records)
    pager = table.pager(query, fetching.last_known(fetched))
    view = _active_saved_list(query, views)
    swapped = bool(ctx.request.htmx and not ctx.request.htmx.history_restore_request)
    query.filters.suggest(_references(resource, fetched.found))
    looked, exports, edits = fetched.read, ctx.may(EXPORT_RECORDS), ctx.may(EDIT_RECORDS)

    def to(page: str) -> str:
        return address(resource.name, page=page, query=query.params())

    return ListPage(
        query=query,
        table=ListTable(query, page.records, ctx, names, read, matching=count if pager else ""),
        foot=foot_of(ctx, fetched, names.currencies),
        count=count,
        chips=table.chips(query, ctx),
        pager=pager,
        sizes=table.sizes(query),
        sorts=table.sorts(
            query, order.caption if (order := query.filters.row_order) else "newest first"
        ),
        views=views,
        first_view=first,
        view=view,
        is_changed=view is None or view.query(ctx).saved_state() != query.saved_state(),
        may_change_view=view is not None and view.may_change(ctx),
        new_url=resource.url(page="create") if edits else "",
        export_url=to("export") if exports else "",
        import_url=resource.url(page="import") if exports else "",
        look_url=_look_url(query, all_rows.MOST_PAGES, len(looked.records), len(fetched.found))
        if looked and not looked.ended and query.page == page.total_pages
        else "",
        total=looked.total if looked else None,
        note=fetched.note,
        unreadable_rows=page.unreadable_rows,
        late=names.late_url,
        way_back=_encrypted_query(query, ctx),
        is_choosing=CHOOSING in ctx.params,
        is_swapped=swapped,
    )


def _references(resource: Resource, records: Iterable[Record]) -> dict[str, tuple[int, ...]]:
    """The ids that the columns of the records refer to, by endpoint, in the records' order."""
    found: dict[str, dict[int, None]] = {}
    for endpoint, number in titles.pointers(resource.offered_columns, records):
        found.setdefault(endpoint.name, {})[number] = None
    return {name: tuple(ids) for name, ids in found.items()}


def _active_saved_list(query: ListQuery, views: list[NamedList]) -> NamedList | None:
    """The named list that the address names, else the one that looks the same, else all records."""
    if query.view:
        return next((each for each in views if each.key == query.view), None)
    state = parse_qs(query.saved_state())
    return next((each for each in views if parse_qs(each.params) == state), views[0])


def _read_records(
    ctx: RequestContext, query: ListQuery, records: Iterable[Record]
) -> Mapping[int, Record]:
    """The whole ones of these records that are known, for the columns that its rows lack."""
    ids = table.awaited_ids(query, records, {})
    return lookups.cached_records(ctx.gateway, query.resource.endpoint, ids) if ids else {}


def _with_currencies(
    names: Names, ctx: RequestContext, query: ListQuery, records: Iterable[Record]
) -> Names:
    """The names with the currencies of the records, if the list shows amounts."""
    if not any(column.is_amount for column in query.shown):
        return names
    return replace(names, currencies=currencies_of(ctx, query.resource.endpoint, records))


def _encrypted_query(query: ListQuery, ctx: RequestContext) -> str:
    """What browsers keep for the way back in place of a query with a search; "" without one."""
    if not query.search or ctx.person is None:
        return ""
    text = urlencode(query.params())
    return f"?{ENCRYPTED}={seal(text, owner=ctx.person.pk, purpose=PURPOSE)}"


def _decrypted_url(resource: Resource, text: str, ctx: RequestContext) -> str:
    """The address of that list; without its query where it was encrypted for somebody else."""
    try:
        query = unseal(text, owner=ctx.person.pk if ctx.person else 0, purpose=PURPOSE)
    except Unreadable:
        return resource.url()
    return f"{resource.url()}?{query}"


@require_safe
@page
def choose_columns(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """The panel of a list's columns, as a fragment."""
    query = ListQuery.read(resource, ctx.params, ctx)
    context = {"query": query, "columns": table.column_choices(query)}
    return ctx.render("lists/_columns_form.html", context)


@require_safe
@page
def show_cells(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """The cells that only whole records have, of those that `ids` names, as a fragment that follows
    the list.
    """
    numbers = map(whole_number, ctx.params.get("ids", "").split(",")[: SIZES[-1]])
    ids = [number for number in numbers if number]
    columns_shown = ListQuery.read(resource, ctx.params, ctx).shown
    columns = [column for column in columns_shown if column.from_record]
    read = lookups.read_records(ctx.gateway, resource.endpoint, ids) if columns else {}
    unnamed_references.learn(resource, read.values(), ctx)
    names = titles.names_around(ctx, columns, read.values(), seconds=titles.LATE_WAIT)
    cells = [
        (
            table.place(resource, number, column),
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
    """The rows that match in the next pages of a list, as a fragment that asks for those after
    them. `from`: the page to begin with. `read`, `found`: how many rows were read and match so far.
    """
    query = ListQuery.read(resource, ctx.params, ctx)
    begin, read, found = (
        whole_number(ctx.params.get(name, ""), least=0) or 0 for name in ("from", "read", "found")
    )
    if query.filters.errors or not query.filters.is_local:
        raise Http404
    if not all_rows.MOST_PAGES <= begin < fetching.MOST_PAGES:
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
    whole = _read_records(ctx, query, further.records)
    seconds = titles.LATE_WAIT
    names = titles.names_around(ctx, query.shown, further.records, seconds=seconds)
    names = _with_currencies(names, ctx, query, further.records)
    shown = ListTable(query, further.records, ctx, names, whole)
    context |= {"table": shown, "read": read, "found": found, "ended": further.ended}
    context["at_once"] = SIZES[-1]
    if further.next_page:
        context["next_url"] = _look_url(query, further.next_page, read, found)
    return ctx.render("lists/_further.html", context)


def _look_url(query: ListQuery, begin: int, read: int, found: int) -> str:
    """The address of what the pages from `begin` on hold."""
    so_far = {"from": str(begin), "read": str(read), "found": str(found)}
    return address(query.resource.name, page="look_through", query={**query.params(), **so_far})


@require_POST
@page
def sum_chosen(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """The sum of the chosen rows of a list in words, empty if it is not known."""
    posted = ctx.request.POST
    query = ListQuery.read(resource, QueryDict(posted.get("list", "")), ctx)
    ids = {
        number for each in posted.getlist("chosen")[: SIZES[-1]] if (number := whole_number(each))
    }
    return HttpResponse(sum_of_chosen(ctx, query, ids), content_type="text/plain; charset=utf-8")


@page
def show(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """One record with everything the service shows of it."""
    record = lookups.read_for_page(
        ctx.gateway, resource.endpoint, record_id, after_save=ctx.follows_a_save
    )
    names = titles.names_around(ctx, resource.details, [record])
    return render_record(ctx, resource, record, names)
