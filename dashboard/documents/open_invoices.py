"""The open invoices of a key pair by their due date: what is overdue, and what is due soon.

The API filters neither by due date nor by what is unpaid (section 4), so the open invoices are read
in pages of 100 side by side and compared with today here. They are kept for a minute.
"""

import json
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import partial
from hashlib import sha256
from typing import Any

from django.core.cache import cache
from django.utils import timezone

from dashboard.documents.cells import SOON
from dashboard.gateway import INVOICES, Gateway, GatewayError, Page, Record, side_by_side
from dashboard.gateway.records import record_of
from dashboard.records.parts import NarrowedRows
from dashboard.records.references import sealed_cache
from dashboard.records.references.lookups import fingerprint

PAGE_SIZE = 100
MOST_PAGES = 10
KEPT = 60  # seconds
COUNT_KEPT = 24 * 60 * 60  # seconds, of the number of pages
OPEN = 0
OVERDUE, DUE_SOON = "overdue", "soon"


@dataclass(frozen=True)
class OpenInvoices:
    """Open invoices that have a due date, the earliest first.

    total: how many open invoices there are; None if the service does not say. read: how many of
    them were looked through. at: when.
    """

    records: tuple[Record, ...]
    read: int
    total: int | None
    at: datetime

    @property
    def complete(self) -> bool:
        """Whether every open invoice was looked through."""
        return self.total is not None and self.read >= self.total

    @property
    def partial(self) -> str:
        """How many were looked through, in words; "" if that is all of them."""
        if self.complete:
            return ""
        return f"{self.read:,} of {self.total or 0:,} open invoices were looked through."

    def overdue(self, today: date) -> list[Record]:
        """Those that were due before today."""
        return [record for record in self.records if record["due_date"] < today]

    def due_soon(self, today: date, days: int) -> list[Record]:
        """Those that are due today or within `days` days."""
        last = today + timedelta(days=days)
        return [record for record in self.records if today <= record["due_date"] <= last]


class Reading:
    """Open invoices that are being read since it was made, or that are kept from before.

    As many pages as there were the last time begin at once, so that they take one round.
    """

    def __init__(
        self, gateway: Gateway, search: str = "", filters: Mapping[str, Any] | None = None
    ) -> None:
        self._gateway = gateway
        self._asked: dict[str, Any] = {
            "search": search,
            "filters": {**(filters or {}), "inv_status": OPEN},
        }
        self._key = f"open-invoices:{fingerprint(gateway)}:{_digest(self._asked)}"
        self._kept = sealed_cache.read(self._key)
        pages = 0 if self._kept else cache.get(f"{self._key}:pages", 1)
        self._pages = self._start(0, pages)

    def result(self) -> OpenInvoices:
        """The invoices, at most a minute old. Raises GatewayError."""
        if self._kept:
            kept = filter(None, (record_of(INVOICES, row) for row in self._kept["rows"]))
            at = datetime.fromisoformat(self._kept["at"])
            return OpenInvoices(tuple(kept), self._kept["read"], self._kept["total"], at)
        found = self._read()
        rows = [record.raw for record in found.records]
        counts = {"read": found.read, "total": found.total, "at": found.at.isoformat()}
        sealed_cache.write(self._key, {"rows": rows, **counts}, KEPT)
        return found

    def _read(self) -> OpenInvoices:
        first = _page_of(self._pages[0])
        last = max(1, min(first.total_pages or 1, MOST_PAGES))
        cache.set(f"{self._key}:pages", last, COUNT_KEPT)
        futures = [*self._pages, *self._start(len(self._pages), last)][1:last]
        pages = [first, *map(_page_of, futures)]
        rows = {record.id: record for page in pages for record in page.records}
        dated = [record for record in rows.values() if isinstance(record["due_date"], date)]
        dated.sort(key=lambda record: (record["due_date"], record.id))
        return OpenInvoices(tuple(dated), len(rows), first.total_records, timezone.now())

    def _start(self, begin: int, end: int) -> list["Future[Page | GatewayError]"]:
        asked = partial(self._gateway.list, INVOICES, **self._asked, page_size=PAGE_SIZE)
        return [side_by_side.start(partial(asked, page_index=index)) for index in range(begin, end)]


def read_open_invoices(
    gateway: Gateway, search: str = "", filters: Mapping[str, Any] | None = None
) -> OpenInvoices:
    """The open invoices that fit a search and filters of the API, at most a minute old.

    Raises GatewayError.
    """
    return Reading(gateway, search, filters).result()


def narrow(gateway: Gateway, choice: str, search: str, filters: Mapping[str, Any]) -> NarrowedRows:
    """The overdue invoices, or those due soon, for the list of invoices. Raises GatewayError."""
    if filters.get("inv_status", OPEN) != OPEN:
        return NarrowedRows([], "Only open invoices can be overdue or due soon.")
    found, today = read_open_invoices(gateway, search, filters), timezone.localdate()
    records = found.overdue(today) if choice == OVERDUE else found.due_soon(today, SOON)
    return NarrowedRows(records, found.partial)


def amount_due(records: list[Record]) -> Decimal | None:
    """The sum of what is still due; None if the service does not say it of every invoice."""
    amounts = [record["amount_due"] for record in records]
    known = [amount for amount in amounts if isinstance(amount, Decimal)]
    return sum(known, Decimal(0)) if len(known) == len(amounts) else None


def _page_of(future: "Future[Page | GatewayError]") -> Page:
    page = future.result()
    if isinstance(page, GatewayError):
        raise page
    return page


def _digest(asked: dict[str, Any]) -> str:
    return sha256(json.dumps(asked, default=str, sort_keys=True).encode()).hexdigest()
