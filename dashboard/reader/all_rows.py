"""Reads the rows of a list beyond one page, where the API cannot filter, search or count.

Several pages are read concurrently; the rows are cached, encrypted, for a minute, or until the same
key pair writes a record of their resource.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import sha256
from secrets import token_hex
from typing import Any

from django.utils import timezone

from dashboard.gateway import Endpoint, Gateway, Record, Rejected
from dashboard.gateway.records import record_of
from dashboard.reader import listing, sealed_cache

MAX_PAGES = 10
ROWS, COUNT, WRITTEN = "rows", "count", "written"  # kinds of cache keys
ROWS_TTL = 60  # seconds
COUNT_TTL = 24 * 60 * 60  # seconds, of the number of pages


@dataclass(frozen=True)
class ReadRows:
    """The rows that were read, without repeats, as of `at`. total: how many there are, None if the
    service does not say. ended: whether the list was read to its end. complete: whether these are
    all of its rows.
    """

    records: tuple[Record, ...]
    total: int | None
    at: datetime
    ended: bool
    complete: bool

    def looked_through(self, noun: str) -> str:
        """Return the words for how many of incomplete rows were read."""
        return f"Showing results from the first {len(self.records):,} {noun}"


class Reading:
    """Rows whose calls start at construction, or cached rows.

    As many pages as the list had the last time are requested at once, so that one round trip is
    enough.
    """

    def __init__(
        self,
        gateway: Gateway,
        endpoint: Endpoint,
        search: str = "",
        filters: Mapping[str, Any] | None = None,
        *,
        sort: str = "",
        until: float | None = None,
        most: int | None = None,
        whole: bool = False,
        fresh: bool = False,
    ) -> None:
        """sort: the field by which the rows are ordered; in the service's order for "", or if the
        service rejects it. until: when `result` stops waiting (monotonic seconds); None for the
        gateway's timeout. most: pages, MAX_PAGES for None. whole: stop after the first page if the
        list has more pages than that. fresh: do not use cached rows.
        """
        self._gateway, self._endpoint, self._whole = gateway, endpoint, whole
        self._most = MAX_PAGES if most is None else most
        asked: dict[str, Any] = {"search": search, "filters": dict(filters or {})}
        self._order = {"sort_by": sort, "sort_order": "asc"} if sort else {}
        key, asked_for = sealed_cache.keys_of(gateway), _digest(asked | self._order, self._most)
        self._key, self._count_key = (key(kind, endpoint, asked_for) for kind in (ROWS, COUNT))
        written = key(WRITTEN, endpoint, "")
        found = sealed_cache.read_many([self._key, written])
        self._written = found.get(written, "")  # of the last write before these rows are read
        kept = found.get(self._key) or {}
        is_current = not fresh and kept.get("written") == self._written
        self._kept: dict[str, Any] = kept if is_current else {}
        if self._kept:
            return
        self._list = partial(gateway.list, endpoint, **asked, page_size=listing.PAGE_SIZE)
        self._begin = partial(
            listing.Pages,
            expected=sealed_cache.read(self._count_key) or 1,
            most=self._most,
            at_once=MAX_PAGES,
            until=until,
        )
        self._pages = self._begin(partial(self._list, **self._order))

    def result(self) -> ReadRows:
        """Return the rows, at most a minute old unless `fresh`. Raises GatewayError."""
        if not self._kept:
            try:
                self._kept = self._read()
            except Rejected:
                if not self._order:
                    raise
                self._pages = self._begin(self._list)
                self._kept = self._read()
            sealed_cache.write(self._key, self._kept, ROWS_TTL)
        rows, total, at, ended = (self._kept[name] for name in ("rows", "total", "at", "ended"))
        self._gateway.note_unfit(self._endpoint, self._kept["unfit"])
        records = tuple(filter(None, (record_of(self._endpoint, row) for row in rows)))
        complete = ended and len(records) >= (total or 0)
        return ReadRows(records, total, datetime.fromisoformat(at), ended, complete)

    def _read(self) -> dict[str, Any]:
        rows: dict[int, Any] = {}
        totals, unfit, is_beyond = [], set[int](), False
        for page in self._pages:
            totals.append(page.total_records)
            rows |= {record.id: record.raw for record in page.records}
            unfit.update(page.unfit)
            if is_beyond := self._whole and (page.total_pages or 0) > self._most:
                break
        sealed_cache.write(self._count_key, len(totals), COUNT_TTL)
        ended = self._pages.ended and not is_beyond
        at = timezone.now().isoformat()
        return {
            "rows": list(rows.values()),
            "total": None if unfit else totals[0],
            "unfit": sorted(unfit),
            "at": at,
            "ended": ended,
            "written": self._written,
        }


def expire_rows(gateway: Gateway, endpoint: Endpoint) -> None:
    """Stop using the cached rows of this key pair, for example after a write."""
    key = sealed_cache.keys_of(gateway)(WRITTEN, endpoint, "")
    sealed_cache.write(key, token_hex(8), 2 * ROWS_TTL)  # longer than any rows are kept


def all_rows(gateway: Gateway, endpoint: Endpoint, search: str = "", **how: Any) -> ReadRows:
    """Return the rows of a `Reading`, in the service's order. Raises GatewayError."""
    return Reading(gateway, endpoint, search, **how).result()


def _digest(asked: dict[str, Any], most: int) -> str:
    return sha256(json.dumps([asked, most], default=str, sort_keys=True).encode()).hexdigest()
