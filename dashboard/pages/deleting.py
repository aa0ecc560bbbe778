"""Deletes a record: a press schedules the deletion, and a worker sends it after a countdown.

One press does it on a record's page and on a row of a list. Without JavaScript, and where a record
was changed since its page was shown, a page asks first. The deletion is stored with a copy of the
record (writes/deletions.py) and with what the worker is to do. Every page counts down until then
and offers to undo it (drafts/_toasts.html). Its own page, and Unfinished, send it at once, also
where no worker runs. A record that was changed meanwhile is not deleted by the worker, and is shown
before a person deletes it.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.db import Error
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import trigger_client_event

from dashboard.context import RequestContext, page, page_without_keys
from dashboard.declare.resource import Resource
from dashboard.forms.fields import Shown
from dashboard.forms.record_form import open_snapshot
from dashboard.gateway import GatewayError, Missing, OutcomeUnknown, Record
from dashboard.ledger.models import Write
from dashboard.ledger.services import NotRecorded, new_token
from dashboard.pages import deleted_copies, form_drafts, unresolved
from dashboard.pages.rendering import record_context, record_name, render_not_offered, snapshot_of
from dashboard.pages.way_back import page_before
from dashboard.reader.sealed_cache import owner_of
from dashboard.writes import deletions, reconciliation
from dashboard.writes.deletions import SECONDS, Changed, Later, Phase, Stale, label_of, values_of
from dashboard.writes.failures import describe, in_words
from dashboard.writes.stored_outcomes import stored_error

Changes = list[tuple[str, str, str]]  # label, was, is now
COPY_KEPT = "A copy is kept under Unfinished for a week."
STALE = "This page was no longer up to date, so nothing was sent. Here is how things stand."
LAST = "2"  # the toast has asked before: it asks no more
ROW = "now"  # posted for a row of a list: the record is deleted as it is now


@page
def confirm_delete(
    ctx: RequestContext, resource: Resource, record_id: int, *, later: Later
) -> HttpResponse:
    """Ask for confirmation; a POST schedules the deletion and redirects to the list.

    `later`: sends it.
    """
    if not ctx.gateway.offers(resource.endpoint, "delete"):
        return render_not_offered(ctx, resource, record_id, "delete")
    if ctx.request.method == "POST":
        return _schedule(ctx, resource, record_id, later)
    owner = owner_of(ctx.gateway)
    waiting = deletions.find_waiting(ctx.user, owner, resource.name, record_id)
    if waiting:
        return redirect(deleted_copies.url_of(waiting))
    return render_delete(ctx, resource, resource.read(ctx.gateway, record_id))


@page
def show_pending(ctx: RequestContext, pk: int, resources: dict[str, Resource]) -> HttpResponse:
    """The page of a waiting deletion; a POST sends it."""
    deletion, resource = _own_deletion(ctx, pk, resources)
    if ctx.request.method == "POST":
        return _send(ctx, resource, deletion)
    return _render_or_redirect(ctx, resource, deletion)


@require_POST
@page
def cancel_deletion(ctx: RequestContext, pk: int, resources: dict[str, Resource]) -> HttpResponse:
    """Cancel a waiting deletion. Open to the person who asked for it, with any keys and role.

    For htmx the answer is the toast, and the event "record-kept".
    """
    asked = get_object_or_404(deletions.of_person(ctx.user), pk=pk)
    deletion = deletions.current(asked)
    resource = resources[deletion.resource]
    label = label_of(resource, deletion)
    cancelled = deletions.cancel(deletion)
    if ctx.request.htmx:
        deletion.refresh_from_db()
        answer = _render_toast(ctx, resource, asked, deletion, label)
        return trigger_client_event(answer, "record-kept") if cancelled else answer
    if not cancelled:
        return _render_or_redirect(ctx, resource, deletion)
    messages.success(ctx.request, "Not deleted.")
    back = ctx.request.POST.get("back") == "unfinished"
    return redirect(reverse("unfinished:list") if back else resource.url(deletion.record_id))


@require_safe
@page_without_keys
def show_outcome(ctx: RequestContext, pk: int, resources: dict[str, Resource]) -> HttpResponse:
    """What became of a deletion after its countdown, as a toast."""
    asked = get_object_or_404(deletions.of_person(ctx.user), pk=pk)
    deletion = deletions.current(asked)
    deletions.put_back_interrupted(deletion)
    resource = resources[deletion.resource]
    return _render_toast(ctx, resource, asked, deletion, label_of(resource, deletion))


def _render_toast(
    ctx: RequestContext, resource: Resource, asked: Write, deletion: Write, label: str
) -> HttpResponse:
    """`asked`: the write that the toast began with, in whose place `deletion` may stand."""
    phase = deletions.phase_of(deletion)
    context = {
        "phase": phase,
        "why": deletions.reason(deletion),
        "label": label,
        "last": ctx.params.get("asked") == LAST,
        "deletion_url": deleted_copies.url_of(asked),
        "unsure_url": unresolved.address(deletion.pk) if phase == Phase.NOT_SURE else "",
        "again_url": deleted_copies.recreate_url(resource, deletion),
    }
    return ctx.render("drafts/_toast_outcome.html", context)


def _schedule(
    ctx: RequestContext, resource: Resource, record_id: int, later: Later
) -> HttpResponse:
    """Store the deletion with a copy of the record; a redirect to the list, or the page again if
    the record is not as the page showed it.
    """
    answer = redirect(page_before(ctx, ctx.request.POST.get("back", ""), resource.url()))
    try:
        record = resource.read(ctx.gateway, record_id)
    except Missing:
        messages.info(ctx.request, f"This {resource.singular} was already gone.")
        return answer
    changes = None if ROW in ctx.request.POST else changes_since_shown(ctx, resource, record)
    if changes is not None:
        return render_delete(ctx, resource, record, changes=changes)
    try:
        deletions.schedule(
            person=ctx.user,
            owner=owner_of(ctx.gateway),
            workspace=ctx.workspace,
            resource=resource.name,
            record_id=record_id,
            token=ctx.request.POST.get("token", ""),
            label=resource.title(record),
            copy=record.raw,
            later=later,
        )
    except Error:
        raise NotRecorded(reason="not recorded") from None
    return answer


def _own_deletion(
    ctx: RequestContext, pk: int, resources: Mapping[str, Resource]
) -> tuple[Write, Resource]:
    """The person's own deletion, made with their current keys. Raises Http404 for any other."""
    deletion = get_object_or_404(deletions.of_person(ctx.user), pk=pk)
    if deletion.owner != owner_of(ctx.gateway):
        raise Http404
    return deletion, resources[deletion.resource]


