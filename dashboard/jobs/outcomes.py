"""What became of the rows of a job, as far as the ledger knows."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import Count

from dashboard.gateway import GatewayError, OutcomeUnknown
from dashboard.jobs import leases
from dashboard.jobs.kinds import resource_of
from dashboard.jobs.models import Job, JobRow
from dashboard.jobs.turns import ASKS, WAITS
from dashboard.ledger import looks, repetitions
from dashboard.ledger import services as ledger
from dashboard.ledger.models import Write
from dashboard.writes import stored_outcomes
from dashboard.writes.failures import in_words

State, Resolution = JobRow.State, Write.Resolution
READ = "read"  # counts what a job without rows has read
DONE = (State.SAVED, State.NOT_SAVED, State.SKIPPED, State.NOT_SURE, READ)
NO_ANSWER = "The dashboard stopped while it was sent, so no answer is known."


def counts(job: Job) -> Counter[str]:
    """How many rows of a job are in which state. One query."""
    found = JobRow.objects.filter(job=job).values_list("state").order_by()
    return Counter(dict(found.annotate(number=Count("pk"))))


def store_counts(job: Job) -> None:
    """Store how many rows are in which state."""
    job.counts = dict(counts(job))
    Job.objects.filter(pk=job.pk).update(counts=job.counts)


def done(job: Job) -> int:
    """How many rows of a job are done, as it was stored last."""
    return sum(number for state, number in job.counts.items() if state in DONE)


def set_result(
    row: JobRow,
    state: str,
    words: str = "",
    record_id: int | None = None,
    values: Mapping[str, Any] | None = None,
) -> None:
    """Set what became of a row, in words and with the `values` before and after; stores nothing."""
    row.state, row.record_id = state, row.record_id or record_id
    row.result = {"words": words, **(values or {})} if words or values else None


def why(error: GatewayError, job: Job) -> str:
    """An error of a row in words, with the labels of the forms of what the job writes."""
    resource = resource_of(job)
    return in_words(error, resource.fields if resource else None)


def settle_sending(job: Job) -> None:
    """Settle the rows that a worker has left as Sending. Called while nobody sends."""
    rows = list(job.rows.filter(state=State.SENDING))
    if rows:
        ledger.mark_lost()
        _settle_all(rows, job)


@transaction.atomic
def settle_resting(job: int) -> bool:
    """Settle what was left as Sending of a job that is paused or has ended; whether none is left.

    False, too, while its last turn lasts, whose worker may still be sending.
    """
    resting = leases.hold_resting(job)
    if resting is None:
        return False
    settle_sending(resting)
    return not resting.rows.filter(state=State.SENDING).exists()


def settle_not_sure(job: Job) -> None:
    """Settle the rows whose write a person has settled meanwhile on its Not sure page."""
    unclear = Write.objects.filter(state=Write.State.NOT_SURE, resolution=Resolution.OPEN)
    rows = job.rows.filter(state=State.NOT_SURE)
    _settle_all(list(rows.exclude(token__in=unclear.values("token"))), job)


def settle(row: JobRow, job: Job) -> None:
    """Set what the ledger says of a row; one that was never sent waits, under the same token."""
    first = ledger.find_by_token(row.token, job.person)
    if first is None:
        row.state = State.WAITING
        return
    last = repetitions.sent_again(first) if first.resolution == Resolution.SENT_AGAIN else None
    _settle_from(last or first, row, job)


def next_token(row: JobRow, job: Job) -> str:
    """The token for a row whose write was refused under its own; "" for a new one."""
    first = repetitions.first_of(row.token, job.person)
    return repetitions.retry_token(first) if first else ""


def end_repetition(row: JobRow, job: Job) -> None:
    """Settle the first write of a row that was sent again. If the repetition was refused or
    skipped, the row is as not sure as before.
    """
    first = repetitions.first_of(row.token, job.person) if "+" in row.token else None
    if first and row.state in (State.SAVED, State.NOT_SURE):
        looks.settle_as_sent_again(pk=first.pk)
    elif first and row.state in (State.NOT_SAVED, State.SKIPPED):
        if row.state == State.SKIPPED:
            row.found = JobRow.Found.UNCLEAR
        row.state, row.token = State.NOT_SURE, first.token


def _settle_all(rows: list[JobRow], job: Job) -> None:
    for row in rows:
        settle(row, job)
        end_repetition(row, job)
    JobRow.objects.bulk_update(rows, ["state", "token", "record_id", "result", "found"])
    if rows:
        store_counts(job)


def _settle_from(write: Write, row: JobRow, job: Job) -> None:
    if write.state == write.State.SAVED or write.resolution == Resolution.FOUND:
        set_result(row, State.SAVED, record_id=write.record_id)
    elif write.state == write.State.NOT_SURE and row.state != State.NOT_SURE:
        set_result(row, State.NOT_SURE, NO_ANSWER)
    elif write.state == write.State.NOT_SAVED:
        _set_refused(write, row, job)


def _set_refused(write: Write, row: JobRow, job: Job) -> None:
    """A write that another turn may carry out waits, under a new token."""
    error = stored_outcomes.stored_error(write)
    if isinstance(error, OutcomeUnknown):
        set_result(row, State.NOT_SURE, why(error, job))
    elif isinstance(error, (*WAITS, *ASKS)) and row.state == State.SENDING:
        row.state, row.token = State.WAITING, next_token(row, job)
    else:
        set_result(row, State.NOT_SAVED, why(error, job))
