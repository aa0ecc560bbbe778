"""The blocks of the page Today that show records of the service.

Each block is made of the answer of its own call, so that one that fails leaves the others alone.
"""

from dataclasses import replace
from datetime import date

from django.utils import timezone

from dashboard.context import RequestContext
from dashboard.display import values
from dashboard.gateway import TASKS, GatewayError, Page, Record
from dashboard.markup import address
from dashboard.pages.blocks import (
    ROWS,
    Block,
    BlockRow,
    Figure,
    RowAction,
    amount_of,
    day,
    failed,
    is_complete,
    late_by,
    read_of,
    sum_of,
)
from dashboard.reader import listing
from dashboard.resources.tasks import done_action
from dashboard.text.numbers import write_amount

from . import invoices
from .cells import CONTACT
from .sources import Dated, Sources


def all_blocks(sources: Sources, ctx: RequestContext) -> list[Block]:
    """Every block, those that could not be read with the reason."""
    today = timezone.localdate()
    return [
        invoices.overdue(sources, ctx, today),
        invoices.due_soon(sources, ctx, today),
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
    found = sources.due_tasks
    rows = [_task_row(each, ctx, today) for each in found[: 2 * ROWS]]
    late = sum(each.day < today for each in found)
    more = not all(listing.is_last(page) for page in sources.tasks if isinstance(page, Page))
    note = f"{late} late, {len(found) - late} for today"
    return replace(
        block,
        rows=tuple(rows),
        count=f"{len(found):,}{'+' * more}",
        figure=Figure(
            block.title,
            values.text(f"{len(found):,}"),
            note if found else block.empty,
            is_partial=more,
        ),
    )


def deals(sources: Sources, ctx: RequestContext, today: date) -> Block:
    """Deals that are expected to close within a week."""
    block = Block("deals", "Deals to close", address("deals"), key="g d", amount_label="Amount")
    page = sources.deals
    if isinstance(page, GatewayError):
        return failed(block, page)
    found = sources.closing
    total = sum_of((each.record for each in found), "deal_amount")
    is_all = is_complete(page)
    read = f"{read_of(page)} deals read"
    counted = f"{len(found):,} deal{'s' * (len(found) != 1)} within a week"
    return replace(
        block,
        rows=tuple(_deal_row(each, ctx, today) for each in found[:ROWS]),
        count=f"{len(found):,}{'' if is_all else '+'}",
        figure=Figure(
            block.title,
            values.text(write_amount(total, ctx.style)),
            counted + ("" if is_all else f"; {read}"),
            is_partial=not is_all,
        ),
        empty="No deal is expected to close within a week.",
        note="" if is_all else f"The service cannot filter by closing day: {read}.",
    )


def leads(sources: Sources) -> Block:
    """The newest leads that nobody has contacted."""
    block = Block(
        "leads",
        "New leads",
        address("leads", query={"lead_status": "New"}),
        key="g l",
        empty="No new leads.",
    )
    page = sources.leads
    if isinstance(page, GatewayError):
        return failed(block, page)
    rows = [_lead_row(record) for record in page.records[:ROWS]]
    total = page.total_records
    return replace(block, rows=tuple(rows), count="" if total is None else f"{total:,}")


def _task_row(dated: Dated, ctx: RequestContext, today: date) -> BlockRow:
    ends, record = dated
    return BlockRow(
        values.link(address("tasks", record.id), str(record["title"] or record.id)),
        CONTACT(record, ctx),
        late_by((today - ends).days) if ends < today else "today",
        ends < today,
        actions=(done_action(record, back="today"),) if ctx.gateway.offers(TASKS, "update") else (),
    )


def _lead_row(record: Record) -> BlockRow:
    convert = address("leads", record.id, "convert", {"deal": "1"})
    return BlockRow(
        values.link(address("leads", record.id), str(record["cstname"] or record.id)),
        values.text(record["lead_company_name"] or record["lead_source"]),
        actions=(RowAction("Make a deal", "v", convert),),
    )


def _deal_row(dated: Dated, ctx: RequestContext, today: date) -> BlockRow:
    closes, record = dated
    deal = {"deal": str(record.id)}
    return BlockRow(
        values.link(address("deals", record.id), str(record["deal_name"] or record.id)),
        CONTACT(record, ctx),
        day(closes, today),
        amount=amount_of(record, "deal_amount", ctx),
        actions=(
            RowAction("Task", "t", address("tasks", page="create", query=deal)),
            RowAction("Invoice", "i", address("invoices", page="create", query=deal)),
        ),
    )
