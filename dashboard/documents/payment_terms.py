"""The due date that a customer's days give: offered, and followed as long as nobody types another.

Scripts ask for it as the customer or the date changes (lines.js) and switch the hidden field off
that tells a form without them what was offered.
"""

from datetime import timedelta
from typing import cast

from django.http import QueryDict
from django.utils import timezone

from dashboard.documents.form import DocumentForm
from dashboard.preferences import services as preferences
from dashboard.records.context import RequestContext
from dashboard.records.forms.pickers import ID
from dashboard.records.parsing.dates import read_date
from dashboard.records.parsing.formatting import format_date
from dashboard.records.parsing.style import NotReadable

DUE, OFFERED = "due_date", "offered"


def days_for(ctx: RequestContext, customer: object) -> int:
    """How many days a customer has; those of the office for none."""
    chosen = str(customer or "")
    return preferences.due_days(ctx.workspace, int(chosen) if ID.fullmatch(chosen) else None)


def due_text(ctx: RequestContext, customer: object, begun: str) -> str:
    """When a document of this day is due, written out; "" where the day cannot be read."""
    try:
        day = read_date(begun, timezone.localdate(), ctx.style)
    except NotReadable:
        return ""
    return format_date(day + timedelta(days=days_for(ctx, customer)))


def offered(form: DocumentForm) -> str:
    """The due date that the page of a new document offers; "" where there is none to follow."""
    if form.opened_with is not None or DUE not in form.fields:
        return ""
    if form.is_bound:
        return str(form.data.get(OFFERED, "")).strip()
    return str(form.fields[DUE].prepare_value(form.initial.get(DUE)) or "")


def follow(form: DocumentForm, customer: object, *, unfinished: bool = False) -> str:
    """Let a due date that stands as it was offered follow the customer and the date.

    An empty one, too, in a form that is `unfinished`; one that is sent empty is meant to be.
    Says the new due date, "" if nothing changes.
    """
    was, typed = offered(form), str(form.data.get(DUE, "")).strip()
    if form.ctx is None or not was or typed not in (was, "" if unfinished else was):
        return ""
    text = due_text(form.ctx, customer, str(form.data.get("transaction_date", "")))
    if text in ("", typed):
        return ""
    data = cast(QueryDict, form.data).copy()
    data[DUE] = data[OFFERED] = text
    form.data = data
    return text


def follow_checked(form: DocumentForm) -> str:
    """The same once the form is checked: only then is it known whom a typed name means."""
    text = follow(form, form.cleaned_data["customer_id"])
    if text and form.ctx:
        form.cleaned_data[DUE] = read_date(text, timezone.localdate(), form.ctx.style)
    return text
