"""Sends a pending deletion: once, and only if the record is as it was when the person asked.

The worker sends it when the countdown ends, its page when the person presses "now".
"""

from collections.abc import Mapping

from django.db import Error

from dashboard.accounts.permissions import DELETE_RECORDS
from dashboard.drafts import pending_deletions
from dashboard.drafts.models import Deletion
from dashboard.gateway import GatewayError, Missing, OutcomeUnknown, Record
from dashboard.outbox.models import RecordLock
from dashboard.records.context import RequestContext
from dashboard.records.pages import deleted_copies
from dashboard.records.pages.deletion_changes import is_changed
from dashboard.records.pages.failures import summary
from dashboard.records.resource import Resource
from dashboard.records.writes import writer
from dashboard.records.writes.for_person import NotPermitted, OtherKeys, context_for

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
    copy = deleted_copies.read_copy(resource, deletion)
    if copy and is_changed(resource, copy, fresh):
        raise Changed(copy, fresh)
    writer.delete(
        ctx=ctx,
        resource=resource,
        record_id=deletion.record_id,
        token=token,
        label=deleted_copies.label(resource, deletion),
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
