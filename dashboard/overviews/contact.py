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
from dashboard.gateway import TASKS, Gateway, side_by_side
from dashboard.pages.blocks import trouble
from dashboard.pages.history_words import history_around
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
from .contact_figures import figures_of

PAGE_SIZE = 100


@page
def show(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """A contact with what they owe, their documents, deals, tasks and people."""
    started = _start(ctx.gateway, record_id)
    record = lookups.read_for_page(
        ctx.gateway, resource.endpoint, record_id, after_save=ctx.follows_a_save
    )
    invoices, deals, estimates, *open_tasks = (call.result() for call in started)
    others = tasks.happenings(open_tasks, record.id, ctx)
    around = history_around(ctx, resource, record, with_events=True, others=others)
    related = people_of(ctx, record, around.created)
    names = titles.names_of(ctx, [*titles.pointers(resource.details, [record]), *related])
    today = timezone.localdate()
    main = [
        invoices_block(invoices, ctx, record_id, today),
        deals_block(deals, ctx, record_id, today),
        estimates_block(estimates, ctx, record_id, today),
        tasks.block(open_tasks, record_id, around.created, ctx, today),
    ]
    main = [each for each in main if each.name not in ctx.closed_areas]
    has_nothing = not any(each.rows or each.count or each.failure for each in main)
    has_invoices = INVOICES.name not in ctx.closed_areas
    return render_record(
        ctx,
        resource,
        record,
        names,
        around=around,
        blocks=[] if has_nothing else main,
        has_nothing=has_nothing,
        tasks_note=next((each.note for each in main if each.name == TASKS.name), ""),
        no_tasks=TASKS.name in ctx.closed_areas,
        trouble=trouble(main),
        statement_url=resource.url(record_id, "statement") if has_invoices else "",
        merge_url=resource.url(record_id, "merge"),
        side=people_blocks(record, related, names, may_edit=ctx.user.has_perm(EDIT_RECORDS)),
        figures=[] if has_nothing else figures_of(ctx, record_id, invoices, deals),
    )


def _start(gateway: Gateway, record_id: int) -> list["Future[Answer]"]:
    """Begin the calls of the blocks: invoices, deals, estimates, and the tasks of each status."""
    of_contact: dict[str, Any] = {"filters": {"cstid": record_id}, "page_size": PAGE_SIZE}
    begun = [
        side_by_side.start(partial(gateway.list, each.endpoint, **of_contact))
        for each in (INVOICES, DEALS, ESTIMATES)
    ]
    return [*begun, *tasks.begin_open(gateway)]
