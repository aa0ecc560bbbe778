"""The ledger of writes, events, and drafts of forms."""

from datetime import datetime, timedelta
from typing import Any, NoReturn

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from dashboard.core.retention import Retention, RetentionRule
from dashboard.core.sealed import SealedJSON, readable

A_DAY = timedelta(days=1)
SEALED: Any = {"owner": "person_id", "purpose": "writes", "bound_fields": ("workspace", "token")}
OF_JOB: Any = {"owner": "person_id", "purpose": "jobs", "bound_fields": ("job", "token")}
# Whoever may see a record may read its history.
FOR_COLLEAGUES: Any = {"owner": "everybody", "purpose": "history"}


class Write(models.Model):
    """One write to the API. Its row is committed before the first byte leaves.

    `token` is valid for this one write. `owner` marks the key pair without revealing the keys.
    `job` is the number of the job that it belongs to, `number` its row there, at which several
    attempts may be made: the latest `attempt` is the row. `content` (sealed for the person) holds
    the record's label, the exact body, the names of the fields that the person typed, what the
    record held in them before, and the copy of a record to be deleted; it is emptied once nobody
    needs it any more (ledger.empty_contents). `answer` (sealed, too) is what the service said.
    `digest` tells a body from another. `form_token` is that of its form and of the form's draft; ""
    in a job.

    `asked_at`: when the person asked for it. `not_before`: a waiting one is sent from then on.
    `sent_at`: when it was stored with its body, to be sent next; null before. `done_at`: when its
    outcome was stored. All times are the database's.

    While it is Sending it is the lock of its record, so that two writes through this dashboard
    never overlap; first unsent, while the record is read and compared. A process that has not
    stored an outcome by `reserved_until` counts as dead (ledger.end_lost).

    A deletion that a person asks for waits from the start (writes/deletions.py). One that is not
    saved is open until its person closes the message about it. `copy_until`: the record is gone,
    and its copy in `content` is kept until then.

    Of a row of a job only: `job_row` (sealed for the person) is what the kind of the job sends
    ("sends") and what became of it, as far as nothing else tells that: the words of one that was
    not sent, what the record held before and after, what a look has shown. `reviewed`: its job has
    looked for an unknown outcome.

    A finished write is a line of the history (history.py), which colleagues see and which outlives
    the account: `who` is the username, `changes` (sealed for colleagues) holds the record's label
    and each typed field before and after, `error_summary` says why it was not saved.
    """

    class State(models.TextChoices):
        """From WAITING to SENDING to an outcome. SKIPPED and CANCELLED ones are never sent."""

        WAITING = "waiting", "Waiting"
        SENDING = "sending", "Sending"
        SAVED = "saved", "Saved"
        NOT_SAVED = "not saved", "Not saved"
        NOT_SURE = "not sure", "Not sure"
        SKIPPED = "skipped", "Skipped"
        CANCELLED = "cancelled", "Cancelled"

    class Resolution(models.TextChoices):
        """How a write of unknown outcome was resolved, by a person or by reading the record."""

        OPEN = "", "Open"
        FOUND = "found", "It was saved"
        SENT_AGAIN = "sent again", "Sent again"
        CLOSED = "left", "Closed"

    OPEN = models.Q(
        state__in=(State.WAITING, State.SENDING, State.NOT_SURE), resolution=Resolution.OPEN
    )
    RESOLVED = ~OPEN
    UNCLEAR = models.Q(state=State.NOT_SURE, resolution=Resolution.OPEN)
    SAVES_FORM = models.Q(state=State.SAVED) & ~models.Q(token__contains=":")  # noqa: S106 (a part)
    # A deletion that a person has asked for by itself, which counted down.
    COUNTED_DOWN = models.Q(operation="delete", not_before__isnull=False, job__isnull=True)
    NOT_DELETED = COUNTED_DOWN & models.Q(state=State.NOT_SAVED, copy_until__isnull=True)
    COPY_IS_KEPT = models.Q(copy_until__gt=Now())
    TIME, RANK = "done_at", 1  # in the order of the history
    everybody = 0  # the owner of what is sealed for colleagues

    token = models.CharField(max_length=80, unique=True)
    form_token = models.CharField(max_length=80, default="", blank=True)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="writes"
    )
    who = models.CharField(max_length=150, default="", blank=True)
    owner = models.CharField(max_length=64)
    workspace = models.CharField(max_length=100, blank=True, default="")
    resource = models.CharField(max_length=20)
    operation = models.CharField(max_length=10)
    record_id = models.BigIntegerField(null=True)
    job = models.BigIntegerField(null=True)
    number = models.PositiveIntegerField(null=True)
    attempt = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=10, choices=State, default=State.SENDING)
    resolution = models.CharField(
        max_length=12, choices=Resolution, default=Resolution.OPEN, blank=True
    )
    content = SealedJSON("contents of writes", **SEALED, blank=True)
    answer = SealedJSON("answers to writes", **SEALED, default="")
    changes = SealedJSON(
        "changes by writes",
        **FOR_COLLEAGUES,
        bound_fields=("workspace", "token"),
        default="",
        blank=True,
    )
    error_summary = models.CharField(max_length=60, default="", blank=True)
    digest = models.CharField(max_length=64)
    asked_at = models.DateTimeField(db_default=Now())
    not_before = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    reserved_until = models.DateTimeField(null=True)
    done_at = models.DateTimeField(null=True)
    copy_until = models.DateTimeField(null=True)
    job_row = SealedJSON("rows of jobs", **OF_JOB, blank=True, default="")
    reviewed = models.BooleanField(default=False)

    retention = Retention(
        "resolved writes and deletions that waited",
        RetentionRule(
            "AUDIT_RETENTION_DAYS",
            since="asked_at",
            only=RESOLVED & ~COPY_IS_KEPT & models.Q(number__isnull=True),
        ),
        RetentionRule(
            "DRAFT_RETENTION_DAYS",
            since="asked_at",
            only=COUNTED_DOWN & models.Q(state__in=(State.WAITING, State.SENDING), sent_at=None),
        ),
        RetentionRule(A_DAY, since="done_at", only=COUNTED_DOWN & models.Q(state=State.CANCELLED)),
    )

    class Meta:
        indexes = [
            models.Index(fields=["person", "state", "resolution"], name="writes_open"),
            models.Index(fields=["form_token"], name="writes_of_form"),
            models.Index(fields=["state", "reserved_until"], name="writes_sending"),
            models.Index(fields=["person", "resource", "record_id"], name="writes_of_record"),
            models.Index(  # each page asks for them
                fields=["person", "state", "resolution"],
                condition=models.Q(not_before__isnull=False),
                name="writes_counted_down",
            ),
            models.Index(
                fields=["person", "copy_until"],
                condition=models.Q(copy_until__isnull=False),
                name="writes_with_copy",
            ),
            models.Index(
                fields=["job", "state", "attempt", "number"],
                name="writes_of_job",
                condition=models.Q(job__isnull=False),
            ),
            # Not by the resource first: to filter by it alone, SQLite would sort all rows of it.
            models.Index(fields=["record_id", "resource"], name="writes_around_record"),
            models.Index(fields=["job", "id"], name="writes_by_job"),
            # All that the page of the history filters by: rows that do not match are not read.
            models.Index(
                fields=[
                    "done_at",
                    "id",
                    "sent_at",
                    "workspace",
                    "resource",
                    "operation",
                    "state",
                    "who",
                    "record_id",
                    "job",
                ],
                name="writes_history",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["job", "number", "attempt"],
                name="writes_attempt_at_row",
                condition=models.Q(number__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["workspace", "resource", "record_id"],
                name="writes_one_of_record",
                condition=models.Q(state="sending", record_id__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.operation} of {self.resource} {self.record_id}: {self.state}"

    @property
    def at(self) -> datetime:
        return self.done_at or self.asked_at

    @property
    def sends(self) -> dict[str, Any]:
        """Return what the job's kind sends with it; {} if it cannot be decrypted."""
        content: dict[str, Any] = readable(self, "job_row").get("sends", {})
        return content

    @property
    def seconds(self) -> float:
        """Return the duration, as far as known."""
        return round((self.at - (self.sent_at or self.at)).total_seconds(), 3)


class RelatedRecord(models.Model):
    """A record that a write refers to beside its own, such as a customer."""

    write = models.ForeignKey(Write, models.CASCADE, related_name="related")
    resource = models.CharField(max_length=20)
    record_id = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["resource", "record_id"], name="related_record")]

    def __str__(self) -> str:
        return f"{self.resource} {self.record_id}"


class AppendOnly(models.QuerySet["Event"]):
    """Rejects changes and deletions of rows, except by retention and key rotation."""

    def update(self, **kwargs: Any) -> NoReturn:
        raise TypeError("History is only added to.")

    def delete(self) -> NoReturn:
        raise TypeError("History is only added to; `tidy` removes what is too old.")


class Event(models.Model):
    """An action here without a write to the API: an export, a change of an account or of the
    service's switches. A line of the history beside the writes, and like them in `who` and
    `changes`.
    """

    TIME, RANK = "at", 0
    everybody = 0
    state, error_summary, job, seconds = Write.State.SAVED, "", None, 0.0  # as of a write

    at = models.DateTimeField(default=timezone.now)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    who = models.CharField(max_length=150)
    owner = models.CharField(max_length=64)
    workspace = models.CharField(max_length=100)
    resource = models.CharField(max_length=20)
    record_id = models.BigIntegerField(null=True)
    operation = models.CharField(max_length=10)
    changes = SealedJSON(
        "events of the history",
        **FOR_COLLEAGUES,
        bound_fields=("workspace", "resource", "record_id", "operation", "moment"),
    )

    retention = Retention(
        "events of the history", RetentionRule("AUDIT_RETENTION_DAYS", since="at")
    )

    rows = models.Manager()  # for what Django deletes by itself
    objects = AppendOnly.as_manager()

    class Meta:
        default_manager_name = "objects"
        base_manager_name = "rows"
        indexes = [
            models.Index(fields=["record_id", "resource"], name="events_of_record"),
            models.Index(
                fields=["at", "id", "workspace", "resource", "operation", "who", "record_id"],
                name="events_history",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.who}: {self.operation} of {self.resource} {self.record_id}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store a new event. Raises TypeError if it is already stored."""
        if self.pk is not None:
            raise TypeError("History is only added to.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("History is only added to; `tidy` removes what is too old.")

    @property
    def moment(self) -> int:
        """Return microseconds since 1970, which bind the sealed changes: there is no pk yet."""
        return round(self.at.timestamp() * 1_000_000)


class Draft(models.Model):
    """What was typed into one opened form.

    `token` is the one of that opened form: two tabs have two drafts. `content` holds, sealed, all
    fields and the label of the form (drafts.py). `workspace` is the one whose keys the form was
    opened with, `path` the address of the form. A draft is open until the ledger has a saved write
    of its form, or its person has discarded it; it can be restored for a day then.
    """

    token = models.CharField(max_length=40, unique=True)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="drafts")
    workspace = models.CharField(max_length=100, blank=True)
    path = models.CharField(max_length=200)
    content = SealedJSON(
        "drafts",
        owner="person_id",
        purpose="drafts",
        bound_fields=("workspace", "path"),
        db_column="sealed",
    )
    stored_at = models.DateTimeField(default=timezone.now)
    discarded_at = models.DateTimeField(null=True)

    retention = Retention(
        "unfinished forms",
        RetentionRule("DRAFT_RETENTION_DAYS", since="stored_at"),
        RetentionRule(A_DAY, since="discarded_at"),
    )

    class Meta:
        indexes = [
            models.Index(fields=["person", "stored_at"], name="drafts_of_person"),
            models.Index(fields=["stored_at"], name="drafts_by_age"),
        ]

    def __str__(self) -> str:
        return f"draft of {self.path}"
