"""Reads the pages of a list to its end, several concurrently.

The reference promises how many pages and records a list has (section 2). If a service says neither,
a page that is not full is the last one. Some services report too few, such as the number of rows of
this page: totals count only as far as the rows agree with them. A page without rows, or with the
rows of the page before it, always ends a list.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from math import inf
from secrets import token_hex
from typing import Any

from dashboard.gateway import Endpoint, Gateway, GatewayError, Page, concurrency
from dashboard.text.plain import folded

MAX_CONCURRENT_CALLS = 8  # calls
PAGE_SIZE = 100  # rows, the most of a page (section 8)


class Pages:
    """The pages of one list in order; the first calls start at construction.

    `ended`: whether nothing of the list follows the last page returned.
    """

    def __init__(
        self,
        read: Callable[..., Page],
        *,
        first: Page | None = None,
        begin: int = 0,
        expected: int = 1,
        most: float = inf,
        at_once: int | None = None,
        until: float | None = None,
        goes_on: Callable[[], bool] = lambda: True,
    ) -> None:
        """read: returns the page of a `page_index`. first: the page at `begin`, if it was read.
        expected: pages to request before one has said how many there are. most: maximum of pages.
        at_once: concurrent calls, AT_ONCE for None. until: when to stop waiting for a page
        (monotonic seconds). goes_on: called before each page but the first.
        """
        self.ended = False
        self._read, self._until, self._goes_on = read, until, goes_on
        self._at_once = at_once or MAX_CONCURRENT_CALLS
        self._next, self._stop = begin, begin + most
        self._known: float = begin + expected
        self._under_way: deque[Page | Future[Page | GatewayError]] = deque()
        self._under_way.append(first or self._call())
        self._next += 1
        self._read_on()

    def __iter__(self) -> Iterator[Page]:
        """Raises the GatewayError of the first page that fails."""
        before = None
        while self._under_way and not self.ended:
            page = self._wait(self._under_way.popleft())
            self.ended = page.is_last
            if before is None and page.page_index >= (page.total_pages or inf):
                before = self._read(page_index=page.page_index - 1)
            if is_past_end(page, before):
                self.ended = True
                return
            yield page
            before, self._known = page, _known_pages(page)
            if not self.ended:
                self._read_on()

    def _read_on(self) -> None:
        end = min(self._known, self._stop)
        while self._next < end and len(self._under_way) < self._at_once and self._goes_on():
            self._under_way.append(self._call())
            self._next += 1

    def _call(self) -> "Future[Page | GatewayError]":
        return concurrency.submit(partial(self._read, page_index=self._next))

    def _wait(self, page: "Page | Future[Page | GatewayError]") -> Page:
        if isinstance(page, Page):
            return page
        return concurrency.unwrap(concurrency.result(page, self._until))


def read_of(page: Page) -> str:
    """Format how many rows were read, such as "32 of 219"; "32" without a total."""
    of = "" if page.total_records is None else f" of {page.total_records:,}"
    return f"{len(page.records):,}{of}"


def note_ignored_search(
    gateway: Gateway, endpoint: Endpoint, page: Page, search: str, asked: Mapping[str, Any]
) -> None:
    """Note a search that changes neither the rows nor the total of a page, which takes a call; none
    if each row holds the words. asked: as of Gateway.list, without the search.
    """
    words = folded(search).split()
    texts = (folded(" ".join(map(str, each.raw.values()))) for each in page.records)
    if all(any(word in text for word in words) for text in texts):
        return
    with suppress(GatewayError):
        whole = gateway.list(endpoint, **{**asked, "search": token_hex(8)})
        if _ids(whole) == _ids(page) and whole.total_records == page.total_records:
            gateway.ignored_searches.add(endpoint.name)


def is_past_end(page: Page, before: Page | None) -> bool:
    """Return whether a page is past the end of the list: a service may return its last page for
    each later one, or its first page for all.
    """
    repeats = before is not None and _ids(page) == _ids(before)
    return repeats and (bool(page.rows) or page.page_index >= (page.total_pages or 0))


def _known_pages(page: Page) -> float:
    """Return how many pages may be read concurrently: the reported number, at least one more than
    this page.
    """
    if page.total_pages is None or page.page_index >= page.total_pages:
        return inf
    return max(page.total_pages, page.page_index + 2)


def _ids(page: Page) -> list[int]:
    return [*page.unfit, *(record.id for record in page.records)]
