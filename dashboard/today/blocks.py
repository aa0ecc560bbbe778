"""The blocks of the page Today that show records of the service.

Each block is made of the answer of its own call, so that one that fails leaves the others alone.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from django.utils import timezone

from dashboard.documents.open_invoices import OpenInvoices
from dashboard.gateway import CONTACTS, GatewayError, Page, Record
from dashboard.records.addresses import address
from dashboard.records.context import RequestContext
from dashboard.records.display import values
from dashboard.records.pages.blocks import ROWS, Block, BlockRow, day, failed, late_by
from dashboard.records.parsing.numbers import write_amount
from dashboard.records.references.lookups import Pointer

from . import invoices
from .cells import CONTACT, SOON

TASK_PAGE = 50
DEAL_PAGE = 100
OPEN_TASKS = (0, 1)  # Open, In Progress


class Sources(NamedTuple):
    """The answers that the blocks are made of: a result, or the error of the call."""

    invoices: OpenInvoices | GatewayError
    tasks: Sequence[Page | GatewayError]
    mine: Sequence[Page | GatewayError]
    deals: Page | GatewayError
    leads: Page | GatewayError


def pointers(sources: Sources, today: date) -> list[Pointer]:
    """The records whose names the blocks show beside their own."""
    records: list[Record] = []
    if isinstance(sources.invoices, OpenInvoices):
        records += sources.invoices.overdue(today)[:ROWS]
        records += sources.invoices.due_soon(today, SOON)[:ROWS]
    others = [*_due_tasks(sources, today)[: 2 * ROWS], *_closing(sources, today)[:ROWS]]
    customers = [record["customer_id"] for record in records]
    found = [*customers, *(record["cstid"] for record in others)]
    return [(CONTACTS, number) for number in found if isinstance(number, int) and number > 0]


def all_blocks(sources: Sources, ctx: RequestContext) -> list[Block]:
    """Every block, those that could not be read with the reason."""
    today = timezone.localdate()
    return [
        invoices.overdue(sources.invoices, ctx, today),
        invoices.due_soon(sources.invoices, ctx, today),
        tasks(sources, ctx, today),
        deals(sources, ctx, today),
        leads(sources),
    ]


def tasks(sources: Sources, ctx: RequestContext, today: date) -> Block:
    """Open tasks that end today or ended before: the person's own first, then the earliest."""
    block = Block("tasks", "Tasks", address("tasks"), key="g t", empty="No task is due.")
    error = next((page for page in sources.tasks if isinstance(page, GatewayError)), None)
    if error:
        return failed(block, error)
    found = _due_tasks(sources, today)
    rows = [_task_row(record, ctx, today) for record in found[: 2 * ROWS]]
    late = sum(_end_of(record) < today for record in found)
    more = any((page.total_pages or 1) > 1 for page in sources.tasks if isinstance(page, Page))
    note = f"{late} late, {len(found) - late} for today"
    return replace(
        block,
        rows=tuple(rows),
        count=f"{len(found):,}{'+' * more}",
        figure=f"{len(found):,}",
        is_partial=more,
        figure_note=note if found else block.empty,
    )


def deals(sources: Sources, ctx: RequestContext, today: date) -> Block:
    """Deals that are expected to close within a week."""
    block = Block("deals", "Deals to close", address("deals"), key="g d", amount_label="Amount")
    page = sources.deals
    if isinstance(page, GatewayError):
        return failed(block, page)
    found = _closing(sources, today)
    amounts = [record["deal_amount"] for record in found]
    total = sum((each for each in amounts if isinstance(each, Decimal)), Decimal(0))
    is_all = page.total_records is not None and len(page.records) >= page.total_records
    read = f"{len(page.records):,} of {page.total_records or 0:,} deals read"
    counted = f"{len(found):,} deal{'s' * (len(found) != 1)} within a week"
    return replace(
        block,
        rows=tuple(_deal_row(record, ctx, today) for record in found[:ROWS]),
        count=f"{len(found):,}{'' if is_all else '+'}",
        figure=write_amount(total, ctx.style),
        is_partial=not is_all,
        figure_note=counted + ("" if is_all else f"; {read}"),
        empty="No deal is expected to close within a week.",
        note="" if is_all else f"The service cannot be asked by closing day: {read}.",
    )


def leads(sources: Sources) -> Block:
    """The newest leads that nobody has contacted."""
    block = Block(
        "leads",
        "New leads",
        address("leads", query={"lead_status": "New"}),
        key="g l",
        empty="No lead is new.",
    )
    page = sources.leads
    if isinstance(page, GatewayError):
        return failed(block, page)
    rows = [
        BlockRow(
            values.link(address("leads", record.id), str(record["cstname"] or record.id)),
            values.text(record["lead_company_name"] or record["lead_source"]),
        )
        for record in page.records[:ROWS]
    ]
    total = page.total_records
    return replace(block, rows=tuple(rows), count="" if total is None else f"{total:,}")


def _task_row(record: Record, ctx: RequestContext, today: date) -> BlockRow:
    ends = _end_of(record)
    return BlockRow(
        values.link(address("tasks", record.id), str(record["title"] or record.id)),
        CONTACT(record, ctx),
        late_by((today - ends).days) if ends < today else "today",
        ends < today,
    )


def _deal_row(record: Record, ctx: RequestContext, today: date) -> BlockRow:
    amount = record["deal_amount"]
    return BlockRow(
        values.link(address("deals", record.id), str(record["deal_name"] or record.id)),
        CONTACT(record, ctx),
        day(record["deal_expected_close_date"], today),
        amount=write_amount(amount, ctx.style) if isinstance(amount, Decimal) else "",
        task_url=address("tasks", action="new", query={"deal": str(record.id)}),
    )


def _due_tasks(sources: Sources, today: date) -> list[Record]:
    pages = [page for page in sources.tasks if isinstance(page, Page)]
    found = [record for page in pages for record in page.records if _end_of(record) <= today]
    own = [page for page in sources.mine if isinstance(page, Page)]
    mine = {record.id for page in own for record in page.records}
    return sorted(found, key=lambda each: (each.id not in mine, _end_of(each), each.id))


def _end_of(record: Record) -> date:
    """The day a task is due: its end, else its start; far away if it has neither."""
    for name in ("end_datetime", "start_datetime"):
        value = record[name]
        if isinstance(value, datetime):
            return value.date()
    return date.max


def _closing(sources: Sources, today: date) -> list[Record]:
    if isinstance(sources.deals, GatewayError):
        return []
    last = today + timedelta(days=SOON)
    dated = [
        record
        for record in sources.deals.records
        if isinstance(record["deal_expected_close_date"], date)
    ]
    found = [each for each in dated if today <= each["deal_expected_close_date"] <= last]
    return sorted(found, key=lambda record: (record["deal_expected_close_date"], record.id))
