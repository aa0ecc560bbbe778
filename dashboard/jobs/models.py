"""Jobs, and the rows of those that write one record for each row."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models.functions import Coalesce, Now

from dashboard.retention import Kept, Retention
from dashboard.sealed import SealedJSON

MOST_AT_ONCE = 8  # calls of one key pair
# Nobody has a turn: a lease that has passed is none.
FREE = models.Q(lease_until__isnull=True) | models.Q(lease_until__lte=Now())
SEALED: Any = {"owner": "job.person_id", "purpose": "jobs", "row": ("job_id", "number")}


class Job(models.Model):
    """Work that one person has asked for, carried out in turns; see leases.py.

    `owner` marks the key pair without revealing the keys. `kind` names a JobKind (kinds.py).
    `resource`: what its rows write. `params` is sealed for the person. `counts`: how
    many of `total` are in which state, by its name. `reason` says why it is paused.

    `turn` counts the turns taken. While one is taken, `lease_until` is when it ends at the latest,
    and `holds` is the owner, so that a key pair has one turn at a time. `not_before` delays the
    next turn, `failures` counts the turns in a row that the service ended, `at_once` is how many
    calls are made side by side. The pace is measured from `paced_from`, when `paced_done` were
    done. All times are the database's.
    """

    class State(models.TextChoices):
        """What a job does; a proposed one is shown to its person before anything is sent."""

        PROPOSED = "proposed", "Proposed"
        WAITING = "waiting", "Waiting"
        RUNNING = "running", "Running"
        PAUSED = "paused", "Paused"
        STOPPED = "stopped", "Stopped"
        FINISHED = "finished", "Finished"

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="jobs")
    owner = models.CharField(max_length=64)
    workspace = models.CharField(max_length=100, blank=True, default="")
    kind = models.CharField(max_length=40)
    resource = models.CharField(max_length=20, blank=True, default="")
    title = models.CharField(max_length=120)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    reason = models.TextField(blank=True, default="")
    total = models.PositiveIntegerField(default=0)
    counts = models.JSONField(default=dict)
    params = SealedJSON(
        "parameters of jobs",
        owner="person_id",
        purpose="jobs",
        row=("workspace", "pk"),
        blank=True,
        default="",
    )
    turn = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    holds = models.CharField(max_length=64, null=True, unique=True)  # noqa: DJ001 (unique)
    not_before = models.DateTimeField(null=True)
    last_turn = models.DateTimeField(null=True)
    failures = models.PositiveSmallIntegerField(default=0)
    at_once = models.PositiveSmallIntegerField(default=MOST_AT_ONCE)
    paced_from = models.DateTimeField(null=True)
    paced_done = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)

    retention = Retention(
        "jobs",
        Kept("DRAFT_RETENTION_DAYS", since=Coalesce("last_turn", "created_at"), only=FREE),
    )

    class Meta:
        indexes = [
            models.Index(fields=["state", "person"], name="jobs_runnable"),
            models.Index(fields=["person", "created_at"], name="jobs_of_person"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} job {self.pk}: {self.state}"


class JobRow(models.Model):
    """One row of a job, which writes at most one record.

    `content` is what the kind of the job sends; `result` what became of it: the words of the
    service, and what the record held before. Both are sealed for the person. `token` is that of the
    write in the ledger; it is stored before anything is sent. `record_id`: the record written.
    `tries` counts the turns that it ended; it is then sent after the others. `looked`: the service
    was looked at for its unknown outcome, and `found` says what it showed. `plan`: what its person
    wants to be done after the next look.
    """

    class State(models.TextChoices):
        """Where a row stands; a row that is saved, not saved, skipped or not sure is done. Not
        sent: it waited when the job was stopped, and the job was begun again for other rows.
        """

        WAITING = "waiting", "Waiting"
        SENDING = "sending", "Sending"
        SAVED = "saved", "Saved"
        NOT_SAVED = "not saved", "Not saved"
        SKIPPED = "skipped", "Skipped"
        NOT_SURE = "not sure", "Not sure"
        NOT_SENT = "not sent", "Not sent"

    class Found(models.TextChoices):
        """What a look for a row of unknown outcome has shown; unclear: a person has to decide."""

        UNKNOWN = "", "Not looked for"
        SAME = "same", "There, and equal in every field"
        NOTHING = "nothing", "Not there"
        UNCLEAR = "unclear", "Not clear"

    class Plan(models.TextChoices):
        """What follows a look: nothing, settling what is there, or sending what is not."""

        LOOK = "", "Look"
        SETTLE = "settle", "Settle as saved"
        SEND = "send", "Send again"

    job = models.ForeignKey(Job, models.CASCADE, related_name="rows")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    content = SealedJSON("rows of jobs", **SEALED)
    result = SealedJSON("results of rows", **SEALED, blank=True, default="")
    token = models.CharField(max_length=80, blank=True, default="")
    record_id = models.BigIntegerField(null=True)
    tries = models.PositiveSmallIntegerField(default=0)
    looked = models.BooleanField(default=False)
    found = models.CharField(max_length=10, choices=Found, blank=True, default=Found.UNKNOWN)
    plan = models.CharField(max_length=10, choices=Plan, blank=True, default=Plan.LOOK)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["job", "number"], name="jobs_row_number"),
        ]
        indexes = [
            models.Index(fields=["job", "state", "tries", "number"], name="jobs_row_next"),
            models.Index(fields=["token"], name="jobs_row_token"),
        ]

    def __str__(self) -> str:
        return f"row {self.number} of job {self.job_id}: {self.state}"
