"""Jobs, what they have read of a list, and exports, in encrypted chunks.

Files are written from the chunks. They are in the database, so that the worker and the site may run
on different machines and nothing readable stays on a disk. 100,000 contacts are some 19 MB; they
are deleted after a day.
"""

from datetime import datetime, timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import OuterRef
from django.db.models.functions import Coalesce, Now

from dashboard.core.retention import Retention, RetentionRule
from dashboard.core.sealed import SealedJSON
from dashboard.core.service_name import SERVICE_AT_START
from dashboard.gateway import Page
from dashboard.writes.models import Write

MAX_CONCURRENT_CALLS = 8  # calls of one key pair
# Nobody has a slice: a lease that has passed is none.
FREE = models.Q(lease_until__isnull=True) | models.Q(lease_until__lte=Now())


class Job(models.Model):
    """Work that one person has asked for, carried out in slices; see leases.py.

    `owner` marks the key pair without revealing the keys. `kind` names a JobKind (kinds.py).
    `resource`: what its rows write. `params` is sealed for the person. `counts`: how
    many of `total` are in which state, by its name. `reason` says why it is paused.

    `slices` counts those that were begun. While one lasts, `lease_until` is when it ends at the
    latest, and `active_key` is the owner, so that a key pair has one slice at a time. `not_before`
    delays the next one, `failures` counts those in a row that the service ended, `at_once` is how
    many calls are made side by side. All times are the database's.
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
        bound_fields=("workspace", "pk"),
        blank=True,
        default="",
    )
    slices = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    active_key = models.CharField(max_length=64, null=True, unique=True)  # noqa: DJ001 (unique)
    not_before = models.DateTimeField(null=True)
    last_slice_at = models.DateTimeField(null=True)
    failures = models.PositiveSmallIntegerField(default=0)
    at_once = models.PositiveSmallIntegerField(default=MAX_CONCURRENT_CALLS)
    created_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)

    retention = Retention(
        "jobs",
        RetentionRule(
            "DRAFT_RETENTION_DAYS", since=Coalesce("last_slice_at", "created_at"), only=FREE
        ),
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
        """Return the latest attempt at each row of a job that writes one record for each."""
        attempts = Write.objects.filter(job=self.pk, number__isnull=False)
        later = attempts.filter(number=OuterRef("number"), attempt__gt=OuterRef("attempt"))
        return attempts.filter(~models.Exists(later))


RESULT_RETENTION = timedelta(hours=24)
CHANGED = (
    "The list changed during the export: it had {:,} {noun} at first and {:,} at the end. "
    "Some may be missing."
)
UNFIT = "{service} ignored a filter: {:,} {noun} that do not match it were skipped."
UNREADABLE = "Skipped: {:,} rows that we couldn't read"


class StoredReading(models.Model):
    """Progress of reading a list.

    `pages_read`: from the first one on. `totals`: the number of records at first and at last, if
    known. `unreadable`: rows that could not be read. `unfit`: rows that a filter excludes.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("pages_read", "totals", "unreadable", "unfit")

    job = models.OneToOneField(Job, models.CASCADE)
    pages_read = models.PositiveIntegerField(default=0)
    totals = models.JSONField(default=list)
    unreadable = models.PositiveIntegerField(default=0)
    unfit = models.PositiveIntegerField(default=0)

    class Meta:
        abstract = True

    def see(self, page: Page) -> None:
        self.pages_read += 1
        self.unreadable += page.unreadable_rows
        self.unfit += len(page.unfit)
        if page.total_records is not None:
            self.totals = [*self.totals[:1], page.total_records]

    @property
    def is_changed(self) -> bool:
        return len(set(self.totals)) > 1

    def gaps(self, noun: str) -> list[str]:
        """Return sentences on missing rows; [] if the list is complete."""
        changed = [CHANGED.format(*self.totals, noun=noun)] if self.is_changed else []
        if self.unfit:
            changed.append(UNFIT.format(self.unfit, noun=noun, service=SERVICE_AT_START))
        return changed + ([UNREADABLE.format(self.unreadable)] if self.unreadable else [])


class Export(StoredReading):
    """Progress of an export.

    `form_digest`: of its form, which starts one job however often it is sent. `gone`: records
    deleted meanwhile. `warnings`: sentences without names about problems of the file.
    """

    WRITTEN = (*StoredReading.WRITTEN, "gone")

    file_name = models.CharField(max_length=100)
    form_digest = models.CharField(max_length=64, null=True, unique=True)  # noqa: DJ001 (unique)
    gone = models.PositiveIntegerField(default=0)
    warnings = models.JSONField(default=list)

    def __str__(self) -> str:
        return self.file_name

    @property
    def available_until(self) -> datetime | None:
        """Return when the file expires; None until the list is read."""
        if self.job.state != Job.State.FINISHED or self.job.finished_at is None:
            return None
        return self.job.finished_at + RESULT_RETENTION


class Chunk(models.Model):
    """Rows of a file, headings first; sealed for the person. `content`: their cells by
    tables.cells.cell_as_json.
    """

    export = models.ForeignKey(Export, models.CASCADE, related_name="chunks")
    content = SealedJSON(
        "chunks of exports",
        owner="export.job.person_id",
        purpose="exports",
        bound_fields=("export_id",),
    )

    retention = Retention(
        "chunks of exports", RetentionRule(RESULT_RETENTION, since="export__job__finished_at")
    )

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"chunk {self.pk} of {self.export_id}"
