"""Stores each write before it is sent, and its outcome afterwards.

A token is valid for one write. Its row is committed before the first byte leaves, so that a second
press of the button, a second tab or a restart after a crash finds it, and nothing is sent twice by
accident. The row of an edit or a deletion is stored before the record is read and compared, and is
the lock of the record until its outcome is stored. Every time that decides something is taken from
the database's clock, so that servers whose clocks differ agree.
"""

import hashlib
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from http import HTTPStatus
from typing import Any, cast

from django.conf import settings
from django.db import Error, IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from dashboard.core import after_response
from dashboard.core.sealed import as_text, readable, sealed_text
from dashboard.gateway import Missing, OutcomeUnknown, Rejected, Unavailable
from dashboard.people.models import User

from .models import Draft, RelatedRecord, Write

State, Resolution = Write.State, Write.Resolution
VERIFY_WINDOW = timedelta(seconds=15)  # its page verifies a write that was saved just now
BODY_RETENTION = timedelta(days=1)  # of a write whose outcome is known
COPY_RETENTION = timedelta(days=7)  # of a deleted record
COMMIT_GRACE = 20  # seconds beyond both calls, for commits (SQLite waits up to 5 s)
MAX_VALUE_LENGTH = 2000  # characters of one value in the history
MAX_PARTS, MAX_PART_LENGTH = 30, 200  # lines, or parts of a line; characters of a part
NO_ANSWER = "no answer was stored"
WRITTEN = "the record is being written"
OTHER_PERSON = "Someone else sent this form. Copy what you entered, and open the form again."
LATE = "It couldn't be sent in time."

RecordRef = tuple[str, int]  # the name of the resource and the id


class NotRecorded(Unavailable):
    """The dashboard could not store the row of a write, so nothing may be sent."""

    title = "Not sent: we couldn't store it"
    text = "What you typed is still here. If it keeps happening, tell an administrator."


class RecordBusy(Unavailable):
    """Someone else is writing the same record at this moment, so nothing was sent."""

    title = "Not saved: someone else is saving this record"
    text = "Nothing was sent. What you typed is still here. Try again in a moment."


class InFlight(OutcomeUnknown):
    """Another request is still sending this form; its outcome is not known yet."""

    title = "Still being saved"
    text = "We're still saving this form. Please wait."
    page_status = HTTPStatus.CONFLICT


class UsedToken(Exception):  # noqa: N818 (what it is, without Error)
    """The token was used before, by `first`."""

    def __init__(self, first: Write) -> None:
        super().__init__()
        self.first = first


@dataclass(frozen=True)
class Content:
    """The encrypted part of a row: see Write. `typed`: only the names of the fields."""

    label: str
    body: dict[str, Any]
    before: dict[str, str]
    typed: list[str]
    copy: dict[str, Any] = field(default_factory=dict)


def new_token() -> str:
    return secrets.token_urlsafe(24)


def form_token_of(token: str) -> str:
    """Return the form's part of a write's token: "form", "form.2" for a second attempt, "form:part"
    for one of several writes, "form+1" for a retry.
    """
    return re.split("[.:+]", token, maxsplit=1)[0]


def next_token(form_token: str, person: User) -> str:
    """Return the token of a form's next write, after rejected ones. They are counted by their
    tokens, as they may belong to the form of another tab by now.
    """
    sent = Write.objects.filter(token__startswith=form_token, person=person, sent_at__isnull=False)
    tries = sent.count()
    return f"{form_token}.{tries + 1}" if tries else form_token


def digest_of(body: dict[str, Any]) -> str:
    """Return a digest to compare two bodies without storing them readably."""
    return hashlib.sha256(as_text(body, sort_keys=True).encode()).hexdigest()


def longest_call() -> timedelta:
    """Return the maximum duration of a write, the read that confirms it, and the database work."""
    return timedelta(seconds=2 * settings.API_TIMEOUT + COMMIT_GRACE)


