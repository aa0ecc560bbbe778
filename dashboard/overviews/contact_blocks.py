"""The blocks of a contact: their invoices, estimates and deals, and the people of a business."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date

from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.display import cells, values
from dashboard.display.cells import NO_NAMES, Names
from dashboard.display.money import Currencies, currencies_of
from dashboard.display.values import DisplayValue
from dashboard.documents.cells import OPEN
from dashboard.documents.declaration import CANCELLED
from dashboard.gateway import CONTACTS, GatewayError, Page, Record
from dashboard.gateway.endpoints import BUSINESS
from dashboard.lists import table
from dashboard.lists.query import ListQuery
from dashboard.lists.table import LateCells
from dashboard.markup import address
from dashboard.pages.blocks import ROWS, Block, BlockRow, failed, is_complete, view_all
from dashboard.pages.history_words import CreatedRecord
from dashboard.reader import lookups
from dashboard.reader.lookups import Pointer
from dashboard.resources.deals import DEALS
from dashboard.resources.estimates import ESTIMATES
from dashboard.resources.invoices import INVOICES
from dashboard.text.dates import brief_date, day, days_until, late_by

from .months import twelve_months

Answer = Page | GatewayError


STATUSES = ("inv_status", "est_status")
STAGE = next(each for each in DEALS.columns if each.name == "deal_current_stage")
Row = Callable[[Record], BlockRow]


def invoices_block(answer: Answer, ctx: RequestContext, contact: int, today: date) -> Block:
    """Their open invoices, the first to be due first, then the latest of the others: the total of
    each, and the balance due.
    """

    currencies = _currencies(ctx, INVOICES, answer)

    def row(record: Record) -> BlockRow:
        due, total = (
            currencies.amount(record, name, ctx.style) for name in ("amount_due", "total")
        )
        is_settled = record["amount_due"] == 0
        shown = _document(INVOICES, record, ctx, "due_date", "" if is_settled else due, today)
        return shown._replace(whole="" if due == total else total)

    block = _empty_block(INVOICES, contact, "Balance due", "No invoice yet.")
    if isinstance(answer, Page):
        answer = replace(answer, records=tuple(sorted(answer.records, key=_order)))
        block = replace(block, picture=twelve_months(ctx, answer.records, contact, today))
    return _filled(block, answer, row, ctx, "total", currencies)


def _order(invoice: Record) -> tuple[bool, date]:
    """Open invoices by the day they are due, before all others in the order of the service."""
    due, is_open = invoice["due_date"], invoice["inv_status"] == OPEN
    return not is_open, due if is_open and isinstance(due, date) else date.max


def estimates_block(answer: Answer, ctx: RequestContext, contact: int, today: date) -> Block:
    currencies = _currencies(ctx, ESTIMATES, answer)

    def row(record: Record) -> BlockRow:
        amount = currencies.amount(record, "total", ctx.style)
        return _document(ESTIMATES, record, ctx, "expiry_date", amount, today)

    block = _empty_block(ESTIMATES, contact, "Total", "No estimate yet.")
    return _filled(block, answer, row, ctx, "total", currencies)


def deals_block(answer: Answer, ctx: RequestContext, contact: int, today: date) -> Block:
    """Their latest deals with their stages, which follow the page where a list lacks them."""
    query = ListQuery.of(DEALS, ctx, cstid=str(contact))
    listed = answer.records[:ROWS] if isinstance(answer, Page) else ()
    ids = [record.id for record in listed]
    read = lookups.cached_records(ctx.gateway, DEALS.endpoint, ids)
    currencies = _currencies(ctx, DEALS, answer)

    def row(record: Record) -> BlockRow:
        closes = record["deal_expected_close_date"]
        time = day(closes, today) if isinstance(closes, date) else ""
        amount = currencies.amount(record, "deal_amount", ctx.style)
        stage = table.cell(DEALS, STAGE, record, ctx, NO_NAMES, read)
        link = _link(DEALS, record)
        return BlockRow(link, stage, time, amount=amount, record_id=record.id)

    awaited = LateCells(query, table.awaited_ids(query, listed, read))
    block = replace(_empty_block(DEALS, contact, "Amount", "No deal yet."), late_cells=awaited)
    return _filled(block, answer, row, ctx, "deal_amount", currencies)


def _currencies(ctx: RequestContext, resource: Resource, answer: Answer) -> Currencies:
    records = answer.records if isinstance(answer, Page) else ()
    return currencies_of(ctx, resource.endpoint, records)


def _empty_block(resource: Resource, contact: int, amount_label: str, empty: str) -> Block:
    return Block(
        resource.name,
        resource.label,
        address(resource.name, query={"cstid": str(contact)}),
        link=view_all("", resource.name),
        amount_label=amount_label,
        empty=empty,
    )


def _filled(
    block: Block, answer: Answer, row: Row, ctx: RequestContext, field: str, currencies: Currencies
) -> Block:
    """The block with its latest rows, their number, and the sum of those not cancelled."""
    if isinstance(answer, GatewayError):
        return failed(block, answer)
    at_least, more = ("", "") if is_complete(answer) else ("at least ", "+")
    counted = [each for each in answer.records if CANCELLED not in map(each.get, STATUSES)]
    total = currencies.total(counted, field).words(ctx.style)
    known = answer.total_records
    count = f"{len(answer.records):,}{more}" if known is None else f"{known:,}"
    return replace(
        block,
        rows=tuple(row(record) for record in answer.records[:ROWS]),
        count=f"{count} · {at_least}{total} in all" if answer.records else "",
        link=view_all(count, block.name),
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
    shown = BlockRow(_link(resource, record), status.value(record, ctx), amount=amount)
    if not isinstance(ends, date):
        return shown._replace(time=values.text(ends).words)
    last_day, left = brief_date(ends, today), (ends - today).days
    if not is_open:
        return shown._replace(time=last_day)
    words = late_by(-left) if left < 0 else days_until(left)
    return shown._replace(day=last_day, time=words, late=left < 0)


def _link(resource: Resource, record: Record) -> DisplayValue:
    return values.link(resource.url(record.id), resource.title(record))


MOST_PEOPLE = 8
PEOPLE_NOTE = "Only people opened or added here are listed."


def people_of(
    ctx: RequestContext, record: Record, created: Iterable[CreatedRecord]
) -> list[Pointer]:
    """The people that are known to belong to a business; none for a person."""
    if record["contact_type"] != BUSINESS:
        return []
    entered = [each.id for each in created if each.resource == CONTACTS.name]
    seen = lookups.cached_children(ctx.gateway, CONTACTS, record.id)
    return [(CONTACTS, number) for number in dict.fromkeys([*seen, *entered])][:MOST_PEOPLE]


def people_blocks(
    record: Record, people: list[Pointer], names: Names, *, may_edit: bool
) -> list[Block]:
    """The block of a business with its people; none for a person."""
    if record["contact_type"] != BUSINESS:
        return []
    new = address("contacts", page="create", query={"business": str(record.id)}) if may_edit else ""
    known = [number for _, number in people if names.titles.get((CONTACTS.name, number)) != ""]
    return [
        Block(
            "people",
            "People",
            new,
            link="New person",
            key="n" if may_edit else "",
            count=f"{len(known):,}" if known else "",
            rows=tuple(BlockRow(cells.titled(CONTACTS, number, names)) for number in known),
            note=PEOPLE_NOTE,
        )
    ]
