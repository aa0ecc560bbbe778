"""Undoes an import: proposes to delete what it has created and to give what it has changed its old
values back, unless that was changed since; then to delete the contacts that were created for its
rows, unless something else hangs on them.
"""

from typing import Any

from dashboard import resources
from dashboard.bulk import needed_contacts, proposals
from dashboard.bulk.unneeded_contacts import CREATED
from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.gateway import Gateway
from dashboard.imports.document_columns import first_status, is_document
from dashboard.jobs import row_results
from dashboard.jobs.models import Job
from dashboard.ledger import services as ledger
from dashboard.ledger.models import Write
from dashboard.lists.bulk_actions import DELETE, UNDO
from dashboard.sealed import readable
from dashboard.writes import reconciliation


def propose_undo(ctx: RequestContext, done: Job) -> Job | None:
    """A proposed job that undoes an import; None if there is nothing that it could undo.

    A record that no longer holds what was sent will be skipped. Where the service cannot delete,
    the proposed job only gives old values back.
    """
    saved, resource = proposals.saved_rows(done), resources.BY_NAME[done.resource]
    created = [
        {"id": write.record_id, "label": ledger.label_of(write)}
        for write in needed_contacts.created_by(done)
        if write.record_id
    ]
    deletions = [found for row in saved if (found := _deletion(row))]
    deletes = bool(deletions) and ctx.gateway.offers(resource.endpoint, "delete")
    if not (deletes or created):
        return proposals.propose_undo(ctx, done)
    changes = [found for row in saved if (found := proposals.old_values(row))]
    rows = [*(deletions if deletes else ()), *changes]
    title = _title(resource, len(deletions) if deletes else 0, len(changes))
    if deletes and not (changes or created):
        return proposals.store_undo(ctx, DELETE.kind, done, rows, title)
    return proposals.store_undo(ctx, UNDO.kind, done, rows, title, {CREATED: created})


def _title(resource: Resource, deletions: int, changes: int) -> str:
    """What an undo does, such as "Delete 2 deals of an import, undo 1 change"."""
    changed = f"undo {changes:,} change{'s' if changes > 1 else ''}" if changes else ""
    if not deletions:
        return f"{changed.capitalize()} of an import"
    deleted = f"Delete {resource.counted(deletions)} of an import"
    return ", ".join(filter(None, (deleted, changed)))


def can_undo(done: Job, gateway: Gateway) -> bool:
    """Whether the import may have saved something that can be undone: the service deletes such
    records, or the import may have changed some.
    """
    params = readable(done, "params")
    deletes = gateway.offers(resources.BY_NAME[done.resource].endpoint, "delete")
    return deletes or bool(params.get("update"))


def _deletion(row: Write) -> dict[str, Any] | None:
    """The content of the row that deletes what one has created; None if it has changed a record."""
    if row.record_id is None or row.operation != "create":
        return None
    sent, resource = row_results.sends(row), resources.BY_NAME[row.resource]
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
