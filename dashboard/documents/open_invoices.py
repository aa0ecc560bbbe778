"""The open invoices of a key pair by their due date: what is overdue, and what is due soon.

The API filters neither by due date nor by what is unpaid (section 4), so the open invoices are read
in pages of 100 side by side and compared with today here (reader/all_rows.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from django.utils import timezone

from dashboard.documents.cells import SOON
from dashboard.gateway import INVOICES, Gateway, Record
from dashboard.reader import all_rows
from dashboard.records.context import RequestContext
from dashboard.records.parts import Narrowing

OPEN = 0
OVERDUE, DUE_SOON, UNPAID = "overdue", "soon", "unpaid"
DUE = {OVERDUE: "Overdue", DUE_SOON: "Due soon", UNPAID: "Unpaid, by customer"}


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
        of = f" of {self.total:,}" if self.total else ""
        return f"{self.read:,}{of} open invoices were looked through."

    def overdue(self, today: date) -> list[Record]:
        """Those that were due before today."""
        return [record for record in self.records if record["due_date"] < today]

    def due_soon(self, today: date, days: int) -> list[Record]:
        """Those that are due today or within `days` days."""
        last = today + timedelta(days=days)
        return [record for record in self.records if today <= record["due_date"] <= last]


class Reading:
    """Open invoices that are being read since it was made, or that are kept from before."""

    def __init__(
        self,
        gateway: Gateway,
        search: str = "",
        filters: Mapping[str, Any] | None = None,
        until: float | None = None,
    ) -> None:
        """until: as in `all_rows.Reading`."""
        sent = {**(filters or {}), "inv_status": OPEN}
        self._rows = all_rows.Reading(gateway, INVOICES, search, sent, until)

    def result(self) -> OpenInvoices:
        """The invoices, at most a minute old. Raises GatewayError."""
        found = self._rows.result()
        dated = [record for record in found.records if isinstance(record["due_date"], date)]
        dated.sort(key=_due)
        return OpenInvoices(tuple(dated), len(found.records), found.total, found.at)


def read_open_invoices(
    gateway: Gateway, search: str = "", filters: Mapping[str, Any] | None = None
) -> OpenInvoices:
    """The open invoices that fit a search and filters of the API, at most a minute old.

    Raises GatewayError.
    """
    return Reading(gateway, search, filters).result()


def narrow(ctx: RequestContext, choice: str) -> Narrowing:
    """The invoices that are overdue, due soon or unpaid, for the list of invoices."""
    today = timezone.localdate()
    last = today + timedelta(days=SOON)
    keeps = {
        OVERDUE: lambda record: _due(record)[0] < today,
        DUE_SOON: lambda record: today <= _due(record)[0] <= last,
        UNPAID: lambda record: record["amount_due"] != 0,
    }
    return Narrowing(
        keeps[choice],
        sent={"inv_status": OPEN},
        order=_customer if choice == UNPAID else _due,
        conflict="Only open invoices can be overdue, due soon or unpaid.",
    )


def _due(record: Record) -> tuple[date, int]:
    due = record["due_date"]
    return due if isinstance(due, date) else date.max, record.id


def _customer(record: Record) -> tuple[int, date, int]:
    customer = record["customer_id"]
    return customer if isinstance(customer, int) else 0, *_due(record)


def amount_due(records: list[Record]) -> Decimal | None:
    """The sum of what is still due; None if the service does not say it of every invoice."""
    amounts = [record["amount_due"] for record in records]
    known = [amount for amount in amounts if isinstance(amount, Decimal)]
    return sum(known, Decimal(0)) if len(known) == len(amounts) else None
