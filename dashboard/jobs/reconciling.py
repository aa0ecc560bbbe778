"""Looks in the service for rows of unknown outcome: a look settles what it proves, sends nothing;
each row has a page of its own, where its person decides.
"""

from django.db.models import QuerySet

from dashboard.core.sealed import sealed_text
from dashboard.jobs import row_results, turns
from dashboard.jobs.kinds import Turn
from dashboard.jobs.models import Job
from dashboard.schema.registry import RESOURCES
from dashboard.writes import verification
from dashboard.writes.models import Write

State, Resolution = Write.State, Write.Resolution
THERE = "Looked for: a record that is equal in every field is there."
NOT_THERE = "Looked for: it is not there."
NOT_CLEAR = "Looked for: not clear."


def open_rows(job: Job) -> QuerySet[Write]:
    """The rows of unknown outcome that nobody has settled."""
    unclear = job.rows.filter(state=State.NOT_SURE, resolution=Resolution.OPEN)
    return unclear.order_by("number")


def look(turn: Turn, row: Write) -> bool:
    """Look for the result of one write; False while it may still have a late effect. Raises
    GatewayError if the service cannot be asked.
    """
    if verification.next_reconciliation(row) is not None:
        return False
    if row.owner != turn.job.owner:  # the keys have been replaced since
        row_results.note(row, looked=NOT_CLEAR)
        return True
    seen = verification.verify(turn.ctx, RESOURCES[row.resource], row)
    if seen.problem and isinstance(seen.problem, (*turns.WAITS, *turns.ASKS)):
        raise seen.problem
    if row.resolution == Resolution.OPEN:
        row_results.note(row, looked=_in_words(row, seen))
    return True


def store_look(row: Write) -> None:
    """Store that a row was looked for, unless that has settled it."""
    if row.state == State.NOT_SURE:
        noted = {"job_row": sealed_text(row, "job_row")}
        Write.objects.filter(pk=row.pk).update(reviewed=True, **noted)


def _in_words(write: Write, seen: verification.Verification) -> str:
    if seen.problem or seen.gone or not seen.complete:
        return NOT_CLEAR
    creates = {"workspace": write.workspace, "resource": write.resource, "operation": "create"}
    ids = [each.record.id for each in seen.candidates]
    others = Write.objects.filter(**creates, state=State.SAVED, record_id__in=ids)
    made = set(others.values_list("record_id", flat=True))
    candidates = [each for each in seen.candidates if each.record.id not in made]
    if write.operation != "create" or not candidates:  # an update would be settled by now
        return NOT_THERE
    is_equal = any(each.same and not each.differing for each in candidates)
    return THERE if is_equal else NOT_CLEAR
