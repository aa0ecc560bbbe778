"""The page of a contact: what they owe, and the records of other resources that are theirs.

One round of calls side by side; each block is made of the answer of its own call.
"""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any, NamedTuple

from django.http import HttpResponse, QueryDict
from django.utils import timezone
from django_htmx.http import HttpResponseClientRefresh, trigger_client_event

from dashboard.accounts.permissions import EDIT_RECORDS
from dashboard.context import RequestContext, page
from dashboard.declare.resource import Resource
from dashboard.display import cells, titles, values
from dashboard.display.money import Currencies, currencies_of
from dashboard.display.values import DisplayValue
from dashboard.documents.cells import OPEN
from dashboard.documents.declaration import CANCELLED
from dashboard.documents.open_invoices import begin, by_due_date
from dashboard.gateway import (
    CONTACTS,
    TASKS,
    Gateway,
    GatewayError,
    Page,
    Record,
    side_by_side,
)
from dashboard.gateway.errors import Slow
from dashboard.gateway.records import record_of
from dashboard.lists import table
from dashboard.lists.query import ListQuery
from dashboard.lists.table import LateCells
from dashboard.markup import address
from dashboard.pages.blocks import (
    BLOCK,
    RECORD,
    ROWS,
    Asked,
    Block,
    BlockRow,
    Figure,
    NotYet,
    asked_of,
    failed,
    is_complete,
    not_read,
    note_answered,
    note_late,
    read_of,
    render_late,
    sum_figure,
    trouble,
    view_all,
)
from dashboard.pages.history_words import CreatedRecord, RecordHistory, history_around
from dashboard.pages.rendering import head_context, render_record
from dashboard.reader import lookups
from dashboard.reader.lookups import Pointer
from dashboard.resources.contacts import BUSINESS
from dashboard.resources.deals import DEALS
from dashboard.resources.estimates import ESTIMATES
from dashboard.resources.invoices import INVOICES
from dashboard.resources.tasks import OPEN_STATUSES
from dashboard.text.dates import brief_date, day, days, days_until, late_by

from . import tasks
from .months import twelve_months

PAGE_SIZE = 100
AWAITED = Block(RECORD, "Details", is_awaited=True, comes_with=RECORD)  # of a contact that is late
Answer = Page | GatewayError
Started = Mapping[str, list["Future[Answer] | None"]]


class Owed(NamedTuple):
    """Open invoices; `partial`: how many were looked through, "" for all."""

    invoices: tuple[Record, ...]
    partial: str = ""


class Answers(NamedTuple):
    """What the calls gave, each its result or its error; `owed` is made of the invoices."""

    invoices: Answer
    owed: Owed | GatewayError
    deals: Answer
    estimates: Answer
    tasks: list[Answer]


