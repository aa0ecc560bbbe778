"""Cells of invoices and estimates: money, and days that have come."""

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal

from django.utils import timezone
from django.utils.safestring import SafeString

from dashboard.catalogue import services as catalogue
from dashboard.catalogue.kinds import Kind
from dashboard.documents.table import money as written
from dashboard.gateway import Record
from dashboard.records.context import RequestContext
from dashboard.records.display import cells
from dashboard.records.display.cells import Cell

SOON = 7
Tones = Mapping[int, tuple[str, str]]


def money(name: str) -> Cell:
    """An amount, in the person's style."""

    def cell(record: Record, ctx: RequestContext) -> SafeString:
        value = record.get(name)
        return (
            SafeString(written(value, ctx.style))
            if isinstance(value, Decimal)
            else cells.text(value)
        )

    return cell


def day(name: str) -> Cell:
    """A date on one line."""

    def cell(record: Record, ctx: RequestContext) -> SafeString:
        value = record.get(name)
        return (
            SafeString(f'<span class="nowrap">{cells.day(value)}</span>')
            if isinstance(value, date)
            else cells.text(value)
        )

    return cell


def named(kind: Kind, name: str) -> Cell:
    """The id of an entry of a list, by its name."""

    def cell(record: Record, ctx: RequestContext) -> SafeString:
        value = record.get(name)
        if not isinstance(value, int):
            return cells.text(value)
        return cells.text(catalogue.label(ctx.workspace, kind, value))

    return cell


def tags(record: Record, ctx: RequestContext) -> SafeString:
    """Tags by name."""
    value = record["tag_ids"]
    if not isinstance(value, tuple):
        return cells.text(value)
    words = (catalogue.label(ctx.workspace, Kind.CONTACT_TAG, number) for number in value)
    return cells.text(", ".join(words))


def status(name: str, words: Tones, late: Callable[[Record], tuple[str, str] | None]) -> Cell:
    """A status as word, shape and colour; `late` may say it more sharply."""

    def cell(record: Record, ctx: RequestContext) -> SafeString:
        value = record.get(name)
        if not isinstance(value, int) or value not in words:
            return cells.text(value)
        word, tone = late(record) or words[value]
        return cells.status(word, tone)

    return cell


def days_left(record: Record, name: str) -> int | None:
    """How many days until that day; None where there is none."""
    ends = record.get(name)
    return (ends - timezone.localdate()).days if isinstance(ends, date) else None
