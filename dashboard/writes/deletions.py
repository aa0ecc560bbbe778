"""Sends a waiting deletion: once, and only if the record is as it was when the person asked.

The worker sends it when the countdown ends, its page when the person presses "now".
"""

from collections.abc import Mapping

from django.db import Error

from dashboard.accounts.permissions import DELETE_RECORDS
from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.forms.fields import Shown
from dashboard.gateway import GatewayError, Missing, OutcomeUnknown, Record
from dashboard.gateway.records import record_of
from dashboard.ledger import deletions
from dashboard.ledger import services as ledger
from dashboard.ledger.models import RecordLock, Write
from dashboard.text.style import PLAIN, Style
from dashboard.writes import writer
from dashboard.writes.failures import summary
from dashboard.writes.for_person import NotPermitted, OtherKeys, context_for

PAYMENTS = "payments"
CHANGED = "Somebody has changed it since you asked."


class Changed(Exception):  # noqa: N818 (what it is, without Error)
    """The record was changed after the confirmation: `copy` is as it was, `fresh` as it is now."""

    def __init__(self, copy: Record, fresh: Record) -> None:
        super().__init__()
        self.copy = copy
        self.fresh = fresh


class Stale(Exception):  # noqa: N818
    """The token is not the current one of the deletion: it was cancelled or already sent."""


def send_when_due(pk: int, resources: Mapping[str, Resource]) -> None:
    """Send a waiting deletion for the person who asked for it, if its countdown has just ended.

    What is not sent goes on waiting, with the reason. Raises django.db.Error.
    """
    deletion = deletions.find_due(pk)
    if deletion is None:
        return
    person, owner = deletion.person_id, deletion.owner
    try:
        with context_for(person, owner=owner, permission=DELETE_RECORDS) as ctx:
            send(ctx, resources[deletion.resource], deletion, deletion.token, by_worker=True)
    except (Changed, Stale, Missing, OutcomeUnknown):
        return  # noted
    except OtherKeys:
        deletions.explain(deletion, "You have other keys now than when you asked.")
    except NotPermitted:
        deletions.explain(deletion, "Your role does not let you delete it any more.")
    except GatewayError as error:
        deletions.explain(deletion, summary(error))


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
        if lock:
            _take(deletion, token, by_worker=by_worker)
            try:
                _compare_and_delete(ctx, resource, deletion, token, lock)
            except Changed:
                deletions.put_back(deletion, CHANGED)
                raise
            except Missing:
                deletions.skip_missing(deletion)
                raise
            except OutcomeUnknown:
                raise
            except GatewayError as error:
                deletions.put_back(deletion, summary(error))
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


def _take(deletion: Write, token: str, *, by_worker: bool) -> None:
    try:
        if deletions.take(deletion, token, by_worker=by_worker):
            return
    except Error:
        raise ledger.NotRecorded(reason="not recorded") from None
    raise Stale


def label_of(resource: Resource, deletion: Write) -> str:
    """The title of the record; its id if the title cannot be decrypted."""
    kind = resource.singular.capitalize()
    return ledger.label_of(deletion) or f"{kind} {deletion.record_id}"


def read_copy(resource: Resource, deletion: Write) -> Record | None:
    """The copy as a record; None if there is none, or it cannot be decrypted."""
    raw = deletions.copy_or_empty(deletion).raw
    return record_of(resource.endpoint, raw) if raw else None


def values_of(resource: Resource, record: Record, style: Style = PLAIN) -> dict[str, Shown]:
    """What is compared of a record: the fields of its form, and how many payments it has."""
    values = resource.edit_form.read(record, style)
    return values | ({PAYMENTS: str(len(record.payments))} if record.payments else {})


def is_changed(resource: Resource, before: Record, after: Record) -> bool:
    """Whether anything that is compared differs between two reads of a record."""
    return values_of(resource, before) != values_of(resource, after)
