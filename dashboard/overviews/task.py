"""The page of a task, and buttons that update one field: complete a task, move a deal to a stage.

The button submits the value that its page showed. If someone else has changed it meanwhile,
nothing is sent: the message names the present value, with a button that sets the field anyway. This
is the question of a form (records/conflicts.py) for a single field. The message about a change has
an Undo button. Both buttons work the same way.
"""

from dataclasses import dataclass
from functools import cached_property

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from dashboard.core.templates import undo_tags
from dashboard.gateway import GatewayError, OutcomeUnknown, whole_number
from dashboard.gateway.api import COMPLETED
from dashboard.people.context import RequestContext, page
from dashboard.reader.failures import describe
from dashboard.records.record_page import RecordPage
from dashboard.resources.tasks import OPEN_STATUSES, done_action
from dashboard.schema.resource import Resource
from dashboard.schema.values import RowAction
from dashboard.writes import outcomes, verification, writer
from dashboard.writes.ledger import new_token

from .customer import ContactOfTask


@dataclass(frozen=True, kw_only=True)
class FieldUpdate:
    """The field, its new value, and the state of the record after it, such as "is done".

    page: the name of the page that accepts the update. fallback_url: where to redirect without a
    page to go back to. is_checked: the record is read again, as that page may not show the field.
    """

    ctx: RequestContext
    resource: Resource
    record_id: int
    field: str
    value: int
    state: str
    page: str
    fallback_url: str
    is_checked: bool = False

    def apply(self) -> HttpResponse:
        """Set the field, and redirect to the page of the button with a message.

        Reads from the form: token, seen (the value that was shown) and back (the page).
        """
        given, token = self.ctx.request.POST, self.ctx.request.POST.get("token", "")
        back = self.ctx.local_url(given.get("back", ""), self.fallback_url)
        try:
            self._send(token, given.get("seen", ""), back)
        except OutcomeUnknown:
            return redirect(outcomes.url_for_token(token))
        except GatewayError as error:
            failure, noun = describe(error), self.resource.singular
            message = f"The {noun} was not changed. {failure.title}. {failure.text}"
            messages.error(self.ctx.request, message)
        return redirect(back)

    def _send(self, token: str, seen: str, back: str) -> None:
        """Send the update and flash its outcome. Raises GatewayError."""
        request, value = self.ctx.request, str(self.value)
        with writer.reserve(self.ctx, self.resource, self.record_id, token) as write:
            if not write.is_new:
                write.update({self.field: self.value})
                messages.success(request, f"The {self.resource.singular} {self.state}.")
                return
            fresh = write.read()
            title, before = self.resource.title(fresh), str(fresh.get(self.field) or 0)
            if before == value:
                messages.success(request, f"{title} {self.state}.")
                return
            if before != seen:
                part = self.resource.detail(self.field)
                now = f"its {part.label.lower()} is now {part.value(fresh, self.ctx).words}"
                tags = self._tags(seen=before, to=value, back=back)
                messages.warning(request, f"{title} was not changed: {now}.", extra_tags=tags)
                return
            write.update({self.field: self.value})
        tags = self._tags(seen=value, to=before, back=back)
        messages.success(request, f"{title} {self.state}.", extra_tags=tags)
        if self.is_checked:
            self._warn_of_differences()

    def _tags(self, **fields: str) -> str:
        """Return the tags of a message with a button that sets the field again, with hidden
        fields.
        """
        url = self.resource.url(self.record_id, self.page)
        return undo_tags(url, [("token", new_token()), *fields.items()])

    def _warn_of_differences(self) -> None:
        try:
            record = self.resource.read(self.ctx.gateway, self.record_id, fresh=True)
        except GatewayError:
            return  # the next page tells
        for message in verification.verify_saved(self.ctx, self.resource, record):
            messages.warning(self.ctx.request, message)


class TaskPage(RecordPage):
    """A task, with a button that completes it while it is open."""

    panel_types = (ContactOfTask,)
    template = "overviews/task.html"

    @cached_property
    def done(self) -> RowAction | None:
        action = done_action(self.record, self.ctx, self.resource.url(self.record_id))
        return action if action and action.url else None

    @property
    def has_main_action(self) -> bool:
        return self.done is not None


@page
def show_task(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    return TaskPage(ctx, resource, record_id).render()


@require_POST
@page
def complete_task(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """Set a task to Completed, or back to the status in the field "to"."""
    to = whole_number(ctx.request.POST.get("to") or COMPLETED, least=0)
    if to not in (COMPLETED, *OPEN_STATUSES):
        raise BadRequest("A task is done, or one of those that are open.")
    return FieldUpdate(
        ctx=ctx,
        resource=resource,
        record_id=record_id,
        field="status",
        value=to,
        state="is done" if to == COMPLETED else "is open again",
        page="done",
        fallback_url=resource.url(page="agenda"),
    ).apply()
