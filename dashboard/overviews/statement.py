"""The statement of a customer: their open invoices by currency, how late each is, and what is due,
on one page to be printed. Beside it the reminder of what is overdue: a text to be opened in the
person's email app or copied, and the reminders before it.
"""

from collections.abc import Mapping
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
from dashboard.documents.reminders import TONES
from dashboard.gateway import CONTACTS, Record, whole_number
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
OPENED_ONCE_TTL = 60  # seconds in which the same reminder counts as opened once
MAX_LINK_LENGTH = 2000  # characters of an address that every email app takes


class ReminderForm(forms.Form):
    """The prefilled email. Only the email app gets the edited text."""

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
        to, subject = (" ".join(typed[name].split()) for name in ("to", "subject"))
        query = urlencode({"subject": subject, "body": lines}, quote_via=quote)
        return f"mailto:{quote(to, safe='@,')}?{query}"


class Reminder:
    """The reminder of the overdue invoices, or of the one in the URL, beside the statement.

    before: earlier reminders. mail_link: set once it was opened.
    """

    mail_link = ""

    def __init__(
        self,
        resource: Resource,
        contact: Record,
        owed: Receivables,
        typed: Mapping[str, str] | None = None,
    ) -> None:
        ctx = self.ctx = owed.ctx
        self.owed, self.customer, self.customer_name = owed, contact.id, resource.title(contact)
        only = whole_number(ctx.params.get(INVOICE, ""))
        chosen = [each for each in owed.overdue if each.id == only]
        self.query = {INVOICE: str(only)} if chosen else {}
        self.invoices = chosen or owed.overdue
        self.amount = _amount(owed, self.invoices)
        self.numbers = [INVOICES.title(each) for each in self.invoices]
        self.before = reminders.opened_for(ctx, [self.customer])
        tone = ctx.params.get(TONE, "")
        self.tone = tone if tone in TONES else reminders.next_tone(self.before, self.numbers)
        text = reminders.texts_of(ctx.workspace)[self.tone].filled(self._values())
        initial = {"to": contact["cstemail"], "subject": text.subject, "text": text.text}
        self.form = ReminderForm(typed, initial=initial)

    def _values(self) -> dict[str, str]:
        return {
            "customer": self.customer_name,
            "number": ", ".join(self.numbers),
            "amount": self.amount,
            "days": days(max(days_late(each, self.owed.today) for each in self.invoices)),
            "invoices": "\n".join(_invoice_line(self.owed, each) for each in self.invoices),
            "name": self.ctx.user.display_name,
        }

    def _url(self, page: str, tone: str) -> str:
        return address(CONTACTS.name, self.customer, page, {**self.query, TONE: tone})

    @property
    def url(self) -> str:
        return self._url("remind", self.tone)

    @property
    def tones(self) -> list[Link]:
        return [
            Link(label, f"{self._url('statement', code)}#remind", code == self.tone)
            for code, label in TONES.items()
        ]

    @property
    def reason(self) -> str:
        """Return when the customer was last reminded of these invoices, as text; "" if never."""
        numbers = set(self.numbers)
        last = next((each for each in self.before if numbers.intersection(each.numbers)), None)
        if last is None:
            return ""
        return f"{TONES[last.tone]} reminder opened {reminders.ago(last, self.owed.today)}."

    @property
    def settings_url(self) -> str:
        return page_url("reminders:settings") if self.ctx.may(MANAGE_SETTINGS) else ""

    @property
    def is_long(self) -> bool:
        return len(self.mail_link) > MAX_LINK_LENGTH

    def record_opened(self) -> None:
        """Record that the reminder was opened, at most once a minute. Its form must be valid."""
        key = f"reminded:{self.ctx.user.pk}:{self.ctx.workspace}:{self.customer}:{self.url}"
        if cache.add(key, True, OPENED_ONCE_TTL):
            reminders.note_opened(
                self.ctx,
                self.customer,
                label=self.customer_name,
                tone=self.tone,
                numbers=self.numbers,
                amount=self.amount,
            )
        self.before = reminders.opened_for(self.ctx, [self.customer])
        self.mail_link = self.form.mail_link()


