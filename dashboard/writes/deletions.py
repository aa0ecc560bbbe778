"""Deletions that count down: writes that wait until a worker, or their person, sends them.

One is sent once, and only if the record is as it was when the person asked: by the worker when the
countdown ends, by its page when the person presses "now". Every time that decides something is the
database's: sites and workers whose clocks differ agree on when a countdown ends, and on when it
ended too long ago.
"""

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from math import ceil
from typing import Any, Protocol

from django.db import Error, IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.views.decorators.debug import sensitive_variables

from dashboard.accounts.models import User
from dashboard.accounts.permissions import DELETE_RECORDS
from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.forms.fields import Shown
from dashboard.gateway import GatewayError, Missing, OutcomeUnknown, Record
from dashboard.gateway.records import record_of
from dashboard.ledger import locks, repetitions
from dashboard.ledger import services as ledger
from dashboard.ledger.models import RecordLock, Write
from dashboard.sealed import readable, sealed_text
from dashboard.text.style import PLAIN, Style
from dashboard.writes import writer
from dashboard.writes.failures import in_words, summary
from dashboard.writes.for_person import NotPermitted, OtherKeys, context_for
from dashboard.writes.stored_outcomes import stored_error

logger = logging.getLogger(__name__)

SECONDS = 8  # that a deletion is delayed at least, unless the person presses "now"
SENT_WITHIN = timedelta(seconds=52)  # of its end; later nobody expects the worker to send it
PAYMENTS = "payments"
LATE = "It was not sent when its countdown ended."
INTERRUPTED = "Sending it was interrupted before anything was sent."
CHANGED = "Somebody has changed it since you asked."
OTHER_KEYS = "Your connection has changed since you asked."
NOT_PERMITTED = "Your role does not let you delete it any more."

State, Resolution = Write.State, Write.Resolution
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


PHASES = {
    State.SENDING: Phase.SENDING,
    State.NOT_SURE: Phase.NOT_SURE,
    State.CANCELLED: Phase.KEPT,
}


class Later(Protocol):
    """What a worker does when the countdown of a deletion has ended."""

    def enqueue(self, pk: int, /) -> object:
        """Let a worker send the deletion with this primary key."""


class Changed(Exception):  # noqa: N818 (what it is, without Error)
    """The record was changed after the confirmation: `copy` is as it was, `fresh` as it is now."""

    def __init__(self, copy: Record, fresh: Record) -> None:
        super().__init__()
        self.copy = copy
        self.fresh = fresh


class Stale(Exception):  # noqa: N818
    """The token is not the current one of the deletion: it was cancelled or already sent."""


@sensitive_variables()
def schedule(
    *,
    person: User,
    owner: str,
    workspace: str,
    resource: str,
    record_id: int,
    token: str,
    label: str,
    copy: Mapping[str, Any],
    later: Later,
) -> Write:
    """Store a deletion that waits: one for each record, and one for each token.

    `copy`: the record as it was read. `later` is enqueued with the deletion: a worker takes it at
    once, and asks the database how long to wait. Raises django.db.Error if one of them cannot be
    stored; then neither is.
    """
    asked = Write(
        token=token or ledger.new_token(),
        person=person,
        owner=owner,
        workspace=workspace,
        resource=resource,
        operation="delete",
        record_id=record_id,
        digest=ledger.digest_of({}),
    )
    content = ledger.waiting_content(label, copy)
    with transaction.atomic():
        deletion = _store(asked, content)
        later.enqueue(deletion.pk)
    return deletion


def _store(asked: Write, content: Mapping[str, Any]) -> Write:
    """The row of a deletion that is asked for now, which may be there already."""
    of_record = of_person(asked.person_id).filter(
        owner=asked.owner, resource=asked.resource, record_id=asked.record_id
    )
    undone = Q(token=asked.token, state=State.CANCELLED)
    earlier = of_record.filter(Q(state=State.WAITING) | undone)
    again = earlier.first()
    if again:
        again.content = content
        sealed = sealed_text(again, "content")
        if earlier.filter(pk=again.pk).update(content=sealed, **_waiting_from_now()):
            again.refresh_from_db()
            return again
    try:
        return _stored(asked, content)
    except IntegrityError:  # the same form twice at the same moment, or once more
        same_form = of_record.filter(token=asked.token).first()
    asked.token = ledger.new_token()  # nobody else's can be used
    return same_form or _stored(asked, content)


@transaction.atomic
def _stored(asked: Write, content: Mapping[str, Any]) -> Write:
    asked.content = content
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


def of_person(person: User | int | None) -> QuerySet[Write]:
    """The deletions that a person has asked for one by one, newest first."""
    return Write.objects.filter(Write.COUNTED_DOWN, person=person).order_by("-asked_at")


