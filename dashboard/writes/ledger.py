"""Stores each write before it is sent, and its outcome afterwards.

A token is valid for one write. Its row is committed before the first byte leaves, so that a second
press of the button, a second tab or a restart after a crash finds it, and nothing is sent twice by
accident. Every time that decides something is taken from the database's clock.
"""

import hashlib
import re
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import Error, IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from dashboard.core import after_response
from dashboard.core.sealed import as_text, readable, sealed_text
from dashboard.gateway import Missing, Unavailable
from dashboard.people.models import User

from . import locks
from .models import Draft, RecordLock, RelatedRecord, Write

State, Resolution = Write.State, Write.Resolution
JUST = timedelta(seconds=15)  # a write that was saved this recently is verified by its page
BODY_KEPT_FOR = timedelta(days=1)  # of a write whose outcome is known
COPY_KEPT_FOR = timedelta(days=7)  # of a deleted record
FILLED_IN = ("state", "who", "owner", "workspace", "resource", "operation", "record_id", "sent_at",
             "digest")  # fmt: skip # of a row that waited
LONGEST = 2000  # characters of one value in the history
MOST_PARTS, LONGEST_PART = 30, 200  # lines, or parts of a line; characters of a part
NO_ANSWER = "no answer was stored"

RecordRef = tuple[str, int]  # the name of the resource and the id


class NotRecorded(Unavailable):
    """The dashboard could not store the row of a write, so nothing may be sent."""

    title = "Not sent: Entry Desk could not store it"
    text = (
        "Nothing was sent, and what you typed is still here. If it happens again, tell an "
        "administrator."
    )


class UsedToken(Exception):  # noqa: N818 (what it is, without Error)
    """This token was used before, by `first`."""

    def __init__(self, first: Write) -> None:
        super().__init__()
        self.first = first


@dataclass(frozen=True, kw_only=True)
class NewWrite:
    """One write as it is to be stored.

    owner: marks the key pair. label: what people call the record. body: exactly what is sent, as
    JSON types, also when it is sent again. typed: the person's own part of the body, by which a
    form that is posted twice is recognised. before: what the record held in these fields, as text.
    copy: a record to be deleted, as it was read. lock: the one it is sent under. job: its number.
    changes: what colleagues see in the history, each field before and after: a text, or texts by
    name, of which lines have a list. related: the other records that it refers to or referred to.
    """

    token: str
    person: User
    owner: str
    workspace: str
    resource: str
    operation: str
    record_id: int | None = None
    label: str = ""
    body: dict[str, Any] = field(default_factory=dict)
    typed: dict[str, Any] = field(default_factory=dict)
    before: dict[str, str] = field(default_factory=dict)
    copy: dict[str, Any] = field(default_factory=dict)
    changes: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    related: frozenset[RecordRef] = frozenset()
    lock: RecordLock | None = None
    job: int | None = None


@dataclass(frozen=True)
class Content:
    """What is encrypted in a row: see Write. `typed` holds the names of the fields only."""

    label: str
    body: dict[str, Any]
    before: dict[str, str]
    typed: list[str]
    copy: dict[str, Any] = field(default_factory=dict)


def new_token() -> str:
    """A token for one form."""
    return secrets.token_urlsafe(24)


def form_token_of(token: str) -> str:
    """The token of the form that the token of a write begins with: "form", "form.2" for a second
    try, "form:part" for one of several writes, "form+1" for one that is sent again.
    """
    return re.split("[.:+]", token, maxsplit=1)[0]


def next_token(form_token: str, person: User) -> str:
    """A token for the next write of a form, after those that were not saved."""
    tries = Write.objects.filter(form_token=form_token, person=person).count()
    return f"{form_token}.{tries + 1}" if tries else form_token


def digest_of(body: dict[str, Any]) -> str:
    """Tells whether two bodies are the same without keeping either readable."""
    return hashlib.sha256(as_text(body, sort_keys=True).encode()).hexdigest()


def begin(write: NewWrite) -> Write:
    """Store a write that is about to be sent, in its row if it has waited, and renew its lock.

    Both are committed together: without the lock nothing is stored and nothing may be sent. Raises
    locks.Locked, UsedToken or NotRecorded.
    """
    try:
        with transaction.atomic(durable=True):
            if write.lock:
                locks.renew(write.lock)
            return _store(write)
    except IntegrityError:
        first = find_by_token(write.token, write.person)
        if first is None or first.sent_at is None:
            raise NotRecorded(reason="the token is of another write, or not sent") from None
        raise UsedToken(first) from None
    except Error as error:
        raise NotRecorded(reason=type(error).__name__) from None


