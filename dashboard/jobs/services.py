"""Creates jobs, and pauses, resumes, stops and repeats them for their person; the tasks of the
worker processes (`manage.py db_worker`) that carry them out.

Each job brings a task `run_slice`, which runs a slice of whichever job is next, so that there are
as many as are needed. It says which slice of its own job is due, and ends once that was taken. A
worker that is killed loses its task, which the queue never runs again. Therefore each slice also
enqueues a task for the time when its lease ends. If the job was paused or stopped in that slice,
this one requeues the rows that a dead worker has left.
"""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from functools import partial
from typing import Any, cast

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from django_tasks import task

from dashboard.core import retention
from dashboard.jobs import leases, row_results, slices
from dashboard.jobs.leases import RUNNABLE
from dashboard.jobs.models import FREE, MAX_CONCURRENT_CALLS, Job
from dashboard.people.context import RequestContext
from dashboard.people.keys import owner_of
from dashboard.people.models import User
from dashboard.writes import ledger, retries
from dashboard.writes.models import Write

State, Row = Job.State, Write.State
BATCH_SIZE = 500  # rows of one statement
# The queue's clock is the worker's, that of leases the database's.
CLOCK_GRACE = timedelta(seconds=1)
RETRY_DELAY = timedelta(seconds=5)
LOW = -10  # single writes of other tasks come first


@sensitive_variables()
@transaction.atomic
def create(
    ctx: RequestContext,
    *,
    kind: str,
    title: str,
    resource: str = "",
    params: Mapping[str, Any] | None = None,
    rows: Iterable[Mapping[str, Any]] = (),
    total: int = 0,
    proposed: bool = False,
) -> Job:
    """Store a job and enqueue its first slice; a `proposed` one waits for `start`.

    kind: the name of a JobKind. resource: of the records written. title: without names of records,
    as administrators see it. rows: their contents; "label" names the row, "of" and "id" its record.
    total: of a job without rows. Raises django.db.Error.
    """
    person, owner, workspace = cast(User, ctx.person), owner_of(ctx.gateway), ctx.workspace
    job = Job.objects.create(
        person=person, owner=owner, workspace=workspace, kind=kind, title=title, resource=resource,
        total=total, state=State.PROPOSED if proposed else State.WAITING,
    )  # fmt: skip
    job.params = dict(params or {})
    job.save(update_fields=["params"])
    stored_rows = []
    for number, values in enumerate(rows, start=1):
        row = Write(
            job=job.pk, number=number, token=ledger.new_token(), state=Row.WAITING,
            person=person, owner=owner, workspace=workspace, resource=resource,
        )  # fmt: skip
        row.job_row = {"sends": dict(values)}
        stored_rows.append(row)
    Write.objects.bulk_create(stored_rows, batch_size=BATCH_SIZE)
    if stored_rows:
        Job.objects.filter(pk=job.pk).update(total=len(stored_rows))
        row_results.store_counts(job)
    if not proposed:
        _begin(job)
    return job


@transaction.atomic
def start_job(job: Job) -> bool:
    """Start a proposed job. Return False if it was started or discarded before."""
    proposed = Job.objects.filter(pk=job.pk, state=State.PROPOSED)
    if not proposed.update(state=State.WAITING, created_at=Now()):
        return False
    _begin(job)
    return True


@transaction.atomic
def discard(job: Job) -> None:
    rows = job.rows
    if Job.objects.filter(pk=job.pk, state=State.PROPOSED).delete()[0]:
        rows.delete()


def release_rows() -> int:
    """Release the rows of deleted jobs; sent ones stay as history. Return their number."""
    jobless = Write.objects.filter(job__isnull=False).exclude(job__in=Job.objects.values("pk"))
    unsent = retention.delete(jobless.filter(sent_at__isnull=True))
    return unsent + jobless.filter(number__isnull=False).update(number=None, job_row="")


