"""Sets the state of a sent deletion by the outcome that the outbox has stored."""

from dashboard.drafts import pending_deletions
from dashboard.drafts.models import Deletion
from dashboard.gateway import Missing
from dashboard.outbox import locks
from dashboard.outbox.models import Submission
from dashboard.records.pages.failures import summary
from dashboard.records.writes.stored_outcomes import stored_error
from dashboard.sealed import readable

State = Deletion.State
INTERRUPTED = "Sending it was interrupted before anything was sent."


def update_from_outbox(deletion: Deletion) -> None:
    """Set the state of a sent deletion by the outcome in the outbox."""
    if deletion.state != State.SENT:
        return
    last = submission_of(deletion)
    if last is None:
        _reschedule_unless_under_way(deletion)
    elif _was_deleted(last):
        pending_deletions.mark_done(deletion, deletion.token)
    elif last.state == Submission.State.NOT_SAVED:
        why = summary(stored_error(last))
        pending_deletions.reschedule(deletion, deletion.token, why)
    elif last.settled:
        pending_deletions.abandon(deletion)
    deletion.refresh_from_db()


def submission_of(deletion: Deletion) -> Submission | None:
    """The latest write of a deletion; None while the record is read before it."""
    sent = Submission.objects.filter(person=deletion.person_id, token__startswith=deletion.token)
    return sent.order_by("-pk").first()


def is_unsure(deletion: Deletion) -> bool:
    """Whether it was sent and nobody can tell the outcome."""
    last = submission_of(deletion) if deletion.state == State.SENT else None
    return bool(last and last.state == Submission.State.NOT_SURE)


def _reschedule_unless_under_way(deletion: Deletion) -> None:
    """Whoever marked it as sent is between its lock and the outbox, or has died there. A lock that
    can be taken shows the latter: without its own nobody sends anything any more.
    """
    try:
        with locks.record_lock(f"{deletion.resource}/{deletion.record_id}", ""):
            if submission_of(deletion) is None:
                pending_deletions.reschedule(deletion, deletion.token, INTERRUPTED)
    except locks.Locked:
        return


def _was_deleted(sent: Submission) -> bool:
    """Whether the outbox shows that the record is gone; a missing record counts as gone."""
    error = readable(sent, "answer").get("error", "")
    saved = sent.state == Submission.State.SAVED or sent.settled == Submission.Settled.FOUND
    return saved or error == Missing.__name__
