"""The statement of a customer: their open invoices by currency, how late each is, and what is due,
on one page to be printed.
"""

from datetime import date
from decimal import Decimal
from http import HTTPStatus
from typing import NamedTuple

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from dashboard.documents.invoices import INVOICES
from dashboard.documents.receivables import AGES, BALANCE, Reading, Receivables, by_age, days_late
from dashboard.gateway import Record
from dashboard.people.context import RequestContext, page
from dashboard.records.panels import Figure, sum_figure
from dashboard.schema import values
from dashboard.schema.money import write_money
from dashboard.schema.resource import Resource
from dashboard.schema.values import DisplayValue
from dashboard.text.dates import days, format_date, format_datetime

from . import reminder


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
    contact, owed = _read(ctx, resource, record_id)
    return render(resource, contact, owed, reminder.pane_of(resource, contact, owed))


def _read(ctx: RequestContext, resource: Resource, contact: int) -> tuple[Record, Receivables]:
    """A contact and what they owe, in the currencies of their invoices. Raises GatewayError."""
    reading = Reading(ctx, {"cstid": contact})
    record = ctx.gateway.get(resource.endpoint, contact)
    owed = reading.result()
    owed.read_currencies()
    return record, owed


def render(
    resource: Resource,
    contact: Record,
    owed: Receivables,
    pane: reminder.Pane | None,
    *,
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    """The statement, with the reminder beside it where there is one."""
    names = owed.currencies.names
    accounts: dict[str, list[Record]] = {}
    for each in owed.invoices:
        accounts.setdefault(names.get(each.id, ""), []).append(each)
    context = {
        "resource": resource,
        "title": resource.title(contact),
        "url": resource.url(contact.id),
        "address": str(contact.get("cstaddress") or "").splitlines(),
        "as_of": format_datetime(owed.rows.at),
        "accounts": [
            _account(owed, name, accounts[name])
            for name in sorted(accounts, key=lambda name: (not name, name))
        ],
        "note": "" if owed.rows.complete else owed.rows.looked_through("open invoices"),
        "pane": pane,
    }
    return owed.ctx.render("overviews/statement.html", context, status=status)


@require_POST
@page
def remind(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """Note that a reminder was opened, which the browser does itself; without JavaScript the page
    has a link for it.
    """
    contact, owed = _read(ctx, resource, record_id)
    pane = reminder.pane_of(resource, contact, owed, typed=ctx.request.POST)
    if pane is None:
        messages.warning(ctx.request, "This customer has nothing overdue any more.")
        return redirect(resource.url(record_id, "statement"))
    is_valid = pane.form.is_valid()
    if is_valid:
        pane = reminder.note_opened(ctx, resource, contact, pane)
    if ctx.request.htmx and is_valid:
        return ctx.render("overviews/_reminded.html", {"pane": pane})
    status = HTTPStatus.OK if is_valid else HTTPStatus.UNPROCESSABLE_ENTITY
    response = render(resource, contact, owed, pane, status=status)
    if ctx.request.htmx:
        response.headers["HX-Retarget"], response.headers["HX-Reselect"] = "#remind", "#remind"
    return response


def _account(owed: Receivables, currency: str, invoices: list[Record]) -> Account:
    def figure(label: str, records: list[Record]) -> Figure:
        note = INVOICES.counted(len(records))
        return sum_figure(label, owed.balance(records), owed.ctx.style, note=note)

    ages = [
        figure(f"{age} late" if is_late else age, records)._replace(is_late=is_late, unit="")
        for age, records in by_age(invoices, owed.today).items()
        for is_late in [age in AGES]
        if records
    ]
    lines = [_line(owed, currency, each) for each in invoices]
    return Account(currency, [figure("Balance due", invoices), *ages], lines)


def _line(owed: Receivables, currency: str, invoice: Record) -> Line:
    def words(amount: object) -> str:
        if not isinstance(amount, Decimal):
            return ""
        return write_money(amount, owed.ctx.style, currency, is_shown=False)

    total, due, late = invoice["total"], invoice[BALANCE], days_late(invoice, owed.today)
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


def _day(value: object) -> str:
    return format_date(value) if isinstance(value, date) else ""
