"""The open invoices of a key pair by their due date: what is overdue, and what is due soon.

The API filters neither by due date nor by what is unpaid (section 4), so the open invoices are read
in pages of 100 side by side and compared with today here (reader/all_rows.py).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from django.utils import timezone

from dashboard.context import RequestContext
from dashboard.declare.filters import Choice, RowOrder, RowTest
from dashboard.display.money import currencies_of
from dashboard.documents.cells import OPEN, SOON
from dashboard.gateway import INVOICES, Gateway, Record
from dashboard.reader.all_rows import Reading, ReadRows

OVERDUE, DUE_SOON, UNPAID = "overdue", "soon", "unpaid"
DUE = {OVERDUE: "Overdue", DUE_SOON: "Due soon", UNPAID: "Unpaid"}


@dataclass(frozen=True)
class OpenInvoices:
    """Open invoices that have a due date, the earliest first. rows: all that were read."""

    records: tuple[Record, ...]
    rows: ReadRows

    @property
    def partial(self) -> str:
        """How many were looked through, in words; "" if that is all of them."""
        if self.rows.complete:
            return ""
        of = f" of {self.rows.total:,}" if self.rows.total else ""
        return f"{len(self.rows.records):,}{of} open invoices were looked through."

    def overdue(self, today: date) -> list[Record]:
        """Those that were due before today."""
        return [record for record in self.records if record["due_date"] < today]


def begin(gateway: Gateway, filters: Mapping[str, Any] | None = None) -> Reading:
    """Begin to read the open invoices that fit filters of the API."""
    return Reading(gateway, INVOICES, "", {**(filters or {}), "inv_status": OPEN})


def by_due_date(rows: ReadRows) -> OpenInvoices:
    """The invoices that have a due date, in its order."""
    dated = [record for record in rows.records if isinstance(record["due_date"], date)]
    return OpenInvoices(tuple(_by_due_date(dated)), rows)


def read_open_invoices(gateway: Gateway, filters: Mapping[str, Any] | None = None) -> OpenInvoices:
    """The open invoices that fit, at most a minute old. Raises GatewayError."""
    return by_due_date(begin(gateway, filters).result())


@dataclass(frozen=True)
class Due(Choice):
    """Among the open invoices those that are overdue, due soon or unpaid."""

    is_local = True
    conflict = "Only open invoices can be overdue, due soon or unpaid."

    def api_params(self, value: str) -> dict[str, Any]:
        return {"inv_status": int(OPEN)}

    def row_test(self, value: str, ctx: RequestContext) -> RowTest:
        today = timezone.localdate()
        last = today + timedelta(days=SOON)
        tests: dict[str, RowTest] = {
            OVERDUE: lambda record: _due(record)[0] < today,
            DUE_SOON: lambda record: today <= _due(record)[0] <= last,
            UNPAID: lambda record: record["amount_due"] != 0,
        }
        return tests[value]

    def row_order(self, value: str, ctx: RequestContext) -> RowOrder:
        if value == UNPAID:
            return RowOrder("by customer", partial(_by_customer, ctx))
        return RowOrder("by due date", _by_due_date)


def _due(record: Record) -> tuple[date, int]:
    due = record["due_date"]
    return due if isinstance(due, date) else date.max, record.id


def _by_due_date(records: Iterable[Record]) -> list[Record]:
    return sorted(records, key=_due)


def _by_customer(ctx: RequestContext, records: Iterable[Record]) -> list[Record]:
    """By customer, the one with the most to pay first, and by due date for each. Sums of different
    currencies cannot be compared: the invoices of one currency stand after those of another, in the
    order of Currencies.grouped, and a customer with two of them in both places.
    """
    rows = list(records)
    ordered: list[Record] = []
    for members in currencies_of(ctx, INVOICES, rows).grouped(rows).values():
        owed: defaultdict[int, Decimal] = defaultdict(Decimal)
        for each in members:
            amount = each["amount_due"]
            owed[_customer(each)] += amount if isinstance(amount, Decimal) else 0
        ordered += sorted(
            members, key=lambda each: (-owed[_customer(each)], _customer(each), *_due(each))
        )
    return ordered


def _customer(record: Record) -> int:
    customer = record["customer_id"]
    return customer if isinstance(customer, int) else 0
