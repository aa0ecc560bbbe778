"""What a person sees of the customer of a document: the address, the terms, and what is owed."""

from collections.abc import Collection
from datetime import date
from decimal import Decimal
from functools import partial
from typing import NamedTuple

from django.utils import timezone

from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.documents.open_invoices import OpenInvoices, read_open_invoices
from dashboard.documents.payment_terms import days_for
from dashboard.gateway import CONTACTS, INVOICES, GatewayError, Record, side_by_side
from dashboard.text.numbers import write_amount
from dashboard.text.style import Style


class Hint(NamedTuple):
    """One fact in words; `is_late`: it is about overdue invoices."""

    text: str
    is_late: bool = False


def hints_of(ctx: RequestContext, customer: int, resource: Resource) -> list[Hint]:
    """The facts about a contact; the contact and its open invoices are read side by side. A call
    that fails leaves out its fact; only the sum is told to be missing.
    """
    contact = side_by_side.start(partial(ctx.gateway.get, CONTACTS, customer))
    try:
        found = read_open_invoices(ctx.gateway, filters={"cstid": customer})
        owed = _owed(found, ctx.style, timezone.localdate())
    except GatewayError:
        owed = [Hint("what they owe could not be read")]
    address = _address(contact.result())
    terms = f"{days_for(ctx, customer)} days to pay" if resource.name == INVOICES.name else ""
    return [*(Hint(text) for text in (address, terms) if text), *owed]


def _address(contact: Record | GatewayError) -> str:
    """The address in one line."""
    text = "" if isinstance(contact, GatewayError) else str(contact.get("cstaddress") or "")
    return ", ".join(filter(None, (line.strip(" ,") for line in text.splitlines())))


def _owed(found: OpenInvoices, style: Style, today: date) -> list[Hint]:
    """What is owed and how much of it is overdue; "at least" where not every amount is known."""
    records, late = found.records, found.overdue(today)
    every = len(found.rows.records) == len(records)  # the others have no due date
    is_complete = found.rows.complete and every
    if not records:
        return [Hint("owes nothing")] if is_complete else []
    owed = f"owes {_sum(records, style, is_complete=is_complete)}"
    if not late:
        return [Hint(owed)]
    if is_complete and len(late) == len(records):
        return [Hint(f"{owed}, all overdue", is_late=True)]
    words = f"{_sum(late, style, is_complete=found.rows.complete)} overdue"
    return [Hint(owed), Hint(words, is_late=True)]


def _sum(records: Collection[Record], style: Style, *, is_complete: bool) -> str:
    """What is due of these invoices, in words."""
    amounts = [record["amount_due"] for record in records]
    known = [amount for amount in amounts if isinstance(amount, Decimal)]
    words = write_amount(sum(known, Decimal(0)), style)
    return words if is_complete and len(known) == len(amounts) else f"at least {words}"
