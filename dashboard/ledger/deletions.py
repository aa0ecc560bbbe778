"""Deletions that count down: writes that wait until a worker, or their person, sends them.

Nothing is sent here. Every time that decides something is the database's: sites and workers whose
clocks differ agree on when a countdown ends, and on when it ended too long ago.
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from math import ceil
from typing import Any, NamedTuple

from django.db import Error, IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.views.decorators.debug import sensitive_variables
from django_tasks.base import Task

from dashboard import sealed
from dashboard.accounts.models import User
from dashboard.sealed import sealed_text

from . import locks, repetitions
from .models import Write
from .services import COPY_KEPT_FOR, Content, content_of, digest_of, is_gone, new_token

logger = logging.getLogger(__name__)

SECONDS = 8  # that a deletion is delayed at least, unless the person presses "now"
SENT_WITHIN = timedelta(seconds=52)  # of its end; later nobody expects the worker to send it
LATE = "It was not sent when its countdown ended."
INTERRUPTED = "Sending it was interrupted before anything was sent."
REFUSED = "The service did not delete it."

State, Resolution = Write.State, Write.Resolution
Later = Task[[int], None]  # sends the deletion with this primary key when the countdown has ended
READING = Q(state=State.SENDING, sent_at__isnull=True)  # taken, and nothing has left


class Phase(StrEnum):
    """What has become of a deletion, or what happens next if nobody presses anything."""

    COUNTING = "counting"  # the countdown runs
    DUE = "due"  # the worker may send it at any moment
    WAITING = "waiting"  # nothing is sent until the person says so
    SENDING = "sending"  # it is being sent
    NOT_SURE = "not sure"
    DELETED = "deleted"
    KEPT = "kept"  # undone; nothing was sent
    REFUSED = "refused"  # and nothing waits in its place any more


class Copy(NamedTuple):
    """The label of a record, and the record as it was read."""

    label: str
    raw: dict[str, Any]


@sensitive_variables()
def schedule(
    *,
    person: User,
    owner: str,
    workspace: str,
    resource: str,
    record_id: int,
    token: str,
    copy: Copy,
    later: Later,
) -> Write:
    """Store a deletion that waits: one for each record, and one for each token.

    `later`: the task that sends it when the countdown ends. A worker takes it at once, and asks the
    database how long to wait. Raises django.db.Error if one of them cannot be stored; then neither
    is.
    """
    asked = Write(
        token=token or new_token(),
        person=person,
        owner=owner,
        workspace=workspace,
        resource=resource,
        operation="delete",
        record_id=record_id,
        digest=digest_of({}),
    )
    with transaction.atomic():
        deletion = _store(asked, copy)
        later.enqueue(deletion.pk)
    return deletion


def _store(asked: Write, copy: Copy) -> Write:
    """The row of a deletion that is asked for now, which may be there already."""
    mine = _of_record(asked)
    undone = Q(token=asked.token, state=State.CANCELLED)
    earlier = mine.filter(Q(state=State.WAITING) | undone)
    again = earlier.first()
    if again:
        again.content = _content(copy)
        content = sealed_text(again, "content")
        if earlier.filter(pk=again.pk).update(content=content, **_waiting_from_now()):
            again.refresh_from_db()
            return again
    try:
        return _stored(asked, copy)
    except IntegrityError:  # the same form twice at the same moment, or once more
        found = mine.filter(token=asked.token).first()
    asked.token = new_token()  # nobody else's can be used
    return found or _stored(asked, copy)


@transaction.atomic
def _stored(asked: Write, copy: Copy) -> Write:
    asked.content = _content(copy)
    for name, value in _waiting_from_now().items():
        setattr(asked, name, value)
    asked.save(force_insert=True)
    return Write.objects.get(pk=asked.pk)


def _waiting_from_now() -> dict[str, Any]:
    return {
        "state": State.WAITING,
        "asked_at": Now(),
        "not_before": Now() + timedelta(seconds=SECONDS),
        "done_at": None,
        "why": "",
    }


def _content(copy: Copy) -> dict[str, Any]:
    return vars(Content(label=copy.label, body={}, before={}, typed=[], copy=copy.raw))


def of_person(person: User | int | None) -> QuerySet[Write]:
    """The deletions that a person has asked for one by one, newest first."""
    return Write.objects.filter(Write.COUNTED_DOWN, person=person).order_by("-asked_at")


def copies(person: User, owner: str) -> QuerySet[Write]:
    """The deletions of a person with this key pair whose copy is kept, however they were asked for;
    the last one first.
    """
    gone = Write.objects.filter(Write.COPY_IS_KEPT, operation="delete", person=person, owner=owner)
    return gone.order_by("-copy_until")


def deleted_at(deletion: Write) -> datetime | None:
    """When it was known that the record is deleted; None before."""
    return deletion.copy_until - COPY_KEPT_FOR if deletion.copy_until else None


def find_waiting(person: User, owner: str, resource: str, record_id: int) -> Write | None:
    """The person's waiting deletion of this record, if any."""
    waiting = of_person(person).filter(owner=owner, state=State.WAITING)
    return waiting.filter(resource=resource, record_id=record_id).first()


