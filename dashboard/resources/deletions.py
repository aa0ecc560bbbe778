"""The task of the worker process that sends a waiting deletion when its countdown ends."""

from datetime import timedelta

from django.utils import timezone
from django_tasks import task

from dashboard.resources import BY_NAME
from dashboard.writes import deletions


@task(priority=100)  # before jobs: a person waits for it
def send_deletion(pk: int) -> None:
    """Send the waiting deletion with this primary key if it is due; ask again when it will be.

    The queue goes by this worker's clock, which only measures the pause until the next question:
    the database says whether the countdown has ended.
    """
    left = deletions.seconds_until_due(pk)
    if left is not None and left > 0:
        send_deletion.using(run_after=timezone.now() + timedelta(seconds=left)).enqueue(pk)
        return
    deletions.send_when_due(pk, BY_NAME)