@page
def show(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """A contact with what they owe, their documents, deals, tasks and people. A block that is late
    follows the page, and so does all but the name of a contact that is late itself.
    """
    calls = _calls(ctx.gateway, record_id)
    asked = asked_of(ctx, (RECORD, *calls))
    named = _known(ctx, resource, record_id, asked)
    if named and RECORD in asked.late:
        return _render_name(ctx, resource, named)
    started = {name: [asked.start(name, call) for call in calls[name]] for name in calls}
    if asked.block:
        return _late_block(ctx, resource, record_id, asked, started)
    record = _read(ctx, resource, record_id, until=asked.until if named else None)
    if named and isinstance(record, Slow):
        note_late(ctx, asked, [AWAITED])
        return _render_name(ctx, resource, named)
    if isinstance(record, GatewayError):
        return _without_record(ctx, resource, record_id, asked, record)
    response = _render(ctx, resource, record, asked, started)
    return _following(ctx, asked, response) if asked.is_whole else response


def _known(ctx: RequestContext, resource: Resource, record_id: int, asked: Asked) -> Record | None:
    """The contact with its name alone, as it is known from before; None where the page waits for
    the contact.
    """
    if asked.block or asked.is_final or asked.is_whole or ctx.follows_a_save:
        return None
    titles_by_id = lookups.cached_titles(ctx.gateway, [(resource.endpoint, record_id)])
    name = titles_by_id.get((resource.name, record_id))
    raw = {resource.endpoint.id_field: record_id, resource.title_field: name}
    return record_of(resource.endpoint, raw) if name else None


def _read(
    ctx: RequestContext, resource: Resource, record_id: int, *, until: float | None
) -> Record | GatewayError:
    """The contact; its error, Slow if it has not come by `until`."""
    endpoint, after_save = resource.endpoint, ctx.follows_a_save
    read = partial(lookups.read_for_page, ctx.gateway, endpoint, record_id, after_save=after_save)
    return side_by_side.wait(side_by_side.start(read), until)


def _render_name(ctx: RequestContext, resource: Resource, named: Record) -> HttpResponse:
    """The page with the name of the contact, which asks for all the rest."""
    calls = _calls(ctx.gateway, named.id)
    answers = _answers(
        ctx.gateway, named.id, Asked(), {name: [None] * len(calls[name]) for name in calls}
    )
    context = {
        **head_context(ctx, resource, named),
        "rest_url": f"{resource.url(named.id)}?{BLOCK}={RECORD}",
        "blocks": [
            replace(each, comes_with=RECORD) for each in _blocks(answers, ctx, named.id, [])
        ],
        "side": [AWAITED],
        "figures": figures_of(answers, ctx),
    }
    return ctx.render("overviews/contact_name.html", context)


def _without_record(
    ctx: RequestContext, resource: Resource, record_id: int, asked: Asked, error: GatewayError
) -> HttpResponse:
    """The page of the error; where the name stands already, the browser asks for it, as the page
    waits for a contact whose name is not known. Raises GatewayError.
    """
    if not asked.is_whole:
        raise error
    lookups.uncache_record(ctx.gateway, resource.endpoint, record_id)
    return HttpResponseClientRefresh()


def _following(ctx: RequestContext, asked: Asked, response: HttpResponse) -> HttpResponse:
    """The whole page where the name stands already; the browser's scripts begin with it anew."""
    note_answered(ctx, asked, RECORD)
    return trigger_client_event(response, "page-changed", after="swap")


def _render(
    ctx: RequestContext, resource: Resource, record: Record, asked: Asked, started: Started
) -> HttpResponse:
    record_id = record.id
    answers = _answers(ctx.gateway, record_id, asked.beside_record(), started)
    around = _stream(ctx, resource, record, answers)
    related = people_of(ctx, record, around.created)
    ctx = titles.name(ctx, [*titles.pointers(resource.details, [record]), *related])
    main = _blocks(answers, ctx, record_id, around.created)
    note_late(ctx, asked, main)
    has_nothing = all(_is_empty(each) for each in main)
    has_invoices = INVOICES.name not in ctx.closed_areas
    return render_record(
        ctx,
        resource,
        record,
        around=around,
        blocks=[] if has_nothing else main,
        has_nothing=has_nothing,
        tasks_note=next((each.note for each in main if each.name == TASKS.name), ""),
        no_tasks=TASKS.name in ctx.closed_areas,
        trouble=trouble(main),
        statement_url=resource.url(record_id, "statement") if has_invoices else "",
        merge_url=resource.url(record_id, "merge"),
        side=people_blocks(ctx, record, related, may_edit=ctx.user.has_perm(EDIT_RECORDS)),
        figures=[] if has_nothing else figures_of(answers, ctx),
    )


def _is_empty(block: Block) -> bool:
    """Whether a block was read, and there is nothing in it."""
    return not (block.rows or block.count or block.failure or block.is_awaited)


def _late_block(
    ctx: RequestContext, resource: Resource, record_id: int, asked: Asked, started: Started
) -> HttpResponse:
    """The block that was asked for, of its own calls. The history of a contact is shown with its
    tasks, to whom the service shows the contact.
    """
    get = partial(ctx.gateway.get, resource.endpoint, record_id)
    record = asked.wait(asked.start(TASKS.name, get))
    answers = _answers(ctx.gateway, record_id, asked, started)
    if not isinstance(record, Record):
        blocks = _blocks(answers._replace(tasks=[record]), ctx, record_id, [])
        return render_late(ctx, asked, blocks, figures_of(answers, ctx))
    around = _stream(ctx, resource, record, answers)
    blocks = _blocks(answers, ctx, record_id, around.created)
    history_url = resource.url(record_id, "history")
    more = {"timeline": around.timeline, "history_url": history_url}
    return render_late(ctx, asked, blocks, figures_of(answers, ctx), more)


def _stream(
    ctx: RequestContext, resource: Resource, record: Record, answers: Answers
) -> RecordHistory:
    """The history of a contact, with the tasks that were read."""
    others = tasks.happenings(answers.tasks, record.id, ctx)
    return history_around(ctx, resource, record, with_events=True, others=others)


def _calls(gateway: Gateway, record_id: int) -> dict[str, list[Callable[[], Page]]]:
    """The calls of each block."""
    of_contact: dict[str, Any] = {"filters": {"cstid": record_id}, "page_size": PAGE_SIZE}
    lists = {each.name: each.endpoint for each in (INVOICES, DEALS, ESTIMATES)}
    calls: dict[str, list[Callable[[], Page]]]
    calls = {name: [partial(gateway.list, each, **of_contact)] for name, each in lists.items()}
    each_status = (tasks.open_ones(status) for status in OPEN_STATUSES)
    calls[TASKS.name] = [partial(gateway.list, TASKS, **asked) for asked in each_status]
    return calls


def _answers(gateway: Gateway, record_id: int, asked: Asked, started: Started) -> Answers:
    read = {name: [asked.wait(call) for call in calls] for name, calls in started.items()}
    [invoices], [deals], [estimates] = (read[each.name] for each in (INVOICES, DEALS, ESTIMATES))
    owed = _open_invoices(gateway, record_id, invoices, asked)
    return Answers(
        invoices=owed if isinstance(owed, NotYet) else invoices,
        owed=owed,
        deals=deals,
        estimates=estimates,
        tasks=read[TASKS.name],
    )


def _blocks(
    answers: Answers, ctx: RequestContext, record_id: int, created: list[CreatedRecord]
) -> list[Block]:
    """The blocks of the areas that the plan has."""
    today = timezone.localdate()
    main = [
        invoices_block(answers.invoices, ctx, record_id, today),
        deals_block(answers.deals, ctx, record_id, today),
        estimates_block(answers.estimates, ctx, record_id, today),
        tasks.block(answers.tasks, record_id, created, ctx, today),
    ]
    return [each for each in main if each.name not in ctx.closed_areas]


def _open_invoices(
    gateway: Gateway, record_id: int, invoices: Answer, asked: Asked
) -> Owed | GatewayError:
    """What they owe: of the invoices that were read, where that are all; else of the open ones."""
    if isinstance(invoices, GatewayError):
        return invoices
    if is_complete(invoices):
        return Owed(tuple(record for record in invoices.records if record["inv_status"] == OPEN))
    try:
        open_ones = begin(gateway, filters={"cstid": record_id}, until=asked.until).result()
    except GatewayError as error:
        return asked.answer_of(error)
    read = by_due_date(open_ones)
    return Owed(read.records, read.partial)


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
    """Their latest estimates."""

    currencies = _currencies(ctx, ESTIMATES, answer)

    def row(record: Record) -> BlockRow:
        amount = currencies.amount(record, "total", ctx.style)
        return _document(ESTIMATES, record, ctx, "expiry_date", amount, today)

    block = _empty_block(ESTIMATES, contact, "Total", "No estimate yet.")
    return _filled(block, answer, row, ctx, "total", currencies)


def deals_block(answer: Answer, ctx: RequestContext, contact: int, today: date) -> Block:
    """Their latest deals with their stages, which follow the page where a list lacks them."""
    query = ListQuery.read(DEALS, QueryDict(f"cstid={contact}"), ctx.style)
    listed = answer.records[:ROWS] if isinstance(answer, Page) else ()
    ids = [record.id for record in listed]
    read = lookups.cached_records(ctx.gateway, DEALS.endpoint, ids)
    currencies = _currencies(ctx, DEALS, answer)

    def row(record: Record) -> BlockRow:
        closes = record["deal_expected_close_date"]
        time = day(closes, today) if isinstance(closes, date) else ""
        amount = currencies.amount(record, "deal_amount", ctx.style)
        stage = table.cell(DEALS, STAGE, record, ctx, read)
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
    ctx: RequestContext, record: Record, people: list[Pointer], *, may_edit: bool
) -> list[Block]:
    """The block of a business with its people; none for a person."""
    if record["contact_type"] != BUSINESS:
        return []
    new = address("contacts", page="create", query={"business": str(record.id)}) if may_edit else ""
    known = [number for _, number in people if ctx.titles.get((CONTACTS.name, number)) != ""]
    return [
        Block(
            "people",
            "People",
            new,
            link="New person",
            key="n" if may_edit else "",
            count=f"{len(known):,}" if known else "",
            rows=tuple(BlockRow(cells.titled(CONTACTS, number, ctx)) for number in known),
            note=PEOPLE_NOTE,
        )
    ]


