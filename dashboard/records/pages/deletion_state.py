"""Sets the state of a sent deletion by the outcome that the outbox has stored."""

from dashboard import cipher
from dashboard.drafts import pending_deletions
from dashboard.drafts.models import Deletion
from dashboard.gateway import Missing
from dashboard.outbox import services as outbox
from dashboard.outbox.models import Submission

State = Deletion.State


def update_from_outbox(deletion: Deletion) -> None:
    """Set the state of a sent deletion by the outcome in the outbox."""
    if deletion.state != State.SENT:
        return
    sent = Submission.objects.filter(person=deletion.person_id, token__startswith=deletion.token)
    last = sent.order_by("-pk").first()
    if last and _was_deleted(last):
        pending_deletions.mark_done(deletion, deletion.token)
    elif last is None or last.state == Submission.State.NOT_SAVED:
        pending_deletions.reschedule(deletion, deletion.token)
    elif last.settled:
        pending_deletions.abandon(deletion)
    deletion.refresh_from_db()


def _was_deleted(sent: Submission) -> bool:
    """Whether the outbox shows that the record is gone; a missing record counts as gone."""
    try:
        error = outbox.answer_of(sent).get("error", "")
    except cipher.Unreadable:
        error = ""
    saved = sent.state == Submission.State.SAVED or sent.settled == Submission.Settled.FOUND
    return saved or error == Missing.__name__
