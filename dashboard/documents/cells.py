"""Cells of invoices and estimates: a status that depends on a day."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal

from django.utils import timezone

from dashboard.gateway import Record
from dashboard.people.context import RequestContext
from dashboard.schema import cells, values
from dashboard.schema.cells import Cell, Names, money
from dashboard.schema.values import DisplayValue
from dashboard.text.dates import days, days_until

OPEN, CANCELLED = 0, 2  # of an invoice and of an estimate (reference, section 3)
SOON = 7  # days
DUE = "amount_due"
Tones = Mapping[int, tuple[str, str]]
"""The word and the tone of each status by its code."""


def status(name: str, words: Tones, late: Callable[[Record], tuple[str, str] | None]) -> Cell:
    """A cell for a status; `late` gives another word and tone where a day has come."""

    def cell(record: Record, ctx: RequestContext, names: Names) -> DisplayValue:
        value = record.get(name)
        if not isinstance(value, int) or value not in words:
            return values.text(value)
        word, tone = late(record) or words[value]
        return values.status(word, tone)

    return cell


def not_cancelled(records: Iterable[Record]) -> list[Record]:
    """Records without the cancelled invoices and estimates among them."""
    statuses = ("inv_status", "est_status")
    return [each for each in records if CANCELLED not in map(each.get, statuses)]


def still_due(record: Record, ctx: RequestContext, names: Names) -> DisplayValue:
    """What is still due of an invoice; with its share of the total where a part was paid."""
    shown, due, total = money(DUE)(record, ctx, names), record.get(DUE), record.get("total")
    if not isinstance(due, Decimal) or not isinstance(total, Decimal) or not 0 < due < total:
        return shown
    return shown._replace(kind="share", share=f"{100 * due / total:.0f}%")


def deadline(name: str, status_field: str) -> Cell:
    """A cell for the last day of a document; of an open one with how long that is from today."""
    day = cells.day(name)

    def cell(record: Record, ctx: RequestContext, names: Names) -> DisplayValue:
        left = days_left(record, name) if record.get(status_field) == OPEN else None
        shown = day(record, ctx, names)
        if left is None:
            return shown
        ends = record[name]
        return values.noted(shown.text, *_from_today(ends, left))

    return cell


def _from_today(ends: date, left: int) -> tuple[str, str]:
    """How long a day is from today, so many days on, and the tone of the words."""
    if left < 0:
        return days(-left), "late"
    near = {0: "today", 1: "tomorrow"}
    return near.get(left) or (f"{ends:%a}" if left < SOON else days_until(left)), "muted"


def days_left(record: Record, name: str) -> int | None:
    """How many days until that day; None where there is none."""
    ends = record.get(name)
    return (ends - timezone.localdate()).days if isinstance(ends, date) else None
