"""What the exports of workers have read, in encrypted pieces; files are written from it.

They are in the database, so that the worker and the site may run on different machines and nothing
readable stays on a disk. 100,000 contacts are some 19 MB; they are deleted after a day.
"""

from django.db import models

from dashboard.jobs.list_reading import KEPT, ListReading
from dashboard.retention import Kept, Retention
from dashboard.sealed import SealedJSON


class Export(ListReading):
    """What a job has read so far.

    `form_digest`: of the form that began it, which begins one job however often it is sent.
    `gone`: records that were deleted meanwhile. `warnings`: sentences about what is wrong with the
    file, by which nobody is named.
    """

    STORED = "pieces"
    WRITTEN = (*ListReading.WRITTEN, "gone")

    file_name = models.CharField(max_length=100)
    form_digest = models.CharField(max_length=64, null=True, unique=True)  # noqa: DJ001 (unique)
    gone = models.PositiveIntegerField(default=0)
    warnings = models.JSONField(default=list)

    def __str__(self) -> str:
        return self.file_name


class Piece(models.Model):
    """Rows of a file, the headings first; sealed for the person. `content`: their cells by
    tables.cells.cell_as_json.
    """

    export = models.ForeignKey(Export, models.CASCADE, related_name="pieces")
    content = SealedJSON(
        "pieces of exports", owner="export.job.person_id", purpose="exports", row=("export_id",)
    )

    # A task deletes them (jobs/list_reading.py) unless it is lost, with its worker or by a restore.
    retention = Retention("pieces of exports", Kept(KEPT, since="export__job__finished_at"))

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"piece {self.pk} of {self.export_id}"