def current(deletion: Write) -> Write:
    """The write that has taken the place of a deletion: the last one of the record after the
    service has refused it, or its repetition; the deletion itself if there is none.
    """
    if deletion.resolution == Resolution.SENT_AGAIN:
        return repetitions.sent_again(deletion) or deletion
    if deletion.state == State.NOT_SAVED and deletion.copy_until is None:
        return _after(deletion).order_by("-pk").first() or deletion
    return deletion


def _of_record(deletion: Write) -> QuerySet[Write]:
    """The deletions of the same record by the same person with the same keys."""
    mine = of_person(deletion.person_id).filter(owner=deletion.owner, resource=deletion.resource)
    return mine.filter(record_id=deletion.record_id)


def _after(deletion: Write) -> QuerySet[Write]:
    return _of_record(deletion).filter(pk__gt=deletion.pk)


def seconds_until_due(pk: int) -> float | None:
    """Seconds until the worker may send a waiting deletion, at most 0 from then on; None for one
    that it may not send.
    """
    waiting = Write.objects.filter(Write.COUNTED_DOWN, pk=pk, state=State.WAITING, why="")
    found = waiting.values_list("not_before", Now()).first()
    return (found[0] - found[1]).total_seconds() if found and found[0] else None


def seconds_left(deletion: Write) -> int:
    """Whole seconds of the countdown; 0 when it has ended, and where it waits for the person."""
    return max(0, ceil(seconds_until_due(deletion.pk) or 0))


def phase_of(deletion: Write) -> Phase:
    """What has become of it, or happens next. One that no worker has sent in time is marked as
    waiting for its person first, so that none sends it after the person was told so.
    """
    if deletion.copy_until:
        return Phase.DELETED
    if deletion.state != State.WAITING:
        return {
            State.SENDING: Phase.SENDING,
            State.NOT_SURE: Phase.NOT_SURE,
            State.CANCELLED: Phase.KEPT,
        }.get(State(deletion.state), Phase.REFUSED)
    late = _waiting(deletion).filter(not_before__lte=Now() - SENT_WITHIN, why="")
    if not deletion.why and late.update(why=LATE):
        deletion.why = LATE
    if deletion.why:
        return Phase.WAITING
    return Phase.COUNTING if seconds_left(deletion) else Phase.DUE


def counting_down(person: User, workspace: str) -> QuerySet[Write]:
    """The deletions whose countdown runs or has just ended, newest first."""
    mine = of_person(person).filter(Write.OPEN, workspace=workspace, why="")
    return mine.filter(not_before__gt=Now() - SENT_WITHIN)


def find_due(pk: int) -> Write | None:
    """The waiting deletion if the worker may send it now: its countdown has ended, and not so long
    ago that nobody expects it any more.
    """
    return _due().filter(pk=pk).first()


