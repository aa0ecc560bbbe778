"""What the form of a document takes from its customer: address, terms, balance and due date.
lines/head.js requests the due date when the customer or the date changes, until one is entered.
"""

from datetime import timedelta
from functools import partial
from typing import NamedTuple

from django.utils import timezone

from dashboard.documents import receivables
from dashboard.documents.receivables import Receivables
from dashboard.gateway import CONTACTS, INVOICES, GatewayError, Record, concurrency, whole_number
from dashboard.office import choices as preferences
from dashboard.people.context import RequestContext
from dashboard.schema.resource import Resource
from dashboard.text.dates import format_date, read_date
from dashboard.text.style import NotReadable


def days_for(ctx: RequestContext, customer: object) -> int:
    """Return the payment terms of a customer in days; the workspace's default without a
    customer.
    """
    chosen = str(customer or "")
    return preferences.due_days(ctx.workspace, whole_number(chosen), usual=ctx.settings.due_days)


def due_text(ctx: RequestContext, customer: object, document_date: str) -> str:
    """Return the due date of a document of this date, as text; "" if `document_date` cannot be
    parsed.
    """
    try:
        day = read_date(document_date, timezone.localdate(), ctx.style)
    except NotReadable:
        return ""
    return format_date(day + timedelta(days=days_for(ctx, customer)))


class Hint(NamedTuple):
    """One fact in words; `is_late`: it is about overdue invoices."""

    text: str
    is_late: bool = False


def hints_of(ctx: RequestContext, customer: int, resource: Resource) -> list[Hint]:
    """Return the facts about a contact; the contact and its open invoices are read concurrently. A
    call that fails leaves out its fact; only a missing sum is reported.
    """
    contact = concurrency.submit(partial(ctx.gateway.get, CONTACTS, customer))
    try:
        owed = _owed(receivables.of_contact(ctx, customer))
    except GatewayError:
        owed = [Hint("couldn't load the balance")]
    address = _address(contact.result())
    terms = f"{days_for(ctx, customer)} days to pay" if resource.name == INVOICES.name else ""
    return [*(Hint(text) for text in (address, terms) if text), *owed]


def _address(contact: Record | GatewayError) -> str:
    text = "" if isinstance(contact, GatewayError) else str(contact.get("cstaddress") or "")
    return ", ".join(filter(None, (line.strip(" ,") for line in text.splitlines())))


def _owed(owed: Receivables) -> list[Hint]:
    invoices, late, is_complete = owed.invoices, owed.overdue, owed.rows.complete
    if not invoices:
        return [Hint("owes nothing")] if is_complete else []
    words = f"owes {owed.words(invoices)}"
    if not late:
        return [Hint(words)]
    if is_complete and len(late) == len(invoices):
        return [Hint(f"{words}, all overdue", is_late=True)]
    return [Hint(words), Hint(f"{owed.words(late)} overdue", is_late=True)]
