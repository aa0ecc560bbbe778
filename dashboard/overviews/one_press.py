"""A field of a record that one press sets: a task that is done, a deal that goes to its next stage.

The press names the value that its page showed. If somebody else has changed it meanwhile, nothing
is sent: what it is now is said, with a button that sets it all the same. That is the question of a
form (records/conflicts.py) where there is one field to choose. What is said of a change has an
Undo. Both buttons are such presses as well.
"""

from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from dashboard.core.templates import undo_tags
from dashboard.gateway import GatewayError, OutcomeUnknown, Record
from dashboard.people.context import RequestContext
from dashboard.reader.failures import describe
from dashboard.records.way_back import page_before
from dashboard.schema.resource import Resource
from dashboard.writes import outcomes, verification, writer
from dashboard.writes.ledger import new_token


class Press(NamedTuple):
    """The field, its new value, and what the record is then, such as "is done". `page`: the name
    of the page that takes the press. `otherwise`: where it leads if it does not say from where it
    came. `is_checked`: the record is read again, as that page may not show the field.
    """

    field: str
    value: int
    words: str
    page: str
    otherwise: str
    is_checked: bool = False


def carry_out(
    ctx: RequestContext, resource: Resource, record_id: int, press: Press
) -> HttpResponse:
    """Set the field, and go back to the page of the press with a message about it.

    Reads from the form: token, seen (the value that was shown) and back (the page).
    """
    given = ctx.request.POST
    back, token = page_before(ctx, given.get("back", ""), press.otherwise), given.get("token", "")
    try:
        _set(ctx, resource, record_id, press, token, back)
    except OutcomeUnknown:
        return redirect(outcomes.url_for_token(token))
    except GatewayError as error:
        failure, noun = describe(error), resource.singular
        words = f"The {noun} was not changed. {failure.title}. {failure.text}"
        messages.error(ctx.request, words)
    return redirect(back)


def _set(
    ctx: RequestContext, resource: Resource, record_id: int, press: Press, token: str, back: str
) -> None:
    """Send it, and say what came of it. Raises GatewayError."""
    typed = {press.field: press.value}
    one: dict[str, Any] = {"ctx": ctx, "resource": resource, "record_id": record_id}
    with writer.lock_for_form(**one, token=token, typed=typed) as lock:
        if not lock:
            messages.success(ctx.request, f"The {resource.singular} {press.words}.")
            return
        fresh = resource.read(ctx.gateway, record_id, fresh=True)
        title, before = resource.title(fresh), str(fresh.get(press.field) or 0)
        if before == str(press.value):
            messages.success(ctx.request, f"{title} {press.words}.")
            return
        if before != ctx.request.POST.get("seen"):
            now = _in_words(ctx, resource, press, fresh)
            tags = _tags(resource, record_id, press, seen=before, to=str(press.value), back=back)
            messages.warning(ctx.request, f"{title} was not changed: {now}.", extra_tags=tags)
            return
        body = resource.update_body(fresh, typed)
        writer.update(
            **one, body=body, typed=typed, token=token, label=title, fresh=fresh, lock=lock
        )
    tags = _tags(resource, record_id, press, seen=str(press.value), to=before, back=back)
    messages.success(ctx.request, f"{title} {press.words}.", extra_tags=tags)
    if press.is_checked:
        _say_what_differs(ctx, resource, record_id)


def _tags(resource: Resource, record_id: int, press: Press, **fields: str) -> str:
    """The tags of a message with a button that presses once more, with these fields."""
    return undo_tags(resource.url(record_id, press.page), [("token", new_token()), *fields.items()])


def _in_words(ctx: RequestContext, resource: Resource, press: Press, record: Record) -> str:
    part = resource.detail(press.field)
    return f"its {part.label.lower()} is now {part.value(record, ctx).words}"


def _say_what_differs(ctx: RequestContext, resource: Resource, record_id: int) -> None:
    try:
        record = resource.read(ctx.gateway, record_id, fresh=True)
    except GatewayError:
        return  # the next page tells
    for words in verification.verify_saved(ctx, resource, record):
        messages.warning(ctx.request, words)
