"""Deletes a record in two steps: confirmation schedules the deletion, and its page sends it.

A confirmed deletion is stored with a copy of the record (drafts/pending_deletions.py). Its page
sends it when the person presses "now" or when the countdown ends. Leaving the page sends nothing;
the deletion stays under Unfinished. The record is read again before it is deleted; a record that
was changed meanwhile is shown first.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.db import Error
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from dashboard.drafts import pending_deletions
from dashboard.drafts.models import Deletion
from dashboard.gateway import GatewayError, Missing, OutcomeUnknown, Record
from dashboard.outbox.models import RecordLock
from dashboard.records.context import RequestContext, StaffRequest, context_of
from dashboard.records.pages import deleted_copies, deletion_state, form_drafts, unresolved
from dashboard.records.pages.failures import describe
from dashboard.records.pages.rendering import record_context, render_delete, render_not_offered
from dashboard.records.resource import Resource
from dashboard.records.writes import reconciliation, writer

State = Deletion.State
COUNT = "count"  # query parameter: the page counts down, because it follows the confirmation
Changes = list[tuple[str, str, str]]
TOO_EARLY = "It was too early, so nothing was sent: there is still time to undo it."
SLEPT = "This page was left alone for a while, so nothing was sent. Say so if it is to be deleted."
COPY_KEPT = "A copy is kept under Unfinished for a week."
STALE = "This page was no longer up to date, so nothing was sent. Here is how things stand."


class _Changed(Exception):  # noqa: N818 (what it is, without Error)
    """The record was changed after the confirmation; `fresh` is the record as it is now."""

    def __init__(self, changes: Changes, fresh: Record) -> None:
        super().__init__()
        self.changes = changes
        self.fresh = fresh


class _Stale(Exception):  # noqa: N818
    """The token is not the current one of the deletion: it was cancelled or already sent."""


def confirm_delete(request: StaffRequest, resource: Resource, record_id: int) -> HttpResponse:
    """Ask for confirmation; a POST schedules the deletion and redirects to its page."""
    if not request.gateway.offers(resource.endpoint, "delete"):
        return render_not_offered(request, resource, record_id, "delete")
    if request.method == "POST":
        return _schedule(request, resource, record_id)
    owner = writer.owner_of(request.gateway)
    pending = pending_deletions.find_pending(request.user, owner, resource.name, record_id)
    if pending:
        return redirect(deleted_copies.url_of(pending))
    return render_delete(request, resource, resource.read(request.gateway, record_id))


def show_pending(request: StaffRequest, pk: int, resources: dict[str, Resource]) -> HttpResponse:
    """The page of a pending deletion; a POST sends it if it is due or "now" was pressed."""
    deletion, resource = _own_deletion(request, pk, resources)
    if request.method == "POST":
        return _send(request, resource, deletion)
    seconds = pending_deletions.seconds_left(deletion) if COUNT in request.GET else 0
    return _render_or_redirect(request, resource, deletion, seconds=seconds)


@require_POST
def cancel_deletion(request: StaffRequest, pk: int, resources: dict[str, Resource]) -> HttpResponse:
    """Cancel a pending deletion. Open to the person who asked for it, with any keys and role."""
    deletion = get_object_or_404(Deletion, pk=pk, person=request.user)
    resource = resources[deletion.resource]
    label = deleted_copies.label(resource, deletion)
    if pending_deletions.cancel(deletion):
        messages.success(request, f"{label} was kept. Nothing was sent.")
        back = request.POST.get("back") == "unfinished"
        return redirect(reverse("unfinished:list") if back else resource.url(deletion.record_id))
    return _render_or_redirect(request, resource, deletion)


def delete_with_copy(
    ctx: RequestContext, resource: Resource, record: Record, token: str, lock: RecordLock
) -> None:
    """Delete a record as part of another form, under that form's lock, and store a copy.

    Raises as `writer.delete`.
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


def _schedule(request: StaffRequest, resource: Resource, record_id: int) -> HttpResponse:
    """Store the deletion with a copy of the record, and redirect to its page."""
    ctx = context_of(request)
    try:
        record = resource.read(ctx.gateway, record_id)
    except Missing:
        messages.info(request, f"This {resource.singular} was already gone.")
        return redirect(resource.url())
    try:
        deletion = pending_deletions.schedule(
            person=request.user,
            owner=writer.owner_of(ctx.gateway),
            workspace=ctx.workspace,
            resource=resource.name,
            record_id=record_id,
            token=request.POST.get("token", ""),
            copy=pending_deletions.Copy(resource.title(record), record.raw),
        )
    except Error:
        raise writer.NotRecorded(reason="not recorded") from None
    return redirect(f"{deleted_copies.url_of(deletion)}?{COUNT}=1")


def _own_deletion(
    request: StaffRequest, pk: int, resources: Mapping[str, Resource]
) -> tuple[Deletion, Resource]:
    """The person's own deletion, made with their current keys. Raises Http404 for any other."""
    deletion = get_object_or_404(Deletion, pk=pk, person=request.user)
    if deletion.owner != writer.owner_of(request.gateway):
        raise Http404
    return deletion, resources[deletion.resource]


