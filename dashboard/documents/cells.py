"""Cells of invoices and estimates: a status that depends on a day."""

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal

from django.utils import timezone

from dashboard.context import RequestContext
from dashboard.display import values
from dashboard.display.cells import Cell, money
from dashboard.display.values import DisplayValue
from dashboard.gateway import Record

SOON = 7  # days
DUE = "amount_due"
Tones = Mapping[int, tuple[str, str]]
"""The word and the tone of each status by its code."""


def status(name: str, words: Tones, late: Callable[[Record], tuple[str, str] | None]) -> Cell:
    """A cell for a status; `late` gives another word and tone where a day has come."""

    def cell(record: Record, ctx: RequestContext) -> DisplayValue:
        value = record.get(name)
        if not isinstance(value, int) or value not in words:
            return values.text(value)
        word, tone = late(record) or words[value]
        return values.status(word, tone)

    return cell


def still_due(record: Record, ctx: RequestContext) -> DisplayValue:
    """What is still due of an invoice; with its share of the total where a part was paid."""
    shown, due, total = money(DUE)(record, ctx), record.get(DUE), record.get("total")
    if not isinstance(due, Decimal) or not isinstance(total, Decimal) or not 0 < due < total:
        return shown
    return shown._replace(kind="share", share=f"{100 * due / total:.0f}%")


def days_left(record: Record, name: str) -> int | None:
    """How many days until that day; None where there is none."""
    ends = record.get(name)
    return (ends - timezone.localdate()).days if isinstance(ends, date) else None
