"""Undoes an import: proposes to delete the records that it created and to restore the old values of
those that it updated, unless these were changed since. Contacts that were created for its rows stay
and are listed.
"""

from typing import Any

from dashboard.core.sealed import readable
from dashboard.documents.cells import OPEN
from dashboard.gateway import Gateway
from dashboard.imports.targets import is_document
from dashboard.jobs import bulk_proposals
from dashboard.jobs.models import Job
from dashboard.lists.bulk_actions import DELETE, UNDO
from dashboard.people.context import RequestContext
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource
from dashboard.writes import reconciliation
from dashboard.writes.models import Write


def propose_undo(ctx: RequestContext, done: Job) -> Job | None:
    """Return a proposed job that undoes an import; None if it has nothing to undo.

    A record that no longer has the sent values will be skipped. If the service cannot delete, the
    proposed job only restores old values.
    """
    saved, resource = bulk_proposals.saved_rows(done), RESOURCES[done.resource]
    deletions = [found for row in saved if (found := _deletion(row))]
    if not deletions or not ctx.gateway.supports(resource.endpoint, "delete"):
        return bulk_proposals.propose_undo(ctx, done)
    changes = [found for row in saved if (found := bulk_proposals.old_values(row))]
    title = f"Delete {resource.counted(len(deletions))} of an import"
    if changes:
        title += f", undo {len(changes):,} change{'s' if len(changes) > 1 else ''}"
    kind = UNDO.kind if changes else DELETE.kind
    return bulk_proposals.store_undo(ctx, kind, done, [*deletions, *changes], title)


def can_undo(done: Job, gateway: Gateway) -> bool:
    """Return whether the import may have saved something that can be undone: the service deletes
    such records, or the import may have updated some.
    """
    params = readable(done, "params")
    deletes = gateway.supports(RESOURCES[done.resource].endpoint, "delete")
    return deletes or bool(params.get("update"))


def _deletion(row: Write) -> dict[str, Any] | None:
    if row.record_id is None or row.operation != "create":
        return None
    sent, resource = row.sends, RESOURCES[row.resource]
    body = sent.get("body", {})
    lines = body.get("items", []) if is_document(resource) else []
    seen = {name: reconciliation.as_text(value) for name, value in body.items() if value != lines}
    return {
        "of": resource.name,
        "id": row.record_id,
        "label": sent["label"],
        "seen": {**seen, **_first_status(resource)} if lines else seen,
        "lines": lines,
    }


def _first_status(resource: Resource) -> dict[str, str]:
    names = (field.name for field in resource.endpoint.fields if field.name.endswith("_status"))
    return dict.fromkeys(names, str(OPEN))
