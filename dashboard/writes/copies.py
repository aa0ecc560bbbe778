"""Keeps the copy of a deleted record, from the row of its deletion in the outbox alone.

The row holds the copy before anything is sent, so that a deletion has one however it was asked for
and whenever its outcome is known.
"""

from dashboard import progress, sealed
from dashboard.drafts import pending_deletions
from dashboard.gateway import Missing
from dashboard.outbox import services as outbox
from dashboard.outbox.models import Submission


def keeping(submission: Submission, state: str, error: object) -> list[progress.Work]:
    """The step that keeps the copy of what a write has deleted, if it was one; a missing record
    counts as deleted.
    """
    is_gone = state == Submission.State.SAVED or error == Missing.__name__
    return [(keep, {"pk": submission.pk})] if is_gone and submission.operation == "delete" else []


def token_of(token: str) -> str:
    """The token of the copy of what the write with this token deletes: that of the first write, if
    it was sent again.
    """
    return token.partition("+")[0]


def keep(*, pk: int) -> None:
    """Keep the copy of what this write has deleted; a deletion that counted down has its own."""
    write = Submission.objects.select_related("person").filter(pk=pk).first()
    token = token_of(write.token) if write else ""
    if write is None or pending_deletions.is_known(token):
        return
    try:
        content = outbox.content_of(write)
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
