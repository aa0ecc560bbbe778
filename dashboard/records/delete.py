"""Deletes a record: a button schedules the deletion, and a worker sends it after a countdown.

A record that has changed since its page was rendered needs a confirmation first. The deletion is
stored with a copy of the record (writes/deletions.py). Every page shows the countdown with Undo
(records/_toasts.html). A record that changes during the countdown is not deleted, and every page
says so until the person closes the message.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import trigger_client_event

from dashboard.gateway import Missing, Record
from dashboard.office.record_field import FormValue
from dashboard.people.context import RequestContext, page, page_without_keys
from dashboard.records.record_page import (
    record_context,
    render_not_offered,
    snapshot_of,
)
from dashboard.schema.record_form import open_snapshot
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource
from dashboard.writes import deletions, ledger, outcomes, reconciliation
from dashboard.writes.deletions import label_of, toast_of
from dashboard.writes.ledger import new_token

Changes = list[tuple[str, str, str]]  # label, was, is now
COPY_STORED_MESSAGE = "A copy is kept under Unfinished for a week."
ROW = "now"  # posted for a row of a list: the record is deleted as it is now


@page
def delete(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """Schedule the deletion and redirect to the list. A GET redirects to the record's page."""
    if not ctx.gateway.supports(resource.endpoint, "delete"):
        return render_not_offered(ctx, resource, record_id, "delete")
    if ctx.request.method == "POST":
        return _schedule(ctx, resource, record_id)
    return redirect(resource.url(record_id))


@require_POST
@page
def cancel_deletion(ctx: RequestContext, pk: int) -> HttpResponse:
    """Cancel a waiting deletion. Open to the person who asked for it, with any keys and role.

    For htmx the answer is the toast, and the event "record-kept".
    """
    deletion = get_object_or_404(deletions.of_person(ctx.user), pk=pk)
    resource = RESOURCES[deletion.resource]
    label = label_of(resource, deletion)
    cancelled = deletions.cancel(deletion)
    deletion.refresh_from_db()
    if ctx.request.htmx:
        answer = _render_toast(ctx, toast_of(resource, deletion) | {"label": label})
        return trigger_client_event(answer, "record-kept") if cancelled else answer
    if cancelled:
        messages.success(ctx.request, "Not deleted.")
    elif deletion.copy_until:
        messages.info(ctx.request, f"{label} was deleted. {COPY_STORED_MESSAGE}")
        return redirect(resource.url())
    return redirect(resource.url(deletion.record_id))


@require_safe
@page_without_keys
def show_outcome(ctx: RequestContext, pk: int) -> HttpResponse:
    """Return the outcome of a deletion after its countdown, as a toast."""
    found = deletions.as_ended(deletions.of_person(ctx.user).filter(pk=pk))
    if not found:
        raise Http404
    deletion = ledger.refreshed(found[0]) if found[0].sent_at else found[0]
    return _render_toast(ctx, toast_of(RESOURCES[deletion.resource], deletion))


@require_POST
@page_without_keys
def close_message(ctx: RequestContext, pk: int) -> HttpResponse:
    deletions.close_message(get_object_or_404(deletions.of_person(ctx.user), pk=pk))
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


def _render_toast(ctx: RequestContext, toast: dict[str, Any]) -> HttpResponse:
    return ctx.render("records/_toast.html", {"one": toast})


def _schedule(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """Store the deletion with a copy of the record and redirect to the list. Ask first if the
    record has changed since its page was rendered.
    """
    answer = redirect(ctx.local_url(ctx.request.POST.get("back", ""), resource.url()))
    try:
        record = resource.read(ctx.gateway, record_id)
    except Missing:
        messages.info(ctx.request, outcomes.gone(resource).message)
        return answer
    changes = None if ROW in ctx.request.POST else changes_since_shown(ctx, resource, record)
    if changes is not None:
        return _render_changed(ctx, resource, record, changes)
    token, label = ctx.request.POST.get("token", ""), resource.title(record)
    deletions.schedule(ctx, resource, record, token=token, label=label)
    return answer


def _render_changed(
    ctx: RequestContext, resource: Resource, record: Record, changes: Changes
) -> HttpResponse:
    context = {
        **record_context(resource, record.id),
        "title": resource.title(record),
        "token": new_token(),
        "snapshot": snapshot_of(ctx, resource, record),
        "changes": changes,
    }
    return ctx.render("records/delete.html", context, status=HTTPStatus.CONFLICT)


def changes_since_shown(ctx: RequestContext, resource: Resource, record: Record) -> Changes | None:
    """Return the changes since the previous page was rendered; None without any, empty if that page
    has no snapshot.
    """
    of = resource.record_name(record.id)
    was = open_snapshot(ctx.request.POST.get("snapshot", ""), of=of)
    now = resource.compared(record, ctx.style)
    if was is None:
        return []
    return changes_in_words(ctx, resource, was, now) if was != now else None


def changes_in_words(
    ctx: RequestContext,
    resource: Resource,
    was: Mapping[str, FormValue],
    now: Mapping[str, FormValue],
) -> Changes:
    """Return the values that differ, as (label, old, new)."""
    form = resource.edit_form(ctx=ctx, opened_with=now)

    def words(name: str, value: FormValue | None) -> str:
        if value is None:
            return ""
        field = form.fields.get(name)
        return field.caption(value) if field else reconciliation.as_text(value)

    def label(name: str) -> str:
        own = form.fields[name].label if name in form.fields else resource.detail(name).label
        return str(own or name.replace("_", " ").capitalize())

    differing = [name for name in dict.fromkeys([*was, *now]) if was.get(name) != now.get(name)]
    return [
        (label(name), words(name, was.get(name)), words(name, now.get(name))) for name in differing
    ]
