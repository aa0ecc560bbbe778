"""Turns a selection into a proposed job, and previews it."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import transaction

from dashboard.core.sealed import readable
from dashboard.gateway import Missing, Record, Unreadable
from dashboard.jobs import bulk_rows, services
from dashboard.jobs.bulk_selection import content_of
from dashboard.jobs.models import Job
from dashboard.lists.bulk_actions import CHANGE, DELETE, UNDO
from dashboard.people.context import RequestContext
from dashboard.schema import bulk_form
from dashboard.schema.record_form import RecordForm
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import BulkAction, Resource
from dashboard.writes import reconciliation
from dashboard.writes.models import Write

Change = tuple[str, str, str]  # what, was, will be
UNDOING = (CHANGE.kind, DELETE.kind, UNDO.kind)
NOT_READABLE = "cannot be read"


def propose(
    ctx: RequestContext,
    action: BulkAction,
    resource: Resource,
    records: Iterable[Record],
    params: Mapping[str, Any],
) -> Job:
    rows = [content_of(resource, record) for record in records]
    return services.create(
        ctx,
        kind=action.kind,
        title=f"{action.verb} {resource.counted(len(rows))}",
        resource=action.writes or resource.name,
        params={**params, "of": resource.name},
        rows=rows,
        proposed=True,
    )


def propose_undo(ctx: RequestContext, done: Job) -> Job | None:
    """Return a proposed job that restores the known old values of a bulk change; None without any.
    A record that has changed since will be skipped.
    """
    resource = RESOURCES[done.resource]
    rows = [row for row in map(old_values, saved_rows(done)) if row]
    title = f"Undo the change of {resource.counted(len(rows))}"
    return store_undo(ctx, CHANGE.kind, done, rows, title)


@transaction.atomic
def store_undo(
    ctx: RequestContext,
    kind: str,
    done: Job,
    rows: list[dict[str, Any]],
    title: str,
) -> Job | None:
    """Store a proposed job that undoes another one, or return the unfinished one. None without
    rows.
    """
    Job.objects.select_for_update().get(pk=done.pk)  # not twice at the same time
    later = Job.objects.filter(person=done.person_id, kind__in=UNDOING, pk__gt=done.pk)
    for job in later.exclude(state__in=(Job.State.STOPPED, Job.State.FINISHED)):
        if readable(job, "params").get("undoes") == done.pk:
            return job
    if not rows:
        return None
    params, resource = {"of": done.resource, "undoes": done.pk}, done.resource
    return services.create(
        ctx, kind=kind, title=title, resource=resource, params=params, rows=rows, proposed=True
    )


def saved_rows(job: Job) -> list[Write]:
    return list(job.rows.filter(state=Write.State.SAVED).order_by("number"))


def example(ctx: RequestContext, job: Job, params: Mapping[str, Any]) -> list[Change]:
    """Return the changes of the first record. Raises GatewayError, or Skipped."""
    resource = RESOURCES[str(params["of"])]
    row = first_content(job)
    if job.kind != CHANGE.kind:
        return []
    texts = (row["label"],)
    fresh = resource.read(ctx.gateway, row["id"], fresh=True, texts=texts)
    changes = bulk_rows.changes_for(resource, fresh, row, params)
    form = resource.edit_form(ctx=ctx)
    return [_as_change(form, fresh, name, value) for name, value in changes.items()]


def first_content(job: Job) -> dict[str, Any]:
    """Return the content of the first row. Raises Missing without rows."""
    row = job.rows.order_by("number").first()
    if row is None:
        raise Missing
    content: dict[str, Any] = row.job_row["sends"]
    return content


def _as_change(form: RecordForm, fresh: Record, name: str, value: Any) -> Change:
    held = fresh.get(name)
    label, new = bulk_form.described(form, name, value)
    old = NOT_READABLE if isinstance(held, Unreadable) else bulk_form.described(form, name, held)[1]
    return label, old, new


def old_values(row: Write) -> dict[str, Any] | None:
    """Return the content of the row that undoes one; None if the old values are not known."""
    job_row = readable(row, "job_row")
    before, after = job_row.get("before"), job_row.get("after")
    if not before or not after or row.record_id is None:
        return None
    label = row.sends.get("label", "")
    seen = {name: reconciliation.as_text(after[name]) for name in before}
    return {"of": row.resource, "id": row.record_id, "label": label, "seen": seen, "set": before}
