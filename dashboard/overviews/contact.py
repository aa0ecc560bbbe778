"""The page of a contact: what they owe, and the records of other resources that are theirs.

One round of calls side by side; each block is made of the answer of its own call.
"""

from functools import partial
from time import monotonic
from typing import Any

from django.http import HttpResponse
from django.utils import timezone

from dashboard.accounts.permissions import EDIT_RECORDS
from dashboard.context import RequestContext, page
from dashboard.declare.resource import Resource
from dashboard.display import titles
from dashboard.documents.open_invoices import OPEN, read_open_invoices
from dashboard.gateway import DEALS, ESTIMATES, INVOICES, TASKS, Gateway, GatewayError
from dashboard.pages.blocks import is_complete, read_beside, trouble
from dashboard.pages.history_words import created_for
from dashboard.pages.rendering import render_record
from dashboard.reader import lookups
from dashboard.resources.tasks import OPEN_STATUSES

from . import contact_blocks as blocks
from . import contact_figures, people, tasks

PAGE_SIZE = 100


@page
def show(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """A contact with what they owe, their documents, deals, tasks and people."""
    begun = monotonic()
    calls = _calls(ctx.gateway, record_id)
    record, answers = read_beside(resource, ctx.gateway, record_id, calls)
    lookups.cache_record(ctx.gateway, resource.endpoint, record)
    owed = _open_invoices(ctx.gateway, record_id, answers["invoices"])
    created = created_for(ctx, resource, record)
    related = people.pointers(ctx, record, created)
    pointers = [*titles.pointers(resource.details, [record]), *related]
    ctx = titles.name(ctx, pointers, round_trip=monotonic() - begun)
    today = timezone.localdate()
    read = [answers[f"tasks {status}"] for status in OPEN_STATUSES]
    known = tasks.of_contact(read, record_id, created)
    main = [
        blocks.invoices(answers["invoices"], ctx, record_id, today),
        blocks.deals(answers["deals"], ctx, record_id, today),
        blocks.estimates(answers["estimates"], ctx, record_id, today),
        tasks.block(known, ctx, today),
    ]
    main = [each for each in main if each.name not in ctx.closed_areas]
    return render_record(
        ctx,
        resource,
        record,
        blocks=main,
        trouble=trouble(main),
        side=people.blocks(ctx, record, related, may_edit=ctx.user.has_perm(EDIT_RECORDS)),
        figures=contact_figures.figures(answers, owed, ctx, today),
    )


def _calls(gateway: Gateway, record_id: int) -> dict[str, Any]:
    of_contact: dict[str, Any] = {"filters": {"cstid": record_id}, "page_size": PAGE_SIZE}
    lists = {each.name: each for each in (INVOICES, DEALS, ESTIMATES)}
    calls = {name: partial(gateway.list, each, **of_contact) for name, each in lists.items()}
    for status in OPEN_STATUSES:
        calls[f"tasks {status}"] = partial(gateway.list, TASKS, **tasks.open_ones(status))
    return calls


def _open_invoices(gateway: Gateway, record_id: int, invoices: Any) -> Any:
    """What they owe: of the invoices that were read, where that are all; else of the open ones."""
    if isinstance(invoices, GatewayError):
        return invoices
    if is_complete(invoices):
        return contact_figures.Owed(
            tuple(record for record in invoices.records if record["inv_status"] == OPEN)
        )
    try:
        found = read_open_invoices(gateway, filters={"cstid": record_id})
    except GatewayError as error:
        return error
    return contact_figures.Owed(found.records, found.partial)
