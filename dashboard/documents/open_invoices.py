"""The open invoices of a key pair by their due date: what is overdue, and what is due soon.

The API filters neither by due date nor by what is unpaid (section 4), so the open invoices are read
in pages of 100 side by side and compared with today here. They are kept for a minute.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import partial
from hashlib import sha256
from typing import Any

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


def read_open_invoices(
    gateway: Gateway, search: str = "", filters: Mapping[str, Any] | None = None
) -> OpenInvoices:
    """The open invoices that fit a search and filters of the API, at most a minute old.

    Raises GatewayError.
    """
    asked = {"search": search, "filters": {**(filters or {}), "inv_status": OPEN}}
    key = f"open-invoices:{fingerprint(gateway)}:{_digest(asked)}"
    if kept := sealed_cache.read(key):
        records = tuple(filter(None, (record_of(INVOICES, row) for row in kept["rows"])))
        at = datetime.fromisoformat(kept["at"])
        return OpenInvoices(records, kept["read"], kept["total"], at)
    found = _read(gateway, asked)
    rows = [record.raw for record in found.records]
    counts = {"read": found.read, "total": found.total, "at": found.at.isoformat()}
    sealed_cache.write(key, {"rows": rows, **counts}, KEPT)
    return found


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


def _read(gateway: Gateway, asked: dict[str, Any]) -> OpenInvoices:
    first = _page(gateway, asked, 0)
    last = min(first.total_pages or 1, MOST_PAGES)
    others = side_by_side.run([partial(_page, gateway, asked, index) for index in range(1, last)])
    pages = [first]
    for page in others:
        if isinstance(page, GatewayError):
            raise page
        pages.append(page)
    rows = {record.id: record for page in pages for record in page.records}
    dated = [record for record in rows.values() if isinstance(record["due_date"], date)]
    dated.sort(key=lambda record: (record["due_date"], record.id))
    return OpenInvoices(tuple(dated), len(rows), first.total_records, timezone.now())


def _page(gateway: Gateway, asked: dict[str, Any], index: int) -> Page:
    return gateway.list(INVOICES, **asked, page_index=index, page_size=PAGE_SIZE)


def _digest(asked: dict[str, Any]) -> str:
    return sha256(json.dumps(asked, default=str, sort_keys=True).encode()).hexdigest()
