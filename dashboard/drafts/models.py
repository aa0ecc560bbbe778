"""What is not sent yet: forms that somebody began, and deletions that are held back."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class Draft(models.Model):
    """What was typed into one opened form.

    `key` belongs to that opened form: two tabs keep two drafts. `sealed` is everything typed and
    the words the form is known by (services.py), under an encryption key of its own.
    `workspace` is the one whose keys the form was opened with, `path` the form's address.
    `sent_with` is the one-time token of a save that is under way or whose outcome nobody knows.
    A saved draft stays behind empty for a while, so that a late autosave cannot bring it back.
    """

    class State(models.TextChoices):
        """Saved ones are empty; discarded ones can be put back until they are purged."""

        OPEN = "open", "Open"
        SAVED = "saved", "Saved"
        DISCARDED = "discarded", "Discarded"

    key = models.CharField(max_length=40, unique=True)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="drafts")
    workspace = models.CharField(max_length=100, blank=True)
    path = models.CharField(max_length=200)
    sealed = models.TextField(editable=False)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    sent_with = models.CharField(max_length=80, default="", blank=True)
    kept_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(fields=["person", "state", "sent_with"], name="drafts_of_person"),
            models.Index(fields=["state", "kept_at"], name="drafts_by_age"),
        ]

    def __str__(self) -> str:
        return f"draft of {self.path}: {self.state}"


class Deletion(models.Model):
    """A deletion that somebody asked for, held back until they let it go or undo it.

    `sealed` is what people call the record and a copy of it (holding.py), under an encryption key
    of its own. `owner` marks the key pair that it was asked with, and may be sent with alone.
    `token` is the one-time token that it is, or was, sent with. `since` is when it came to its
    state.
    """

    class State(models.TextChoices):
        """Of sent ones the outbox knows more; done ones keep their copy until they are purged,
        undone ones are empty.
        """

        HELD = "held", "Held"
        SENT = "sent", "Sent"
        DONE = "done", "Done"
        UNDONE = "undone", "Undone"

    token = models.CharField(max_length=80, unique=True)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="deletions")
    owner = models.CharField(max_length=64)
    workspace = models.CharField(max_length=100, blank=True)
    resource = models.CharField(max_length=20)
    record_id = models.BigIntegerField()
    sealed = models.TextField(editable=False)
    state = models.CharField(max_length=10, choices=State, default=State.HELD)
    since = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(fields=["person", "state"], name="deletions_of_person"),
            models.Index(fields=["state", "since"], name="deletions_by_age"),
        ]

    def __str__(self) -> str:
        return f"deletion of {self.resource} {self.record_id}: {self.state}"