def find_waiting(person: User, owner: str, resource: str, record_id: int) -> Write | None:
    """The person's waiting deletion of this record, if any."""
    waiting = of_person(person).filter(owner=owner, state=State.WAITING)
    return waiting.filter(resource=resource, record_id=record_id).first()


def counting_down(person: User, workspace: str) -> QuerySet[Write]:
    """The deletions whose countdown runs or has just ended, newest first."""
    unexplained = of_person(person).filter(Write.OPEN, workspace=workspace, why="")
    return unexplained.filter(not_before__gt=Now() - SENT_WITHIN)


def current(deletion: Write) -> Write:
    """The write that has taken the place of a deletion: the last one of the record after the
    service has refused it, or its repetition; the deletion itself if there is none.
    """
    if deletion.resolution == Resolution.SENT_AGAIN:
        return repetitions.sent_again(deletion) or deletion
    if deletion.state == State.NOT_SAVED and deletion.copy_until is None:
        return ledger.later_deletions(deletion).order_by("-pk").first() or deletion
    return deletion


def reason(deletion: Write) -> str:
    """Why it waits, in words for its person, with those of the service if it was refused."""
    names = ("person_id", "owner", "resource", "record_id")
    same = {name: getattr(deletion, name) for name in names}
    refused = Write.objects.filter(
        Write.COUNTED_DOWN, pk__lt=deletion.pk, state=State.NOT_SAVED, **same
    )
    first = refused.order_by("-pk").first() if deletion.why else None
    if first is None:
        return deletion.why
    error = stored_error(first)
    return in_words(error) if deletion.why in (ledger.REFUSED, summary(error)) else deletion.why


def phase_of(deletion: Write) -> Phase:
    """What has become of it, or happens next. One that no worker has sent in time is marked as
    waiting for its person first, so that none sends it after the person was told so.
    """
    if deletion.copy_until:
        return Phase.DELETED
    if deletion.state != State.WAITING:
        return PHASES.get(State(deletion.state), Phase.REFUSED)
    late = _waiting(deletion).filter(not_before__lte=Now() - SENT_WITHIN, why="")
    if not deletion.why and late.update(why=LATE):
        deletion.why = LATE
    if deletion.why:
        return Phase.WAITING
    return Phase.COUNTING if seconds_left(deletion) else Phase.DUE


def seconds_until_due(pk: int) -> float | None:
    """Seconds until the worker may send a waiting deletion, at most 0 from then on; None for one
    that it may not send.
    """
    times = _unexplained().filter(pk=pk).values_list("not_before", Now()).first()
    return (times[0] - times[1]).total_seconds() if times and times[0] else None


def seconds_left(deletion: Write) -> int:
    """Whole seconds of the countdown; 0 when it has ended, and where it waits for the person."""
    return max(0, ceil(seconds_until_due(deletion.pk) or 0))


def find_due(pk: int) -> Write | None:
    """The waiting deletion if the worker may send it now: its countdown has ended, and not so long
    ago that nobody expects it any more.
    """
    return _due().filter(pk=pk).first()


def _due() -> QuerySet[Write]:
    """The deletions that the worker may send at this moment."""
    return _unexplained().filter(not_before__lte=Now(), not_before__gt=Now() - SENT_WITHIN)


def _unexplained() -> QuerySet[Write]:
    """The deletions that wait for nothing but the end of their countdown."""
    return Write.objects.filter(Write.COUNTED_DOWN, state=State.WAITING, why="")


def _waiting(deletion: Write) -> QuerySet[Write]:
    return Write.objects.filter(pk=deletion.pk, state=State.WAITING)


def take(deletion: Write, token: str, *, by_worker: bool = False) -> bool:
    """Note that it is about to be read and sent, under the lock of its record; false if it was
    cancelled or sent, or has another token, or if the worker may not send it at this moment. A
    person may at any time.

    Raises ledger.NotRecorded.
    """
    sendable = _due() if by_worker else Write.objects.filter(Q(state=State.WAITING) | READING)
    try:
        updated = sendable.filter(pk=deletion.pk, token=token).update(state=State.SENDING, why="")
    except Error:
        raise ledger.NotRecorded(reason="not recorded") from None
    return bool(updated)


def cancel(deletion: Write) -> bool:
    """Cancel it; false if it was sent before."""
    return bool(_waiting(deletion).update(state=State.CANCELLED, content="", done_at=Now()))


def explain(deletion: Write, why: str) -> None:
    """Note why a waiting deletion was not sent: it waits until the person says so."""
    _waiting(deletion).update(why=why)


