"""A write that left, or was about to leave, this machine, and what became of it."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class Submission(models.Model):
    """One write, noted before its first byte leaves; its token is used up by that.

    `body` and `answer` are business data, and sealed for the person (cipher.py): the exact body
    with what people call the record, and what the service said. `digest` tells a body from
    another. `owner` marks the key pair that sent it without telling the keys.
    """

    class State(models.TextChoices):
        """The three honest answers, and the time before there is one."""

        SENDING = "sending", "Sending"
        SAVED = "saved", "Saved"
        NOT_SAVED = "not saved", "Not saved"
        NOT_SURE = "not sure", "Not sure"

    class Settled(models.TextChoices):
        """What a person, or a look at the record, made of a Not sure."""

        OPEN = "", "Open"
        FOUND = "found", "It was saved"
        ABSENT = "absent", "It was not saved"
        SENT_AGAIN = "sent again", "Sent again"
        LEFT = "left", "Left as it is"

    token = models.CharField(max_length=80, unique=True)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="submissions")
    owner = models.CharField(max_length=64)
    resource = models.CharField(max_length=20)
    operation = models.CharField(max_length=10)
    record_id = models.BigIntegerField(null=True)
    body = models.TextField(editable=False)
    digest = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=State, default=State.SENDING)
    settled = models.CharField(max_length=12, choices=Settled, default=Settled.OPEN, blank=True)
    answer = models.TextField(editable=False, default="")
    started_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["person", "state", "settled"], name="outbox_open"),
            models.Index(fields=["state", "started_at"], name="outbox_sending"),
            models.Index(fields=["person", "resource", "record_id"], name="outbox_record"),
        ]

    def __str__(self) -> str:
        return f"{self.operation} of {self.resource} {self.record_id or ''}: {self.state}"


class Turn(models.Model):
    """Held while one record is read, compared and written, so that our own writes take turns.

    `record` is like "tasks/17". A turn that its process never gave back ends at `until`.
    """

    record = models.CharField(max_length=60, unique=True)
    holder = models.CharField(max_length=20)
    until = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.record} until {self.until}"
