"""The figures on top of a contact's page: only of what was read, else "at least"."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from dashboard.context import RequestContext
from dashboard.display import values
from dashboard.gateway import GatewayError, Page, Record
from dashboard.pages.blocks import Figure, days, is_complete, not_read, read_of, sum_of
from dashboard.text.numbers import write_amount

from .contact_blocks import CANCELLED


class Owed(NamedTuple):
    """Open invoices; `partial`: how many were looked through, "" for all."""

    invoices: tuple[Record, ...]
    partial: str = ""


def figures(
    answers: Mapping[str, Any], owed: Owed | GatewayError, ctx: RequestContext, today: date
) -> list[Figure]:
    """What they owe, how much of it is late, their deals, and what they were invoiced this year."""
    return [
        *_owed(owed, ctx, today),
        _deals(answers["deals"], ctx),
        _invoiced(answers["invoices"], ctx, today.year),
    ]


def _owed(owed: Owed | GatewayError, ctx: RequestContext, today: date) -> list[Figure]:
    if isinstance(owed, GatewayError):
        return [not_read("Owes"), not_read("Of that overdue")]
    dated = [each for each in owed.invoices if isinstance(each["due_date"], date)]
    late = sorted((each for each in dated if each["due_date"] < today), key=_due)
    oldest = f", oldest {days((today - late[0]['due_date']).days)}" if late else ""
    note, partial = owed.partial or _counted(len(owed.invoices), "open invoice"), bool(owed.partial)
    owes = _amount("Owes", owed.invoices, "amount_due", ctx, note=note, is_partial=partial)
    note = _counted(len(late), "invoice") + oldest
    overdue = _amount("Of that overdue", late, "amount_due", ctx, note=note, is_partial=partial)
    return [owes, overdue._replace(is_late=bool(late))]


def _deals(page: Page | GatewayError, ctx: RequestContext) -> Figure:
    """All deals: the service does not say which are still open."""
    if isinstance(page, GatewayError):
        return not_read("Deals")
    some = f"{_counted(page.total_records, 'deal')}, open and closed"
    note = some if page.records else _counted(0, "deal")
    return _amount(
        "Deals", page.records, "deal_amount", ctx, note=note, is_partial=not is_complete(page)
    )


def _invoiced(page: Page | GatewayError, ctx: RequestContext, year: int) -> Figure:
    label = f"Invoiced in {year}"
    if isinstance(page, GatewayError):
        return not_read(label)
    found = [
        each
        for each in page.records
        if isinstance(each["transaction_date"], date)
        and each["transaction_date"].year == year
        and each["inv_status"] != CANCELLED
    ]
    note = _counted(len(found), "invoice")
    if not is_complete(page):
        note += f" among {read_of(page)} read"
    return _amount(label, found, "total", ctx, note=note, is_partial=not is_complete(page))


def _amount(
    label: str,
    records: Any,
    field: str,
    ctx: RequestContext,
    *,
    note: str,
    is_partial: bool,
) -> Figure:
    """The sum of a field; at least, too, where the service did not send it for each record."""
    unknown = any(not isinstance(each.get(field), Decimal) for each in records)
    total = write_amount(sum_of(records, field), ctx.style)
    return Figure(label, values.text(total), note, is_partial=is_partial or unknown)


def _counted(count: int | None, noun: str) -> str:
    if not count:
        return f"{noun}s" if count is None else f"no {noun}"
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _due(record: Record) -> tuple[date, int]:
    return record["due_date"], record.id
