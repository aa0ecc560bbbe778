"""The values on top of the page of an invoice or estimate: how much, until when."""

from datetime import date
from typing import cast

from django.utils import timezone

from dashboard.documents.form import DocumentForm
from dashboard.gateway import Record
from dashboard.records.context import RequestContext
from dashboard.records.pages.blocks import Figure, amount_of, days_until, late_by
from dashboard.records.resource import Detail, Resource

OPEN = 0


def document_figures(ctx: RequestContext, resource: Resource, record: Record) -> list[Figure]:
    """The declared figures that hold something, the deadline with the days that are left."""
    deadline = cast(type[DocumentForm], resource.create_form).deadline
    shown = [(part, part.value(record, ctx)) for part in resource.figures]
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
        )
        for part, value in shown
        if value
    ]


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