def _amount(owed: Receivables, invoices: list[Record]) -> str:
    """Return the amount due, such as "7,416.37 EUR + 1,820.00 GBP"; "" if no invoice has one."""
    total, style = owed.balance(invoices), owed.ctx.style
    if not total.with_amount:
        return ""
    return " + ".join(write_money(amount, style, name) for name, amount in total.parts)


def _invoice_line(owed: Receivables, invoice: Record) -> str:
    words = f"{INVOICES.title(invoice)}, due {format_date(invoice['due_date'])}"
    return ": ".join(filter(None, (words, _amount(owed, [invoice]))))


class Line(NamedTuple):
    """One open invoice. amount: what is due of it; balance: what is due with the lines above. Both
    as text, "" if the service does not send an amount.
    """

    invoice: DisplayValue
    issued: str
    due: str
    overdue: str
    paid: str
    amount: str
    balance: str


class Account(NamedTuple):
    """The open invoices in one currency, "" if it is not known. ages: the sums by days overdue, and
    the total.
    """

    currency: str
    lines: list[Line]
    ages: list[Figure]


@page
def show_statement(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    contact, owed = _read(ctx, resource, record_id)
    return _render(resource, contact, owed, _reminder(resource, contact, owed))


def _reminder(
    resource: Resource,
    contact: Record,
    owed: Receivables,
    typed: Mapping[str, str] | None = None,
) -> Reminder | None:
    if not owed.overdue or not owed.ctx.may(EDIT_RECORDS):
        return None
    return Reminder(resource, contact, owed, typed)


def _read(ctx: RequestContext, resource: Resource, contact: int) -> tuple[Record, Receivables]:
    """Return a contact and what they owe, in the currencies of their invoices. Raises
    GatewayError.
    """
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
        "customer": contact.id,
        "letterhead": owed.ctx.settings.letterhead,
        "as_of": format_datetime(owed.rows.at),
        "today": format_date(owed.today),
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
    reminder = _reminder(resource, contact, owed, ctx.request.POST)
    if reminder is None:
        messages.warning(ctx.request, "This customer has nothing overdue.")
        return redirect(resource.url(record_id, "statement"))
    if reminder.form.is_valid():
        reminder.record_opened()
        return ctx.render("overviews/_reminded.html", {"reminder": reminder})
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    response = _render(resource, contact, owed, reminder, status=status)
    response.headers["HX-Retarget"], response.headers["HX-Reselect"] = "#remind", "#remind"
    return response


def _account(owed: Receivables, currency: str, invoices: list[Record]) -> Account:
    def figure(label: str, records: list[Record]) -> Figure:
        total, is_partial = owed.balance(records), not owed.rows.complete
        is_late = bool(records) and label in AGES
        figure = sum_figure(label, total, owed.ctx.style, note="", is_partial=is_partial)
        return figure._replace(is_late=is_late, unit="")

    ages = [figure(age, records) for age, records in by_age(invoices, owed.today).items()]
    return Account(currency, _lines(owed, currency, invoices), [*ages, figure("Total", invoices)])


def _lines(owed: Receivables, currency: str, invoices: list[Record]) -> list[Line]:
    def words(amount: object) -> str:
        if not isinstance(amount, Decimal):
            return ""
        return write_money(amount, owed.ctx.style, currency, is_shown=False)

    lines, balance = [], Decimal(0)
    is_known = True  # whether each amount so far was sent
    for each in sorted(invoices, key=_issued):
        total, due, late = each["total"], each[BALANCE], days_late(each, owed.today)
        is_known = is_known and isinstance(due, Decimal)
        balance += due if is_known else 0
        is_paid = isinstance(total, Decimal) and isinstance(due, Decimal) and total != due
        lines.append(
            Line(
                values.link(INVOICES.url(each.id), f"Invoice {INVOICES.title(each)}"),
                _day(each["transaction_date"]),
                _day(each["due_date"]),
                f"{days(late)} overdue" if late else "",
                f"{words(total - due)} of {words(total)} paid" if is_paid else "",
                words(due),
                words(balance) if is_known else "",
            )
        )
    return lines


def _issued(invoice: Record) -> tuple[date, int]:
    issued = invoice["transaction_date"]
    return issued if isinstance(issued, date) else date.max, invoice.id


def _day(value: object) -> str:
    return format_date(value) if isinstance(value, date) else ""
