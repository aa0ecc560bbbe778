"""The statement of a customer: their open invoices by currency, how late each is, and what is due,
on one page to be printed.
"""

from datetime import date
from decimal import Decimal
from typing import NamedTuple

from django.http import HttpResponse
from django.utils import timezone

from dashboard.context import RequestContext, page
from dashboard.declare.resource import Resource
from dashboard.display import values
from dashboard.display.money import Currencies, currencies_of, write_money
from dashboard.display.values import DisplayValue
from dashboard.documents.open_invoices import read_open_invoices
from dashboard.gateway import Record
from dashboard.pages.blocks import Figure, days, sum_figure
from dashboard.reader import lookups
from dashboard.resources.invoices import INVOICES
from dashboard.text.dates import format_date, format_datetime

MOST_READ = 50  # invoices read by their ids, as only whole records name a currency
DUE = "amount_due"
NOT_DUE = "Not due"
AGES = (  # the words for invoices that are late by at most so many days
    (NOT_DUE, 0),
    ("1 to 30 days late", 30),
    ("31 to 60 days late", 60),
    ("61 to 90 days late", 90),
    ("Over 90 days late", None),
)


class Line(NamedTuple):
    """One open invoice; amounts in words, "" where the service does not say them."""

    invoice: DisplayValue
    issued: str
    due: str
    overdue: str
    is_late: bool
    total: str
    paid: str
    amount_due: str


class Account(NamedTuple):
    """The open invoices in one currency, "" if it is not known. figures: what is due, and the sums
    that are late by so many days, those not due first.
    """

    currency: str
    figures: list[Figure]
    lines: list[Line]


@page
def show(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """The statement of a contact as of now."""
    contact = ctx.gateway.get(resource.endpoint, record_id)
    read = read_open_invoices(ctx.gateway, filters={"cstid": record_id}).rows
    invoices = sorted(read.records, key=_due)
    known = lookups.currencies(ctx.gateway, INVOICES.endpoint, [each.id for each in invoices])
    unknown = [each.id for each in invoices if each.id not in known]
    lookups.read_records(ctx.gateway, INVOICES.endpoint, unknown[:MOST_READ])
    currencies = currencies_of(ctx, INVOICES.endpoint, invoices)
    accounts: dict[str, list[Record]] = {}
    for each in invoices:
        accounts.setdefault(currencies.names.get(each.id, ""), []).append(each)
    context = {
        "resource": resource,
        "title": resource.title(contact),
        "url": resource.url(record_id),
        "address": str(contact.get("cstaddress") or "").splitlines(),
        "as_of": format_datetime(read.at),
        "accounts": [
            _account(ctx, name, accounts[name], currencies)
            for name in sorted(accounts, key=lambda name: (not name, name))
        ],
        "note": "" if read.complete else read.looked_through("open invoices"),
    }
    return ctx.render("overviews/statement.html", context)


def _account(
    ctx: RequestContext, currency: str, invoices: list[Record], currencies: Currencies
) -> Account:
    today = timezone.localdate()
    by_age: dict[str, list[Record]] = {label: [] for label, _ in AGES}
    for each in invoices:
        by_age[_age(each, today)].append(each)

    def figure(label: str, records: list[Record], note: str) -> Figure:
        return sum_figure(label, currencies.total(records, DUE), ctx.style, note=note)

    ages = [
        figure(label, records, _counted(records))._replace(is_late=label != NOT_DUE, unit="")
        for label, records in by_age.items()
        if records
    ]
    due = figure("Balance due", invoices, _counted(invoices))
    return Account(currency, [due, *ages], [_line(ctx, currency, each, today) for each in invoices])


def _line(ctx: RequestContext, currency: str, invoice: Record, today: date) -> Line:
    def words(amount: object) -> str:
        if not isinstance(amount, Decimal):
            return ""
        return write_money(amount, ctx.style, currency, is_shown=False)

    total, due, late = invoice["total"], invoice[DUE], _days_late(invoice, today)
    is_told = isinstance(total, Decimal) and isinstance(due, Decimal)
    return Line(
        values.link(INVOICES.url(invoice.id), INVOICES.title(invoice)),
        _day(invoice["transaction_date"]),
        _day(invoice["due_date"]),
        days(late) if late > 0 else "not due",
        late > 0,
        words(total),
        words(total - due if is_told and total != due else None),
        words(due),
    )


def _age(invoice: Record, today: date) -> str:
    late = _days_late(invoice, today)
    return next(label for label, most in AGES if most is None or late <= most)


def _counted(invoices: list[Record]) -> str:
    return f"{len(invoices):,} invoice{'' if len(invoices) == 1 else 's'}"


def _days_late(invoice: Record, today: date) -> int:
    """0 for an invoice that is not late, or has no due date."""
    due = invoice["due_date"]
    return max((today - due).days, 0) if isinstance(due, date) else 0


def _day(value: object) -> str:
    return format_date(value) if isinstance(value, date) else ""


def _due(invoice: Record) -> tuple[date, int]:
    due = invoice["due_date"]
    return due if isinstance(due, date) else date.max, invoice.id