def reserve(write: Write, waiting: QuerySet[Write] | None = None) -> Write:
    """Store a write of a record before the record is read, so that no one else writes it.
    `waiting`: its row, if one has waited for it.

    A transaction that stays open during the calls would block every writer on SQLite, so the row is
    committed, with an end. Nothing waits for a record: the second writer gets RecordBusy at once.
    Writers outside this dashboard are not kept away. Raises UsedToken, InFlight, RecordBusy or
    NotRecorded.
    """
    if first := find_by_token(write.token, write.person):
        raise UsedToken(first)
    write.reserved_until = end = Now() + longest_call()
    try:
        end_lost(workspace=write.workspace, resource=write.resource, record_id=write.record_id)
        with transaction.atomic(durable=True):
            if waiting is None:
                write.save(force_insert=True)
            elif not waiting.update(
                state=State.SENDING, record_id=write.record_id, reserved_until=end
            ):
                raise InFlight(reason="another worker sends it")
        return Write.objects.select_related("person").get(token=write.token)
    except IntegrityError:
        raise (_held(write) if waiting is None else RecordBusy(reason=WRITTEN)) from None
    except Error as error:
        raise NotRecorded(reason=type(error).__name__) from None


def _held(write: Write) -> Exception:
    same = Write.objects.filter(token=write.token).first()
    if same is None:
        return RecordBusy(reason=WRITTEN)
    if same.person != write.person:
        return Rejected(fields={"": [OTHER_PERSON]}, sent=False)
    if same.sent_at is None and same.state != State.SENDING:
        return NotRecorded(reason="the token is of another write")
    return UsedToken(same) if same.sent_at else InFlight(reason="another request sends this form")


def start_sending(write: Write, related: Iterable[RecordRef] = ()) -> None:
    """Store a write that is about to be sent, in its row if it has one.

    `related`: the other records that it refers to or referred to. A row whose time has passed, or
    that someone else has taken over, is not sent. Raises UsedToken, RecordBusy or NotRecorded.
    """
    row = _unsent(write).exclude(reserved_until__lte=Now())
    write.who = cast(User, write.person).get_username()
    end = Now() + longest_call()
    try:
        with transaction.atomic(durable=True):
            if write.pk is None:
                write.sent_at, write.reserved_until = Now(), end
                write.save(force_insert=True)
            elif not row.update(
                who=write.who,
                operation=write.operation,
                sent_at=Now(),
                reserved_until=end,
                digest=write.digest,
                content=sealed_text(write, "content"),
                changes=sealed_text(write, "changes"),
            ):
                raise RecordBusy(reason="its row was taken over")
            RelatedRecord.objects.bulk_create(
                RelatedRecord(write=write, resource=resource, record_id=number)
                for resource, number in related
            )
    except IntegrityError:
        raise _held(write) from None
    except Error as error:
        raise NotRecorded(reason=type(error).__name__) from None


def release(*, write: Write) -> None:
    """Release a record whose write was not sent. A job's row waits for the end of its slice, and
    the sender of a deletion ends it.
    """
    if write.job is not None:
        _unsent(write).update(record_id=None, reserved_until=None)
    elif write.not_before is None:
        with (
            transaction.atomic()
        ):  # `delete` alone would read first, and delete what was sent since
            if _unsent(write).update(state=State.CANCELLED):
                Write.objects.filter(pk=write.pk).delete()


def extend(*, write: Write) -> None:
    """Let a reservation last for one more call, unless someone else has taken the record over."""
    if _unsent(write).update(reserved_until=Now() + longest_call()):
        write.refresh_from_db(fields=["reserved_until"])


def _unsent(write: Write) -> QuerySet[Write]:
    return Write.objects.filter(
        pk=write.pk, state=State.SENDING, sent_at=None, reserved_until=write.reserved_until
    )


def seen_by_colleagues(label: str, changes: Mapping[str, tuple[Any, Any]]) -> dict[str, Any]:
    """Return the encrypted part of a history line; values are cut."""
    cut = {name: tuple(map(cut_value, values)) for name, values in changes.items()}
    return {"label": label, "changes": cut}


