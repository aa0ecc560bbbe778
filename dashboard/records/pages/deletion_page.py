"""The page that asks before a record is deleted. It carries what it shows, signed."""

from http import HTTPStatus

from django.http import HttpResponse
from django.shortcuts import render

from dashboard.drafts.pending_deletions import SECONDS
from dashboard.gateway import Record
from dashboard.outbox.services import new_token
from dashboard.records.context import RequestContext, StaffRequest, style_of
from dashboard.records.forms.record_form import open_snapshot, seal_snapshot
from dashboard.records.pages import deletion_changes
from dashboard.records.pages.rendering import record_context, record_name
from dashboard.records.resource import Resource


def render_delete(
    request: StaffRequest,
    resource: Resource,
    record: Record,
    *,
    changes: deletion_changes.Changes | None = None,
) -> HttpResponse:
    """The page that asks for confirmation.

    changes: how the record differs from the page that was confirmed; empty if nobody can tell any
    more, None if no page was.
    """
    status = HTTPStatus.OK if changes is None else HTTPStatus.CONFLICT
    shown = deletion_changes.values_of(resource, record, style_of(request.user))
    context = {
        **record_context(request, resource, record.id),
        "title": resource.title(record),
        "token": new_token(),
        "seconds": str(SECONDS),
        "snapshot": seal_snapshot(shown, of=record_name(resource, record.id)),
        "changes": changes,
    }
    return render(request, "records/delete.html", context, status=status)


def changes_since_shown(
    request: StaffRequest, ctx: RequestContext, resource: Resource, record: Record
) -> deletion_changes.Changes | None:
    """How the record differs from the page that was confirmed; None if it does not.

    Empty if the page does not tell what it showed.
    """
    of = record_name(resource, record.id)
    was = open_snapshot(request.POST.get("snapshot", ""), of=of)
    now = deletion_changes.values_of(resource, record, ctx.style)
    if was is None:
        return []
    return deletion_changes.in_words(ctx, resource, was, now) if was != now else None
