"""Sends a pending deletion: once, and only if the record is as it was when the person asked.

The worker sends it when the countdown ends, its page when the person presses "now". What became of
one that was sent is read from the ledger.
"""

from collections.abc import Mapping

from django.db import Error

from dashboard import sealed
from dashboard.accounts.permissions import DELETE_RECORDS
from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.drafts import pending_deletions
from dashboard.drafts.models import Deletion
from dashboard.forms.fields import Shown
from dashboard.gateway import GatewayError, Missing, OutcomeUnknown, Record
from dashboard.gateway.records import record_of
from dashboard.ledger import locks
from dashboard.ledger.models import RecordLock, Write
from dashboard.sealed import readable
from dashboard.text.style import PLAIN, Style
from dashboard.writes import writer
from dashboard.writes.failures import summary
from dashboard.writes.for_person import NotPermitted, OtherKeys, context_for
from dashboard.writes.stored_outcomes import stored_error

State = Deletion.State
PAYMENTS = "payments"
CHANGED = "Somebody has changed it since you asked."
INTERRUPTED = "Sending it was interrupted before anything was sent."


class Changed(Exception):  # noqa: N818 (what it is, without Error)
    """The record was changed after the confirmation: `copy` is as it was, `fresh` as it is now."""

    def __init__(self, copy: Record, fresh: Record) -> None:
        super().__init__()
        self.copy = copy
        self.fresh = fresh


class Stale(Exception):  # noqa: N818
    """The token is not the current one of the deletion: it was cancelled or already sent."""


def send_when_due(pk: int, resources: Mapping[str, Resource]) -> None:
    """Send a pending deletion for the person who asked for it, if its countdown has just ended.

    What is not sent goes on waiting, with the reason. Raises django.db.Error.
    """
    deletion = pending_deletions.find_due(pk)
    if deletion is None:
        return
    person, owner = deletion.person_id, deletion.owner
    try:
        with context_for(person, owner=owner, permission=DELETE_RECORDS) as ctx:
            send(ctx, resources[deletion.resource], deletion, deletion.token, by_worker=True)
    except (Changed, Stale, Missing, OutcomeUnknown):
        return  # noted
    except OtherKeys:
        pending_deletions.explain(deletion, "You have other keys now than when you asked.")
    except NotPermitted:
        pending_deletions.explain(deletion, "Your role does not let you delete it any more.")
    except GatewayError as error:
        pending_deletions.explain(deletion, summary(error))


def send(
    ctx: RequestContext,
    resource: Resource,
    deletion: Deletion,
    token: str,
    *,
    by_worker: bool = False,
) -> None:
    """Send the deletion, once per token; a repeated request gets the first one's answer.

    by_worker: only while the worker may send it; otherwise the person has said so.
    The state of the deletion changes while the lock of the record is held. Raises Changed, Stale,
    or as `writer.delete`: Missing where the record was gone already, which completes it as well.
    """
    with writer.lock_for_form(
        ctx=ctx, resource=resource, record_id=deletion.record_id, token=token, typed={}
    ) as lock:
        if lock:
            _mark_sent(deletion, token, by_worker=by_worker)
            try:
                _compare_and_delete(ctx, resource, deletion, token, lock)
            except Changed:
                pending_deletions.reschedule(deletion, token, CHANGED)
                raise
            except Missing:
                pending_deletions.mark_done(deletion, token)
                raise
            except OutcomeUnknown:
                raise
            except GatewayError as error:
                pending_deletions.reschedule(deletion, token, summary(error))
                raise
        pending_deletions.mark_done(deletion, token)


def _compare_and_delete(
    ctx: RequestContext, resource: Resource, deletion: Deletion, token: str, lock: RecordLock
) -> None:
    fresh = resource.read(ctx.gateway, deletion.record_id)
    copy = read_copy(resource, deletion)
    if copy and is_changed(resource, copy, fresh):
        raise Changed(copy, fresh)
    writer.delete(
        ctx=ctx,
        resource=resource,
        record_id=deletion.record_id,
        token=token,
        label=label_of(resource, deletion),
        fresh=fresh,
        lock=lock,
    )


def _mark_sent(deletion: Deletion, token: str, *, by_worker: bool) -> None:
    try:
        if pending_deletions.mark_sent(deletion, token, by_worker=by_worker):
            return
    except Error:
        raise writer.NotRecorded(reason="not recorded") from None
    raise Stale


def label_of(resource: Resource, deletion: Deletion) -> str:
    """The title of the record; its id if the title cannot be decrypted."""
    kind = resource.singular.capitalize()
    return pending_deletions.label_of(deletion) or f"{kind} {deletion.record_id}"


def read_copy(resource: Resource, deletion: Deletion) -> Record | None:
    """The copy as a record; None if it cannot be decrypted."""
    try:
        return record_of(resource.endpoint, pending_deletions.copy_of(deletion).raw)
    except sealed.Unreadable:
        return None


def values_of(resource: Resource, record: Record, style: Style = PLAIN) -> dict[str, Shown]:
    """What is compared of a record: the fields of its form, and how many payments it has."""
    values = resource.edit_form.read(record, style)
    return values | ({PAYMENTS: str(len(record.payments))} if record.payments else {})


def is_changed(resource: Resource, before: Record, after: Record) -> bool:
    """Whether anything that is compared differs between two reads of a record."""
    return values_of(resource, before) != values_of(resource, after)


def update_from_ledger(deletion: Deletion) -> None:
    """Set the state of a sent deletion by the outcome in the ledger."""
    if deletion.state != State.SENT:
        return
    last = write_of(deletion)
    if last is None:
        _reschedule_unless_under_way(deletion)
    elif _was_deleted(last):
        pending_deletions.mark_done(deletion, deletion.token)
    elif last.state == Write.State.NOT_SAVED:
        why = summary(stored_error(last))
        pending_deletions.reschedule(deletion, deletion.token, why)
    elif last.resolution:
        pending_deletions.abandon(deletion)
    deletion.refresh_from_db()


def write_of(deletion: Deletion) -> Write | None:
    """The latest write of a deletion; None while the record is read before it."""
    sent = Write.objects.filter(person=deletion.person_id, token__startswith=deletion.token)
    return sent.order_by("-pk").first()


def is_unsure(deletion: Deletion) -> bool:
    """Whether it was sent and nobody can tell the outcome."""
    last = write_of(deletion) if deletion.state == State.SENT else None
    return bool(last and last.state == Write.State.NOT_SURE)


def _reschedule_unless_under_way(deletion: Deletion) -> None:
    """Whoever marked it as sent is between its lock and the ledger, or has died there. A lock that
    can be taken shows the latter: without its own nobody sends anything any more.
    """
    try:
        with locks.record_lock(f"{deletion.resource}/{deletion.record_id}", ""):
            if write_of(deletion) is None:
                pending_deletions.reschedule(deletion, deletion.token, INTERRUPTED)
    except locks.Locked:
        return


def _was_deleted(sent: Write) -> bool:
    """Whether the ledger shows that the record is gone; a missing record counts as gone."""
    error = readable(sent, "answer").get("error", "")
    saved = sent.state == Write.State.SAVED or sent.resolution == Write.Resolution.FOUND
    return saved or error == Missing.__name__
