"""Results of a job's rows: requeues rows of dead workers, counts outcomes, and looks in the service
for unknown ones.

A check settles only what it proves and sends nothing; on the row's page its person decides.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.db.models import Count, Q, QuerySet

from dashboard.core.sealed import readable, sealed_text
from dashboard.gateway import GatewayError, OutcomeUnknown, errors
from dashboard.jobs import leases
from dashboard.jobs.kinds import Slice
from dashboard.jobs.models import Job
from dashboard.jobs.slices import ASKS, WAITS
from dashboard.reader.failures import in_words
from dashboard.reader.rejections import service_words
from dashboard.schema.registry import RESOURCES
from dashboard.writes import ledger, outcomes, retries, verification
from dashboard.writes.models import Write
from dashboard.writes.outcomes import stored_error
from dashboard.writes.reconciliation import Verification

State, Resolution = Write.State, Write.Resolution
READ = "read"  # counts what a job without rows has read
DONE = (State.SAVED, State.NOT_SAVED, State.SKIPPED, State.NOT_SURE, READ)
REPEATED = [
    each.__name__
    for each in vars(errors).values()
    if isinstance(each, type) and issubclass(each, (*WAITS, *ASKS))
]
NOT_TAKEN = Q.create([("error_summary__startswith", name) for name in REPEATED], connector=Q.OR)
NO_ANSWER = "Entry Desk stopped while sending this, so the outcome is unknown."


def counts(job: Job) -> Counter[str]:
    """Count the rows of a job by state. One query."""
    states = job.rows.values_list("state").order_by()
    return Counter(dict(states.annotate(number_of=Count("pk"))))


def store_counts(job: Job) -> None:
    """Store the counts if the job has rows and they have changed."""
    now = dict(counts(job))
    if now and now != job.counts:
        job.counts = now
        Job.objects.filter(pk=job.pk).update(counts=now)


def done(job: Job) -> int:
    """Return the number of finished rows, as last stored."""
    return sum(number for state, number in job.counts.items() if state in DONE)


def why(error: GatewayError, job: Job) -> str:
    resource = RESOURCES.get(job.resource)
    return in_words(error, resource.fields if resource else None)


def words_of(row: Write, job: Job, job_row: Mapping[str, Any]) -> str:
    """Return why a row was not saved or is not sure. `job_row`: decrypted."""
    if row.sent_at is None or "words" in job_row:
        return str(job_row.get("words", ""))
    if row.state == State.NOT_SAVED:
        return why(stored_error(row), job)
    if row.state == State.NOT_SURE:
        return why(OutcomeUnknown(), job) if sealed_text(row, "answer") else NO_ANSWER
    return ""


def service_words_of(row: Write) -> list[str]:
    is_answered = row.state == State.NOT_SAVED and row.sent_at is not None
    return service_words(stored_error(row)) if is_answered else []


def update_row(row: Write, **noted: Any) -> None:
    """Add to the `job_row` of a row; stores nothing."""
    row.job_row = {**readable(row, "job_row"), **noted}


def finish_unsent(row: Write, state: str, words: str, record_id: int | None = None) -> None:
    """End a row that was not sent, or whose record was gone when it was."""
    if row.sent_at:
        row = retries.next_attempt(row, state=State.SENDING)
        row.save(force_insert=True)
    update_row(row, words=words)
    taken = Write.objects.filter(pk=row.pk, state=State.SENDING, sent_at__isnull=True)
    taken.update(state=state, record_id=record_id, job_row=sealed_text(row, "job_row"))


def requeue(job: Job) -> None:
    """Requeue rows that were taken and not sent, and add attempts for those that the service could
    not take; cancel them for a stopped job. Call it while nobody sends.
    """
    ledger.end_lost()
    is_stopped = Job.objects.filter(pk=job.pk, state=Job.State.STOPPED).exists()
    state = State.CANCELLED if is_stopped else State.WAITING
    job.rows.filter(state=State.SENDING, sent_at__isnull=True).update(state=state)
    refused = job.rows.filter(NOT_TAKEN, state=State.NOT_SAVED, sent_at__isnull=False)
    retries.retry(refused, state=state)
    store_counts(job)


@transaction.atomic
def requeue_idle(job: int) -> bool:
    """Requeue the rows of a paused or finished job. Return True if none is still SENDING.

    False, too, during its last slice, whose worker may still be sending.
    """
    resting = leases.lock_idle(job)
    if resting is None:
        return False
    requeue(resting)
    return not resting.rows.filter(state=State.SENDING).exists()


def unresolved_rows(job: Job) -> QuerySet[Write]:
    return job.rows.filter(Write.UNCLEAR).order_by("number")


def verify(job_slice: Slice, row: Write) -> bool:
    """Check the result of a write. Return False while it may still have a late effect. Raises
    GatewayError if the service cannot be asked.
    """
    if verification.next_reconciliation(row) is not None:
        return False
    if row.owner != job_slice.job.owner:  # the keys have been replaced since
        update_row(row, looked="")
        return True
    check = verification.verify(job_slice.ctx, RESOURCES[row.resource], row)
    if check.problem and isinstance(check.problem, (*WAITS, *ASKS)):
        raise check.problem
    if check.saved_id:
        ledger.resolve_write(row, Resolution.FOUND, check.saved_id)
    if row.resolution == Resolution.OPEN:
        found = outcomes.found_in_words(row, _without_created(row, check))
        update_row(row, looked=f"Checked: {found}.")
    return True


def store_verification(row: Write) -> None:
    if row.state == State.NOT_SURE:
        noted = {"job_row": sealed_text(row, "job_row")}
        Write.objects.filter(pk=row.pk).update(reviewed=True, **noted)


def _without_created(write: Write, check: Verification) -> Verification:
    """Leave out the candidates that other creates have made."""
    if write.operation != "create":
        return check
    creates = {"workspace": write.workspace, "resource": write.resource, "operation": "create"}
    ids = [each.record.id for each in check.candidates]
    others = Write.objects.filter(**creates, state=State.SAVED, record_id__in=ids)
    made = set(others.values_list("record_id", flat=True))
    candidates = [each for each in check.candidates if each.record.id not in made]
    return replace(check, candidates=candidates)