def _store(write: NewWrite) -> Write:
    """The row of a write with all that is sent: the one that waited for it, else a new one."""
    row = Write(
        token=write.token,
        form_token="" if write.job else form_token_of(write.token),
        person=write.person,
        who=write.person.get_username(),
        owner=write.owner,
        workspace=write.workspace,
        resource=write.resource,
        operation=write.operation,
        record_id=write.record_id,
        job=write.job,
        sent_at=Now(),
        digest=digest_of(write.typed),
    )
    content = Content(write.label, write.body, write.before, list(write.typed), write.copy)
    row.content = vars(content)
    row.changes = seen_by_colleagues(write.label, write.changes)
    own_row = Write.objects.filter(token=row.token, person=row.person)
    values = {name: getattr(row, name) for name in FILLED_IN}
    values |= {name: sealed_text(row, name) for name in ("content", "changes")}
    if own_row.filter(state=State.SENDING, sent_at__isnull=True).update(**values):
        row = own_row.select_related("person").get()
    else:
        row.save(force_insert=True)
    RelatedRecord.objects.bulk_create(
        RelatedRecord(write=row, resource=resource, record_id=number)
        for resource, number in write.related
    )
    return row


def seen_by_colleagues(label: str, changes: Mapping[str, tuple[Any, Any]]) -> dict[str, Any]:
    """What a line of the history holds encrypted; values are cut."""
    cut = {name: tuple(map(cut_value, values)) for name, values in changes.items()}
    return {"label": label, "changes": cut}


def cut_value(value: Any) -> Any:
    """A value of the history within its bounds."""
    if isinstance(value, str):
        return value[:LONGEST]
    if isinstance(value, dict):
        return {name: text[:LONGEST_PART] for name, text in [*value.items()][:MOST_PARTS]}
    return [cut_value(line) for line in value[:MOST_PARTS]]


def finish(write: Write, state: str, **answer: Any) -> None:
    """Store the outcome; if the database fails, the write becomes Not sure by itself."""
    write.state = state
    write.answer = answer
    write.record_id = write.record_id or answer.get("id")
    write.said = _said(state, answer)
    _name(write, str(answer.get("label") or ""))
    stored: dict[str, Any] = {name: getattr(write, name) for name in ("state", "record_id", "said")}
    stored |= {name: sealed_text(write, name) for name in ("answer", "changes")}
    is_missing = answer.get("error") == Missing.__name__  # which counts as deleted
    if write.operation == "delete" and (state == State.SAVED or is_missing):
        stored["copy_until"] = Now() + COPY_KEPT_FOR
    after_response.attempt(store_outcome, write=write, **stored)


def _said(state: str, answer: dict[str, Any]) -> str:
    """What the service said of a write that was not saved, such as "Rejected 409"."""
    reason = answer.get("reason") if state == State.NOT_SURE else answer.get("error")
    return f"{reason or ''} {answer.get('status') or ''}".strip()[:60]


def _name(write: Write, label: str) -> None:
    """Let the history call a record that had no name by what the service calls it."""
    if label and not (changes := readable(write, "changes")).get("label"):
        write.changes = {**seen_by_colleagues(label, {}), **changes, "label": label}


def store_outcome(*, write: Write, **outcome: Any) -> None:
    """Store the outcome of a write that is under way, or was given up as Not sure meanwhile."""
    unclear = Q(state=State.SENDING) | Q(state=State.NOT_SURE, resolution=Resolution.OPEN)
    is_open = Write.objects.filter(unclear, pk=write.pk).update(done_at=Now(), **outcome)
    if is_open and outcome["state"] == State.SAVED:
        _delete_draft(write)


def _delete_draft(saved: Write) -> None:
    """Delete the draft of a form, unless the write was only a part of it."""
    if saved.form_token and ":" not in saved.token:
        Draft.objects.filter(token=saved.form_token, person=saved.person_id).delete()


def end_unsent(write: Write, reason: str) -> None:
    """Let a write that waits, or was about to be sent, end as Not saved for this reason."""
    write.answer = {"reason": reason}
    unsent = Write.objects.filter(pk=write.pk, sent_at=None)
    unsent.filter(state__in=(State.WAITING, State.SENDING)).update(
        state=State.NOT_SAVED, answer=sealed_text(write, "answer"), done_at=Now()
    )


def find_by_token(token: str, person: User | None) -> Write | None:
    """The write that a token of this person was used for, if any; not one that only waits."""
    return Write.objects.filter(token=token, person=person, sent_at__isnull=False).first()


