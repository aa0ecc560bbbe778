"""Deletions with a countdown: writes that wait until a worker sends them, the messages about them,
and the copies of deleted records.

A deletion is sent once, and only if the record has not changed since the request. One that cannot
be sent ends as Not saved, with the reason, and the person requests it again. All decisive times are
the database's, so that sites and workers whose clocks differ agree on when a countdown ends.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from math import ceil
from operator import attrgetter
from typing import Any, TypeVar, cast

from django.db import Error, IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from django_tasks import task

from dashboard.core import after_response
from dashboard.core.sealed import readable
from dashboard.gateway import GatewayError, Missing, OutcomeUnknown, Record
from dashboard.gateway.records import record_of
from dashboard.people.context import RequestContext
from dashboard.people.keys import owner_of
from dashboard.people.models import User
from dashboard.people.permissions import DELETE_RECORDS
from dashboard.reader.failures import in_words, summary
from dashboard.reader.rejections import service_words
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource
from dashboard.text.dates import recent_time
from dashboard.writes import ledger, writer
from dashboard.writes.for_person import context_for
from dashboard.writes.ledger import Content
from dashboard.writes.models import Write
from dashboard.writes.outcomes import stored_error

SECONDS = 8  # that a deletion is delayed
CHANGED = "Someone has changed it since."
SEND_TIMEOUT = timedelta(seconds=52)  # of its end; later nobody expects the worker to send it

State, Resolution = Write.State, Write.Resolution
Row = TypeVar("Row")


@contextmanager
def _recorded() -> Iterator[None]:
    try:
        yield
    except Error:
        raise ledger.NotRecorded(reason="not recorded") from None


@sensitive_variables()
@_recorded()
def schedule(
    ctx: RequestContext, resource: Resource, record: Record, *, token: str, label: str
) -> Write:
    """Store a pending deletion, or return the one that waits for this record or has this token.

    What a worker runs is stored with it. Raises ledger.NotRecorded if one of them cannot be stored;
    then neither is.
    """
    person, owner = ctx.user, owner_of(ctx.gateway)
    if waiting := find_waiting(person, owner, resource.name, record.id):
        return waiting
    deletion = Write(
        token=token or ledger.new_token(),
        person=person,
        owner=owner,
        workspace=ctx.workspace,
        resource=resource.name,
        operation="delete",
        record_id=record.id,
        state=State.WAITING,
        not_before=Now() + timedelta(seconds=SECONDS),
    )
    content = vars(Content(label, body={}, before={}, typed=[], copy=record.raw))
    deletion.content = content
    try:
        return _store(deletion)
    except IntegrityError:  # the same form twice
        ended = Q(state__in=(State.CANCELLED, State.NOT_SAVED))
        same_form = of_person(person).filter(token=token, record_id=record.id).exclude(ended)
        if first := same_form.first():
            return first
    deletion.token = ledger.new_token()
    deletion.content = content  # sealed with its token
    return _store(deletion)


@transaction.atomic
def _store(deletion: Write) -> Write:
    earlier = of_person(deletion.person_id).filter(Write.NOT_DELETED, owner=deletion.owner)
    of_record = earlier.filter(resource=deletion.resource, record_id=deletion.record_id)
    of_record.update(resolution=Resolution.CLOSED)  # nothing more to tell of them
    deletion.save(force_insert=True)
    send_deletion.enqueue(deletion.pk)
    return Write.objects.get(pk=deletion.pk)


def of_person(person: User | int | None) -> QuerySet[Write]:
    """Return the deletions that a person requested individually, newest first."""
    return Write.objects.filter(Write.COUNTED_DOWN, person=person).order_by("-asked_at")


def find_waiting(person: User, owner: str, resource: str, record_id: int) -> Write | None:
    """Return the person's pending deletion of this record if it can still be sent."""
    waiting = of_person(person).filter(owner=owner, state=State.WAITING)
    return waiting.filter(_in_time(), resource=resource, record_id=record_id).first()


