"""What a job has read of a list so far, and the records that its filters keep."""

from django.db import models

from dashboard.jobs.list_reading import KEPT, ListReading
from dashboard.retention import Kept, Retention
from dashboard.sealed import SealedJSON


class Scan(ListReading):
    """The state of a job that reads a list to its end."""

    STORED = "matches"

    def __str__(self) -> str:
        return f"scan of job {self.job_id}"


class Match(models.Model):
    """A record that the filters keep, as the list has it; `content` is sealed for the person."""

    scan = models.ForeignKey(Scan, models.CASCADE, related_name="matches")
    record_id = models.BigIntegerField()
    position = models.PositiveIntegerField(default=0)
    content = SealedJSON(
        "found records",
        owner="scan.job.person_id",
        purpose="scans",
        row=("scan_id", "record_id"),
    )

    # A task deletes them (jobs/list_reading.py) unless it is lost, with its worker or by a restore.
    retention = Retention("found records", Kept(KEPT, since="scan__job__finished_at"))

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["scan", "record_id"], name="scans_one_match"),
        ]

    def __str__(self) -> str:
        return f"match {self.record_id} of {self.scan_id}"
