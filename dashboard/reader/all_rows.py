"""Reads the rows of a list beyond one page, for what the API cannot filter or count.

Up to ten pages of 100 are read side by side and kept, sealed, for a minute.
"""

import json
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import Any

from django.core.cache import cache
from django.utils import timezone

from dashboard.gateway import Endpoint, Gateway, GatewayError, Page, Record, side_by_side
from dashboard.gateway.records import record_of
from dashboard.reader import sealed_cache
from dashboard.reader.lookups import fingerprint

PAGE_SIZE = 100
MOST_PAGES = 10
KEPT = 60  # seconds
COUNT_KEPT = 24 * 60 * 60  # seconds, of the number of pages


@dataclass(frozen=True)
class ReadRows:
    """The rows that were read. total: how many there are, None if the service does not say."""

    records: tuple[Record, ...]
    total: int | None
    at: datetime

    @property
    def complete(self) -> bool:
        """Whether every row was read."""
        return self.total is not None and len(self.records) >= self.total

    def looked_through(self, noun: str) -> str:
        """How many rows and pages were read, and of how many."""
        read, pages = len(self.records), _pages(len(self.records))
        if self.complete:
            return f"All {read:,} {noun} were looked through ({_count(pages)})."
        of = f" of {self.total:,}" if self.total else ""
        in_all = f" of {_pages(self.total):,}" if self.total else ""
        return (
            f"{read:,}{of} {noun} were looked through ({_count(pages)}{in_all}): there may be more."
        )


class Reading:
    """Rows that are being read since it was made, or that are kept from before.

    As many pages as there were the last time begin at once, so that they take one round.
    """

    def __init__(
        self,
        gateway: Gateway,
        endpoint: Endpoint,
        search: str = "",
        filters: Mapping[str, Any] | None = None,
        until: float | None = None,
    ) -> None:
        """until: as long as `result` waits (monotonic seconds); None for the gateway's timeout."""
        self._until = until
        self._gateway, self._endpoint = gateway, endpoint
        self._asked: dict[str, Any] = {"search": search, "filters": dict(filters or {})}
        self._key = f"rows:{fingerprint(gateway)}:{endpoint.name}:{_digest(self._asked)}"
        self._kept = sealed_cache.read(self._key)
        pages = 0 if self._kept else cache.get(f"{self._key}:pages", 1)
        self._pages = self._start(0, pages)

    def result(self) -> ReadRows:
        """The rows, at most a minute old. Raises GatewayError."""
        if self._kept:
            kept = (record_of(self._endpoint, row) for row in self._kept["rows"])
            at = datetime.fromisoformat(self._kept["at"])
            return ReadRows(tuple(filter(None, kept)), self._kept["total"], at)
        found = self._read()
        rows = [record.raw for record in found.records]
        facts = {"total": found.total, "at": found.at.isoformat()}
        sealed_cache.write(self._key, {"rows": rows, **facts}, KEPT)
        return found

    def _read(self) -> ReadRows:
        first = self._wait(self._pages[0])
        last = max(1, min(first.total_pages or 1, MOST_PAGES))
        cache.set(f"{self._key}:pages", last, COUNT_KEPT)
        futures = [*self._pages, *self._start(len(self._pages), last)][1:last]
        pages = [first, *map(self._wait, futures)]
        rows = {record.id: record for page in pages for record in page.records}
        return ReadRows(tuple(rows.values()), first.total_records, timezone.now())

    def _wait(self, future: "Future[Page | GatewayError]") -> Page:
        page = side_by_side.wait(future, self._until)
        if isinstance(page, GatewayError):
            raise page
        return page

    def _start(self, begin: int, end: int) -> list["Future[Page | GatewayError]"]:
        asked = partial(self._gateway.list, self._endpoint, **self._asked, page_size=PAGE_SIZE)
        return [side_by_side.start(partial(asked, page_index=index)) for index in range(begin, end)]


def all_rows(
    gateway: Gateway, endpoint: Endpoint, search: str = "", filters: Mapping[str, Any] | None = None
) -> ReadRows:
    """The rows that fit a search and filters of the API, in the service's order. At most a minute
    old. Raises GatewayError.
    """
    return Reading(gateway, endpoint, search, filters).result()


def _pages(rows: int) -> int:
    return max(1, -(-rows // PAGE_SIZE))


def _count(pages: int) -> str:
    return "1 page" if pages == 1 else f"{pages} pages"


def _digest(asked: dict[str, Any]) -> str:
    return sha256(json.dumps(asked, default=str, sort_keys=True).encode()).hexdigest()