def to_show(person: User, workspace: str) -> Sequence[Write]:
    """Return the deletions to report, newest first: those whose countdown runs or has just ended,
    and those not sent, until their message is closed.
    """
    recent = Q(Write.OPEN) & _in_time()
    reported = recent | _late() | Write.NOT_DELETED
    open_ones = of_person(person).filter(reported, resolution=Resolution.OPEN)
    return as_ended(open_ones.filter(workspace=workspace))


def as_ended(deletions: QuerySet[Write]) -> Sequence[Write]:
    """Return deletions of a person. One that was not sent in time is Not saved, which is stored
    after the answer, as pages open while the database takes no write.
    """
    found = list(deletions.annotate(is_late=_late()))
    for late in (each for each in found if each.is_late):
        late.state, late.answer = State.NOT_SAVED, {"reason": ledger.LATE}
        after_response.run_after_response(ledger.end_unsent, write=late, reason=ledger.LATE)
    return found


def _late() -> Q:
    """Match deletions that were not sent in time, as no worker runs or it has died. One that a
    worker has taken cannot be sent any more, as its row no longer waits.
    """
    return Q(sent_at=None, state__in=(State.WAITING, State.SENDING)) & ~_in_time()


def reason(deletion: Write) -> str:
    """Return why it was not sent, or why the service rejected it."""
    if deletion.sent_at:
        return in_words(stored_error(deletion))
    return str(readable(deletion, "answer").get("reason", ""))


def close_message(deletion: Write) -> None:
    ended = Write.objects.filter(Write.NOT_DELETED | _late(), pk=deletion.pk)
    ended.update(resolution=Resolution.CLOSED)


def _in_time() -> Q:
    return Q(not_before__gt=Now() - SEND_TIMEOUT)


def seconds_until_due(pk: int) -> float | None:
    """Return the seconds until a pending deletion may be sent, at most 0 from then on; None for one
    that does not wait.
    """
    waiting = Write.objects.filter(Write.COUNTED_DOWN, pk=pk, state=State.WAITING)
    times = waiting.values_list("not_before", Now()).first()
    return (times[0] - times[1]).total_seconds() if times and times[0] else None


def seconds_left(deletion: Write) -> int:
    """Return whole seconds of the countdown; 0 when it has ended."""
    return max(0, ceil(seconds_until_due(deletion.pk) or 0))


def find_due(pk: int) -> QuerySet[Write]:
    waiting = Write.objects.filter(Write.COUNTED_DOWN, pk=pk, state=State.WAITING)
    return waiting.filter(_in_time(), not_before__lte=Now())


def cancel(deletion: Write) -> bool:
    """Cancel it. Return False if it was sent or has ended before."""
    waiting = Write.objects.filter(pk=deletion.pk, state=State.WAITING)
    return bool(waiting.update(state=State.CANCELLED, content="", done_at=Now()))


def skip_missing(deletion: Write) -> None:
    """Store that the record was gone when it was read, so that nothing was sent."""
    reading = Write.objects.filter(pk=deletion.pk, state=State.SENDING, sent_at=None)
    copy_until = Now() + ledger.COPY_RETENTION
    reading.update(state=State.SKIPPED, done_at=Now(), copy_until=copy_until)


@task(priority=100)  # before jobs: a person waits for it
def send_deletion(pk: int) -> None:
    """Send the pending deletion for its person if it is due, or enqueue it again.

    The worker's clock only measures the delay; the database decides if the countdown has ended. If
    it cannot be sent, it ends with the reason.
    """
    seconds = seconds_until_due(pk)
    if seconds is not None and seconds > 0:
        send_deletion.using(run_after=timezone.now() + timedelta(seconds=seconds)).enqueue(pk)
        return
    deletion = find_due(pk).first()
    if deletion is None:
        return
    person, owner = deletion.person_id, deletion.owner
    try:
        with context_for(person, owner=owner, permission=DELETE_RECORDS) as ctx:
            _send(ctx, RESOURCES[deletion.resource], deletion)
    except OutcomeUnknown:
        return  # stored by the writer, or another worker sends it
    except GatewayError as error:
        ledger.end_unsent(deletion, summary(error))


