"""The page of a contact: what they owe, and the records of other resources that are theirs.

One round of calls side by side; each block is made of the answer of its own call.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from django_htmx.http import HttpResponseClientRefresh, trigger_client_event

from dashboard.accounts.permissions import EDIT_RECORDS
from dashboard.context import RequestContext, page
from dashboard.declare.resource import Resource
from dashboard.display import titles
from dashboard.documents.cells import OPEN
from dashboard.documents.open_invoices import begin, by_due_date
from dashboard.gateway import TASKS, Gateway, GatewayError, Page, Record, side_by_side
from dashboard.gateway.errors import Slow
from dashboard.pages.blocks import (
    BLOCK,
    RECORD,
    Asked,
    Block,
    NotYet,
    asked_of,
    is_complete,
    note_answered,
    note_late,
    render_late,
    trouble,
)
from dashboard.pages.history_words import CreatedRecord, RecordHistory, history_around
from dashboard.pages.rendering import head_context, named_record, render_record
from dashboard.reader import lookups
from dashboard.resources.deals import DEALS
from dashboard.resources.estimates import ESTIMATES
from dashboard.resources.invoices import INVOICES
from dashboard.resources.tasks import OPEN_STATUSES

from . import tasks
from .contact_blocks import (
    Answer,
    deals_block,
    estimates_block,
    invoices_block,
    people_blocks,
    people_of,
)
from .contact_figures import Answers, Owed, figures_of

PAGE_SIZE = 100
AWAITED = Block(RECORD, "Details", is_awaited=True, comes_with=RECORD)  # of a contact that is late
Started = Mapping[str, list["Future[Answer] | None"]]


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
    return named_record(ctx.gateway, resource, record_id)


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
