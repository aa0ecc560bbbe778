"""Turns of jobs: who gets the next one, for how long, and how it ends.

A turn is a lease on the job's row: a worker holds it until it releases it or, if the worker has
died, until `lease_until` has passed by the database's clock. The next turn goes to the person whose
last turn is longest ago, and there to the job that waits longest, so that a long job of one person
does not delay a short one of another. A key pair has one turn at a time: `Job.holds` is unique.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import F, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now

from dashboard.jobs.models import FREE, Job
from dashboard.writes import locks

State = Job.State
RUNNABLE = (State.WAITING, State.RUNNING)
ENDED = (State.STOPPED, State.FINISHED)
MARGIN = timedelta(seconds=20)  # of a lease, for the time of the turn and a busy machine
UNNOTICED = timedelta(minutes=1)  # without a turn of any job, until the page says so


class LeaseLost(Exception):  # noqa: N818 (what it is, without Error)
    """The lease had ended and another worker has taken the job over. Nothing more may be sent."""


@dataclass(frozen=True)
class Ending:
    """How a turn ends. `delay`: until the next one. `reason`: why the job pauses."""

    state: str = State.RUNNING
    reason: str = ""
    delay: timedelta = timedelta()
    failures: int = 0


def lease() -> timedelta:
    """How long a turn may take. A write of a dead worker counts as lost before its lease ends."""
    return locks.longest_call() + MARGIN


def take(follow: Callable[[Job], None]) -> Job | None:
    """Begin the next turn of a job; None if no job may have one now.

    `follow` is called in the same transaction; it makes sure that somebody looks after the job if
    this worker dies.
    """
    candidate = _runnable().values_list("pk", "turn").first()
    if candidate is None:
        return None
    try:
        with transaction.atomic():
            job = _take(*candidate)
            if job:
                follow(job)
            return job
    except IntegrityError:  # another job of the key pair has begun a turn at this moment
        return None


def renew(job: Job) -> None:
    """Extend the lease to its full length. Raises LeaseLost if another worker has the job."""
    own_turn = Job.objects.filter(pk=job.pk, turn=job.turn, lease_until__isnull=False)
    try:
        with transaction.atomic():
            renewed = own_turn.update(lease_until=Now() + lease(), holds=F("owner"))
    except IntegrityError:
        raise LeaseLost from None
    if not renewed:
        raise LeaseLost


def release(job: Job, ending: Ending) -> None:
    """End the turn. A job that was paused or stopped meanwhile stays so."""
    own_turn = Job.objects.filter(pk=job.pk, turn=job.turn)
    own_turn.filter(state=State.RUNNING).update(
        state=ending.state,
        reason=ending.reason,
        finished_at=Now() if ending.state == State.FINISHED else None,
    )
    own_turn.update(
        lease_until=None,
        holds=None,
        not_before=Now() + ending.delay if ending.delay else None,
        failures=ending.failures,
    )


def seconds_until_due(job: int, turn: int) -> float | None:
    """Seconds until the turn after `turn` of this job is due, at most 0 if it is; of a paused or
    stopped job until its last turn is over.

    None if a later turn was taken, or if the job has finished.
    """
    unfinished = Job.objects.filter(pk=job, turn=turn).exclude(state=State.FINISHED)
    times = unfinished.values_list("lease_until", "not_before", Now()).first()
    if times is None:
        return None
    lease_until, not_before, now = times
    waits = [(end - now).total_seconds() for end in (lease_until, not_before) if end]
    return max(waits, default=0.0)


def hold_resting(job: int) -> Job | None:
    """The job, locked until the end of the transaction, if it is paused or has ended and nobody has
    a turn of it. Call it in a transaction.
    """
    resting = Job.objects.select_for_update(of=("self",)).filter(FREE, pk=job)
    return resting.exclude(state__in=RUNNABLE).select_related("person").first()


def lacks_worker(job: Job) -> bool:
    """Whether a job has been due for UNNOTICED, in which no worker has taken a turn of any job."""
    if job.state not in RUNNABLE:
        return False
    names = ("lease_until", "not_before", "last_turn", "created_at")
    moments = Job.objects.filter(pk=job.pk).values_list(*names, Now()).first()
    if moments is None:
        return False
    *times, now = moments
    late = max(time for time in times if time) < now - UNNOTICED
    return late and not Job.objects.filter(last_turn__gt=Now() - UNNOTICED).exists()


def _runnable() -> QuerySet[Job]:
    """The jobs that may have a turn, those first whose person has waited longest."""
    active = Job.objects.filter(lease_until__gt=Now()).values("owner")
    due = Q(not_before__isnull=True) | Q(not_before__lte=Now())
    jobs_of_person = Job.objects.filter(person=OuterRef("person")).values("person")
    served = Subquery(jobs_of_person.annotate(last=Max("last_turn")).values("last"))
    runnable = Job.objects.filter(FREE, due, state__in=RUNNABLE).exclude(owner__in=active)
    return runnable.annotate(served=served).order_by(
        F("served").asc(nulls_first=True), F("last_turn").asc(nulls_first=True), "pk"
    )


def _take(pk: int, turn: int) -> Job | None:
    Job.objects.filter(lease_until__lte=Now(), holds__isnull=False).update(holds=None)
    still_due = _runnable().filter(pk=pk, turn=turn).values("pk")
    taken = Job.objects.filter(pk__in=still_due, turn=turn).update(
        state=State.RUNNING,
        turn=F("turn") + 1,
        lease_until=Now() + lease(),
        holds=F("owner"),
        last_turn=Now(),
        paced_from=Coalesce(F("paced_from"), Now()),
    )
    return Job.objects.select_related("person").get(pk=pk) if taken else None