def _send(ctx: RequestContext, resource: Resource, deletion: Write) -> None:
    """Read the record and delete it, unless it has changed. Raises as `writer.reserve`."""
    number, waiting = deletion.record_id or 0, find_due(deletion.pk)
    with writer.reserve(ctx, resource, number, deletion.token, waiting=waiting) as write:
        if not write.is_new:
            return
        try:
            fresh = write.read()
        except Missing:
            skip_missing(deletion)
            return
        copy = read_copy(resource, deletion)
        if copy and is_changed(resource, copy, fresh):
            ledger.end_unsent(deletion, CHANGED)
        else:
            write.delete()


def is_changed(resource: Resource, before: Record, after: Record) -> bool:
    """Return True if any compared value differs between two reads of a record."""
    return resource.compared(before) != resource.compared(after)


def label_of(resource: Resource, deletion: Write) -> str:
    """Return the title of the record; its id if the title cannot be decrypted."""
    kind = resource.singular.capitalize()
    return ledger.label_of(deletion) or f"{kind} {deletion.record_id}"


def read_copy(resource: Resource, deletion: Write) -> Record | None:
    """Return the copy as a record; None without one, or if it cannot be decrypted."""
    copy = readable(deletion, "content").get("copy")
    return record_of(resource.endpoint, copy) if copy else None


def copies(person: User, owner: str) -> QuerySet[Write]:
    """Return the person's deletions with this key pair whose copy is stored, last one first."""
    gone = Write.objects.filter(Write.COPY_IS_KEPT, operation="delete", person=person, owner=owner)
    return gone.order_by("-copy_until")


def toast_of(resource: Resource, deletion: Write) -> dict[str, Any]:
    """Return the template context of a deletion's toast. `state`: of the write, or "gone".
    `seconds`: left to undo it. `again_url`: "" without a copy.
    """
    is_refused = deletion.state == State.NOT_SAVED and not deletion.copy_until
    is_gone = deletion.copy_until and deletion.state != State.SAVED
    return {
        "pk": deletion.pk,
        "label": label_of(resource, deletion),
        "url": resource.url(deletion.record_id),
        "state": "gone" if is_gone else deletion.state,
        "seconds": seconds_left(deletion) if deletion.state == State.WAITING else 0,
        "why": reason(deletion) if is_refused else "",
        "service_words": service_words(stored_error(deletion)) if is_refused else [],
        "again_url": recreate_url(resource, deletion) if read_copy(resource, deletion) else "",
    }


def toasts_of(user: User) -> list[dict[str, Any]]:
    shown = to_show(user, user.workspace_id)
    return [toast_of(RESOURCES[each.resource], each) for each in shown]


def without_pending(rows: Sequence[Row], url: str, toasts: Iterable[dict[str, Any]]) -> list[Row]:
    """Leave out the rows whose record has a toast, unless it was not deleted. `url`: the attribute
    of a row with its record's URL, such as "name.url".
    """
    pending_urls = {one["url"] for one in toasts if one["state"] != State.NOT_SAVED}
    return [row for row in rows if attrgetter(url)(row) not in pending_urls]


def recreate_url(resource: Resource, deletion: Write) -> str:
    """Return the URL of a new record's form, filled from the copy."""
    return f"{resource.url(page='create')}?again={deletion.pk}"


def list_entry(copy: Write) -> dict[str, Any]:
    """Return the template context of a deleted copy under Unfinished."""
    resource = RESOURCES[copy.resource]
    kind, name = resource.singular.capitalize(), label_of(resource, copy)
    deleted_at = cast(datetime, copy.copy_until) - ledger.COPY_RETENTION
    return {
        "label": name if name.startswith(kind) else f"{kind} {name}",
        "at": recent_time(deleted_at, timezone.localdate()),
        "again_url": recreate_url(resource, copy),
    }
