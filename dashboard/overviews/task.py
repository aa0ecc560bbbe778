"""The page of a task, and the button that completes one where the service can change tasks."""

from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.views.decorators.http import require_POST

from dashboard.gateway import whole_number
from dashboard.people.context import RequestContext, page
from dashboard.records.record_page import RecordPage
from dashboard.resources.tasks import COMPLETED, OPEN_STATUSES, done_action
from dashboard.schema.resource import Resource

from . import one_press
from .customer import ContactOfTask
from .one_press import Press


class TaskPage(RecordPage):
    """A task, and while it is open the button that completes it."""

    panel_types = (ContactOfTask,)

    def more(self) -> dict[str, Any]:
        action = done_action(self.record, self.ctx, self.resource.url(self.record_id))
        done = action if action and action.url else None
        return {
            **super().more(),
            "details_lead": True,
            "done": done,
            "main_action": done is not None,
        }


@page
def show(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    return TaskPage(ctx, resource, record_id).render("overviews/task.html")


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
