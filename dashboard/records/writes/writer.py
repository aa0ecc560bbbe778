"""The only writer: every create, update and delete of a business record passes through here.

A write has three answers: these functions return when it is
Saved, raise `OutcomeUnknown` when nobody can tell, and any other `GatewayError` when it is
certainly Not saved. The write is in the outbox before its first byte leaves; the same token again
gets the first answer again, and nothing is ever sent twice.
"""

import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

from django.conf import settings
from django.db import DatabaseError

from dashboard import cipher
from dashboard.audit import services as audit
from dashboard.gateway import (
    Created,
    Done,
    Gateway,
    GatewayError,
    OutcomeUnknown,
    Record,
    Rejected,
    Unavailable,
    errors,
)
from dashboard.outbox import services as outbox
from dashboard.outbox import turns
from dashboard.outbox.models import Submission
from dashboard.records.context import RequestContext
from dashboard.records.references import lookups
from dashboard.records.resource import Resource
from dashboard.records.writes import reconciliation

logger = logging.getLogger(__name__)

Answer = TypeVar("Answer", Created, Done)
State = Submission.State

_TOKEN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_:+-]{0,79}")  # with the part or a + behind


class NotRecorded(Unavailable):
    """The dashboard could not note down the write, so it sent nothing."""


class BeingWritten(Unavailable):
    """Somebody else is writing the same record at this moment, so nothing was sent."""


class SentBefore(Rejected):
    """This form was sent before with something else in it; `first` tells what became of that."""

    def __init__(self, first: Submission) -> None:
        super().__init__("", sent=False)
        self.first = first


def create(*, ctx: RequestContext, resource: Resource, body: dict[str, Any], token: str) -> Created:
    """Create a record; the answer carries its id where the service told one."""
    label = str(body.get(resource.title_field) or "")
    return _send(
        Created,
        lambda: ctx.gateway.create(resource.endpoint, body),
        _note(ctx, resource, "create", None, label, body, token),
    )


def update(
    *,
    ctx: RequestContext,
    resource: Resource,
    record_id: int,
    body: dict[str, Any],
    token: str,
    label: str = "",
    typed: dict[str, Any] | None = None,
    fresh: Record | None = None,
) -> Done:
    """Change a record; `body` holds what changes. `label` is what people call the record.

    `typed`: the person's own part of the body, where more than that is sent. `fresh`: the record
    as it was read for this write, inside `turn`.
    """
    lookups.forget(ctx.gateway, resource.endpoint, record_id)
    note = _note(ctx, resource, "update", record_id, label, body, token)
    note["typed"] = body if typed is None else typed
    note["before"] = reconciliation.held(fresh, body) if fresh else {}
    return _send(Done, lambda: ctx.gateway.update(resource.endpoint, record_id, body), note)


def sent(*, ctx: RequestContext, token: str, typed: dict[str, Any]) -> bool:
    """Whether this very form was saved before. Raises what it got, if that was a failure.

    To be asked before a record is read for an edit: a form that comes twice is not compared with
    what has become of the record since.
    """
    first = outbox.used(token, ctx.person) if ctx.person else None
    if first is None:
        return False
    _first_answer(Done, first, typed)
    return True


def begun(*, ctx: RequestContext, token: str) -> bool:
    """Whether a form has sent anything before, so that what it did itself is held against nobody:
    that the record it deletes is gone, or that what it makes is there.
    """
    return bool(ctx.person and token and outbox.begun(token, ctx.person))


@contextmanager
def turn(resource: Resource, record_id: int) -> Iterator[None]:
    """Keep other edits of this dashboard away from a record, from its reading to its writing."""
    with ExitStack() as stack:
        try:
            stack.enter_context(turns.turn(f"{resource.name}/{record_id}"))
        except turns.Taken:
            raise BeingWritten(reason="the record is being written") from None
        except DatabaseError:
            logger.exception("no turn could be noted; nothing was sent")
            raise NotRecorded(reason="not recorded") from None
        yield


@contextmanager
def turn_of_form(
    *, ctx: RequestContext, resource: Resource, record_id: int, token: str, typed: dict[str, Any]
) -> Iterator[bool]:
    """The turn at a record for one form; false inside it if this very form was saved before.

    Asks again once it is the form's turn: the other half of a double click has it first. Raises
    what the form got the first time, if that was a failure.
    """
    form: dict[str, Any] = {"ctx": ctx, "token": token, "typed": typed}
    with ExitStack() as stack:
        first = not sent(**form)
        try:
            if first:
                stack.enter_context(turn(resource, record_id))
        except BeingWritten:
            if not sent(**form):
                raise
            first = False
        yield first and not sent(**form)


