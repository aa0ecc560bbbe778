"""Sends the rows of bulk jobs. Each record is read again first, and skipped if it changed.

settings.JOB_KINDS names the kinds.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from dashboard.core.service_name import SERVICE, SERVICE_AT_START
from dashboard.gateway import Missing, Record, Unreadable, whole_number
from dashboard.jobs.bulk_selection import changed_since
from dashboard.jobs.kinds import JobKind, Slice
from dashboard.jobs.rows import Send, SentRow, Skipped, send_rows
from dashboard.lists.bulk_actions import CHANGE, CREATE, DELETE, UNDO
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import BULK_PERMISSION, Resource
from dashboard.writes import reconciliation, writer

Content = Mapping[str, Any]
DELETED_MESSAGE = "Deleted since you selected it."
ALREADY_SET = "Already up to date."
NOT_TOLD = f"{SERVICE_AT_START} hides its “{{}}”, so a change could lose data."
UNREADABLE = f"We couldn't read “{{}}” from {SERVICE}."


def send_change(job_slice: Slice, content: Content, token: str) -> SentRow:
    """Change a record as the job, or the `set` of the row, says."""
    resource = _target(job_slice)
    with writer.reserve(job_slice.ctx, resource, content["id"], token) as write:
        write.current = fresh = fresh_record(job_slice, resource, content)
        typed = changes_for(resource, fresh, content, job_slice.params)
        if not typed:
            raise Skipped(ALREADY_SET)
        if why := resource.why_not_editable(fresh, resource.endpoint):
            raise Skipped(why)
        write.update(typed)
    return SentRow(before=_before(fresh, typed), after=typed)


def send_deletion(job_slice: Slice, content: Content, token: str) -> SentRow:
    resource = _target(job_slice)
    with writer.reserve(job_slice.ctx, resource, content["id"], token) as write:
        write.current = fresh_record(job_slice, resource, content)
        try:
            write.delete()
        except Missing:
            raise Skipped(DELETED_MESSAGE) from None
    return SentRow()


def send_undo(job_slice: Slice, content: Content, token: str) -> SentRow:
    """Restore the old values of a record, or delete the one that was created."""
    send = send_change if "set" in content else send_deletion
    return send(job_slice, content, token)


def send_new(job_slice: Slice, content: Content, token: str) -> SentRow:
    body = {**job_slice.params["body"], job_slice.params["link"]: content["id"]}
    writer.create(ctx=job_slice.ctx, resource=_target(job_slice), body=body, token=token)
    return SentRow()


def _target(job_slice: Slice) -> Resource:
    return RESOURCES[job_slice.job.resource]


def fresh_record(job_slice: Slice, resource: Resource, content: Content) -> Record:
    """Return the record as it is now. Raises Skipped if it is gone or has changed since it was
    selected.
    """
    texts = (content["label"],)
    try:
        fresh = resource.read(job_slice.ctx.gateway, content["id"], fresh=True, texts=texts)
    except Missing:
        raise Skipped(DELETED_MESSAGE) from None
    changed = changed_since(fresh, content["seen"])
    differences = [
        *filter(None, [_labels(resource, changed)]),
        *_changed_parts(fresh, content),
    ]
    if differences:
        raise Skipped(f"Changed since it was selected: {', '.join(differences)}.")
    return fresh


def _changed_parts(fresh: Record, content: Content) -> list[str]:
    if not content.get("lines"):
        return []
    lines = reconciliation.contradicted_fields(fresh, {"items": content["lines"]})
    return ["Lines"] * bool(lines) + ["Payments"] * bool(fresh.payments)


def _labels(resource: Resource, names: list[str]) -> str:
    return ", ".join(dict.fromkeys(resource.detail(name).label or name for name in names))


def changes_for(
    resource: Resource, fresh: Record, content: Content, params: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the values to send for a row, without those that the record already has. Raises
    Skipped.
    """
    change = content if "set" in content else params
    values = dict(change["set"])
    for name in {**change.get("add", {}), **change.get("take", {})}:
        held = fresh.get(name)
        if isinstance(held, Unreadable):
            raise Skipped(UNREADABLE.format(_labels(resource, [name])))
        if name not in fresh:
            raise Skipped(NOT_TOLD.format(_labels(resource, [name])))
        values[name] = _entries(held, change, name)
    return {
        name: value
        for name, value in values.items()
        if not reconciliation.is_equal(fresh.get(name), value)
    }


def _entries(held: Any, change: Mapping[str, Any], name: str) -> list[int]:
    codes = [whole_number(str(code)) for code in held or ()]
    taken = set(change.get("take", {}).get(name, ()))
    kept = [*(code for code in codes if code), *change.get("add", {}).get(name, ())]
    return [code for code in dict.fromkeys(kept) if code not in taken]


def _before(fresh: Record, typed: Mapping[str, Any]) -> dict[str, Any]:
    values = {name: fresh.get(name) for name in typed}
    return {name: value for name, value in values.items() if not isinstance(value, Unreadable)}


def _kind(name: str, send: Send, **more: Any) -> JobKind:
    run = partial(send_rows, send=send)
    return JobKind(name=name, run=run, permission=BULK_PERMISSION, **more)


KINDS = (
    _kind(CHANGE.kind, send_change, operation="update", undo="bulk:undo"),
    _kind(DELETE.kind, send_deletion, operation="delete"),
    _kind(UNDO.kind, send_undo, operation="undo"),
    _kind(CREATE, send_new, operation="create"),
)