def cut_value(value: Any) -> Any:
    if isinstance(value, str):
        return value[:MAX_VALUE_LENGTH]
    if isinstance(value, dict):
        return {name: text[:MAX_PART_LENGTH] for name, text in [*value.items()][:MAX_PARTS]}
    return [cut_value(line) for line in value[:MAX_PARTS]]


def finish(write: Write, state: str, **answer: Any) -> None:
    """Store the outcome; if the database fails, the write becomes Not sure by itself."""
    write.state = state
    write.answer = answer
    write.record_id = write.record_id or answer.get("id")
    write.error_summary = _error_summary(state, answer)
    stored: dict[str, Any] = {
        name: getattr(write, name) for name in ("state", "record_id", "error_summary")
    }
    stored |= {name: sealed_text(write, name) for name in ("answer", "changes")}
    is_missing = answer.get("error") == Missing.__name__  # which counts as deleted
    if write.operation == "delete" and (state == State.SAVED or is_missing):
        stored["copy_until"] = Now() + COPY_RETENTION
    after_response.run_best_effort(store_outcome, write=write, **stored)


def _error_summary(state: str, answer: dict[str, Any]) -> str:
    reason = answer.get("reason") if state == State.NOT_SURE else answer.get("error")
    return f"{reason or ''} {answer.get('status') or ''}".strip()[:60]


def store_outcome(*, write: Write, **outcome: Any) -> None:
    """Store the outcome of a write in flight, or one given up as Not sure meanwhile."""
    in_flight = Q(state=State.SENDING) | Write.UNCLEAR
    is_open = Write.objects.filter(in_flight, pk=write.pk).update(done_at=Now(), **outcome)
    if is_open and outcome["state"] == State.SAVED:
        _delete_draft(write)


def _delete_draft(saved: Write) -> None:
    """Delete the draft of a form, unless the write was only a part of it."""
    if saved.form_token and ":" not in saved.token:
        Draft.objects.filter(token=saved.form_token, person=saved.person_id).delete()


def end_unsent(write: Write, reason: str) -> None:
    """End a pending or unsent write as Not saved for this reason."""
    write.answer = {"reason": reason}
    unsent = Write.objects.filter(pk=write.pk, sent_at=None)
    unsent.filter(state__in=(State.WAITING, State.SENDING)).update(
        state=State.NOT_SAVED, answer=sealed_text(write, "answer"), done_at=Now()
    )


def find_by_token(token: str, person: User | None) -> Write | None:
    """Return the person's write with this token, unless it only waits."""
    return Write.objects.filter(token=token, person=person, sent_at__isnull=False).first()


def of_form(token: str, person: User | None) -> QuerySet[Write]:
    """Return the writes of a form: their tokens are "token" or "token:part"."""
    return Write.objects.filter(_of_form(token), person=person, sent_at__isnull=False)


def _of_form(token: str) -> Q:
    return Q(token=token) | Q(token__startswith=f"{token}:")


def is_under_way(token: str, person: User) -> bool:
    """Return True if another request is still sending the form with this token."""
    of_form = Write.objects.filter(_of_form(token), person=person, state=State.SENDING)
    return of_form.exclude(_lost()).exists()


def just_saved(person: User, resource: str, record_id: int) -> Write | None:
    """Return the person's last write of a record, if it was saved within the last 15 s."""
    of_record = Write.objects.filter(person=person, resource=resource, record_id=record_id)
    last = of_record.exclude(operation="delete").order_by("-sent_at", "-pk").values("pk")[:1]
    lately = of_record.filter(state=State.SAVED, done_at__gt=Now() - VERIFY_WINDOW)
    return lately.filter(pk__in=last).first()


def refreshed(write: Write) -> Write:
    """Reload the row of a write that was sent. One that cannot be in flight any more is Not sure,
    which is stored after the answer, as pages open while the database takes no write.
    """
    write.refresh_from_db()
    if Write.objects.filter(_lost(), pk=write.pk, sent_at__isnull=False).exists():
        write.state, write.error_summary = State.NOT_SURE, NO_ANSWER
        after_response.run_after_response(end_lost)
    return write


