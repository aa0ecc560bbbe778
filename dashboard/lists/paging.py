"""The pages of a list as its address asks for it, from the first to its end."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.gateway import Gateway, Missing, Page, Record, side_by_side
from dashboard.lists.fetching import fetch
from dashboard.lists.query import ListQuery
from dashboard.reader import listing
from dashboard.reader.listing import Pages

WHOLE_LIST = 1_000_000  # all that was found, in one page


class Begun(NamedTuple):
    """The first page of a list that is read to its end, the query that it answers, and a note."""

    query: ListQuery
    page: Page
    note: str


def begin(ctx: RequestContext, query: ListQuery) -> Begun:
    """The first page of the list, the query that it answers, and a note on what is not in it.

    A list with a filter that the service lacks is read as a whole. Raises GatewayError.
    """
    size = WHOLE_LIST if query.is_local else listing.PAGE_SIZE
    found = fetch(ctx, replace(query, page=1, size=size))
    return Begun(found.query, found.page, found.note)


def pages(gateway: Gateway, query: ListQuery, **how: Any) -> Pages:
    """The pages of a list; `how` as of Pages."""
    return Pages(partial(_read_page, gateway, query), **how)


def read_each(gateway: Gateway, resource: Resource, ids: Iterable[int]) -> Iterator[Record]:
    """The records with these ids, without those that are gone. Raises GatewayError."""
    calls = (partial(resource.read, gateway, number) for number in ids)
    for answer in side_by_side.stream(calls, listing.AT_ONCE):
        if not isinstance(answer, Missing):
            yield listing.result_of(answer)


def last_known(page: Page) -> int:
    """The number of the last page that there is, as far as is known: where the service does not say
    how many, one follows unless the page is the last.
    """
    return page.total_pages or page.page_index + (1 if listing.is_last(page) else 2)


def _read_page(gateway: Gateway, query: ListQuery, page_index: int) -> Page:
    return gateway.list(query.resource.endpoint, **replace(query, page=page_index + 1).arguments())
