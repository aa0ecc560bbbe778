"""The page on which a person resolves conflicts between their changes and someone else's.

Everything typed is carried in hidden fields, with one choice for each field that both changed and
two snapshots: `snapshot` marks the other person's changes as seen, `opened` is the form's own.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.http import QueryDict
from django.utils import timezone

from dashboard.core import sealed
from dashboard.gateway import Record
from dashboard.office.record_field import FormValue
from dashboard.people.context import RequestContext
from dashboard.people.keys import owner_of
from dashboard.records.form_drafts import form_input
from dashboard.records.record_page import record_context
from dashboard.schema.record_form import CHOICE, THEIRS, Conflict, RecordForm, seal_snapshot
from dashboard.schema.resource import Resource
from dashboard.text.dates import recent_time
from dashboard.writes import history, ledger, reconciliation
from dashboard.writes.drafts import typed_fields
from dashboard.writes.models import Write

OPENED = "opened"  # the field with the snapshot from before the choices
OTHERS = 20  # how many of the latest updates are searched for the other's


class Version(NamedTuple):
    """One field: what it was, what the service has now, what is typed. `theirs`: is chosen."""

    name: str
    label: str
    was: str
    now: str
    typed: str
    theirs: bool = False


def conflict_context(
    ctx: RequestContext,
    resource: Resource,
    form: RecordForm,
    clashes: list[Conflict],
    fresh: Record,
) -> dict[str, Any]:
    """Return the context of the conflict page, without that of its draft."""
    of, opened = resource.record_name(fresh.id), form.opened_with or {}
    names = [name for name, *_ in clashes]
    seen = {**opened, **{name: now for name, _, now in clashes}}
    current = resource.edit_form.read(fresh, form.ctx.style) if form.ctx else {}
    title = str(opened.get(resource.title_field) or of)
    return {
        **record_context(resource, fresh.id),
        **_author(ctx, resource, fresh, names),
        "title": title,
        "form": form,
        "snapshot": seal_snapshot(seen, of=of),
        "opened": seal_snapshot(form.before_choices or opened, of=of),
        "versions": [_version(form, name, current) for name in names],
        "only_theirs": [_version(form, name, current) for name in _only_theirs(form, current)],
        "only_mine": [
            _version(form, name, current) for name in form.touched() if name not in names
        ],
        "carried": _carried(form_input(ctx).data),
    }


def _version(form: RecordForm, name: str, current: Mapping[str, FormValue]) -> Version:
    field = form.fields[name]
    was, now = ((source or {}).get(name, "") for source in (form.opened_with, current))
    return Version(
        name=name,
        label=str(field.label or name),
        was=field.caption(was),
        now=field.caption(now),
        typed=field.caption(form.typed_value(name)),
        theirs=form.data.get(CHOICE + name) == THEIRS,
    )


def _only_theirs(form: RecordForm, current: Mapping[str, FormValue]) -> list[str]:
    opened = form.opened_with or {}
    return [
        name
        for name, field in form.fields.items()
        if name in opened
        and name in current
        and form.untouched(name)
        and field.comparable(opened[name]) != field.comparable(current[name])
    ]


def _carried(data: QueryDict | None) -> list[tuple[str, str]]:
    """Return the typed fields as (name, value), without those that this page adds."""
    return [
        (name, str(value))
        for name, values in (typed_fields(data).lists() if data else ())
        for value in values
        if name not in ("snapshot", OPENED) and not name.startswith(CHOICE)
    ]


def _author(
    ctx: RequestContext, resource: Resource, fresh: Record, names: list[str]
) -> dict[str, Any]:
    """Return who made these changes as `author` and when as `at`: "" if they were made elsewhere or
    by several people. `own`: it was this person.
    """
    owner, workspace = owner_of(ctx.gateway), ctx.workspace
    writes = history.of_record(resource.name, fresh.id, owner=owner, workspace=workspace)
    updates = list(writes.filter(operation="update", state=Write.State.SAVED)[:OTHERS])
    entries = {name: _latest(updates, name, fresh) for name in names}
    people = {entry.who if entry else "" for entry in entries.values()}
    latest = max(
        (entry for entry in entries.values() if entry), key=lambda one: one.at, default=None
    )
    if latest is None or len(people) != 1:
        return {"author": "", "at": "", "own": False}
    at = recent_time(latest.at, timezone.localdate())
    return {"author": history.by_whom(latest), "at": at, "own": latest.person == ctx.user}


def _latest(updates: list[Write], name: str, fresh: Record) -> Write | None:
    now = ledger.cut_value(reconciliation.as_data(fresh.get(name)))
    for entry in updates:
        try:
            changes = history.details(entry).changes
        except sealed.DecryptionError:
            continue
        if name in changes:
            return entry if changes[name][1] == now else None
    return None
