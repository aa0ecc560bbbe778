"""What was typed into forms and is not saved yet."""

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.retention import Kept, Retention
from dashboard.sealed import SealedJSON

A_DAY = timedelta(days=1)


class Draft(models.Model):
    """What was typed into one opened form.

    `key` belongs to that opened form: two tabs have two drafts. `content` holds, sealed, all
    fields and the label of the form (services.py). `workspace` is the one whose keys the form was
    opened with, `path` the address of the form. `sent_with` is the one-time token of a save that is
    under way or unresolved, `refused_with` that of its last write that was not saved, whose row
    in the ledger has the service's words. A saved draft is emptied and stays for a day, so that a
    late autosave cannot bring it back.
    """

    class State(models.TextChoices):
        """Saved drafts are empty; discarded drafts can be restored until they are purged."""

        OPEN = "open", "Open"
        SAVED = "saved", "Saved"
        DISCARDED = "discarded", "Discarded"

    key = models.CharField(max_length=40, unique=True)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="drafts")
    workspace = models.CharField(max_length=100, blank=True)
    path = models.CharField(max_length=200)
    content = SealedJSON(
        "drafts", owner="person_id", purpose="drafts", row=("workspace", "path"), db_column="sealed"
    )
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    sent_with = models.CharField(max_length=80, default="", blank=True)
    refused_with = models.CharField(max_length=80, default="", db_default="", blank=True)
    kept_at = models.DateTimeField(default=timezone.now)

    retention = Retention(
        "unfinished forms",
        Kept("DRAFT_RETENTION_DAYS", since="kept_at"),
        Kept(A_DAY, since="kept_at", only=~models.Q(state=State.OPEN)),
    )

    class Meta:
        indexes = [
            models.Index(fields=["person", "state", "sent_with"], name="drafts_of_person"),
            models.Index(fields=["state", "kept_at"], name="drafts_by_age"),
        ]

    def __str__(self) -> str:
        return f"draft of {self.path}: {self.state}"
