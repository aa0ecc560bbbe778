"""The due date by a customer's payment terms; it changes with the customer until one is typed.

document_head.js requests it when the customer or the date changes, and disables the hidden field
that carries the offered date. A form posted without scripts sends that field.
"""

from datetime import timedelta
from typing import cast

from django.http import QueryDict
from django.utils import timezone

from dashboard.context import RequestContext
from dashboard.documents.form import DocumentForm
from dashboard.gateway import whole_number
from dashboard.preferences import services as preferences
from dashboard.text.dates import format_date, read_date
from dashboard.text.style import NotReadable

DUE, OFFERED = "due_date", "offered"


def days_for(ctx: RequestContext, customer: object) -> int:
    """The payment terms of a customer in days; the workspace's default without a customer."""
    chosen = str(customer or "")
    return preferences.due_days(ctx.workspace, whole_number(chosen))


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
    """As `follow_customer`, after validation, which resolves a typed customer name to an id."""
    text = follow_customer(form, form.cleaned_data["customer_id"])
    if text and form.ctx:
        form.cleaned_data[DUE] = read_date(text, timezone.localdate(), form.ctx.style)
    return text
