"""The blocks of the page Today that are made of the open invoices."""

from dataclasses import replace
from datetime import date

from dashboard.context import RequestContext
from dashboard.display import values
from dashboard.documents.open_invoices import OpenInvoices, amount_due
from dashboard.gateway import GatewayError, Record
from dashboard.markup import address
from dashboard.pages.blocks import (
    ROWS,
    Block,
    BlockRow,
    Figure,
    RowAction,
    amount_of,
    day,
    days,
    failed,
    late_by,
)
from dashboard.text.numbers import write_amount

from .cells import CUSTOMER
from .sources import Sources


def overdue(sources: Sources, ctx: RequestContext, today: date) -> Block:
    """Open invoices that were due before today, the oldest first."""
    block = Block(
        "overdue",
        "Overdue",
        address("invoices", query={"due": "overdue"}),
        key="g o",
        amount_label="Still due",
        empty="No invoice is overdue.",
        heads=("Customer", "Number", "Late by", "Still due"),
    )
    answer, found = sources.invoices, sources.overdue
    if isinstance(answer, GatewayError):
        return failed(block, answer)
    rows = [
        _invoice_row(record, ctx, late_by((today - record["due_date"]).days), late=True)
        for record in found[:ROWS]
    ]
    oldest = f", oldest {days((today - found[0]['due_date']).days)}" if found else ""
    return replace(_with_sum(block, answer, found, ctx, oldest, is_late=True), rows=tuple(rows))


def due_soon(sources: Sources, ctx: RequestContext, today: date) -> Block:
    """Open invoices that are due within a week."""
    block = Block(
        "due",
        "Due within a week",
        address("invoices", query={"due": "soon"}),
        amount_label="Still due",
        empty="Nothing is due within a week.",
    )
    answer, found = sources.invoices, sources.due_soon
    if isinstance(answer, GatewayError):
        return failed(block, answer)
    rows = [_invoice_row(each, ctx, day(each["due_date"], today)) for each in found[:ROWS]]
    first = f", first {day(found[0]['due_date'], today)}" if found else ""
    return replace(_with_sum(block, answer, found, ctx, first), rows=tuple(rows))


def _with_sum(
    block: Block,
    read: OpenInvoices,
    found: list[Record],
    ctx: RequestContext,
    more: str,
    *,
    is_late: bool = False,
) -> Block:
    """The block with its count and the sum of what is due, said to be partial where it is."""
    total = amount_due(found)
    words = f"{len(found):,} invoice{'s' * (len(found) != 1)}{more}"
    return replace(
        block,
        count=f"{len(found):,}{'' if read.rows.complete else '+'}",
        figure=Figure(
            block.title,
            values.text("not known" if total is None else write_amount(total, ctx.style)),
            words,
            is_late=is_late and bool(found),
            is_partial=total is not None and not read.rows.complete,
        ),
        note=read.partial,
    )


def _invoice_row(record: Record, ctx: RequestContext, time: str, *, late: bool = False) -> BlockRow:
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
        amount_of(record, "amount_due", ctx),
        (RowAction("Task", "t", task),),
    )
