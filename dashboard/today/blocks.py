"""The blocks of the page Today that show records of the service.

Each block is made of the answer of its own call, so that one that fails leaves the others alone.
"""

from dataclasses import replace
from datetime import date

from django.utils import timezone

from dashboard.context import RequestContext
from dashboard.declare.resource import RowAction
from dashboard.display import values
from dashboard.display.cells import Names
from dashboard.display.money import Currencies, currencies_of
from dashboard.gateway import DEALS, GatewayError, Page, Record
from dashboard.markup import address, page_url
from dashboard.pages.blocks import ROWS, Block, BlockRow, failed, is_complete, read_of, view_all
from dashboard.reader import listing
from dashboard.resources.tasks import OPEN, done_action
from dashboard.service_name import SERVICE_AT_START
from dashboard.text.dates import day, late_by
from dashboard.today import pictures
from dashboard.today.fetch import CONTACT, Dated, Sources


def all_blocks(sources: Sources, owing: pictures.Debtors, ctx: RequestContext) -> list[Block]:
    """Every block, those that could not be read with the reason."""
    today = timezone.localdate()
    return [
        pictures.open_invoices(sources, owing, ctx, today),
        pictures.who_to_chase(sources, owing, ctx, today),
        pictures.coming_in(sources, owing, ctx, today),
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
    due = sources.due_tasks
    rows = [_task_row(each, ctx, sources.names, today) for each in due[: 2 * ROWS]]
    late = sum(each.day < today for each in due)
    more = not all(listing.is_last(page) for page in sources.tasks if isinstance(page, Page))
    note = f"{late} late, {len(due) - late} for today"
    count = f"{len(due):,}{'+' * more}"
    told = f"{count} · {note}" if due else count
    shown = sum(each.record["status"] == OPEN for each in due)
    link = view_all(f"{shown:,}+" if shown else "")
    return replace(block, rows=tuple(rows), count=told, link=link)


def deals(sources: Sources, ctx: RequestContext, today: date) -> Block:
    """Deals that are expected to close within a week."""
    block = Block("deals", "Deals to close", address("deals"), key="g d", amount_label="Amount")
    page = sources.deals
    if isinstance(page, GatewayError):
        return failed(block, page)
    closing = sources.closing
    records, names = [each.record for each in closing], sources.names
    currencies = currencies_of(ctx, DEALS, records)
    total = currencies.total(records, "deal_amount")
    is_all = is_complete(page)
    read = f"{read_of(page)} deals read"
    count = f"{len(closing):,}{'' if is_all else '+'}"
    at_least = "" if is_all and total.is_complete else "at least "
    return replace(
        block,
        rows=tuple(_deal_row(each, ctx, names, today, currencies) for each in closing[:ROWS]),
        link=view_all("" if page.total_records is None else page.total_records),
        count=f"{count} · {at_least}{total.words(ctx.style)}" if closing else count,
        empty="No deal is expected to close within a week.",
        note="" if is_all else f"{SERVICE_AT_START} cannot filter by closing day: {read}.",
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
    count = "" if total is None else f"{total:,}"
    return replace(block, rows=tuple(rows), count=count, link=view_all(count))


def _task_row(dated: Dated, ctx: RequestContext, names: Names, today: date) -> BlockRow:
    ends, record = dated
    return BlockRow(
        values.link(address("tasks", record.id), str(record["title"] or record.id)),
        CONTACT(record, ctx, names),
        late_by((today - ends).days) if ends < today else "today",
        ends < today,
        tick=done_action(record, ctx, page_url("today:home")),
    )


def _lead_row(record: Record) -> BlockRow:
    convert = address("leads", record.id, "convert", {"deal": "1"})
    return BlockRow(
        values.link(address("leads", record.id), str(record["cstname"] or record.id)),
        values.text(record["lead_company_name"] or record["lead_source"]),
        actions=(RowAction("Make a deal", "v", convert),),
    )


def _deal_row(
    dated: Dated, ctx: RequestContext, names: Names, today: date, currencies: Currencies
) -> BlockRow:
    closes, record = dated
    deal = {"deal": str(record.id)}
    return BlockRow(
        values.link(address("deals", record.id), str(record["deal_name"] or record.id)),
        CONTACT(record, ctx, names),
        day(closes, today),
        amount=currencies.amount(record, "deal_amount", ctx.style),
        actions=(
            RowAction("Task", "t", address("tasks", page="create", query=deal)),
            RowAction("Invoice", "i", address("invoices", page="create", query=deal)),
        ),
    )