def _send(request: StaffRequest, resource: Resource, deletion: Deletion) -> HttpResponse:
    token = request.POST.get("token", "")
    if "now" not in request.POST and _is_early(deletion):
        words = TOO_EARLY if pending_deletions.seconds_left(deletion) else SLEPT
        status = HTTPStatus.CONFLICT
        return _render_pending(request, resource, deletion, words=words, status=status)
    try:
        _delete(context_of(request), resource, deletion, token)
    except OutcomeUnknown:
        return redirect(unresolved.address_of(token))
    except Missing:
        pending_deletions.mark_done(deletion, token)
        message = deleted_copies.deleted_message(resource, deletion, "was already gone")
        messages.info(request, message)
    except (_Changed, _Stale, GatewayError) as error:
        return _render_not_sent(request, resource, deletion, token, error)
    else:
        pending_deletions.mark_done(deletion, token)
        message = deleted_copies.deleted_message(resource, deletion, "was deleted")
        messages.success(request, message)
    return redirect(resource.url())


def _render_not_sent(
    request: StaffRequest,
    resource: Resource,
    deletion: Deletion,
    token: str,
    error: _Changed | _Stale | GatewayError,
) -> HttpResponse:
    """The page of a deletion that was not sent or was refused, with the reason."""
    more: dict[str, Any] = {"status": HTTPStatus.CONFLICT}
    if isinstance(error, _Changed):
        copy = pending_deletions.Copy(resource.title(error.fresh), error.fresh.raw)
        pending_deletions.replace_copy(deletion, token, copy)
        more["changes"] = error.changes
    elif isinstance(error, _Stale):
        more["words"] = STALE
    else:
        pending_deletions.reschedule(deletion, token)
        more["failure"] = failure = describe(error)
        more["status"] = failure.status
    return _render_or_redirect(request, resource, deletion, **more)


def _is_early(deletion: Deletion) -> bool:
    return deletion.state == State.PENDING and not pending_deletions.is_due(deletion)


def _delete(ctx: RequestContext, resource: Resource, deletion: Deletion, token: str) -> None:
    """Send the deletion, once per token; a repeated request gets the first one's answer."""
    one: dict[str, Any] = {"ctx": ctx, "resource": resource, "record_id": deletion.record_id}
    with writer.lock_for_form(**one, token=token, typed={}) as lock:
        if not lock:
            return
        _mark_sent(deletion, token)
        fresh = resource.read(ctx.gateway, deletion.record_id)
        copy = deleted_copies.read_copy(resource, deletion)
        changes = _changes(resource, copy, fresh) if copy else []
        if changes:
            raise _Changed(changes, fresh)
        writer.delete(
            **one,
            token=token,
            label=deleted_copies.label(resource, deletion),
            before=_values_as_text(resource, fresh),
            lock=lock,
        )


def _mark_sent(deletion: Deletion, token: str) -> None:
    try:
        if pending_deletions.mark_sent(deletion, token):
            return
    except Error:
        raise writer.NotRecorded(reason="not recorded") from None
    raise _Stale


def _values_as_text(resource: Resource, record: Record) -> dict[str, str]:
    """The record's values in the form's fields as texts, for the history."""
    values = reconciliation.values_as_text(record, resource.edit_form.base_fields)
    return {name: text for name, text in values.items() if text}


def _changes(resource: Resource, before: Record, after: Record) -> Changes:
    """The form's fields that differ between two reads, as (label, was, is now)."""
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
    request: StaffRequest, resource: Resource, deletion: Deletion, **more: Any
) -> HttpResponse:
    """The page of a pending deletion; a redirect if it is no longer pending."""
    deletion.refresh_from_db()
    deletion_state.update_from_outbox(deletion)
    if deletion.state == State.PENDING:
        return _render_pending(request, resource, deletion, **more)
    return _redirect_to_outcome(request, resource, deletion)


def _render_pending(
    request: StaffRequest,
    resource: Resource,
    deletion: Deletion,
    *,
    status: int = HTTPStatus.OK,
    **more: Any,
) -> HttpResponse:
    context = {
        **record_context(request, resource, deletion.record_id),
        "title": deleted_copies.label(resource, deletion),
        "at": form_drafts.time_in_words(deletion.since),
        "token": deletion.token,
        "deletion_url": deleted_copies.url_of(deletion),
        **more,
    }
    context["seconds"] = str(more.get("seconds") or "")
    return render(request, "records/pending_deletion.html", context, status=status)


def _redirect_to_outcome(
    request: StaffRequest, resource: Resource, deletion: Deletion
) -> HttpResponse:
    """Redirect from the page of a deletion that is no longer pending."""
    if deletion.state == State.SENT:
        return redirect(unresolved.address_of(deletion.token))
    if deletion.state == State.DONE:
        messages.info(request, deleted_copies.deleted_message(resource, deletion, "was deleted"))
        return redirect(resource.url())
    messages.info(request, f"This {resource.singular} was kept. Nothing was sent.")
    return redirect(resource.url(deletion.record_id))
