"""The task of the worker process that sends a pending deletion when its countdown ends."""

from django_tasks import task

from dashboard.records.pages.deletion_sending import send_when_due
from dashboard.resources import BY_NAME


@task(priority=100)  # before jobs: a person waits for it
def send_deletion(pk: int) -> None:
    """Send the pending deletion with this primary key, if it is due."""
    send_when_due(pk, BY_NAME)
