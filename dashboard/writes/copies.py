"""Keeps the copy of a deleted record, from the row of its deletion in the ledger alone.

The row holds the copy before anything is sent, so that a deletion has one however it was asked for
and whenever its outcome is known.
"""

from dashboard import progress, sealed
from dashboard.drafts import pending_deletions
from dashboard.gateway import Missing
from dashboard.ledger import services as ledger
from dashboard.ledger.models import Write


def keeping(write: Write, state: str, error: object) -> list[progress.Work]:
    """The step that keeps the copy of what a write has deleted, if it was one; a missing record
    counts as deleted.
    """
    is_gone = state == Write.State.SAVED or error == Missing.__name__
    return [(keep, {"pk": write.pk})] if is_gone and write.operation == "delete" else []


def token_of(token: str) -> str:
    """The token of the copy of what the write with this token deletes: that of the first write, if
    it was sent again.
    """
    return token.partition("+")[0]


def keep(*, pk: int) -> None:
    """Keep the copy of what this write has deleted; a deletion that counted down has its own."""
    write = Write.objects.select_related("person").filter(pk=pk).first()
    token = token_of(write.token) if write else ""
    if write is None or pending_deletions.is_known(token):
        return
    try:
        content = ledger.content_of(write)
    except sealed.Unreadable:
        return
    if content.copy:
        pending_deletions.store_copy(
            person=write.person,
            owner=write.owner,
            workspace=write.workspace,
            resource=write.resource,
            record_id=write.record_id or 0,
            token=token,
            copy=pending_deletions.Copy(content.label, content.copy),
        )
