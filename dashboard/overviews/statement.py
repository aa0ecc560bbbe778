"""The statement of a customer: their open invoices by currency, how late each is, and what is due,
on one page to be printed. Beside it the reminder of what is overdue: a text to be opened in the
person's mail program or copied, and the reminders before it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import quote, urlencode

from django import forms
from django.contrib import messages
from django.core.cache import cache
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from dashboard.core.templates import address, page_url
from dashboard.documents import reminders
from dashboard.documents.invoices import INVOICES
from dashboard.documents.receivables import AGES, BALANCE, Reading, Receivables, by_age, days_late
from dashboard.documents.reminders import TONES, PreviousReminder
from dashboard.gateway import Record, whole_number
from dashboard.lists.table import Link
from dashboard.people.context import RequestContext, page
from dashboard.people.permissions import EDIT_RECORDS, MANAGE_SETTINGS
from dashboard.records.panels import Figure, sum_figure
from dashboard.schema import values
from dashboard.schema.fields import TextField
from dashboard.schema.money import write_money
from dashboard.schema.resource import Resource
from dashboard.schema.values import DisplayValue
from dashboard.text.dates import days, format_date, format_datetime

INVOICE, TONE = "invoice", "tone"  # parameters of the address
ONCE = 60  # seconds in which the same reminder counts as opened once
MAX_LINK_LENGTH = 2000  # characters of an address that every mail program takes


class ReminderForm(forms.Form):
    """The prefilled mail. Only the mail program gets the edited text."""

    to = TextField(
        label="To", max_length=254, required=False, widget=forms.TextInput({"autocomplete": "off"})
    )
    subject = TextField(
        label="Subject", max_length=300, widget=forms.TextInput({"autocomplete": "off"})
    )
    text = TextField(label="Text", max_length=10_000, widget=forms.Textarea({"rows": 16}))

    def mail_link(self) -> str:
        typed = self.cleaned_data
        lines = "\r\n".join(typed["text"].splitlines())
        query = urlencode({"subject": typed["subject"], "body": lines}, quote_via=quote)
        return f"mailto:{quote(typed['to'], safe='@,')}?{query}"


@dataclass(frozen=True)
class Reminder:
    """The reminder beside the statement. before: earlier reminders, each as text, when and by whom.
    mail_link: set once it was opened. invoices: those it is about. why: why this tone is next.
    settings_url: "" if the person may not change the texts.
    """

    form: ReminderForm
    url: str
    tone: str
    tones: list[Link]
    why: str
    invoices: list[Record]
    amount: str
    before: list[tuple[str, str, str]]
    settings_url: str
    mail_link: str = ""

    @property
    def is_long(self) -> bool:
        return len(self.mail_link) > MAX_LINK_LENGTH


def _reminder(
    resource: Resource,
    contact: Record,
    owed: Receivables,
    *,
    typed: Mapping[str, str] | None = None,
) -> Reminder | None:
    """The reminder of the overdue invoices, or of the one in the URL; None if there are none, or if
    the person may not edit.
    """
    ctx, only = owed.ctx, whole_number(owed.ctx.params.get(INVOICE, ""))
    invoices = [each for each in owed.overdue if each.id == only] or owed.overdue
    if not invoices or not ctx.may(EDIT_RECORDS):
        return None
    before = reminders.opened_for(ctx, [contact.id])
    numbers = [INVOICES.title(each) for each in invoices]
    chosen = ctx.params.get(TONE, "")
    tone = chosen if chosen in TONES else reminders.next_tone(before, numbers)
    query = {INVOICE: str(only)} if only in [each.id for each in invoices] else {}
    values = _values(resource.title(contact), owed, invoices)
    text = reminders.texts_of(ctx.workspace)[tone].filled(values)
    initial = {"to": contact["cstemail"], "subject": text.subject, "text": text.text}
    return Reminder(
        ReminderForm(typed, initial=initial),
        address(resource.name, contact.id, "remind", {**query, TONE: tone}),
        tone,
        [
            Link(
                word,
                address(resource.name, contact.id, "statement", {**query, TONE: code}) + "#remind",
                code == tone,
            )
            for code, word in TONES.items()
        ],
        _why(before, numbers, owed.today),
        invoices,
        _amount(owed, invoices),
        _shown(before),
        page_url("reminders:settings") if ctx.may(MANAGE_SETTINGS) else "",
    )


def _note_opened(
    ctx: RequestContext, resource: Resource, contact: Record, reminder: Reminder
) -> Reminder:
    """Record that the reminder was opened, at most once a minute. Returns it with that entry and
    the link to the mail; its form must be valid.
    """
    key = f"reminded:{ctx.user.pk}:{ctx.workspace}:{contact.id}:{reminder.url}"
    if cache.add(key, True, ONCE):
        reminders.note_opened(
            ctx,
            contact.id,
            label=resource.title(contact),
            tone=reminder.tone,
            numbers=[INVOICES.title(each) for each in reminder.invoices],
            amount=reminder.amount,
        )
    before = _shown(reminders.opened_for(ctx, [contact.id]))
    return replace(reminder, before=before, mail_link=reminder.form.mail_link())


def _values(customer: str, owed: Receivables, invoices: list[Record]) -> dict[str, str]:
    return {
        "customer": customer,
        "number": ", ".join(INVOICES.title(each) for each in invoices),
        "amount": _amount(owed, invoices),
        "days": days(max(days_late(each, owed.today) for each in invoices)),
        "invoices": "\n".join(_invoice_line(owed, each) for each in invoices),
        "name": owed.ctx.user.display_name,
    }


def _amount(owed: Receivables, invoices: list[Record]) -> str:
    """The amount due, such as "7,416.37 EUR + 1,820.00 GBP"; "" if no invoice has one."""
    total, style = owed.balance(invoices), owed.ctx.style
    if not total.with_amount:
        return ""
    return " + ".join(write_money(amount, style, name) for name, amount in total.parts)


def _invoice_line(owed: Receivables, invoice: Record) -> str:
    words = f"{INVOICES.title(invoice)}, due {format_date(invoice['due_date'])}"
    return ": ".join(filter(None, (words, _amount(owed, [invoice]))))


def _why(before: list[PreviousReminder], numbers: list[str], today: date) -> str:
    """When the customer was last reminded of these invoices, as text; "" if never."""
    last = next((each for each in before if set(numbers).intersection(each.numbers)), None)
    if last is None:
        return ""
    return f"{TONES[last.tone]} reminder opened {reminders.ago(last, today)}."


def _shown(before: list[PreviousReminder]) -> list[tuple[str, str, str]]:
    return [(each.words, format_datetime(each.at), each.who) for each in before]


class Line(NamedTuple):
    """One open invoice; amounts as text, "" if the service does not send them."""

    invoice: DisplayValue
    issued: str
    due: str
    overdue: str
    is_late: bool
    total: str
    paid: str
    amount_due: str


class Account(NamedTuple):
    """The open invoices in one currency, "" if it is not known. figures: the total, and the sums by
    days late, those not due first.
    """

    currency: str
    figures: list[Figure]
    lines: list[Line]


@page
def show_statement(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    contact, owed = _read(ctx, resource, record_id)
    return _render(resource, contact, owed, _reminder(resource, contact, owed))


def _read(ctx: RequestContext, resource: Resource, contact: int) -> tuple[Record, Receivables]:
    """A contact and what they owe, in the currencies of their invoices. Raises GatewayError."""
    reading = Reading(ctx, {"cstid": contact})
    record = ctx.gateway.get(resource.endpoint, contact)
    owed = reading.result()
    owed.read_currencies()
    return record, owed


def _render(
    resource: Resource,
    contact: Record,
    owed: Receivables,
    reminder: Reminder | None,
    *,
    status: int = HTTPStatus.OK,
) -> HttpResponse:
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
        "note": owed.partial,
        "reminder": reminder,
    }
    return owed.ctx.render("overviews/statement.html", context, status=status)


@require_POST
@page
def open_reminder(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    contact, owed = _read(ctx, resource, record_id)
    reminder = _reminder(resource, contact, owed, typed=ctx.request.POST)
    if reminder is None:
        messages.warning(ctx.request, "This customer has nothing overdue any more.")
        return redirect(resource.url(record_id, "statement"))
    if reminder.form.is_valid():
        reminder = _note_opened(ctx, resource, contact, reminder)
        return ctx.render("overviews/_reminded.html", {"reminder": reminder})
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    response = _render(resource, contact, owed, reminder, status=status)
    response.headers["HX-Retarget"], response.headers["HX-Reselect"] = "#remind", "#remind"
    return response


def _account(owed: Receivables, currency: str, invoices: list[Record]) -> Account:
    def figure(label: str, records: list[Record]) -> Figure:
        note = INVOICES.counted(len(records))
        total, is_partial = owed.balance(records), not owed.rows.complete
        return sum_figure(label, total, owed.ctx.style, note=note, is_partial=is_partial)

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