def _send(ctx: RequestContext, resource: Resource, deletion: Write) -> HttpResponse:
    token = ctx.request.POST.get("token", "")
    try:
        deletions.send(ctx, resource, deletion, token)
    except OutcomeUnknown:
        return redirect(unresolved.address_of(token))
    except Missing:
        message = deleted_copies.deleted_message(resource, deletion, "was already gone")
        messages.info(ctx.request, message)
    except (Changed, Stale, GatewayError) as error:
        return _render_not_sent(ctx, resource, deletion, error)
    else:
        message = deleted_copies.deleted_message(resource, deletion, "was deleted")
        messages.success(ctx.request, message)
    return redirect(resource.url())


def _render_not_sent(
    ctx: RequestContext,
    resource: Resource,
    deletion: Write,
    error: Changed | Stale | GatewayError,
) -> HttpResponse:
    """The page of a deletion that was not sent or was refused, with the reason."""
    more: dict[str, Any] = {"status": HTTPStatus.CONFLICT}
    if isinstance(error, Changed):
        deletions.replace_copy(deletion, resource.title(error.fresh), error.fresh.raw)
        both = error.copy, error.fresh
        was, now = (values_of(resource, each, ctx.style) for each in both)
        more["changes"] = changes_in_words(ctx, resource, was, now)
    elif isinstance(error, Stale):
        more["words"] = STALE
    else:
        more["failure"] = failure = describe(error)
        more["status"] = failure.status
    return _render_or_redirect(ctx, resource, deletion, **more)


