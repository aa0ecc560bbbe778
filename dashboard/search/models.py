"""The marks of all contacts of a workspace, by which the search finds who is calling."""

from datetime import timedelta

from django.db import models

from dashboard.core.retention import Retention, RetentionRule
from dashboard.core.sealed import MARK
from dashboard.jobs.models import StoredReading
from dashboard.people.models import Workspace


class CallerIndex(StoredReading):
    """A reading of all contacts of a workspace. The last one that was finished counts."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="caller_indexes")

    def __str__(self) -> str:
        return f"caller index of {self.workspace_id}"

    @property
    def contacts(self) -> int:
        return sum(self.job.counts.values())

    @property
    def missing(self) -> int:
        """Return how many more contacts the service has reported."""
        return max(0, self.totals[-1] - self.contacts) if self.totals else 0


class ContactMark(models.Model):
    """A search key of a contact: the end of a phone number, an email address or a word of the name,
    as a mark that does not reveal it (sealed.marks_of).
    """

    MARK_RETENTION = timedelta(days=7)  # unless it was renewed meanwhile

    index = models.ForeignKey(CallerIndex, models.CASCADE, related_name="marks")
    record_id = models.BigIntegerField()
    mark = models.CharField(max_length=MARK)

    retention = Retention(
        "marks of contacts",
        RetentionRule(MARK_RETENTION, since="index__job__created_at"),
        RetentionRule(
            timedelta(),
            since="index__job__created_at",
            only=models.Q(index__workspace__key_pairs__isnull=True),
        ),
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["index", "mark", "record_id"], name="one_mark_of_each_record"
            )
        ]

    def __str__(self) -> str:
        return f"mark of contact {self.record_id}"
