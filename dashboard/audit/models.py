"""The history: one entry for each write that was tried, with its outcome."""

from typing import Any, NoReturn

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.retention import Kept, Retention
from dashboard.sealed import SealedJSON


class AppendOnly(models.QuerySet["Entry"]):
    """Refuses to change or delete rows; retention and the rotation of keys do."""

    def update(self, **kwargs: Any) -> NoReturn:
        """Raises TypeError."""
        raise TypeError("History is only added to.")

    def delete(self) -> NoReturn:
        """Raises TypeError."""
        raise TypeError("History is only added to; `tidy` removes what is too old.")


class Entry(models.Model):
    """A create, update or delete through this dashboard, written from the write's ledger row.

    It is a copy because the two live apart: the ledger row belongs to the person, changes its state
    and loses its body; an entry is readable for colleagues, never changes and outlives the account.
    `who` is the username at the time. `owner` marks the key pair, `workspace` is the id of a
    credentials.Workspace. `content` holds, sealed, the record's label and each field before and
    after. `seconds` is how long the write took. `job` is the number of the job that it
    was a row of.
    """

    at = models.DateTimeField(default=timezone.now)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    who = models.CharField(max_length=150)
    owner = models.CharField(max_length=64)
    workspace = models.CharField(max_length=100)
    resource = models.CharField(max_length=20)
    record_id = models.BigIntegerField(null=True)
    operation = models.CharField(max_length=10)
    outcome = models.CharField(max_length=10)
    answer = models.CharField(max_length=60, default="", blank=True)
    seconds = models.FloatField()
    job = models.BigIntegerField(null=True)
    content = SealedJSON(
        "lines of the history",
        owner="house",
        purpose="audit",
        row=("workspace", "resource", "record_id", "operation", "moment"),
        db_column="sealed",
    )

    house = 0  # the owner of what is sealed: whoever may see the record may read its history

    retention = Retention("entries of the history", Kept("AUDIT_RETENTION_DAYS", since="at"))

    rows = models.Manager()  # for what Django deletes by itself
    objects = AppendOnly.as_manager()

    class Meta:
        default_manager_name = "objects"
        base_manager_name = "rows"
        indexes = [
            # Not by the resource first: to filter by it alone, SQLite would sort all rows of it.
            models.Index(fields=["record_id", "resource"], name="audit_of_record"),
            models.Index(fields=["job", "id"], name="audit_of_job"),
            # All that the page of the history filters by: rows that do not match are not read.
            models.Index(
                fields=[
                    "at",
                    "id",
                    "workspace",
                    "resource",
                    "operation",
                    "outcome",
                    "who",
                    "record_id",
                    "job",
                ],
                name="audit_page",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.who}: {self.operation} of {self.resource} {self.record_id or ''}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Raises TypeError if the entry is already stored."""
        if self.pk is not None:
            raise TypeError("History is only added to.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises TypeError."""
        raise TypeError("History is only added to; `tidy` removes what is too old.")

    @property
    def moment(self) -> int:
        """Microseconds since 1970, which the content is bound to: it has no number when sealed."""
        return round(self.at.timestamp() * 1_000_000)


class About(models.Model):
    """A record that an entry is about beside its own: the customer of an invoice, for instance."""

    entry = models.ForeignKey(Entry, models.CASCADE, related_name="about")
    resource = models.CharField(max_length=20)
    record_id = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["resource", "record_id"], name="about_record")]

    def __str__(self) -> str:
        return f"{self.resource} {self.record_id}"