def delete(
    *,
    ctx: RequestContext,
    resource: Resource,
    record_id: int,
    token: str,
    label: str = "",
    before: Mapping[str, str] | None = None,
) -> Done:
    """Delete a record for good; `before` is what it held, for the history."""
    lookups.forget(ctx.gateway, resource.endpoint, record_id)
    note = _note(ctx, resource, "delete", record_id, label, {}, token)
    note["before"] = dict(before or {})
    return _send(Done, lambda: ctx.gateway.delete(resource.endpoint, record_id), note)


def owner_of(gateway: Gateway) -> str:
    """Marks the key pair that a write was sent with, without telling the keys."""
    return gateway.fingerprint(settings.SECRET_KEY.encode())


def _note(
    ctx: RequestContext,
    resource: Resource,
    operation: str,
    record_id: int | None,
    label: str,
    body: dict[str, Any],
    token: str,
) -> dict[str, Any]:
    """What the outbox is to keep of this write."""
    return {
        "person": ctx.person,
        "owner": owner_of(ctx.gateway),
        "workspace": ctx.workspace,
        "resource": resource.name,
        "operation": operation,
        "record_id": record_id,
        "label": label,
        "body": body,
        "typed": body,
        "before": {},
        "token": token,
    }


def _send(kind: type[Answer], call: Callable[[], Answer], note: dict[str, Any]) -> Answer:
    if not _TOKEN.fullmatch(note["token"]):
        raise Rejected("This form carried no token, so it was not sent. Save again.", sent=False)
    workspace, begun = note.pop("workspace"), time.monotonic()
    try:
        submission = outbox.begin(**note)
    except outbox.UsedToken as used:
        return _first_answer(kind, used.first, note["typed"])
    except outbox.NotRecorded:
        logger.exception("the outbox refused a row; nothing was sent")
        raise NotRecorded(reason="not recorded") from None
    told = ""
    try:
        answer = call()
    except OutcomeUnknown as error:
        told = error.reason
        _finish(submission, State.NOT_SURE, reason=error.reason)
        raise
    except GatewayError as error:
        told = f"{type(error).__name__} {error.status or ''}".strip()
        _finish(submission, State.NOT_SAVED, error=type(error).__name__, **vars(error))
        raise
    else:
        _finish(submission, State.SAVED, **vars(answer))
        logger.info("%s", submission)
        return answer
    finally:
        _add_to_history(submission, note, workspace, told, time.monotonic() - begun)


def _add_to_history(
    submission: Submission, note: dict[str, Any], workspace: str, told: str, seconds: float
) -> None:
    names = note["typed"] if note["operation"] != "delete" else note["before"]
    audit.write(
        person=note["person"],
        owner=note["owner"],
        workspace=workspace,
        resource=note["resource"],
        record_id=submission.record_id,
        operation=note["operation"],
        outcome=submission.state,
        answer=told,
        seconds=round(seconds, 3),
        label=note["label"],
        changes={
            name: (note["before"].get(name, ""), reconciliation.plain(note["body"].get(name)))
            for name in names
        },
    )


def _finish(submission: Submission, state: str, **answer: Any) -> None:
    """The outcome is known, whether it can be noted or not; unnoted it is Not sure in a while."""
    try:
        outbox.finish(submission, state, **answer)
    except DatabaseError:
        logger.exception("the outcome of a write could not be noted")


def _first_answer(kind: type[Answer], first: Submission, typed: dict[str, Any]) -> Answer:
    """What the same token got the first time, as an answer or as an error."""
    first = outbox.outcome_of(first)
    if first.digest != outbox.digest_of(typed):
        raise SentBefore(first)
    if first.state == State.NOT_SURE:
        raise OutcomeUnknown(reason="sent before, without an answer")
    try:
        answer = outbox.answer_of(first)
    except cipher.Unreadable:
        raise OutcomeUnknown(reason="sent before; its answer cannot be opened any more") from None
    if first.state == State.SAVED:
        return kind(**answer)
    raise getattr(errors, answer.pop("error"))(**answer)
