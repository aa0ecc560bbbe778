"""The files of exports that workers make, in encrypted pieces.

They are in the database, so that the worker and the site may run on different machines and nothing
readable lies on a disk. A file of 100,000 contacts is some 8 MB of text; it is deleted after a day.
"""

from array import array
from datetime import datetime, timedelta

from django.db import models

from dashboard.jobs.list_reading import ListReading
from dashboard.jobs.models import Job
from dashboard.retention import Kept, Retention
from dashboard.sealed import SealedText

KEPT = timedelta(hours=24)


class Export(ListReading):
    """What a job has read and written so far.

    `form_digest`: of the form that began it, which begins one job however often it is sent.
    `gone`: records that were deleted meanwhile. `sheet`: tables.sheets.Sheet of the rows of an XLSX
    file. `warnings`: sentences about what is wrong with the file, by which nobody is named.
    """

    WRITTEN = (*ListReading.WRITTEN, "gone", "sheet")

    job = models.OneToOneField(Job, models.CASCADE, related_name="export")
    file_name = models.CharField(max_length=100)
    form_digest = models.CharField(max_length=64, null=True, unique=True)  # noqa: DJ001 (unique)
    gone = models.PositiveIntegerField(default=0)
    sheet = models.JSONField(default=dict)
    warnings = models.JSONField(default=list)

    def __str__(self) -> str:
        return self.file_name

    @property
    def kept_until(self) -> datetime | None:
        """When the file is deleted; None while it is not finished."""
        finished = self.job.state == Job.State.FINISHED and self.job.finished_at
        return self.job.finished_at + KEPT if finished and self.job.finished_at else None


class Piece(models.Model):
    """A part of a file, or of the rows that a file is made of at the end; sealed for the person.

    `ids`: of the records whose rows it holds, 8 bytes each.
    """

    class Kind(models.TextChoices):
        """What a piece holds."""

        TEXT = "text", "Text of the file"
        BYTES = "bytes", "Bytes of the file in base64"
        SHEET = "sheet", "Rows of a sheet, compressed, in base64"

    export = models.ForeignKey(Export, models.CASCADE, related_name="pieces")
    kind = models.CharField(max_length=5, choices=Kind)
    content = SealedText(
        "pieces of exports", owner="export.job.person_id", purpose="exports", row=("export_id",)
    )
    ids = models.BinaryField(default=b"")

    # A task deletes them (storage.py) unless it is lost, with its worker or by a restore.
    retention = Retention("pieces of exports", Kept(KEPT, since="export__job__finished_at"))

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"piece {self.pk} of {self.export_id}"

    @property
    def record_ids(self) -> "array[int]":
        """The ids of its records."""
        return array("q", bytes(self.ids))