def figures_of(answers: Answers, ctx: RequestContext) -> list[Figure]:
    """What they owe, how much of it is late, their deals, and what they were invoiced this year."""
    today = timezone.localdate()
    return [
        *(each._replace(block=INVOICES.name) for each in _owed(answers.owed, ctx, today)),
        _deals(answers.deals, ctx)._replace(block=DEALS.name),
        _invoiced(answers.invoices, ctx, today.year)._replace(block=INVOICES.name),
    ]


def _owed(owed: Owed | GatewayError, ctx: RequestContext, today: date) -> list[Figure]:
    if isinstance(owed, GatewayError):
        return [not_read("Owes", owed), not_read("Of that overdue", owed)]
    dated = [each for each in owed.invoices if isinstance(each["due_date"], date)]
    late = sorted((each for each in dated if each["due_date"] < today), key=_due)
    oldest = f", oldest {days((today - late[0]['due_date']).days)}" if late else ""
    note, partial = owed.partial or _counted(len(owed.invoices), "open invoice"), bool(owed.partial)
    currencies = currencies_of(ctx, INVOICES.endpoint, owed.invoices)
    total = currencies.total(owed.invoices, "amount_due")
    owes = sum_figure("Owes", total, ctx.style, note=note, is_partial=partial)
    note = _counted(len(late), "invoice") + oldest
    total = currencies.total(late, "amount_due")
    overdue = sum_figure("Of that overdue", total, ctx.style, note=note, is_partial=partial)
    return [owes, overdue._replace(is_late=bool(late))]


