"""Undoes an import: proposes to delete what it has created, unless that was changed since."""

from typing import Any

from dashboard import resources
from dashboard.bulk import proposals
from dashboard.bulk.kinds import DELETE
from dashboard.imports.document_columns import first_status, is_document
from dashboard.jobs import content
from dashboard.jobs.models import Job, JobRow
from dashboard.records.context import RequestContext
from dashboard.records.writes import reconciliation


def propose_undo(ctx: RequestContext, done: Job) -> Job | None:
    """A proposed job that deletes the records of an import; None if it has created none.

    A record that no longer holds what was sent will be skipped. Of an import that has only changed
    records, and where the service cannot delete, the proposed job gives old values back.
    """
    saved, resource = proposals.saved_rows(done), resources.BY_NAME[done.resource]
    rows = [found for row in saved if (found := _deletion(row))]
    if not rows or not ctx.gateway.offers(resource.endpoint, "delete"):
        return proposals.propose_undo(ctx, done)
    title = f"Delete {proposals.counted(resource, len(rows))} of an import"
    return proposals.store(ctx, DELETE, resource.name, rows, {"of": resource.name}, title)


def _deletion(row: JobRow) -> dict[str, Any] | None:
    """The content of the row that deletes what one has created; None if it has changed a record."""
    person = row.job.person_id
    if row.record_id is None or content.readable(row.result, person).get("before"):
        return None
    sent, resource = content.readable(row.content, person), resources.BY_NAME[row.job.resource]
    body = sent.get("body", {})
    lines = body.get("items", []) if is_document(resource) else []
    seen = {name: reconciliation.as_text(value) for name, value in body.items() if value != lines}
    return {
        "of": resource.name,
        "id": row.record_id,
        "label": sent["label"],
        "seen": {**seen, **first_status(resource)} if lines else seen,
        "lines": lines,
    }
