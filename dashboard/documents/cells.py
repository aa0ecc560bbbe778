"""Cells of invoices and estimates: a status that depends on a day."""

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal

from dashboard.gateway import Record
from dashboard.people.context import RequestContext
from dashboard.schema import cells, values
from dashboard.schema.cells import Cell, Names, money
from dashboard.schema.values import DisplayValue
from dashboard.text.dates import days_until, late_by

STATUSES = ("inv_status", "est_status")
OPEN, CANCELLED = 0, 2  # of an invoice and of an estimate (reference, section 3)
DUE_SOON_DAYS = 7  # days
DUE = "amount_due"
Tones = Mapping[int, tuple[str, str]]
"""The word and the tone of each status by its code."""
_due = money(DUE)


def status(name: str, words: Tones, ends: str, late: tuple[str, str]) -> Cell:
    """Return a cell for a status. ends: the last day. late: the words for an open document after
    it, and shortly before it.
    """
    usual = cells.status(name, words)

    def cell(record: Record, ctx: RequestContext, names: Names) -> DisplayValue:
        left = days_left(record, ends, ctx.today)
        if left is None or left > DUE_SOON_DAYS:
            return usual(record, ctx, names)
        return values.status(late[0], "late") if left < 0 else values.status(late[1], "soon")

    return cell


def not_cancelled(records: Iterable[Record]) -> list[Record]:
    """Return the records without cancelled invoices and estimates."""
    return [each for each in records if CANCELLED not in map(each.get, STATUSES)]


def still_due(record: Record, ctx: RequestContext, names: Names) -> DisplayValue:
    """Return a cell for the balance due of an invoice; with its share of the total if a part was
    paid, and empty if nothing is due.
    """
    shown, due, total = _due(record, ctx, names), record.get(DUE), record.get("total")
    if due == 0:
        return DisplayValue("unseen", shown.text)
    if not isinstance(due, Decimal) or not isinstance(total, Decimal) or not 0 < due < total:
        return shown
    return DisplayValue("share", shown.text, share=f"{100 * due / total:.0f}%")


def deadline(name: str) -> Cell:
    """Return a cell for the last day of a document; for an open one with the time until it."""
    day = cells.day(name)

    def cell(record: Record, ctx: RequestContext, names: Names) -> DisplayValue:
        shown, left = day(record, ctx, names), days_left(record, name, ctx.today)
        if left is None:
            return shown
        if left < 0:
            return values.noted(shown.text, time_left(name, left), "late")
        near = {0: "today", 1: "tomorrow"}
        words = f"{record[name]:%a}" if left < DUE_SOON_DAYS else days_until(left)
        return values.noted(shown.text, near.get(left, words))

    return cell


def time_left(name: str, left: int) -> str:
    """Return a rule for how far the day in the field `name` is: only an unpaid balance after it is
    overdue.
    """
    return late_by(-left) if left < 0 and name == "due_date" else days_until(left)


def days_left(record: Record, name: str, today: date) -> int | None:
    """Return how many days an open document has until its last day; None for any other."""
    ends, is_open = record.get(name), OPEN in map(record.get, STATUSES)
    return (ends - today).days if is_open and isinstance(ends, date) else None
