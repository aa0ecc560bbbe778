"""The values on top of the page of an invoice or estimate: how much, until when."""

from datetime import date
from decimal import Decimal
from typing import cast

from django.utils import timezone

from dashboard.catalogue import services as catalogue
from dashboard.catalogue.kinds import Kind
from dashboard.context import RequestContext
from dashboard.declare.resource import Detail, Resource
from dashboard.documents.form import DocumentForm
from dashboard.gateway import Record
from dashboard.pages.blocks import Figure, amount_of, days_until, late_by
from dashboard.text.numbers import write_amount

OPEN = 0
AMOUNTS = ("total", "amount_due")


def document_figures(ctx: RequestContext, resource: Resource, record: Record) -> list[Figure]:
    """The declared figures that hold something, the deadline with the days that are left, what is
    due with the total.
    """
    deadline = cast(type[DocumentForm], resource.create_form).deadline
    shown = [(part, part.value(record, ctx)) for part in resource.figures]
    if any(part.name == "amount_due" and value for part, value in shown):
        shown = [(part, value) for part, value in shown if part.name != "total"]  # is in its note
    notes = {
        deadline: _days(record, deadline),
        "amount_due": _paid(record, ctx),
        "transaction_date": _weekday(record["transaction_date"]),
    }
    return [
        Figure(
            part.label,
            value,
            note=notes.get(part.name, ""),
            is_late=_is_late(part, record, deadline),
            unit=currency_of(record, ctx) if part.name in AMOUNTS else "",
        )
        for part, value in shown
        if value
    ]


def currency_of(record: Record, ctx: RequestContext) -> str:
    """The name of the document's currency, "" where it has none here."""
    known = catalogue.entry(ctx.workspace, Kind.CURRENCY, record["org_currency_id"])
    return known.name if known else ""


def _days(record: Record, name: str) -> str:
    """The weekday of a deadline; of an open document with the days until it, or since."""
    ends = record[name]
    if not isinstance(ends, date):
        return ""
    left = (ends - timezone.localdate()).days
    if not _is_open(record):
        return _weekday(ends)
    return f"{ends:%A}, {late_by(-left) if left < 0 else days_until(left)}"


def _paid(record: Record, ctx: RequestContext) -> str:
    total = amount_of(record, "total", ctx)
    return f"of {total}" if total else ""


def _weekday(value: object) -> str:
    return f"{value:%A}" if isinstance(value, date) else ""


def _is_late(part: Detail, record: Record, deadline: str) -> bool:
    ends = record[deadline]
    late = isinstance(ends, date) and ends < timezone.localdate() and _is_open(record)
    return late and part.name in (deadline, "amount_due")


def _is_open(record: Record) -> bool:
    return OPEN in (record.get("inv_status"), record.get("est_status"))


def balance(record: Record, ctx: RequestContext) -> list[tuple[str, str]]:
    """What was paid and what is still due, below the total of an invoice; none before that."""
    total, due = record.get("total"), record.get("amount_due")
    if not isinstance(total, Decimal) or not isinstance(due, Decimal) or total == due:
        return []
    return [
        ("Paid", write_amount(total - due, ctx.style)),
        ("Still due", write_amount(due, ctx.style)),
    ]
