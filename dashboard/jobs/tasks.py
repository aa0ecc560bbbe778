"""The tasks of the worker processes (`manage.py db_worker`).

A task `take_turn` takes one turn, of whichever job is next, and enqueues itself again as long as it
finds one. Each job brings one, so that there are as many as are needed. A worker that is killed
loses its task, which the queue never runs again. Therefore each turn also enqueues a task `watch`
for the time when its lease ends: if no later turn of the job was taken by then and no worker is
busy with jobs, it begins anew. If the job was paused or stopped in that turn, the rows that a dead
worker has left are settled.
"""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django_tasks import task

from dashboard.jobs import leases, row_results, turns
from dashboard.jobs.models import Job

MARGIN = timedelta(seconds=1)  # the queue's clock is the worker's, that of leases the database's
AGAIN = timedelta(seconds=15)
LOW = -10  # single writes of other tasks come first


@task(priority=LOW)
def take_turn() -> None:
    """Take one turn of the next job, if any may have one."""
    job = leases.take(lambda taken: watch_later(taken, leases.lease()))
    if job is None:
        return
    ending = turns.carry_out(job)
    with transaction.atomic():
        if ending:
            leases.release(job, ending)
        wake(ending.delay if ending else timedelta())


@task(priority=LOW)
def watch(job: int, turn: int) -> None:
    """Begin anew if the turn after `turn` of this job is due and nobody takes it; settle what is
    left of one that rests.
    """
    left = leases.seconds_until_due(job, turn)
    if left is None or (left <= 0 and row_results.settle_resting(job)):
        return
    if left <= 0 and leases.is_idle():
        wake()
    watch_later(Job(pk=job, turn=turn), max(AGAIN, timedelta(seconds=left)))


def wake(delay: timedelta = timedelta()) -> None:
    """Enqueue a turn."""
    after = timezone.now() + delay + MARGIN if delay else None
    take_turn.using(run_after=after).enqueue()


def watch_later(job: Job, delay: timedelta) -> None:
    """Look after a job when its lease or its delay has passed."""
    watch.using(run_after=timezone.now() + delay + MARGIN).enqueue(job.pk, job.turn)