def pause(job: Job) -> bool:
    """Pause a job after the calls in flight. Return False if it has ended."""
    active = Job.objects.filter(pk=job.pk, state__in=RUNNABLE)
    return bool(active.update(state=State.PAUSED, reason="Paused manually."))


@transaction.atomic
def resume(job: Job, owner: str) -> bool:
    """Continue a paused job with the keys of `owner`. Return False if it is not paused."""
    paused = Job.objects.filter(pk=job.pk, state=State.PAUSED)
    return _restart(job, paused, owner)


@transaction.atomic
def stop(job: Job) -> bool:
    """End a job after the calls in flight. Return False if it has ended."""
    active = Job.objects.filter(pk=job.pk, state__in=(*RUNNABLE, State.PAUSED))
    if not active.update(state=State.STOPPED, reason="", finished_at=Now()):
        return False
    job.rows.filter(state=Row.WAITING).update(state=Row.CANCELLED)
    row_results.store_counts(job)
    return True


@transaction.atomic
def repeat_refused(job: Job, owner: str) -> int:
    """Add new attempts for the rejected rows of an ended job, and return their number.

    Rows that were cancelled when it stopped are not sent.
    """
    refused = job.rows.filter(state=Row.NOT_SAVED)
    if not _begin_again(job, owner, refused):
        return 0
    again = list(refused.order_by("number"))
    retries.retry(again)
    row_results.store_counts(job)
    return len(again)


@transaction.atomic
def check_again(job: Job, owner: str) -> int:
    """Check the unresolved rows of an ended job again, and return their number."""
    rows = row_results.unresolved_rows(job)
    return rows.update(reviewed=False) if _begin_again(job, owner, rows) else 0


def titles(numbers: Iterable[int]) -> dict[int, str]:
    return dict(Job.objects.filter(pk__in=numbers).values_list("pk", "title"))


def _begin_again(job: Job, owner: str, rows: QuerySet[Write]) -> bool:
    """Let an ended job wait for its next slice, if there are rows and it has no lease."""
    ended = Job.objects.filter(FREE, pk=job.pk, state__in=leases.ENDED)
    resting = leases.lock_idle(job.pk)
    if resting and rows.exists():
        row_results.requeue(resting)
    return rows.exists() and _restart(job, ended, owner)


def _restart(job: Job, allowed: QuerySet[Job], owner: str) -> bool:
    waits = {"state": State.WAITING, "reason": "", "not_before": Now(), "failures": 0}
    again = {"owner": owner, "at_once": MAX_CONCURRENT_CALLS, "finished_at": None}
    if not allowed.update(**waits, **again):
        return False
    job.refresh_from_db()
    _begin(job)
    return True


def _begin(job: Job) -> None:
    enqueue(job)
    enqueue(job, RETRY_DELAY)


@task(priority=LOW)
def run_slice(job: int, number: int) -> None:
    """Run a slice of the longest waiting job if the one after `number` of `job` is due; requeue the
    rows of an idle job.
    """
    wait = leases.seconds_until_due(job, number)
    if wait is None or (wait <= 0 and row_results.requeue_idle(job)):
        return
    own = Job(pk=job, slices=number)
    taken = leases.acquire(partial(_follow, own)) if wait <= 0 else None
    if taken is None:
        enqueue(own, max(RETRY_DELAY, timedelta(seconds=wait)))
        return
    if ending := slices.run(taken):
        with transaction.atomic():
            leases.release(taken, ending)
            enqueue(taken, ending.delay)


def _follow(own: Job, taken: Job) -> None:
    """Make sure that the taken job goes on if its worker dies, and the task's own job, too."""
    enqueue(taken, leases.lease())
    if taken != own:
        enqueue(own)


def enqueue(job: Job, delay: timedelta = timedelta()) -> None:
    after = timezone.now() + delay + CLOCK_GRACE if delay else None
    run_slice.using(run_after=after).enqueue(job.pk, job.slices)
