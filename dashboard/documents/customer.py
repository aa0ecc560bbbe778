"""What the form of a document takes from its customer: address, terms, what is owed, the due date.

The due date follows their payment terms until one is typed. lines/head.js requests it when the
customer or the date changes, and disables the hidden field that carries the offered date. A form
posted without scripts sends that field.
"""

from datetime import timedelta
from functools import partial
from typing import NamedTuple, cast

from django.http import QueryDict
from django.utils import timezone

from dashboard.documents import receivables
from dashboard.documents.form import DocumentForm
from dashboard.documents.receivables import Receivables
from dashboard.gateway import CONTACTS, INVOICES, GatewayError, Record, concurrency, whole_number
from dashboard.office import choices as preferences
from dashboard.people.context import RequestContext
from dashboard.schema.resource import Resource
from dashboard.text.dates import format_date, read_date
from dashboard.text.style import NotReadable

DUE, OFFERED = "due_date", "offered"


def days_for(ctx: RequestContext, customer: object) -> int:
    """The payment terms of a customer in days; the workspace's default without a customer."""
    chosen = str(customer or "")
    return preferences.due_days(ctx.workspace, whole_number(chosen), usual=ctx.settings.due_days)


def due_text(ctx: RequestContext, customer: object, document_date: str) -> str:
    """The due date of a document of this date, as text; "" if `document_date` cannot be parsed."""
    try:
        day = read_date(document_date, timezone.localdate(), ctx.style)
    except NotReadable:
        return ""
    return format_date(day + timedelta(days=days_for(ctx, customer)))


def offered_due_date(form: DocumentForm) -> str:
    """The due date that the page of a new document offered; "" if it offered none."""
    if form.opened_with is not None or DUE not in form.fields:
        return ""
    if form.is_bound:
        return str(form.data.get(OFFERED, "")).strip()
    return str(form.fields[DUE].prepare_value(form.initial.get(DUE)) or "")


def follow_customer(form: DocumentForm, customer: object, *, unfinished: bool = False) -> str:
    """Replace a due date that is still the offered one by that of the customer and the date.

    In an `unfinished` form an empty due date is replaced, too; a form submitted with an empty one
    keeps it. Returns the new due date as text, "" if nothing changes.
    """
    was, typed = offered_due_date(form), str(form.data.get(DUE, "")).strip()
    if form.ctx is None or not was or typed not in (was, "" if unfinished else was):
        return ""
    text = due_text(form.ctx, customer, str(form.data.get("transaction_date", "")))
    if text in ("", typed):
        return ""
    data = cast(QueryDict, form.data).copy()
    data[DUE] = data[OFFERED] = text
    form.data = data
    return text


def follow_with_cleaned_customer(form: DocumentForm) -> str:
    """As `follow_customer`, after validation, which resolves a typed customer name to an id; ""
    where the form had that id before.
    """
    customer = form.cleaned_data["customer_id"]
    if str(customer) == str(form["customer_id"].value()):
        return ""
    text = follow_customer(form, customer)
    if text and form.ctx:
        form.cleaned_data[DUE] = read_date(text, timezone.localdate(), form.ctx.style)
    return text


class Hint(NamedTuple):
    """One fact in words; `is_late`: it is about overdue invoices."""

    text: str
    is_late: bool = False


def hints_of(ctx: RequestContext, customer: int, resource: Resource) -> list[Hint]:
    """The facts about a contact; the contact and its open invoices are read side by side. A call
    that fails leaves out its fact; only the sum is told to be missing.
    """
    contact = concurrency.submit(partial(ctx.gateway.get, CONTACTS, customer))
    try:
        owed = _owed(receivables.of_contact(ctx, customer))
    except GatewayError:
        owed = [Hint("what they owe could not be read")]
    address = _address(contact.result())
    terms = f"{days_for(ctx, customer)} days to pay" if resource.name == INVOICES.name else ""
    return [*(Hint(text) for text in (address, terms) if text), *owed]


def _address(contact: Record | GatewayError) -> str:
    text = "" if isinstance(contact, GatewayError) else str(contact.get("cstaddress") or "")
    return ", ".join(filter(None, (line.strip(" ,") for line in text.splitlines())))


def _owed(owed: Receivables) -> list[Hint]:
    """What is owed and how much of it is overdue; "at least" where not every amount is known."""
    invoices, late, is_complete = owed.invoices, owed.overdue, owed.rows.complete
    if not invoices:
        return [Hint("owes nothing")] if is_complete else []
    words = f"owes {_sum(owed, invoices)}"
    if not late:
        return [Hint(words)]
    if is_complete and len(late) == len(invoices):
        return [Hint(f"{words}, all overdue", is_late=True)]
    return [Hint(words), Hint(f"{_sum(owed, late)} overdue", is_late=True)]


def _sum(owed: Receivables, invoices: list[Record]) -> str:
    """What is due of these invoices, in words."""
    total = owed.balance(invoices)
    words = total.words(owed.ctx.style)
    return words if owed.rows.complete and total.is_complete else f"at least {words}"
