"""What is not sent yet: drafts of forms, and pending deletions."""

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from dashboard.retention import Kept, Retention
from dashboard.sealed import SealedJSON

A_DAY = timedelta(days=1)
COPY_FOR = timedelta(days=7)  # of a deleted record


class Draft(models.Model):
    """What was typed into one opened form.

    `key` belongs to that opened form: two tabs have two drafts. `content` holds, sealed, all
    fields and the label of the form (services.py). `workspace` is the one whose keys the form was
    opened with, `path` the address of the form. `sent_with` is the one-time token of a save that is
    under way or unresolved. A saved draft is emptied and stays for a day, so that a late autosave
    cannot bring it back.
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
        "drafts",
        owner="person_id",
        purpose="drafts",
        row=("workspace", "path"),
        db_column="sealed",
    )
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    sent_with = models.CharField(max_length=80, default="", blank=True)
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


class Deletion(models.Model):
    """A deletion that a person has asked for; it is sent later, or cancelled.

    `content` holds, sealed, the record's label and a copy of it (pending_deletions.py). `owner`
    marks the key pair that it was asked for with; no other may send it. `token` is the one-time
    token of the write. `since` is the time at which it entered its state. A worker may send a
    pending one from `not_before` on for a limited time, and never without that or with a reason in
    `why`: then it waits for the person. Both times are the database's.
    """

    class State(models.TextChoices):
        """The ledger has the outcome of a sent one. A done one keeps its copy until it is purged, a
        cancelled one is empty.
        """

        PENDING = "held", "Pending"
        SENT = "sent", "Sent"
        DONE = "done", "Done"
        CANCELLED = "undone", "Cancelled"

    token = models.CharField(max_length=80, unique=True)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="deletions")
    owner = models.CharField(max_length=64)
    workspace = models.CharField(max_length=100, blank=True)
    resource = models.CharField(max_length=20)
    record_id = models.BigIntegerField()
    content = SealedJSON(
        "copies of deleted records",
        owner="person_id",
        purpose="deletions",
        row=("owner", "person_id", "resource", "record_id"),
        db_column="sealed",
    )
    state = models.CharField(max_length=10, choices=State, default=State.PENDING)
    since = models.DateTimeField(db_default=Now())
    not_before = models.DateTimeField(null=True)
    why = models.CharField(max_length=200, default="", blank=True)

    retention = Retention(
        "pending deletions and copies",
        Kept("DRAFT_RETENTION_DAYS", since="since"),
        Kept(COPY_FOR, since="since", only=models.Q(state=State.DONE)),
        Kept(A_DAY, since="since", only=models.Q(state=State.CANCELLED)),
    )

    class Meta:
        indexes = [
            models.Index(fields=["person", "state"], name="deletions_of_person"),
            models.Index(fields=["state", "since"], name="deletions_by_age"),
        ]

    def __str__(self) -> str:
        return f"deletion of {self.resource} {self.record_id}: {self.state}"
