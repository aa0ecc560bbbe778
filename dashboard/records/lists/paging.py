"""Reads a list to its end, page by page, several pages at once."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from typing import NamedTuple, TypeVar

from dashboard.gateway import Gateway, GatewayError, Page, side_by_side
from dashboard.records.context import RequestContext
from dashboard.records.lists.fetching import fetch
from dashboard.records.lists.query import ListQuery

AT_ONCE = 8  # calls
PAGE_SIZE = 100
NARROWED_SIZE = 1_000_000  # all that was found, in one page
Result = TypeVar("Result")


class Begun(NamedTuple):
    """The first page of a list that is read to its end, the query that it answers, and a note."""

    query: ListQuery
    page: Page
    note: str


def begin(ctx: RequestContext, query: ListQuery) -> Begun:
    """The first page of the list, the query that it answers, and a note on what is not in it.

    A list with a filter that the service lacks is read as a whole. Raises GatewayError.
    """
    narrowed = any(item.is_ours and query.filters.get(item.name) for item in query.resource.filters)
    size = NARROWED_SIZE if narrowed else PAGE_SIZE
    found = fetch(ctx, replace(query, page=1, size=size))
    return Begun(found.query, found.page, found.note)


def read_pages(
    gateway: Gateway, query: ListQuery, numbers: Iterable[int], at_once: int = AT_ONCE
) -> Iterator[Page]:
    """These pages of a list in their order. Raises the GatewayError of the first that fails."""
    calls = (partial(_read_page, gateway, replace(query, page=number)) for number in numbers)
    for found in side_by_side.stream(calls, at_once):
        yield result_of(found)


def all_pages(gateway: Gateway, query: ListQuery, first: Page) -> Iterator[Page]:
    """All pages of a list from the first one on, which was read. Raises GatewayError."""
    yield first
    last = first.total_pages
    if not is_last(first, last):
        for page in read_pages(gateway, query, numbers(2, last)):
            yield page
            if is_last(page, last):
                return


def numbers(first: int, last: int | None) -> Iterable[int]:
    """The numbers of pages, counted from 1, up to the last where that is known."""
    return count(first) if last is None else range(first, last + 1)


def is_last(page: Page, last: int | None) -> bool:
    """Whether no page follows, given the number of pages that the service says.

    Where it says none, the last page is the first that is not full. A page without rows is the last
    one whatever it says: it may say any number.
    """
    rows = len(page.records) + page.unreadable_rows
    if not rows or last is None:
        return rows < page.page_size
    return page.page_index + 1 >= last


def last_known(page: Page) -> int:
    """The number of the last page that there is, as far as is known: where the service does not say
    how many, a full page has one behind it.
    """
    return page.total_pages or page.page_index + (1 if is_last(page, None) else 2)


def result_of(found: Result | GatewayError) -> Result:
    """The result of a call; raises its GatewayError."""
    if isinstance(found, GatewayError):
        raise found
    return found


def _read_page(gateway: Gateway, query: ListQuery) -> Page:
    return gateway.list(query.resource.endpoint, **query.arguments())
