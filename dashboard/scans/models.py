"""What a job has read of a list so far, and the records that its filters keep; the marks of all
contacts of a workspace, by which the search finds who is calling.
"""

from datetime import timedelta

from django.db import models

from dashboard.credentials.models import Workspace
from dashboard.jobs.list_reading import KEPT, ListReading
from dashboard.retention import Kept, Retention
from dashboard.sealed import MARK, SealedJSON


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
        "found records", owner="scan.job.person_id", purpose="scans", row=("scan_id", "record_id")
    )

    # A task deletes them (jobs/list_reading.py) unless it is lost, with its worker or by a restore.
    retention = Retention("found records", Kept(KEPT, since="scan__job__finished_at"))

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["scan", "record_id"], name="scans_one_match")
        ]

    def __str__(self) -> str:
        return f"match {self.record_id} of {self.scan_id}"


class Directory(ListReading):
    """A reading of all contacts of a workspace. The last one that was finished counts."""

    STORED = "marks"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="directories")

    def __str__(self) -> str:
        return f"directory of {self.workspace_id}"


class ContactMark(models.Model):
    """One thing that a contact is found by: an end of a phone number, an email address or a word of
    the name, as a mark that does not tell it (sealed.marks_of).
    """

    KEPT = timedelta(days=7)  # unless it was renewed meanwhile

    directory = models.ForeignKey(Directory, models.CASCADE, related_name="marks")
    record_id = models.BigIntegerField()
    mark = models.CharField(max_length=MARK)

    retention = Retention(
        "marks of contacts",
        Kept(KEPT, since="directory__job__created_at"),
        Kept(
            timedelta(),
            since="directory__job__created_at",
            only=models.Q(directory__workspace__key_pairs__isnull=True),
        ),
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["directory", "mark", "record_id"], name="scans_one_mark"
            )
        ]

    def __str__(self) -> str:
        return f"mark of contact {self.record_id}"
