"""Deletes a record: asked for first, pending for a while, and sent only by the page that shows it.

A deletion that was asked for is stored with a copy of the record (drafts/pending_deletions.py). Its
own page sends it: when the person presses "now", or when the page has counted down. Whoever leaves
the page sends nothing; the deletion waits under Unfinished. Before it is sent, the record is read
again: a record that somebody has changed meanwhile is shown first.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.db import DatabaseError
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from dashboard import cipher
from dashboard.drafts import pending_deletions
from dashboard.drafts.models import Deletion
from dashboard.gateway import GatewayError, Missing, OutcomeUnknown, Record
from dashboard.outbox import services as outbox
from dashboard.outbox.models import RecordLock, Submission
from dashboard.records.context import RequestContext, StaffRequest, context_of
from dashboard.records.pages import deleted_copies, form_drafts, unresolved
from dashboard.records.pages.failures import describe
from dashboard.records.pages.rendering import record_context, render_delete, render_not_offered
from dashboard.records.resource import Resource
from dashboard.records.writes import reconciliation, writer

State = Deletion.State
COUNT = "count"  # of an address: the page counts down, as it has just been asked for
Changes = list[tuple[str, str, str]]
TOO_EARLY = "It was too early, so nothing was sent: there is still time to undo it."
SLEPT = "This page was left alone for a while, so nothing was sent. Say so if it is to be deleted."
COPY_KEPT = "A copy is kept under Unfinished for a week."
STALE = "This page was no longer up to date, so nothing was sent. Here is how things stand."


class _Changed(Exception):  # noqa: N818 (what it is, without Error)
    """Somebody has changed the record since it was to be deleted; `fresh` is how it is now."""

    def __init__(self, changes: Changes, fresh: Record) -> None:
        super().__init__()
        self.changes = changes
        self.fresh = fresh


class _Stale(Exception):  # noqa: N818
    """This token is not the one to send the deletion with: it was undone, or tried before."""


def confirm_delete(request: StaffRequest, resource: Resource, record_id: int) -> HttpResponse:
    """Ask whether a record is to be deleted, and hold the deletion back."""
    if not request.gateway.offers(resource.endpoint, "delete"):
        return render_not_offered(request, resource, record_id, "delete")
    ctx = context_of(request)
    owner = writer.owner_of(ctx.gateway)
    if request.method != "POST":
        waits = pending_deletions.find_pending(request.user, owner, resource.name, record_id)
        if waits:
            return redirect(deleted_copies.url_of(waits))
        return render_delete(request, resource, resource.read(ctx.gateway, record_id))
    try:
        record = resource.read(ctx.gateway, record_id)
    except Missing:
        messages.info(request, f"This {resource.singular} was already gone.")
        return redirect(resource.url())
    try:
        held = pending_deletions.schedule(
            person=request.user,
            owner=owner,
            workspace=ctx.workspace,
            resource=resource.name,
            record_id=record_id,
            token=request.POST.get("token", ""),
            copy=pending_deletions.Copy(resource.title(record), record.raw),
        )
    except DatabaseError:
        raise writer.NotRecorded(reason="not recorded") from None
    return redirect(f"{deleted_copies.url_of(held)}?{COUNT}=1")


def show_pending(request: StaffRequest, pk: int, resources: dict[str, Resource]) -> HttpResponse:
    """A held deletion, counting down once; a POST sends it, if it is time or "now" is said."""
    held, resource = _own_deletion(request, pk, resources)
    if request.method == "POST":
        return _send(request, resource, held)
    seconds = pending_deletions.seconds_left(held) if COUNT in request.GET else 0
    return _render_or_redirect(request, resource, held, seconds=seconds)


@require_POST
def cancel_deletion(request: StaffRequest, pk: int, resources: dict[str, Resource]) -> HttpResponse:
    """Undo: the record stays. For whoever asked, whatever keys and role they have by now."""
    held = get_object_or_404(Deletion, pk=pk, person=request.user)
    resource, label = resources[held.resource], deleted_copies.label(resources[held.resource], held)
    if pending_deletions.cancel(held):
        messages.success(request, f"{label} was kept. Nothing was sent.")
        back = request.POST.get("back") == "unfinished"
        return redirect(reverse("unfinished:list") if back else resource.url(held.record_id))
    return _render_or_redirect(request, resource, held)


def delete_with_copy(
    ctx: RequestContext, resource: Resource, record: Record, token: str, lock: RecordLock
) -> None:
    """Delete a record as one of the writes of another form, under the lock that the form holds.

    A copy is stored, as of every deleted record. Raises as `writer.delete`.
    """
    try:
        writer.delete(
            ctx=ctx,
            resource=resource,
            record_id=record.id,
            token=token,
            label=resource.title(record),
            before=_values_as_text(resource, record),
            lock=lock,
        )
    except Missing:
        deleted_copies.store_copy(ctx, resource, record, token)
        raise
    deleted_copies.store_copy(ctx, resource, record, token)


def update_from_outbox(held: Deletion) -> None:
    """Bring a sent one in line with what the outbox knows by now."""
    if held.state != State.SENT:
        return
    sent = Submission.objects.filter(person=held.person_id, token__startswith=held.token)
    last = sent.order_by("-pk").first()
    if last and _was_deleted(last):
        pending_deletions.mark_done(held, held.token)
    elif last is None or last.state == Submission.State.NOT_SAVED:
        pending_deletions.reschedule(held, held.token)
    elif last.settled:
        pending_deletions.abandon(held)
    held.refresh_from_db()


def _was_deleted(sent: Submission) -> bool:
    """Whether the record is gone by what the outbox knows; not to be there is to be gone."""
    try:
        error = outbox.answer_of(sent).get("error", "")
    except cipher.Unreadable:
        error = ""
    saved = sent.state == Submission.State.SAVED or sent.settled == Submission.Settled.FOUND
    return saved or error == Missing.__name__


def _own_deletion(
    request: StaffRequest, pk: int, resources: Mapping[str, Resource]
) -> tuple[Deletion, Resource]:
    """The person's own, asked for with the keys they hold now; 404 for any other."""
    held = get_object_or_404(Deletion, pk=pk, person=request.user)
    if held.owner != writer.owner_of(request.gateway):
        raise Http404
    return held, resources[held.resource]