def end_lost(**record: Any) -> int:
    """End the writes of processes that have died, or could not store the outcome. Return their
    number.

    What was sent is Not sure. An unsent write is deleted if it was a form, whose draft is kept,
    waits again if it is a row of a job, and is Not saved if it is a deletion. `record`: of one
    record alone.
    """
    lost = Write.objects.filter(_lost(), **record)
    if not lost.exists():
        return 0
    sent = lost.filter(sent_at__isnull=False)
    ended = sent.update(state=State.NOT_SURE, error_summary=NO_ANSWER, done_at=Now())
    for write in lost.filter(sent_at=None):
        release(write=write)
        if write.not_before:
            end_unsent(write, LATE)
        ended += 1
    return ended


def unresolved(person: User) -> list[Write]:
    """Return the person's unresolved writes, newest first."""
    found = list(open_unresolved(person).order_by("-sent_at"))
    if any(write.state == State.SENDING for write in found):
        after_response.run_after_response(end_lost)
    return found


def open_unresolved(person: User) -> QuerySet[Write]:
    """Return the open writes that are Not sure, or will be once `end_lost` is called."""
    unclear = Q(state=State.NOT_SURE) | (_lost() & Q(sent_at__isnull=False))
    return Write.objects.filter(unclear, person=person, resolution=Resolution.OPEN)


def _lost() -> Q:
    """Match writes in SENDING for longer than a call can take, by the database's clock."""
    return Q(state=State.SENDING, reserved_until__lte=Now())


def content_of(write: Write) -> Content:
    """Return the encrypted part. Raises sealed.DecryptionError, also if it was emptied."""
    return Content(**write.content)


def label_of(write: Write) -> str:
    """Return the record's label; "" if that cannot be decrypted."""
    return str(readable(write, "content").get("label", ""))


def resolve_write(write: Write, how: str, record_id: int | None = None) -> bool:
    """Resolve a write of unknown outcome. Return False if another tab did so meanwhile. FOUND makes
    it saved.

    record_id: the record that a create turned out to have made.
    """
    end_lost()
    unclear = Write.objects.filter(Write.UNCLEAR, pk=write.pk)
    values: dict[str, Any] = {"resolution": how, "record_id": write.record_id or record_id}
    copy: dict[str, Any] = {}
    if how == Resolution.FOUND:
        values |= {"state": State.SAVED, "error_summary": ""}
    if how == Resolution.FOUND and write.operation == "delete":
        copy["copy_until"] = Now() + COPY_RETENTION
    if not unclear.update(**values, **copy):
        write.refresh_from_db()
        return False
    for name, value in values.items():
        setattr(write, name, value)
    if how == Resolution.FOUND:
        _delete_draft(write)
    return True


def show_as_found(write: Write, record_id: int | None) -> None:
    """Count an unresolved write as saved, which is stored after the answer."""
    write.state, write.record_id = State.SAVED, write.record_id or record_id
    after_response.run_after_response(resolve_write, write=write, how=Resolution.FOUND)


def empty_contents() -> int:
    """Empty the contents of writes that were resolved a day ago, except the copies of deleted
    records and, for as long as those, what a message about a deletion shows. Return their number.
    """
    done = Write.objects.filter(Write.RESOLVED, done_at__lt=Now() - BODY_RETENTION)
    lately = Q(done_at__gte=Now() - COPY_RETENTION)
    done = done.exclude(Write.NOT_DELETED, lately, resolution=Resolution.OPEN)
    return done.exclude(Write.COPY_IS_KEPT).exclude(content="").update(content="")


def release_ownerless() -> int:
    """Close open writes of people whose accounts were deleted, and empty what only they could read.
    Return their number. The history keeps its content.
    """
    ownerless = Write.objects.filter(person=None)
    unsent = Q(state=State.WAITING) | Q(state=State.SENDING, sent_at=None)
    ownerless.filter(unsent).update(state=State.CANCELLED, done_at=Now())
    ownerless.filter(Write.UNCLEAR).update(resolution=Resolution.CLOSED)
    sealed = {"content": "", "answer": "", "job_row": ""}
    return ownerless.exclude(**sealed, number=None).update(**sealed, number=None)
