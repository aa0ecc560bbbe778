"""The page of a task, and the button that completes one where the service can change tasks."""

from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.views.decorators.http import require_POST

from dashboard.context import RequestContext, page
from dashboard.declare.resource import Resource
from dashboard.display import titles
from dashboard.gateway import whole_number
from dashboard.pages.rendering import render_record
from dashboard.reader import lookups
from dashboard.resources.tasks import COMPLETED, OPEN_STATUSES, done_action

from . import one_press
from .customer import customer_of
from .one_press import Press


@page
def show(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """A task, and while it is open the button that completes it."""
    record = lookups.read_for_page(
        ctx.gateway, resource.endpoint, record_id, after_save=ctx.follows_a_save
    )
    names = titles.names_around(ctx, resource.details, [record])
    action = done_action(record, ctx, resource.url(record_id))
    done = action if action and action.url else None
    return render_record(
        ctx,
        resource,
        record,
        names,
        template="resources/tasks/detail.html",
        details_lead=True,
        customer=customer_of(record, names, "Contact", {"cstid": "Name"}),
        done=done,
        main_action=done is not None,
    )


@require_POST
@page
def complete(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """Set a task to Completed, or back to the status in the field "to"."""
    to = whole_number(ctx.request.POST.get("to") or COMPLETED, least=0)
    if to not in (COMPLETED, *OPEN_STATUSES):
        raise BadRequest("A task is done, or one of those that are open.")
    words = "is done" if to == COMPLETED else "is open again"
    otherwise = resource.url(page="agenda")
    return one_press.carry_out(
        ctx, resource, record_id, Press("status", to, words, "done", otherwise)
    )