def replace_copy(deletion: Write, label: str, copy: Mapping[str, Any]) -> None:
    """Store what the person is shown of a record that has changed."""
    deletion.content = ledger.waiting_content(label, copy)
    _waiting(deletion).update(content=sealed_text(deletion, "content"))


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
    reading = Write.objects.filter(READING, pk=deletion.pk)
    return bool(reading.update(state=State.WAITING, why=why))


def skip_missing(deletion: Write) -> None:
    """Note that the record was gone when it was read, so that nothing was sent."""
    copy_until = Now() + ledger.COPY_KEPT_FOR
    reading = Write.objects.filter(READING, pk=deletion.pk)
    try:
        reading.update(state=State.SKIPPED, done_at=Now(), copy_until=copy_until)
    except Error:
        logger.exception("a waiting deletion could not be updated")


def send_when_due(pk: int, resources: Mapping[str, Resource]) -> None:
    """Send a waiting deletion for the person who asked for it, if its countdown has just ended.

    What is not sent goes on waiting, with the reason. Raises django.db.Error.
    """
    deletion = find_due(pk)
    if deletion is None:
        return
    person, owner = deletion.person_id, deletion.owner
    try:
        with context_for(person, owner=owner, permission=DELETE_RECORDS) as ctx:
            send(ctx, resources[deletion.resource], deletion, deletion.token, by_worker=True)
    except (Changed, Stale, Missing, OutcomeUnknown):
        return  # noted
    except OtherKeys:
        explain(deletion, OTHER_KEYS)
    except NotPermitted:
        explain(deletion, NOT_PERMITTED)
    except GatewayError as error:
        explain(deletion, summary(error))


def send(
    ctx: RequestContext,
    resource: Resource,
    deletion: Write,
    token: str,
    *,
    by_worker: bool = False,
) -> None:
    """Send the deletion, once per token; a repeated request gets the first one's answer.

    by_worker: only while the worker may send it; otherwise the person has said so.
    The state of the deletion changes while the lock of the record is held. Raises Changed, Stale,
    or as `writer.delete`: Missing where the record was gone already, which counts as deleted.
    """
    with writer.lock_for_form(
        ctx=ctx, resource=resource, record_id=deletion.record_id or 0, token=token, typed={}
    ) as lock:
        if not lock:
            return
        if not take(deletion, token, by_worker=by_worker):
            raise Stale
        try:
            _compare_and_delete(ctx, resource, deletion, token, lock)
        except Changed:
            put_back(deletion, CHANGED)
            raise
        except Missing:
            skip_missing(deletion)
            raise
        except OutcomeUnknown:
            raise
        except GatewayError as error:
            put_back(deletion, summary(error))
            raise


def _compare_and_delete(
    ctx: RequestContext, resource: Resource, deletion: Write, token: str, lock: RecordLock
) -> None:
    record_id = deletion.record_id or 0
    fresh = resource.read(ctx.gateway, record_id)
    copy = read_copy(resource, deletion)
    if copy and is_changed(resource, copy, fresh):
        raise Changed(copy, fresh)
    writer.delete(
        ctx=ctx,
        resource=resource,
        record_id=record_id,
        token=token,
        label=label_of(resource, deletion),
        fresh=fresh,
        lock=lock,
    )


def values_of(resource: Resource, record: Record, style: Style = PLAIN) -> dict[str, Shown]:
    """What is compared of a record: the fields of its form, and how many payments it has."""
    values = resource.edit_form.read(record, style)
    return values | ({PAYMENTS: str(len(record.payments))} if record.payments else {})


def is_changed(resource: Resource, before: Record, after: Record) -> bool:
    """Whether anything that is compared differs between two reads of a record."""
    return values_of(resource, before) != values_of(resource, after)


def label_of(resource: Resource, deletion: Write) -> str:
    """The title of the record; its id if the title cannot be decrypted."""
    kind = resource.singular.capitalize()
    return ledger.label_of(deletion) or f"{kind} {deletion.record_id}"


def read_copy(resource: Resource, deletion: Write) -> Record | None:
    """The copy as a record; None if there is none, or it cannot be decrypted."""
    copy = readable(deletion, "content").get("copy")
    return record_of(resource.endpoint, copy) if copy else None


def copies(person: User, owner: str) -> QuerySet[Write]:
    """The deletions of a person with this key pair whose copy is kept, however they were asked for;
    the last one first.
    """
    gone = Write.objects.filter(Write.COPY_IS_KEPT, operation="delete", person=person, owner=owner)
    return gone.order_by("-copy_until")


def deleted_at(deletion: Write) -> datetime | None:
    """When it was known that the record is deleted; None before."""
    return deletion.copy_until - ledger.COPY_KEPT_FOR if deletion.copy_until else None
