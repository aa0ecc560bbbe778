"""The blocks of the page Today that show records of the service.

Each block is made of the answer of its own call, so that one that fails leaves the others alone.
"""

from dataclasses import replace
from datetime import date

from django.utils import timezone

from dashboard.context import RequestContext
from dashboard.display import values
from dashboard.display.money import Currencies, Sum, currencies_of
from dashboard.documents import reminders
from dashboard.documents.open_invoices import OpenInvoices
from dashboard.documents.reminders import Reminded
from dashboard.gateway import CONTACTS, DEALS, INVOICES, TASKS, GatewayError, Page, Record
from dashboard.markup import address
from dashboard.pages.blocks import (
    ROWS,
    Block,
    BlockRow,
    Figure,
    RowAction,
    day,
    days,
    failed,
    is_complete,
    late_by,
    read_of,
    sum_figure,
)
from dashboard.reader import listing
from dashboard.resources.invoices import INVOICES as INVOICE_LIST
from dashboard.resources.tasks import done_action
from dashboard.service_name import SERVICE_AT_START
from dashboard.today.fetch import CONTACT, CUSTOMER, OVERDUE, Dated, Sources


def all_blocks(sources: Sources, ctx: RequestContext) -> list[Block]:
    """Every block, those that could not be read with the reason."""
    today = timezone.localdate()
    return [
        overdue(sources, ctx, today),
        due_soon(sources, ctx, today),
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
    rows = [_task_row(each, ctx, today) for each in due[: 2 * ROWS]]
    late = sum(each.day < today for each in due)
    more = not all(listing.is_last(page) for page in sources.tasks if isinstance(page, Page))
    note = f"{late} late, {len(due) - late} for today"
    return replace(
        block,
        rows=tuple(rows),
        count=f"{len(due):,}{'+' * more}",
        figure=Figure(
            block.title,
            values.text(f"{len(due):,}"),
            note if due else block.empty,
            is_partial=more,
        ),
    )


def deals(sources: Sources, ctx: RequestContext, today: date) -> Block:
    """Deals that are expected to close within a week."""
    block = Block("deals", "Deals to close", address("deals"), key="g d", amount_label="Amount")
    page = sources.deals
    if isinstance(page, GatewayError):
        return failed(block, page)
    closing = sources.closing
    records = [each.record for each in closing]
    currencies = currencies_of(ctx, DEALS, records)
    total = currencies.total(records, "deal_amount")
    is_all = is_complete(page)
    read = f"{read_of(page)} deals read"
    counted = f"{len(closing):,} deal{'s' * (len(closing) != 1)} within a week"
    return replace(
        block,
        rows=tuple(_deal_row(each, ctx, today, currencies) for each in closing[:ROWS]),
        count=f"{len(closing):,}{'' if is_all else '+'}",
        figure=sum_figure(
            block.title,
            total,
            ctx.style,
            note=counted + ("" if is_all else f"; {read}"),
            is_partial=not is_all,
        ),
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


def _deal_row(dated: Dated, ctx: RequestContext, today: date, currencies: Currencies) -> BlockRow:
    closes, record = dated
    deal = {"deal": str(record.id)}
    return BlockRow(
        values.link(address("deals", record.id), str(record["deal_name"] or record.id)),
        CONTACT(record, ctx),
        day(closes, today),
        amount=currencies.amount(record, "deal_amount", ctx.style),
        actions=(
            RowAction("Task", "t", address("tasks", page="create", query=deal)),
            RowAction("Invoice", "i", address("invoices", page="create", query=deal)),
        ),
    )


def overdue(sources: Sources, ctx: RequestContext, today: date) -> Block:
    """Open invoices that were due before today, the oldest first."""
    block = Block(
        OVERDUE,
        "Overdue",
        address("invoices", query={"due": "overdue"}),
        key="g o",
        amount_label="Still due",
        empty="No invoice is overdue.",
        heads=("Customer", "Number", "Late by", "Still due"),
    )
    answer, invoices = sources.invoices, sources.overdue
    if isinstance(answer, GatewayError):
        return failed(block, answer)
    currencies = currencies_of(ctx, INVOICES, invoices)
    rows = [
        _overdue_row(record, ctx, today, currencies, reminded)
        for record, reminded in _with_reminders(ctx, invoices[:ROWS])
    ]
    oldest = f", oldest {days((today - invoices[0]['due_date']).days)}" if invoices else ""
    total = currencies.total(invoices, "amount_due")
    return replace(_with_sum(block, answer, total, ctx, oldest, is_late=True), rows=tuple(rows))


def _with_reminders(
    ctx: RequestContext, invoices: list[Record]
) -> list[tuple[Record, Reminded | None]]:
    """Each invoice with the last reminder of it."""
    customers = [each["customer_id"] for each in invoices if each["customer_id"]]
    opened = reminders.opened_for(ctx, customers)
    return [
        (record, next((one for one in opened if number in one.numbers), None))
        for record, number in ((each, INVOICE_LIST.title(each)) for each in invoices)
    ]


def _overdue_row(
    record: Record,
    ctx: RequestContext,
    today: date,
    currencies: Currencies,
    reminded: Reminded | None,
) -> BlockRow:
    time = late_by((today - record["due_date"]).days)
    row = _invoice_row(record, ctx, time, currencies, late=True)
    if reminded:
        row = row._replace(note=f"reminded {reminders.ago(reminded, today)}")
    if not record["customer_id"]:
        return row
    of_invoice = {"invoice": str(record.id)}
    url = address(CONTACTS.name, record["customer_id"], "statement", of_invoice)
    return row._replace(actions=(RowAction("Reminder", "r", url), *row.actions))


def due_soon(sources: Sources, ctx: RequestContext, today: date) -> Block:
    """Open invoices that are due within a week."""
    block = Block(
        "due",
        "Due within a week",
        address("invoices", query={"due": "soon"}),
        amount_label="Still due",
        empty="Nothing is due within a week.",
        comes_with=OVERDUE,
    )
    answer, invoices = sources.invoices, sources.due_soon
    if isinstance(answer, GatewayError):
        return failed(block, answer)
    currencies = currencies_of(ctx, INVOICES, invoices)
    rows = [
        _invoice_row(each, ctx, day(each["due_date"], today), currencies)
        for each in invoices[:ROWS]
    ]
    first = f", first {day(invoices[0]['due_date'], today)}" if invoices else ""
    total = currencies.total(invoices, "amount_due")
    return replace(_with_sum(block, answer, total, ctx, first), rows=tuple(rows))


def _with_sum(
    block: Block,
    read: OpenInvoices,
    total: Sum,
    ctx: RequestContext,
    more: str,
    *,
    is_late: bool = False,
) -> Block:
    """The block with its count and the sum of what is due, said to be partial where it is."""
    is_all = read.rows.complete
    words = f"{total.count:,} invoice{'s' * (total.count != 1)}{more}"
    figure = sum_figure(block.title, total, ctx.style, note=words, is_partial=not is_all)
    return replace(
        block,
        count=f"{total.count:,}{'' if is_all else '+'}",
        figure=figure._replace(is_late=is_late and total.count > 0),
        note=read.partial,
    )


def _invoice_row(
    record: Record, ctx: RequestContext, time: str, currencies: Currencies, *, late: bool = False
) -> BlockRow:
    number = str(record["inv_number"] or record.id)
    customer = CUSTOMER(record, ctx)
    task = address("tasks", page="create", query={"contact": str(record["customer_id"])})
    return BlockRow(
        customer._replace(kind="link", url=address("invoices", record.id))
        if customer
        else values.link(address("invoices", record.id), number),
        values.text(number),
        time,
        late,
        currencies.amount(record, "amount_due", ctx.style),
        (RowAction("Task", "t", task),),
    )
