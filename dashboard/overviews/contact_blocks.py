"""The blocks of a contact's page with their invoices, deals and estimates."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date

from django.http import QueryDict

from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.display import values
from dashboard.display.values import DisplayValue
from dashboard.documents.declaration import OPEN
from dashboard.gateway import GatewayError, Page, Record
from dashboard.lists import table
from dashboard.lists.query import ListQuery
from dashboard.lists.table import LateCells
from dashboard.markup import address
from dashboard.pages.blocks import (
    ROWS,
    Block,
    BlockRow,
    amount_of,
    day,
    days_until,
    failed,
    is_complete,
    late_by,
    sum_of,
)
from dashboard.reader import lookups
from dashboard.resources.deals import DEALS
from dashboard.resources.estimates import ESTIMATES
from dashboard.resources.invoices import INVOICES
from dashboard.text.numbers import write_amount

STATUSES = ("inv_status", "est_status")
CANCELLED = 2  # of both
STAGE = next(each for each in DEALS.columns if each.name == "deal_current_stage")
Answer = Page | GatewayError
Row = Callable[[Record], BlockRow]


def invoices(answer: Answer, ctx: RequestContext, contact: int, today: date) -> Block:
    """Their latest invoices with what is still due."""

    def row(record: Record) -> BlockRow:
        return _document(INVOICES, record, ctx, "due_date", "amount_due", today)

    block = _block(INVOICES, contact, "Still due", "No invoice yet.")
    return _filled(block, answer, row, ctx, "total")


def estimates(answer: Answer, ctx: RequestContext, contact: int, today: date) -> Block:
    """Their latest estimates."""

    def row(record: Record) -> BlockRow:
        return _document(ESTIMATES, record, ctx, "expiry_date", "total", today)

    block = _block(ESTIMATES, contact, "Total", "No estimate yet.")
    return _filled(block, answer, row, ctx, "total")


def deals(answer: Answer, ctx: RequestContext, contact: int, today: date) -> Block:
    """Their latest deals with their stages, which follow the page where a list lacks them."""
    query = ListQuery.read(DEALS, QueryDict(f"cstid={contact}"), ctx.style)
    shown = answer.records[:ROWS] if isinstance(answer, Page) else ()
    ids = [record.id for record in shown]
    read = lookups.cached_records(ctx.gateway, DEALS.endpoint, ids)

    def row(record: Record) -> BlockRow:
        closes = record["deal_expected_close_date"]
        time = day(closes, today) if isinstance(closes, date) else ""
        amount = amount_of(record, "deal_amount", ctx)
        stage = table.cell(DEALS, STAGE, record, ctx, read)
        link = _link(DEALS, record)
        return BlockRow(link, stage, time, amount=amount, record_id=record.id)

    awaited = LateCells(query, table.awaited_ids(query, shown, read))
    block = replace(_block(DEALS, contact, "Amount", "No deal yet."), late_cells=awaited)
    return _filled(block, answer, row, ctx, "deal_amount")


def _block(resource: Resource, contact: int, amount_label: str, empty: str) -> Block:
    return Block(
        resource.name,
        resource.label,
        address(resource.name, query={"cstid": str(contact)}),
        link="All of theirs",
        amount_label=amount_label,
        empty=empty,
    )


def _filled(block: Block, answer: Answer, row: Row, ctx: RequestContext, field: str) -> Block:
    """The block with its latest rows, their number, and the sum of those not cancelled."""
    if isinstance(answer, GatewayError):
        return failed(block, answer)
    at_least, more = ("", "") if is_complete(answer) else ("at least ", "+")
    counted = [each for each in answer.records if CANCELLED not in map(each.get, STATUSES)]
    total = write_amount(sum_of(counted, field), ctx.style)
    known = answer.total_records
    count = f"{len(answer.records):,}{more}" if known is None else f"{known:,}"
    return replace(
        block,
        rows=tuple(row(record) for record in answer.records[:ROWS]),
        count=f"{count} · {at_least}{total} in all" if answer.records else "",
    )


def _document(
    resource: Resource,
    record: Record,
    ctx: RequestContext,
    deadline: str,
    amount: str,
    today: date,
) -> BlockRow:
    [status] = resource.badges
    ends, is_open = record[deadline], record[status.name] == OPEN
    left = (ends - today).days if isinstance(ends, date) else 0
    late = is_open and left < 0
    words = (late_by(-left) if late else days_until(left)) if is_open else ""
    time = ", ".join(filter(None, (values.text(ends).words, words)))
    shown = status.value(record, ctx)
    return BlockRow(_link(resource, record), shown, time, late, amount_of(record, amount, ctx))


def _link(resource: Resource, record: Record) -> DisplayValue:
    return values.link(resource.url(record.id), resource.title(record))
