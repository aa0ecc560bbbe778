"""The page of a contact: what they owe, and the records of other resources that are theirs.

One round of calls side by side; each block is made of the answer of its own call.
"""

from concurrent.futures import Future
from functools import partial
from typing import Any

from django.http import HttpResponse
from django.utils import timezone

from dashboard.accounts.permissions import EDIT_RECORDS
from dashboard.context import RequestContext, page
from dashboard.declare.resource import Resource
from dashboard.display import titles
from dashboard.documents.cells import OPEN
from dashboard.documents.open_invoices import read_open_invoices
from dashboard.gateway import TASKS, Gateway, GatewayError, side_by_side
from dashboard.pages.blocks import Block, is_complete, trouble
from dashboard.pages.history_words import CreatedRecord, history_around
from dashboard.pages.rendering import render_record
from dashboard.reader import lookups
from dashboard.resources.deals import DEALS
from dashboard.resources.estimates import ESTIMATES
from dashboard.resources.invoices import INVOICES

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


@page
def show(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """A contact with what they owe, their documents, deals, tasks and people."""
    started = _start(ctx.gateway, record_id)
    record = lookups.read_for_page(
        ctx.gateway, resource.endpoint, record_id, after_save=ctx.follows_a_save
    )
    answers = _answers(ctx.gateway, record_id, started)
    others = tasks.happenings(answers.tasks, record.id, ctx)
    around = history_around(ctx, resource, record, with_events=True, others=others)
    related = people_of(ctx, record, around.created)
    ctx = titles.name(ctx, [*titles.pointers(resource.details, [record]), *related])
    main = _blocks(answers, ctx, record_id, around.created)
    has_nothing = not any(each.rows or each.count or each.failure for each in main)
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


def _start(gateway: Gateway, record_id: int) -> list["Future[Answer]"]:
    """Begin the calls of the blocks: invoices, deals, estimates, and the tasks of each status."""
    of_contact: dict[str, Any] = {"filters": {"cstid": record_id}, "page_size": PAGE_SIZE}
    begun = [
        side_by_side.start(partial(gateway.list, each.endpoint, **of_contact))
        for each in (INVOICES, DEALS, ESTIMATES)
    ]
    return [*begun, *tasks.begin_open(gateway)]


def _answers(gateway: Gateway, record_id: int, started: list["Future[Answer]"]) -> Answers:
    invoices, deals, estimates, *open_tasks = (call.result() for call in started)
    owed = _open_invoices(gateway, record_id, invoices)
    return Answers(invoices, owed, deals, estimates, open_tasks)


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


def _open_invoices(gateway: Gateway, record_id: int, invoices: Answer) -> Owed | GatewayError:
    """What they owe: of the invoices that were read, where that are all; else of the open ones."""
    if isinstance(invoices, GatewayError):
        return invoices
    if is_complete(invoices):
        return Owed(tuple(record for record in invoices.records if record["inv_status"] == OPEN))
    try:
        read = read_open_invoices(gateway, filters={"cstid": record_id})
    except GatewayError as error:
        return error
    return Owed(read.records, read.partial)
