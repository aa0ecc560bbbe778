"""Balances: the open invoices of a key pair or of one contact, by age, customer and currency.

The API filters neither by due date nor by what is unpaid (section 4), so the open invoices are read
in pages of 100 concurrently and compared with today here (reader/all_rows.py).
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property, partial
from typing import Any

from django.utils import timezone

from dashboard.core.templates import address
from dashboard.documents.cells import DUE_SOON_DAYS, OPEN
from dashboard.gateway import INVOICES, Page, Record
from dashboard.people.context import RequestContext
from dashboard.reader import all_rows, lookups
from dashboard.reader.all_rows import ReadRows
from dashboard.schema.charts import Part, SumRow, strip
from dashboard.schema.filters import Choice, RowOrder, RowTest
from dashboard.schema.money import Currencies, Sum, currencies_of, total_of
from dashboard.text.dates import A_DAY

OVERDUE, DUE_SOON, UNPAID = "overdue", "soon", "unpaid"
DUE = {OVERDUE: "Overdue", DUE_SOON: "Due soon", UNPAID: "Unpaid"}
BALANCE = "amount_due"
NOT_DUE, NO_DUE_DATE = "Not due", "No due date"
AGES: Mapping[str, tuple[int, int | None]] = {  # days late, from and to
    "1 to 30 days": (1, 30),
    "31 to 60 days": (31, 60),
    "61 to 90 days": (61, 90),
    "Over 90 days": (91, None),
}
AGE_TONES = dict(zip([NOT_DUE, *AGES], ("b0", "b1", "b2", "b3", "b4"), strict=True))
MAX_WHOLE = 50  # invoices read by their ids, as only whole records name a currency


class Receivables:
    """Open invoices as of today, the earliest due first; those without a due date last."""

    def __init__(self, ctx: RequestContext, rows: ReadRows) -> None:
        self.ctx, self.rows, self.today = ctx, rows, timezone.localdate()
        self.invoices = _by_due_date(rows.records)
        self.overdue = [each for each in self.invoices if days_late(each, self.today)]

    @cached_property
    def currencies(self) -> Currencies:
        return currencies_of(self.ctx, INVOICES, self.invoices)

    def balance(self, invoices: Collection[Record]) -> Sum:
        return self.currencies.total(invoices, BALANCE)

    def words(self, invoices: Collection[Record]) -> str:
        """Return the balance in words; "at least" if not every amount is known."""
        total = self.balance(invoices)
        words = total.words(self.ctx.style)
        return words if self.rows.complete and total.is_complete else f"at least {words}"

    @property
    def partial(self) -> str:
        """Return in words how many were read; "" if that is all of them."""
        return "" if self.rows.complete else self.rows.looked_through("open invoices")

    def read_currencies(self) -> None:
        """Read the invoices whose currency is unknown, MAX_WHOLE at most."""
        known = lookups.currencies(self.ctx.gateway, INVOICES, [each.id for each in self.invoices])
        unknown = [each.id for each in self.invoices if each.id not in known]
        lookups.read_records(self.ctx.gateway, INVOICES, unknown[:MAX_WHOLE])


class Reading:
    """Receivables that are being read since it was made."""

    def __init__(self, ctx: RequestContext, filters: Mapping[str, Any] | None = None) -> None:
        asked = {**(filters or {}), "inv_status": OPEN}
        self._ctx, self._rows = ctx, all_rows.Reading(ctx.gateway, INVOICES, filters=asked)

    def result(self) -> Receivables:
        """Return the invoices, read at most a minute ago. Raises GatewayError."""
        return Receivables(self._ctx, self._rows.result())


def of_contact(ctx: RequestContext, contact: int, invoices: Page | None = None) -> Receivables:
    """Return what a contact owes. invoices: a page of all their invoices, if it was read; where it
    holds not all, the open ones are read. Raises GatewayError.
    """
    if invoices is None or not invoices.is_whole:
        return Reading(ctx, {"cstid": contact}).result()
    return of_page(ctx, invoices)


def of_page(ctx: RequestContext, invoices: Page) -> Receivables:
    """Return the balances of the first page of a list of invoices; partial if there are more."""
    open_ones = tuple(each for each in invoices.records if each["inv_status"] == OPEN)
    is_whole = invoices.is_whole
    rows = ReadRows(open_ones, None, timezone.now(), ended=is_whole, complete=is_whole)
    return Receivables(ctx, rows)


def days_late(invoice: Record, today: date) -> int:
    """Return the days since the due date; 0 for an invoice that is not overdue, or has no
    due date.
    """
    due = invoice["due_date"]
    return max((today - due).days, 0) if isinstance(due, date) else 0


def by_age(invoices: Iterable[Record], today: date) -> dict[str, list[Record]]:
    """Group open invoices by how late they are; those without a due date come last."""
    groups: dict[str, list[Record]] = {age: [] for age in (NOT_DUE, *AGES)}
    for each in invoices:
        groups.setdefault(age_of(each["due_date"], today), []).append(each)
    return groups


def sums_by_age(invoices: Iterable[Record], today: date) -> list[SumRow]:
    """Return the balance of open invoices in one currency, by how late they are."""
    return [
        SumRow(age, due_url(age, today), AGE_TONES.get(age, "none"), total_of(them, BALANCE))
        for age, them in by_age(invoices, today).items()
    ]


def age_of(due: object, today: date) -> str:
    if not isinstance(due, date):
        return NO_DUE_DATE
    late = (today - due).days
    if late <= 0:
        return NOT_DUE
    return next(age for age, (_, most) in AGES.items() if most is None or late <= most)


def due_between(age: str, today: date) -> tuple[date | None, date | None] | None:
    """Return the first and last due day of an age, None for an open end; None for no due date."""
    if age == NOT_DUE:
        return today, None
    if age not in AGES:
        return None
    least, most = AGES[age]
    return (today - most * A_DAY if most else None), today - least * A_DAY


def due_url(age: str, today: date) -> str:
    """Return the URL of the list of open invoices of an age; "" if no filter finds them."""
    span = due_between(age, today)
    if span is None:
        return ""
    first, last = (str(day or "") for day in span)
    return address(INVOICES.name, query={"inv_status": str(OPEN), "due_on": f"{first}..{last}"})


def age_strip(ages: Iterable[SumRow], write: Callable[[Decimal], str]) -> tuple[Part, ...]:
    return strip(
        [
            (age.tone, age.label, age.sum.amount, write(age.sum.amount), age.url)
            for age in ages
            if age.sum.count
        ]
    )


def by_customer(invoices: Iterable[Record]) -> list[tuple[int, list[Record]]]:
    """Group invoices by the id of their customer, 0 if it is unreadable; the largest
    balance first.
    """
    groups: dict[int, list[Record]] = {}
    for each in invoices:
        groups.setdefault(_customer(each), []).append(each)
    return sorted(groups.items(), key=lambda one: (-total_of(one[1], BALANCE).amount, one[0]))


@dataclass(frozen=True)
class Due(Choice):
    """Among the open invoices those that are overdue, due soon or unpaid."""

    is_local = True
    conflict = "These filters apply only to open invoices."

    def api_params(self, value: str) -> dict[str, Any]:
        return {"inv_status": int(OPEN)}

    def row_test(self, value: str, ctx: RequestContext) -> RowTest:
        today = timezone.localdate()
        last = today + timedelta(days=DUE_SOON_DAYS)
        tests: dict[str, RowTest] = {
            OVERDUE: lambda record: _due(record)[0] < today,
            DUE_SOON: lambda record: today <= _due(record)[0] <= last,
            UNPAID: lambda record: record[BALANCE] != 0,
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
    """Return the invoices by customer, and by due date for each. Sums of different currencies
    cannot be compared: the invoices of one currency come after those of another, in the order of
    Currencies.grouped, and a customer with two of them appears twice.
    """
    rows = list(records)
    ordered: list[Record] = []
    for members in currencies_of(ctx, INVOICES, rows).grouped(rows).values():
        for _, invoices in by_customer(members):
            ordered += _by_due_date(invoices)
    return ordered


def _customer(record: Record) -> int:
    customer = record["customer_id"]
    return customer if isinstance(customer, int) and customer > 0 else 0