def of_form(token: str, person: User | None) -> QuerySet[Write]:
    """What one form has sent, which may be several writes: their tokens are "token" or
    "token:part".
    """
    parts = Q(token=token) | Q(token__startswith=f"{token}:")
    return Write.objects.filter(parts, person=person, sent_at__isnull=False)


def is_under_way(token: str, person: User) -> bool:
    """Whether another request is still carrying out the form with this token."""
    mark_lost()
    sending = of_form(token, person).filter(state=State.SENDING)
    return locks.is_held_by(token) or sending.exists()


def just_saved(person: User, resource: str, record_id: int) -> Write | None:
    """The person's last write of a record, if it was saved within the last 15 s."""
    of_record = Write.objects.filter(person=person, resource=resource, record_id=record_id)
    last = of_record.exclude(operation="delete").order_by("-sent_at", "-pk").values("pk")[:1]
    return of_record.filter(pk__in=last, state=State.SAVED, done_at__gt=Now() - JUST).first()


def refreshed(write: Write) -> Write:
    """The row as it is now; one that cannot be under way any more is Not sure."""
    mark_lost()
    write.refresh_from_db()
    return write


def mark_lost() -> int:
    """Set to Not sure what has been sending for longer than a call can take; how many.

    The process that sent it has died, or could not store the outcome. Pages call this, which shall
    open while the database takes no write.
    """
    lost = Write.objects.filter(_lost())
    if not lost.exists():
        return 0
    with suppress(Error):
        return lost.update(state=State.NOT_SURE, said=NO_ANSWER, done_at=Now())
    return 0


def unresolved(person: User) -> list[Write]:
    """The person's writes of unknown outcome that nobody has settled, newest first."""
    mark_lost()
    return list(open_unresolved(person).order_by("-sent_at"))


def open_unresolved(person: User) -> QuerySet[Write]:
    """The open writes that are Not sure, or will be as soon as `mark_lost` is called."""
    unclear = Q(state=State.NOT_SURE) | _lost()
    return Write.objects.filter(unclear, person=person, resolution=Resolution.OPEN)


def _lost() -> Q:
    """What has been sending for longer than a call can take, by the database's clock."""
    return Q(state=State.SENDING, sent_at__lt=Now() - locks.longest_call())


def content_of(write: Write) -> Content:
    """The encrypted part of a row; raises sealed.DecryptionError, also where it was emptied."""
    return Content(**write.content)


def waiting_content(label: str, copy: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a deletion that waits; `copy`: the record as it was read."""
    return vars(Content(label, body={}, before={}, typed=[], copy=dict(copy)))


def label_of(write: Write) -> str:
    """What people called the record; "" where that can no longer be opened."""
    return str(readable(write, "content").get("label", ""))


def settle(write: Write, how: str, record_id: int | None = None) -> bool:
    """Settle a write of unknown outcome, once: false if another tab has settled it meanwhile. One
    that was found is saved.

    record_id: the record that a create turned out to have made.
    """
    unsettled = Write.objects.filter(pk=write.pk, state=State.NOT_SURE, resolution=Resolution.OPEN)
    values: dict[str, Any] = {"resolution": how, "record_id": write.record_id or record_id}
    if how == Resolution.FOUND:
        values |= {"state": State.SAVED, "said": ""}
    if how == Resolution.FOUND and write.operation == "delete":
        values["copy_until"] = Now() + COPY_KEPT_FOR
    is_settled = bool(unsettled.update(**values))
    if is_settled and how == Resolution.FOUND:
        _delete_draft(write)
    return is_settled


def empty_contents() -> int:
    """Empty the contents of writes that were resolved a day ago, but for the copies of deleted
    records and, for as long as those, what a message about a deletion shows; how many.
    """
    done = Write.objects.filter(Write.RESOLVED, done_at__lt=Now() - BODY_KEPT_FOR)
    lately = Q(done_at__gte=Now() - COPY_KEPT_FOR)
    done = done.exclude(Write.NOT_DELETED, lately, resolution=Resolution.OPEN)
    return done.exclude(Write.COPY_IS_KEPT).exclude(content="").update(content="")


def release_ownerless() -> int:
    """Close what people have left open whose account was deleted, and empty what only they could
    read; how many. What the history shows stays.
    """
    ownerless = Write.objects.filter(person=None)
    unsent = Q(state=State.WAITING) | Q(state=State.SENDING, sent_at=None)
    ownerless.filter(unsent).update(state=State.CANCELLED, done_at=Now())
    ownerless.filter(state=State.NOT_SURE, resolution=Resolution.OPEN).update(
        resolution=Resolution.CLOSED
    )
    sealed = {"content": "", "answer": "", "job_row": ""}
    return ownerless.exclude(**sealed, number=None).update(**sealed, number=None)
