"""One line of the history: a write that was tried, and what became of it."""

from typing import Any, NoReturn

from django.conf import settings
from django.db import models
from django.utils import timezone

HOUSE = 0  # sealed for nobody in particular: whoever may see the record may read its history


class Fixed(models.QuerySet["Entry"]):
    """Rows that nobody changes or deletes one by one; see services for what may."""

    def update(self, **kwargs: Any) -> NoReturn:
        """Not here."""
        raise TypeError("History is only added to.")

    def delete(self) -> NoReturn:
        """Not here."""
        raise TypeError("History is only added to; purge_history removes what is too old.")


class Entry(models.Model):
    """A create, update or delete by somebody at this desk.

    `who` is the username at the time. `owner` marks the key pair, `workspace` is the name that the
    person gave it. `sealed` holds what people call the record and each field before and after: no
    row says in the clear what a record contains. `seconds` is how long the service took.
    """

    at = models.DateTimeField(default=timezone.now, db_index=True)
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
    sealed = models.TextField(editable=False)

    house = HOUSE  # the owner inside what is sealed

    rows = models.Manager()  # for retention and the rotation of keys alone
    objects = Fixed.as_manager()

    class Meta:
        default_manager_name = "objects"
        base_manager_name = "rows"
        indexes = [
            models.Index(fields=["resource", "record_id"], name="audit_record"),
            models.Index(fields=["workspace", "at"], name="audit_workspace"),
        ]

    def __str__(self) -> str:
        return f"{self.who}: {self.operation} of {self.resource} {self.record_id or ''}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Only ever new."""
        if self.pk is not None:
            raise TypeError("History is only added to.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Not one by one."""
        raise TypeError("History is only added to; purge_history removes what is too old.")
