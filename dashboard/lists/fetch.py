"""Reads the page of a list query, or the nearest one that exists. The reference does not name the
values of `sortBy` (section 4), so every list field is offered. The answer shows whether the service
rejected or ignored an order, and the note says so.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

from django.core.cache import cache
from django.utils import timezone

from dashboard.core.service_name import SERVICE_AT_START
from dashboard.gateway import (
    Gateway,
    GatewayError,
    Missing,
    Page,
    Record,
    Rejected,
    concurrency,
)
from dashboard.gateway.records import record_of
from dashboard.lists.query import ListQuery
from dashboard.people.context import RequestContext
from dashboard.reader import listing, sealed_cache
from dashboard.reader.all_rows import ReadRows, all_rows
from dashboard.reader.listing import Pages
from dashboard.schema.resource import Resource

PAGES_AT_ONCE, MAX_PAGES = 5, 50  # of a list that is looked through
ORDERED_KINDS = {"integer", "number", "date", "datetime", "timestamp"}


class FetchedPage(NamedTuple):
    """A page and its query. `note`: the limits of what was read.

    read: the rows before filters that the service lacks; None without such a filter. found: those
    of them that match. error: why nothing was read; the page is then the one read at `seen_at`, or
    empty.
    """

    query: ListQuery
    page: Page
    note: str = ""
    read: ReadRows | None = None
    found: tuple[Record, ...] = ()
    error: GatewayError | None = None
    seen_at: datetime | None = None

    @property
    def records(self) -> tuple[Record, ...]:
        return self.page.records

    @property
    def known(self) -> tuple[Record, ...]:
        """Return the records of the list that were read, from all pages."""
        return self.page.records if self.read is None else self.found

    @property
    def is_whole(self) -> bool:
        if self.read is not None:
            return self.read.complete
        return self.page.total_records == len(self.page.records)


def fetch(ctx: RequestContext, query: ListQuery) -> FetchedPage:
    """Read the page of a query: the last page if it is past the end, unsorted (with a note) if the
    service does not sort by the column, empty if a filter is invalid. Raises GatewayError.
    """
    gateway = ctx.gateway
    if query.filters.errors:
        return FetchedPage(replace(query, page=1), Page((), 0, query.size, None, None, 0))
    if query.filters.is_local:
        return _filter_here(gateway, query)
    answered, page = _sorted_if_possible(gateway, query)
    if page.total_pages and query.page > page.total_pages:
        last_query = replace(answered, page=page.total_pages)
        last = _sorted_if_possible(gateway, last_query)
        if not page.records or last[1].is_last or listing.is_past_end(page, last[1]):
            answered, page = last
    if answered.search:
        asked = {**answered.arguments(), "search": ""}
        listing.note_ignored_search(gateway, query.resource.endpoint, page, answered.search, asked)
    page = page.without_refuted_total()
    return FetchedPage(answered, page, "" if answered.sort == query.sort else _not_sorted(query))


def _not_sorted(query: ListQuery) -> str:
    column = next(each for each in query.resource.offered_columns if each.name == query.sort)
    what = f"{query.resource.name} by “{column.label}”"
    return f"{SERVICE_AT_START} can't sort {what}. Showing its default order."


def _filter_here(gateway: Gateway, query: ListQuery) -> FetchedPage:
    sent = query.filters.api_params
    read = all_rows(gateway, query.resource.endpoint, query.search, filters=sent)
    rows = matching(query, read.records)
    pages = max(1, -(-len(rows) // query.size))
    query = replace(query, page=min(query.page, pages))
    start = (query.page - 1) * query.size
    on_page = tuple(rows[start : start + query.size])
    page = Page(on_page, query.page - 1, query.size, len(rows), pages, 0)
    note = "" if read.complete else read.looked_through(query.resource.name)
    return FetchedPage(query, page, note, read, tuple(rows))


def fetch_whole(ctx: RequestContext, query: ListQuery) -> FetchedPage:
    """Read all pages of a list, MAX_PAGES at most. Raises GatewayError."""
    endpoint, filters = query.resource.endpoint, query.filters.api_params
    read = all_rows(ctx.gateway, endpoint, query.search, filters=filters, most=MAX_PAGES)
    page = Page(read.records, 0, len(read.records), read.total, 1, 0)
    return FetchedPage(query, page, read=read, found=read.records)


class Further(NamedTuple):
    """The matches in the next pages of a list. read: how many rows were tested. next_page: the page
    after them, None if no further one is read.
    """

    records: tuple[Record, ...]
    read: int
    ended: bool
    next_page: int | None


def look_further(ctx: RequestContext, query: ListQuery, begin: int) -> Further:
    """Return the matches in the pages from `begin` on. Raises GatewayError."""
    read = partial(
        ctx.gateway.list,
        query.resource.endpoint,
        search=query.search,
        filters=query.filters.api_params,
        page_size=listing.PAGE_SIZE,
    )
    pages = listing.Pages(read, begin=begin, most=min(PAGES_AT_ONCE, MAX_PAGES - begin))
    found = list(pages)
    end = begin + len(found)
    rows = [each for page in found for each in page.records]
    return Further(
        records=tuple(matching(query, rows)),
        read=len(rows),
        ended=pages.ended,
        next_page=None if pages.ended or end >= MAX_PAGES else end,
    )


def matching(query: ListQuery, records: Iterable[Record]) -> list[Record]:
    """Return the records that pass the filters which the service lacks, in the order of the query,
    else of a filter, else of the service.
    """
    tests, order = query.filters.row_tests, query.filters.row_order
    rows = [each for each in records if all(test(each) for test in tests)]
    if query.sort:
        rows.sort(key=partial(_order, query.sort), reverse=query.descending)
    elif order:
        return order.sort(rows)
    return rows


def _order(name: str, record: Record) -> tuple[str, Any]:
    value = record[name]
    return (type(value).__name__, value if isinstance(value, str | int | Decimal | date) else "")


def _sorted_if_possible(gateway: Gateway, query: ListQuery) -> tuple[ListQuery, Page]:
    """Drop a sort only if the same list without it succeeds: a service that rejects the search text
    rejects the unsorted list as well. If the sort was ignored, read the page again unsorted, so
    that one list does not mix two orders.
    """
    try:
        page = _read_page(gateway, query)
    except Rejected:
        if not query.sort:
            raise
    else:
        if not query.sort or not ignored(query, page):
            return query, page
    unsorted = replace(query, sort="", descending=False)
    return unsorted, _read_page(gateway, unsorted)


def ignored(query: ListQuery, page: Page) -> bool:
    """Return whether the rows are certainly not in the requested order. Only numbers and dates are
    compared: the service's order of texts is not known.
    """
    kind = query.resource.endpoint.kinds.get(query.sort)
    values = [record[query.sort] for record in page.records]
    known = [value for value in values if value]  # neither empty nor unreadable
    if kind not in ORDERED_KINDS or len({type(value) for value in known}) != 1:
        return False
    return known != sorted(known, reverse=query.descending)


WHOLE_LIST = 1_000_000  # all that was found, in one page


def read_first_page(ctx: RequestContext, query: ListQuery) -> FetchedPage:
    """Read the first page of a list, or all of it if it has a filter that the service lacks. Raises
    GatewayError.
    """
    size = WHOLE_LIST if query.filters.is_local else listing.PAGE_SIZE
    return fetch(ctx, replace(query, page=1, size=size))


def pages(gateway: Gateway, query: ListQuery, **how: Any) -> Pages:
    """Return the pages of a list; `how` as of Pages."""
    return Pages(partial(_read_page, gateway, query), **how)


def read_each(gateway: Gateway, resource: Resource, ids: Iterable[int]) -> Iterator[Record]:
    """Read the records with these ids, except deleted ones. Raises GatewayError."""
    for answer in concurrency.map(
        partial(resource.read, gateway), ids, listing.MAX_CONCURRENT_CALLS
    ):
        if not isinstance(answer, Missing):
            yield concurrency.unwrap(answer)


def last_known(fetched: FetchedPage) -> int:
    """Return the number of the last known page; one follows this page unless it is the last."""
    page = fetched.page
    follows = fetched.read is None and not page.is_last
    return max(page.total_pages or 0, page.page_index + 1 + follows)


def _read_page(gateway: Gateway, query: ListQuery, page_index: int | None = None) -> Page:
    query = query if page_index is None else replace(query, page=page_index + 1)
    return gateway.list(query.resource.endpoint, **query.arguments())


# The pages that were read, for when the service does not answer: kept for the key pair that read
# them, without what filters looked through that the service lacks. First pages without a search
# alone, as each takes 5 kB of a cache that holds names, too, and people search all day.
PAGES = "pages"  # a kind of cache keys; another one once what is kept changes its shape
PAGE_TTL, SAME_PAGE_TTL = 12 * 60 * 60, 60  # seconds


def store_page(ctx: RequestContext, query: ListQuery, page: Page) -> None:
    """Store the page if it is a first page without a search, at most once a minute."""
    if query.search or query.page > 1:
        return
    counts = {name: value for name, value in vars(page).items() if name != "records"}
    value = {"rows": [record.raw for record in page.records], "counts": counts}
    key = _page_key(ctx, query)
    if cache.add(f"{key}:{sha256(repr(value).encode()).hexdigest()}", True, SAME_PAGE_TTL):
        sealed_cache.write(key, {**value, "at": timezone.now().isoformat()}, PAGE_TTL)


def last_seen(ctx: RequestContext, query: ListQuery) -> FetchedPage:
    """Return the stored page of the same query; an empty one if none is stored."""
    kept = sealed_cache.read(_page_key(ctx, query))
    if not kept:
        return FetchedPage(query, Page((), 0, 0, None, None, 0))
    endpoint = query.resource.endpoint
    records = tuple(filter(None, (record_of(endpoint, row) for row in kept["rows"])))
    page = Page(records, **kept["counts"])
    return FetchedPage(query, page, seen_at=datetime.fromisoformat(kept["at"]))


def _page_key(ctx: RequestContext, query: ListQuery) -> str:
    key = sealed_cache.keys_of(ctx.gateway)
    asked = sha256(replace(query, view="", columns=(), compact=False).url().encode()).hexdigest()
    return key(PAGES, query.resource.endpoint, asked)
