"""Reads the rows of a list beyond one page, for what the API cannot filter or count.

Up to ten pages of 100 are read side by side and kept, sealed, for a minute.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import Any

from django.utils import timezone

from dashboard.gateway import Endpoint, Gateway, GatewayError, Page, Record, side_by_side
from dashboard.gateway.records import record_of
from dashboard.records.references import sealed_cache
from dashboard.records.references.lookups import fingerprint

PAGE_SIZE = 100
MOST_PAGES = 10
KEPT = 60  # seconds


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
        of = f"{self.total:,} {noun}" if self.total else noun
        in_all = f" of {_pages(self.total):,}" if self.total else ""
        return f"{read:,} of {of} were looked through ({_count(pages)}{in_all}): there may be more."


def read_rows(
    gateway: Gateway, endpoint: Endpoint, search: str = "", filters: Mapping[str, Any] | None = None
) -> ReadRows:
    """The rows that fit a search and filters of the API, in the service's order. At most a minute
    old. Raises GatewayError.
    """
    asked = {"search": search, "filters": dict(filters or {})}
    key = f"rows:{fingerprint(gateway)}:{endpoint.name}:{_digest(asked)}"
    if kept := sealed_cache.read(key):
        records = tuple(filter(None, (record_of(endpoint, row) for row in kept["rows"])))
        return ReadRows(records, kept["total"], datetime.fromisoformat(kept["at"]))
    found = _read(gateway, endpoint, asked)
    rows = [record.raw for record in found.records]
    facts = {"total": found.total, "at": found.at.isoformat()}
    sealed_cache.write(key, {"rows": rows, **facts}, KEPT)
    return found


def _read(gateway: Gateway, endpoint: Endpoint, asked: dict[str, Any]) -> ReadRows:
    first = _page(gateway, endpoint, asked, 0)
    last = min(first.total_pages or 1, MOST_PAGES)
    others = [partial(_page, gateway, endpoint, asked, index) for index in range(1, last)]
    pages = [first]
    for page in side_by_side.run(others):
        if isinstance(page, GatewayError):
            raise page
        pages.append(page)
    rows = {record.id: record for page in pages for record in page.records}
    return ReadRows(tuple(rows.values()), first.total_records, timezone.now())


def _page(gateway: Gateway, endpoint: Endpoint, asked: dict[str, Any], index: int) -> Page:
    return gateway.list(endpoint, **asked, page_index=index, page_size=PAGE_SIZE)


def _pages(rows: int) -> int:
    return max(1, -(-rows // PAGE_SIZE))


def _count(pages: int) -> str:
    return "1 page" if pages == 1 else f"{pages} pages"


def _digest(asked: dict[str, Any]) -> str:
    return sha256(json.dumps(asked, default=str, sort_keys=True).encode()).hexdigest()