def _deals(page: Page | GatewayError, ctx: RequestContext) -> Figure:
    """All deals: the service does not say which are still open."""
    if isinstance(page, GatewayError):
        return not_read("Deals", page)
    some = f"{_counted(page.total_records, 'deal')}, open and closed"
    note = some if page.records else _counted(0, "deal")
    total = currencies_of(ctx, DEALS.endpoint, page.records).total(page.records, "deal_amount")
    return sum_figure("Deals", total, ctx.style, note=note, is_partial=not is_complete(page))


def _invoiced(page: Page | GatewayError, ctx: RequestContext, year: int) -> Figure:
    label = f"Invoiced in {year}"
    if isinstance(page, GatewayError):
        return not_read(label, page)
    invoices = [
        each
        for each in page.records
        if isinstance(each["transaction_date"], date)
        and each["transaction_date"].year == year
        and each["inv_status"] != CANCELLED
    ]
    note = _counted(len(invoices), "invoice")
    if not is_complete(page):
        note += f" among {read_of(page)} read"
    total = currencies_of(ctx, INVOICES.endpoint, invoices).total(invoices, "total")
    return sum_figure(label, total, ctx.style, note=note, is_partial=not is_complete(page))


def _counted(count: int | None, noun: str) -> str:
    if not count:
        return f"{noun}s" if count is None else f"no {noun}"
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _due(record: Record) -> tuple[date, int]:
    return record["due_date"], record.id
