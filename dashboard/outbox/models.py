"""Writes to the API: stored before they are sent, with their outcome afterwards."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from dashboard.retention import Kept, Retention
from dashboard.sealed import SealedJSON

SEALED: Any = {"owner": "person_id", "purpose": "outbox", "row": ("workspace", "token")}


class Submission(models.Model):
    """One write to the API. Its row is committed before the first byte leaves.

    `token` is valid for this one write. `body` (sealed for the person) holds the record's label,
    the exact body, the names of the fields that the person typed, and what the record held in them
    before; it is emptied once nobody needs it any more (services.empty_bodies). `answer` (sealed,
    too) is what the service said. `digest` tells a body from another. `owner` marks the key pair
    without revealing the keys. `in_history` says that the audit entry exists. `job`: the number of
    the job that it is a row of. Both times are the database's.
    """

    class State(models.TextChoices):
        """The three outcomes, and the time before there is one."""

        SENDING = "sending", "Sending"
        SAVED = "saved", "Saved"
        NOT_SAVED = "not saved", "Not saved"
        NOT_SURE = "not sure", "Not sure"

    class Settled(models.TextChoices):
        """How a write of unknown outcome was resolved, by a person or by reading the record."""

        OPEN = "", "Open"
        FOUND = "found", "It was saved"
        SENT_AGAIN = "sent again", "Sent again"
        LEFT = "left", "Left as it is"

    RESOLVED = ~models.Q(state=State.NOT_SURE, settled=Settled.OPEN)

    token = models.CharField(max_length=80, unique=True)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="submissions")
    owner = models.CharField(max_length=64)
    resource = models.CharField(max_length=20)
    operation = models.CharField(max_length=10)
    record_id = models.BigIntegerField(null=True)
    workspace = models.CharField(max_length=100, blank=True, default="")
    body = SealedJSON("bodies of writes", **SEALED, blank=True)
    digest = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=State, default=State.SENDING)
    settled = models.CharField(max_length=12, choices=Settled, default=Settled.OPEN, blank=True)
    answer = SealedJSON("answers to writes", **SEALED, default="")
    started_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)
    in_history = models.BooleanField(default=False)
    job = models.BigIntegerField(null=True)

    retention = Retention(
        "resolved writes", Kept("AUDIT_RETENTION_DAYS", since="started_at", only=RESOLVED)
    )

    class Meta:
        indexes = [
            models.Index(fields=["person", "state", "settled"], name="outbox_open"),
            models.Index(fields=["state", "started_at"], name="outbox_sending"),
            models.Index(fields=["person", "resource", "record_id"], name="outbox_record"),
            models.Index(fields=["in_history", "state"], name="outbox_not_in_history"),
        ]

    def __str__(self) -> str:
        return f"{self.operation} of {self.resource} {self.record_id or ''}: {self.state}"


class RecordLock(models.Model):
    """One record that is being read, compared and written; see locks.py.

    `record` is like "tasks/17", `token` belongs to the form that holds the lock. `until` is a time
    of the database's clock; the lock of a process that died ends there.
    """

    record = models.CharField(max_length=60, unique=True)
    token = models.CharField(max_length=80)
    until = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.record} until {self.until}"