def _render_or_redirect(
    ctx: RequestContext, resource: Resource, asked: Write, **more: Any
) -> HttpResponse:
    """The page of a waiting deletion; a redirect if it waits no longer, or in another write."""
    asked.refresh_from_db()
    deletion = deletions.current(asked)
    deletions.put_back_interrupted(deletion)
    phase = deletions.phase_of(deletion)  # may give the reason
    if deletion.state != Write.State.WAITING:
        return _redirect_to_outcome(ctx, resource, deletion, phase)
    if deletion != asked and ctx.request.method != "POST":
        return redirect(deleted_copies.url_of(deletion))
    return _render_waiting(ctx, resource, deletion, phase, **more)


def _render_waiting(
    ctx: RequestContext,
    resource: Resource,
    deletion: Write,
    phase: Phase,
    *,
    status: int = HTTPStatus.OK,
    **more: Any,
) -> HttpResponse:
    context = {
        **record_context(ctx, resource, deletion.record_id),
        "title": label_of(resource, deletion),
        "at": form_drafts.time_in_words(deletion.asked_at),
        "token": deletion.token,
        "deletion_url": deleted_copies.url_of(deletion),
        "phase": phase,
        "words": deletions.reason(deletion),
        **more,
    }
    return ctx.render("pages/pending_deletion.html", context, status=status)


def _redirect_to_outcome(
    ctx: RequestContext, resource: Resource, deletion: Write, phase: Phase
) -> HttpResponse:
    """Redirect from the page of a deletion that waits no longer."""
    if phase in (Phase.SENDING, Phase.NOT_SURE):
        return redirect(unresolved.address_of(deletion.token))
    if phase == Phase.DELETED:
        message = deleted_copies.deleted_message(resource, deletion, "was deleted")
        messages.info(ctx.request, message)
        return redirect(resource.url())
    why = "" if phase == Phase.KEPT else f" {in_words(stored_error(deletion))}"
    messages.info(ctx.request, f"Not deleted.{why}")
    return redirect(resource.url(deletion.record_id))


def render_delete(
    ctx: RequestContext,
    resource: Resource,
    record: Record,
    *,
    changes: Changes | None = None,
) -> HttpResponse:
    """The page that asks for confirmation.

    changes: how the record differs from the page that was confirmed; empty if nobody can tell any
    more, None if no page was.
    """
    status = HTTPStatus.OK if changes is None else HTTPStatus.CONFLICT
    context = {
        **record_context(ctx, resource, record.id),
        "title": resource.title(record),
        "token": new_token(),
        "seconds": str(SECONDS),
        "snapshot": snapshot_of(ctx, resource, record),
        "changes": changes,
    }
    return ctx.render("pages/delete.html", context, status=status)


def changes_since_shown(ctx: RequestContext, resource: Resource, record: Record) -> Changes | None:
    """How the record differs from the page that was confirmed; None if it does not.

    Empty if the page does not tell what it showed.
    """
    of = record_name(resource, record.id)
    was = open_snapshot(ctx.request.POST.get("snapshot", ""), of=of)
    now = values_of(resource, record, ctx.style)
    if was is None:
        return []
    return changes_in_words(ctx, resource, was, now) if was != now else None


def changes_in_words(
    ctx: RequestContext, resource: Resource, was: Mapping[str, Shown], now: Mapping[str, Shown]
) -> Changes:
    """The values that differ, as (label, was, is now)."""
    form = resource.edit_form(ctx=ctx, opened_with=now)

    def words(name: str, value: Shown | None) -> str:
        if value is None:
            return ""
        known = name in form.fields
        return form.value_in_words(name, value) if known else reconciliation.as_text(value)

    def label(name: str) -> str:
        own = form.fields[name].label if name in form.fields else resource.detail(name).label
        return str(own or name.replace("_", " ").capitalize())

    differing = [name for name in dict.fromkeys([*was, *now]) if was.get(name) != now.get(name)]
    return [
        (label(name), words(name, was.get(name)), words(name, now.get(name))) for name in differing
    ]
