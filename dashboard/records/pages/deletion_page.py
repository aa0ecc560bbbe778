"""The page that asks before a record is deleted. It carries what it shows, signed."""

from collections.abc import Mapping
from http import HTTPStatus

from django.http import HttpResponse

from dashboard.drafts.pending_deletions import SECONDS
from dashboard.gateway import Record
from dashboard.outbox.services import new_token
from dashboard.records.context import RequestContext, style_of
from dashboard.records.forms.fields import Shown
from dashboard.records.forms.record_form import open_snapshot, seal_snapshot
from dashboard.records.pages.rendering import record_context, record_name
from dashboard.records.resource import Resource
from dashboard.records.writes import reconciliation
from dashboard.records.writes.deletions import values_of

Changes = list[tuple[str, str, str]]


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
    shown = values_of(resource, record, style_of(ctx.user))
    context = {
        **record_context(ctx, resource, record.id),
        "title": resource.title(record),
        "token": new_token(),
        "seconds": str(SECONDS),
        "snapshot": seal_snapshot(shown, of=record_name(resource, record.id)),
        "changes": changes,
    }
    return ctx.render("records/delete.html", context, status=status)


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