def take(deletion: Write, token: str, *, by_worker: bool = False) -> bool:
    """Note that it is about to be read and sent, under the lock of its record; false if it was
    cancelled or sent, or has another token, or if the worker may not send it at this moment. A
    person may at any time.

    Raises django.db.Error.
    """
    sendable = _due() if by_worker else Write.objects.filter(Q(state=State.WAITING) | READING)
    mine = sendable.filter(pk=deletion.pk, token=token)
    return bool(mine.update(state=State.SENDING, why=""))


def explain(deletion: Write, why: str) -> None:
    """Note why a waiting deletion was not sent: it waits until the person says so."""
    _waiting(deletion).update(why=why)


def put_back(deletion: Write, why: str) -> None:
    """Let it wait for its person, under the same token if nothing was sent with that. One that the
    service has refused waits as a new write already, and gets the reason.

    A row that cannot be updated must not make an answer of the service something else.
    """
    try:
        if not _put_back(deletion, why):
            deletion.refresh_from_db()
            explain(current(deletion), why)
    except Error:
        logger.exception("a waiting deletion could not be updated")


def put_back_interrupted(deletion: Write) -> None:
    """Let a deletion wait again whose sender has died before it sent anything.

    A lock that can be taken shows that it has: without its own nobody sends anything any more.
    """
    if deletion.state != State.SENDING or deletion.sent_at:
        return
    try:
        with locks.record_lock(f"{deletion.resource}/{deletion.record_id}", ""):
            _put_back(deletion, INTERRUPTED)
    except locks.Locked:
        return
    deletion.refresh_from_db()


def _put_back(deletion: Write, why: str) -> bool:
    mine = Write.objects.filter(READING, pk=deletion.pk)
    return bool(mine.update(state=State.WAITING, why=why))


def skip_missing(deletion: Write) -> None:
    """Note that the record was gone when it was read, so that nothing was sent."""
    values = {"state": State.SKIPPED, "done_at": Now(), "copy_until": Now() + COPY_KEPT_FOR}
    try:
        Write.objects.filter(READING, pk=deletion.pk).update(**values)
    except Error:
        logger.exception("a waiting deletion could not be updated")


def following(write: Write, state: str, error: object) -> list[Callable[[], object]]:
    """The work after the service has refused a deletion that counted down: it waits again."""
    is_refused = state == State.NOT_SAVED and not is_gone(write, state, error)
    counted_down = write.operation == "delete" and write.not_before and write.job is None
    return [partial(wait_again, pk=write.pk)] if is_refused and counted_down else []


def wait_again(*, pk: int) -> None:
    """Let what the service has refused to delete wait for its person, as a new write with a token
    of its own.
    """
    refused = Write.objects.filter(pk=pk, state=State.NOT_SAVED).first()
    if refused is None or _after(refused).exists():
        return
    same = ("operation", "record_id", "digest", "asked_at", "not_before")
    values = {name: getattr(refused, name) for name in same}
    again = repetitions.successor(refused, new_token(), why=REFUSED, **values)
    again.content = _content(copy_or_empty(refused))
    again.save(force_insert=True)


@sensitive_variables()
def copy_or_empty(deletion: Write) -> Copy:
    """The copy; empty where it cannot be opened."""
    try:
        content = content_of(deletion)
    except sealed.Unreadable:
        return Copy("", {})
    return Copy(content.label, content.copy)


def replace_copy(deletion: Write, copy: Copy) -> None:
    """Store what the person is shown of a record that has changed."""
    deletion.content = _content(copy)
    _waiting(deletion).update(content=sealed_text(deletion, "content"))


def cancel(deletion: Write) -> bool:
    """Cancel it; false if it was sent before."""
    waiting = Write.objects.filter(pk=deletion.pk, state=State.WAITING)
    return bool(waiting.update(state=State.CANCELLED, content="", done_at=Now()))


def _due() -> QuerySet[Write]:
    """The deletions that the worker may send at this moment."""
    waiting = Write.objects.filter(Write.COUNTED_DOWN, state=State.WAITING, why="")
    return waiting.filter(not_before__lte=Now(), not_before__gt=Now() - SENT_WITHIN)


def _waiting(deletion: Write) -> QuerySet[Write]:
    return Write.objects.filter(pk=deletion.pk, token=deletion.token, state=State.WAITING)
