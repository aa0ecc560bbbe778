"""Jobs; the rows of those that write one record for each row are rows of the ledger."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Coalesce, Now

from dashboard.ledger.models import Write
from dashboard.retention import Kept, Retention
from dashboard.sealed import SealedJSON

MOST_AT_ONCE = 8  # calls of one key pair
# Nobody has a turn: a lease that has passed is none.
FREE = models.Q(lease_until__isnull=True) | models.Q(lease_until__lte=Now())


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

    @property
    def rows(self) -> models.QuerySet[Write]:
        """The latest attempt at each row of a job that writes one record for each."""
        return Write.objects.filter(job=self.pk, number__isnull=False)
