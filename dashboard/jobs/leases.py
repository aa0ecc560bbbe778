"""Leases: which job runs its next slice, until when, and how the slice ends.

A slice is a lease on the job's row: a worker holds it until it releases it or, if the worker has
died, until `lease_until` has passed by the database's clock. The next slice goes to the person
whose last one is longest ago, and there to the job that waits longest, so that a long job of one
person does not delay a short one of another. A key pair has one slice at a time: `Job.active_key`
is unique.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import F, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now

from dashboard.jobs.models import FREE, Job
from dashboard.writes import ledger

State = Job.State
RUNNABLE = (State.WAITING, State.RUNNING)
ENDED = (State.STOPPED, State.FINISHED)
LEASE_GRACE = timedelta(seconds=20)  # of a lease, for the time of the slice and a busy machine
WORKER_TIMEOUT = timedelta(minutes=1)  # without a slice of any job, until the page says so


class LeaseLost(Exception):  # noqa: N818 (what it is, without Error)
    """The lease has ended and another worker has the job. Nothing more may be sent."""


@dataclass(frozen=True)
class Ending:
    """How a slice ends. `delay`: until the next one. `reason`: why the job pauses."""

    state: str = State.RUNNING
    reason: str = ""
    delay: timedelta = timedelta()
    failures: int = 0


def lease() -> timedelta:
    """Return the length of a lease. A dead worker's write counts as lost before its lease ends."""
    return ledger.longest_call() + LEASE_GRACE


def acquire(follow: Callable[[Job], None]) -> Job | None:
    """Start the next slice of a job; None if no job may have one now.

    `follow` is called in the same transaction; it makes sure that the job goes on if this worker
    dies.
    """
    candidate = _runnable().values_list("pk", "slices").first()
    if candidate is None:
        return None
    try:
        with transaction.atomic():
            job = _acquire(*candidate)
            if job:
                follow(job)
            return job
    except IntegrityError:  # another job of the key pair has begun a slice at this moment
        return None


def renew(job: Job) -> None:
    """Extend the lease to its full length. Raises LeaseLost if another worker has the job."""
    own_slice = Job.objects.filter(pk=job.pk, slices=job.slices, lease_until__isnull=False)
    try:
        with transaction.atomic():
            renewed = own_slice.update(lease_until=Now() + lease(), active_key=F("owner"))
    except IntegrityError:
        raise LeaseLost from None
    if not renewed:
        raise LeaseLost


def release(job: Job, ending: Ending) -> None:
    """End the slice. A job that was paused or stopped meanwhile stays so."""
    own_slice = Job.objects.filter(pk=job.pk, slices=job.slices)
    own_slice.filter(state=State.RUNNING).update(
        state=ending.state,
        reason=ending.reason,
        finished_at=Now() if ending.state == State.FINISHED else None,
    )
    own_slice.update(
        lease_until=None,
        active_key=None,
        not_before=Now() + ending.delay if ending.delay else None,
        failures=ending.failures,
    )


def seconds_until_due(job: int, number: int) -> float | None:
    """Return the seconds until the slice after this `number` is due, at most 0 if it is; of a
    paused or stopped job until its last slice is over.

    None after a later slice, or if the job has finished.
    """
    unfinished = Job.objects.filter(pk=job, slices=number).exclude(state=State.FINISHED)
    times = unfinished.values_list("lease_until", "not_before", Now()).first()
    if times is None:
        return None
    lease_until, not_before, now = times
    waits = [(end - now).total_seconds() for end in (lease_until, not_before) if end]
    return max(waits, default=0.0)


def lock_idle(job: int) -> Job | None:
    """Lock a paused or finished job without a lease until the transaction ends; else None."""
    resting = Job.objects.select_for_update(of=("self",)).filter(FREE, pk=job)
    return resting.exclude(state__in=RUNNABLE).select_related("person").first()


def lacks_worker(job: Job) -> bool:
    """Return True if the job has been due for WORKER_TIMEOUT without a slice of any job."""
    if job.state not in RUNNABLE:
        return False
    names = ("lease_until", "not_before", "last_slice_at", "created_at")
    moments = Job.objects.filter(pk=job.pk).values_list(*names, Now()).first()
    if moments is None:
        return False
    *times, now = moments
    late = max(time for time in times if time) < now - WORKER_TIMEOUT
    return late and not Job.objects.filter(last_slice_at__gt=Now() - WORKER_TIMEOUT).exists()


def _runnable() -> QuerySet[Job]:
    """Return the jobs that may have a slice, those of the longest waiting person first."""
    active = Job.objects.filter(lease_until__gt=Now()).values("owner")
    due = Q(not_before__isnull=True) | Q(not_before__lte=Now())
    jobs_of_person = Job.objects.filter(person=OuterRef("person")).values("person")
    served = Subquery(jobs_of_person.annotate(last=Max("last_slice_at")).values("last"))
    runnable = Job.objects.filter(FREE, due, state__in=RUNNABLE).exclude(owner__in=active)
    return runnable.annotate(served=served).order_by(
        F("served").asc(nulls_first=True), F("last_slice_at").asc(nulls_first=True), "pk"
    )


def _acquire(pk: int, number: int) -> Job | None:
    Job.objects.filter(lease_until__lte=Now(), active_key__isnull=False).update(active_key=None)
    still_due = _runnable().filter(pk=pk, slices=number).values("pk")
    taken = Job.objects.filter(pk__in=still_due, slices=number).update(
        state=State.RUNNING,
        slices=F("slices") + 1,
        lease_until=Now() + lease(),
        active_key=F("owner"),
        last_slice_at=Now(),
    )
    return Job.objects.select_related("person").get(pk=pk) if taken else None
