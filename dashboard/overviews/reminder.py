"""The reminder beside the statement of a customer: a text about what is overdue, to be opened in
the person's mail program or copied, and the reminders before it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from urllib.parse import quote, urlencode

from django import forms
from django.core.cache import cache

from dashboard.core.templates import address, page_url
from dashboard.documents import reminders
from dashboard.documents.invoices import INVOICES
from dashboard.documents.receivables import Receivables, days_late
from dashboard.documents.reminders import TONES, Reminded
from dashboard.gateway import Record, whole_number
from dashboard.lists.table import Link
from dashboard.people.context import RequestContext
from dashboard.people.permissions import EDIT_RECORDS, MANAGE_SETTINGS
from dashboard.schema.fields import TextField
from dashboard.schema.money import write_money
from dashboard.schema.resource import Resource
from dashboard.text.dates import days, format_date, format_datetime

INVOICE, TONE = "invoice", "tone"  # parameters of the address
ONCE = 60  # seconds in which the same reminder counts as opened once
LONGEST_LINK = 2000  # characters of an address that every mail program takes


class ReminderForm(forms.Form):
    """What the mail begins with. Only the mail program sees what was typed."""

    to = TextField(
        label="To", max_length=254, required=False, widget=forms.TextInput({"autocomplete": "off"})
    )
    subject = TextField(
        label="Subject", max_length=300, widget=forms.TextInput({"autocomplete": "off"})
    )
    text = TextField(label="Text", max_length=10_000, widget=forms.Textarea({"rows": 16}))

    def mail_link(self) -> str:
        """The address that opens the mail in the person's mail program."""
        typed = self.cleaned_data
        lines = "\r\n".join(typed["text"].splitlines())
        query = urlencode({"subject": typed["subject"], "body": lines}, quote_via=quote)
        return f"mailto:{quote(typed['to'], safe='@,')}?{query}"


@dataclass(frozen=True)
class Pane:
    """What stands beside the statement. before: the reminders that were opened, each in words, when
    and by whom. mail_link: once it was opened. invoices: those it is about.
    why: why this tone comes next. settings_url: "" for those who may not change the texts.
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
        return len(self.mail_link) > LONGEST_LINK


def pane_of(
    resource: Resource,
    contact: Record,
    owed: Receivables,
    *,
    typed: Mapping[str, str] | None = None,
) -> Pane | None:
    """The reminder of the overdue invoices, or of the one that the address names; None where there
    are none, and for people who may not edit.
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
    initial = {"to": contact["cstemail"], **text._asdict()}
    return Pane(
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


def note_opened(ctx: RequestContext, resource: Resource, contact: Record, pane: Pane) -> Pane:
    """Note that the reminder was opened, once a minute; the pane with it and the link to the mail.
    Its form must be valid.
    """
    key = f"reminded:{ctx.user.pk}:{ctx.workspace}:{contact.id}:{pane.url}"
    if cache.add(key, True, ONCE):
        reminders.note_opened(
            ctx,
            contact.id,
            label=resource.title(contact),
            tone=pane.tone,
            numbers=[INVOICES.title(each) for each in pane.invoices],
            amount=pane.amount,
        )
    before = _shown(reminders.opened_for(ctx, [contact.id]))
    return replace(pane, before=before, mail_link=pane.form.mail_link())


def _values(customer: str, owed: Receivables, invoices: list[Record]) -> dict[str, str]:
    return {
        "customer": customer,
        "number": ", ".join(INVOICES.title(each) for each in invoices),
        "amount": _amount(owed, invoices),
        "days": days(max(days_late(each, owed.today) for each in invoices)),
        "invoices": "\n".join(_line(owed, each) for each in invoices),
        "name": owed.ctx.user.display_name,
    }


def _amount(owed: Receivables, invoices: list[Record]) -> str:
    """What is due, such as "7,416.37 EUR + 1,820.00 GBP"; "" where no invoice says it."""
    total, style = owed.balance(invoices), owed.ctx.style
    if not total.with_amount:
        return ""
    return " + ".join(write_money(amount, style, name) for name, amount in total.parts)


def _line(owed: Receivables, invoice: Record) -> str:
    words = f"{INVOICES.title(invoice)}, due {format_date(invoice['due_date'])}"
    return ": ".join(filter(None, (words, _amount(owed, [invoice]))))


def _why(before: list[Reminded], numbers: list[str], today: date) -> str:
    """When somebody was last reminded of these invoices, in words; "" if nobody was."""
    last = next((each for each in before if set(numbers).intersection(each.numbers)), None)
    if last is None:
        return ""
    return f"{TONES[last.tone]} reminder opened {reminders.ago(last, today)}."


def _shown(before: list[Reminded]) -> list[tuple[str, str, str]]:
    return [(each.words, format_datetime(each.at), each.who) for each in before]
