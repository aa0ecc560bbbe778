"""The page of a task, and buttons that update one field: complete a task, move a deal to a stage.

The button submits the value that its page showed. If somebody else has changed it meanwhile,
nothing is sent: the message names the present value, with a button that sets the field anyway. This
is the question of a form (records/conflicts.py) for a single field. The message about a change has
an Undo button. Both buttons work the same way.
"""

from functools import cached_property
from typing import NamedTuple

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from dashboard.core.templates import undo_tags
from dashboard.gateway import GatewayError, OutcomeUnknown, Record, whole_number
from dashboard.people.context import RequestContext, page
from dashboard.reader.failures import describe
from dashboard.records.record_page import RecordPage
from dashboard.resources.tasks import COMPLETED, OPEN_STATUSES, done_action
from dashboard.schema.resource import Resource, RowAction
from dashboard.writes import outcomes, verification, writer
from dashboard.writes.ledger import new_token

from .customer import ContactOfTask


class FieldUpdate(NamedTuple):
    """The field, its new value, and the state of the record after it, such as "is done". `page`:
    the name of the page that accepts the update. `fallback_url`: where to redirect without a page
    to go back to. `is_checked`: the record is read again, as that page may not show the field.
    """

    field: str
    value: int
    words: str
    page: str
    fallback_url: str
    is_checked: bool = False


def apply(
    ctx: RequestContext, resource: Resource, record_id: int, update: FieldUpdate
) -> HttpResponse:
    """Set the field, and redirect to the page of the button with a message.

    Reads from the form: token, seen (the value that was shown) and back (the page).
    """
    given = ctx.request.POST
    back, token = ctx.local_url(given.get("back", ""), update.fallback_url), given.get("token", "")
    try:
        _set(ctx, resource, record_id, update, token, back)
    except OutcomeUnknown:
        return redirect(outcomes.url_for_token(token))
    except GatewayError as error:
        failure, noun = describe(error), resource.singular
        words = f"The {noun} was not changed. {failure.title}. {failure.text}"
        messages.error(ctx.request, words)
    return redirect(back)


def _set(
    ctx: RequestContext,
    resource: Resource,
    record_id: int,
    update: FieldUpdate,
    token: str,
    back: str,
) -> None:
    """Send the update and flash its outcome. Raises GatewayError."""
    typed = {update.field: update.value}
    with writer.reserve(ctx, resource, record_id, token) as write:
        if not write.is_new:
            write.update(typed)
            messages.success(ctx.request, f"The {resource.singular} {update.words}.")
            return
        fresh = write.read()
        title, before = resource.title(fresh), str(fresh.get(update.field) or 0)
        if before == str(update.value):
            messages.success(ctx.request, f"{title} {update.words}.")
            return
        if before != ctx.request.POST.get("seen"):
            now = _in_words(ctx, resource, update, fresh)
            tags = _tags(resource, record_id, update, seen=before, to=str(update.value), back=back)
            messages.warning(ctx.request, f"{title} was not changed: {now}.", extra_tags=tags)
            return
        write.update(typed)
    tags = _tags(resource, record_id, update, seen=str(update.value), to=before, back=back)
    messages.success(ctx.request, f"{title} {update.words}.", extra_tags=tags)
    if update.is_checked:
        _say_what_differs(ctx, resource, record_id)


def _tags(resource: Resource, record_id: int, update: FieldUpdate, **fields: str) -> str:
    """The tags of a message with a button that sets the field again, with these hidden fields."""
    return undo_tags(
        resource.url(record_id, update.page), [("token", new_token()), *fields.items()]
    )


def _in_words(ctx: RequestContext, resource: Resource, update: FieldUpdate, record: Record) -> str:
    part = resource.detail(update.field)
    return f"its {part.label.lower()} is now {part.value(record, ctx).words}"


def _say_what_differs(ctx: RequestContext, resource: Resource, record_id: int) -> None:
    try:
        record = resource.read(ctx.gateway, record_id, fresh=True)
    except GatewayError:
        return  # the next page tells
    for words in verification.verify_saved(ctx, resource, record):
        messages.warning(ctx.request, words)


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
    words = "is done" if to == COMPLETED else "is open again"
    fallback_url = resource.url(page="agenda")
    return apply(ctx, resource, record_id, FieldUpdate("status", to, words, "done", fallback_url))