def _send(request: StaffRequest, resource: Resource, held: Deletion) -> HttpResponse:
    token, ctx = request.POST.get("token", ""), context_of(request)
    if "now" not in request.POST and _is_early(held):
        words = TOO_EARLY if pending_deletions.seconds_left(held) else SLEPT
        return _render_pending(request, resource, held, words=words, status=HTTPStatus.CONFLICT)
    try:
        _delete(ctx, resource, held, token)
    except OutcomeUnknown:
        return redirect(unresolved.address_of(token))
    except Missing:
        pending_deletions.mark_done(held, token)
        messages.info(request, deleted_copies.deleted_message(resource, held, "was already gone"))
    except _Changed as changed:
        pending_deletions.replace_copy(
            held, token, pending_deletions.Copy(resource.title(changed.fresh), changed.fresh.raw)
        )
        return _render_or_redirect(
            request, resource, held, changes=changed.changes, status=HTTPStatus.CONFLICT
        )
    except _Stale:
        return _render_or_redirect(request, resource, held, words=STALE, status=HTTPStatus.CONFLICT)
    except GatewayError as error:
        pending_deletions.reschedule(held, token)
        failure = describe(error)
        return _render_or_redirect(request, resource, held, failure=failure, status=failure.status)
    else:
        pending_deletions.mark_done(held, token)
        messages.success(request, deleted_copies.deleted_message(resource, held, "was deleted"))
    return redirect(resource.url())


def _is_early(held: Deletion) -> bool:
    return held.state == State.PENDING and not pending_deletions.is_due(held)


def _delete(ctx: RequestContext, resource: Resource, held: Deletion, token: str) -> None:
    """Send it, once for a token: whoever comes second gets the first one's answer."""
    one: dict[str, Any] = {"ctx": ctx, "resource": resource, "record_id": held.record_id}
    with writer.lock_for_form(**one, token=token, typed={}) as lock:
        if not lock:
            return
        _mark_sent(held, token)
        fresh, copy = (
            resource.read(ctx.gateway, held.record_id),
            deleted_copies.read_copy(resource, held),
        )
        changes = _changes(resource, copy, fresh) if copy else []
        if changes:
            raise _Changed(changes, fresh)
        writer.delete(
            **one,
            token=token,
            label=deleted_copies.label(resource, held),
            before=_values_as_text(resource, fresh),
            lock=lock,
        )


def _mark_sent(held: Deletion, token: str) -> None:
    try:
        if pending_deletions.mark_sent(held, token):
            return
    except DatabaseError:
        raise writer.NotRecorded(reason="not recorded") from None
    raise _Stale


def _values_as_text(resource: Resource, record: Record) -> dict[str, str]:
    """What a record holds in the fields of the form, for the history."""
    held = reconciliation.values_as_text(record, resource.edit_form.base_fields)
    return {name: text for name, text in held.items() if text}


def _changes(resource: Resource, before: Record, after: Record) -> Changes:
    """What reads otherwise by now in the fields of the form, as (label, was, is now)."""
    form = resource.edit_form
    was, now = form.read(before), form.read(after)
    return [
        (
            str(form.base_fields[name].label if name in form.base_fields else name),
            reconciliation.as_text(was.get(name)),
            reconciliation.as_text(now.get(name)),
        )
        for name in dict.fromkeys([*was, *now])
        if was.get(name) != now.get(name)
    ]


def _render_or_redirect(
    request: StaffRequest, resource: Resource, held: Deletion, **more: Any
) -> HttpResponse:
    """The page of a deletion that is held, or on to where one leads that is not any more."""
    held.refresh_from_db()
    update_from_outbox(held)
    if held.state == State.PENDING:
        return _render_pending(request, resource, held, **more)
    return _redirect_to_outcome(request, resource, held)


def _render_pending(
    request: StaffRequest,
    resource: Resource,
    held: Deletion,
    *,
    status: int = HTTPStatus.OK,
    **more: Any,
) -> HttpResponse:
    context = {
        **record_context(request, resource, held.record_id),
        "title": deleted_copies.label(resource, held),
        "at": form_drafts.time_in_words(held.since),
        "token": held.token,
        "held_url": deleted_copies.url_of(held),
        **more,
    }
    context["seconds"] = str(more.get("seconds") or "")
    return render(request, "records/held.html", context, status=status)


def _redirect_to_outcome(request: StaffRequest, resource: Resource, held: Deletion) -> HttpResponse:
    """To where one that is not held any more leads on."""
    if held.state == State.SENT:
        return redirect(unresolved.address_of(held.token))
    if held.state == State.DONE:
        messages.info(request, deleted_copies.deleted_message(resource, held, "was deleted"))
        return redirect(resource.url())
    messages.info(request, f"This {resource.singular} was kept. Nothing was sent.")
    return redirect(resource.url(held.record_id))
