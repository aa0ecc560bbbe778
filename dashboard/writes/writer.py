"""The only writer: every create, update and delete of a business record passes through here.

A write has three outcomes: these functions return when it is Saved, raise `OutcomeUnknown` when
nobody can tell, and any other `GatewayError` when it is certainly Not saved. The write is in the
ledger before its first byte leaves. The same token again gets the outcome of the first time, and
nothing is sent twice.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, TypeVar, cast

import structlog
from django.db import Error

from dashboard.core import after_response
from dashboard.core.after_response import WriteStatus
from dashboard.gateway import (
    Created,
    Done,
    GatewayError,
    Missing,
    OutcomeUnknown,
    Record,
    Rejected,
    Unavailable,
)
from dashboard.gateway.api import REFERENCES
from dashboard.gateway.body import check_body
from dashboard.gateway.records import read_id
from dashboard.office import recents
from dashboard.people.context import RequestContext
from dashboard.people.models import User
from dashboard.reader import all_rows, lookups
from dashboard.reader.sealed_cache import owner_of
from dashboard.schema.resource import Resource
from dashboard.writes import ledger, locks, reconciliation, verification
from dashboard.writes.models import RecordLock, Write
from dashboard.writes.outcomes import StillSending, first_answer

logger = structlog.stdlib.get_logger(__name__)

Answer = TypeVar("Answer", Created, Done)
State = Write.State

NOTHING: Mapping[str, Any] = {}
NO_TOKEN = "This form carried no token, so it was not sent. Save again."  # noqa: S105
_TOKEN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.:+-]{0,79}")  # see ledger.form_token_of


class BeingWritten(Unavailable):
    """Somebody else is writing the same record at this moment, so nothing was sent."""

    title = "Not sent: somebody is saving this record now"
    text = "Nothing was sent, and what you typed is still here. Save again in a moment."


def create(*, ctx: RequestContext, resource: Resource, body: dict[str, Any], token: str) -> Created:
    """Create a record; the answer carries its id. It is Saved once the record reads as sent."""
    sent = check_body(resource.endpoint, "create", body)
    label = str(sent.get(resource.title_field) or "")
    write = _write(ctx, resource, "create", token, label=label, body=sent, typed=sent)

    def call() -> Created:
        created = ctx.gateway.create(resource.endpoint, sent, token=token)
        return verification.confirm_created(ctx, resource, sent, created)

    with _outdating_rows(ctx, resource):
        return _send(Created, call, write)


def update(
    *,
    ctx: RequestContext,
    resource: Resource,
    record_id: int,
    body: dict[str, Any],
    token: str,
    lock: RecordLock,
    fresh: Record,
    label: str = "",
    typed: dict[str, Any] | None = None,
) -> Done:
    """Change a record; `body` holds what changes. `label` is what people call the record.

    `fresh`: the record as it was read for this write, under `lock`. `typed`: the person's own part
    of the body, where more than that is sent.
    """
    lookups.uncache_record(ctx.gateway, resource.endpoint, record_id)
    sent = check_body(resource.endpoint, "update", body)
    write = _write(
        ctx, resource, "update", token, record_id=record_id, label=label, body=sent, lock=lock,
        typed=body if typed is None else typed, held=reconciliation.values_of(fresh, body),
    )  # fmt: skip
    call = partial(ctx.gateway.update, resource.endpoint, record_id, sent, token=token)
    with _outdating_rows(ctx, resource):
        return _send(Done, call, write)


def delete(
    *,
    ctx: RequestContext,
    resource: Resource,
    record_id: int,
    token: str,
    lock: RecordLock | None = None,
    label: str = "",
    fresh: Record | None = None,
) -> Done:
    """Delete a record for good. `fresh`: the record as it was read for this deletion, of which a
    copy is kept; `label` is its title unless it is given.
    """
    lookups.uncache_record(ctx.gateway, resource.endpoint, record_id)
    more: dict[str, Any] = {"record_id": record_id, "label": label, "lock": lock}
    if fresh:
        more["label"] = label or resource.title(fresh)
        held = reconciliation.values_of(fresh, resource.edit_form.base_fields)
        more["held"] = {
            name: value for name, value in held.items() if reconciliation.as_text(value)
        }
        more["copy"] = fresh.raw
    write = _write(ctx, resource, "delete", token, **more)
    call = partial(ctx.gateway.delete, resource.endpoint, record_id, token=token)
    gone = {"owner": owner_of(ctx.gateway), "resource": resource.name, "record_id": record_id}
    try:
        with _outdating_rows(ctx, resource):
            done = _send(Done, call, write)
    except Missing:
        after_response.attempt(recents.forget, **gone)
        raise
    after_response.attempt(recents.forget, **gone)
    return done


def was_saved(*, ctx: RequestContext, token: str, typed: dict[str, Any]) -> bool:
    """Whether this very form was saved before. Raises what it got, if that was a failure.

    Asked before a record is read for an edit: a form that comes twice is not compared with what has
    become of the record since.
    """
    first = ledger.find_by_token(token, ctx.person) if ctx.person else None
    if first is None or first.sent_at is None:
        return False
    _answer_again(Done, first, typed, _note(first))
    return True


def was_started(*, ctx: RequestContext, token: str) -> bool:
    """Whether a form has sent anything before. What it did itself is no objection to it then: that
    the record which it deletes is gone, or that the one which it creates exists.
    """
    return bool(ctx.person and token and ledger.of_form(token, ctx.person).exists())


@contextmanager
def lock_for_form(
    *, ctx: RequestContext, resource: Resource, record_id: int, token: str, typed: dict[str, Any]
) -> Iterator[RecordLock | None]:
    """Hold the lock of a record while one form reads and writes it.

    Yields None if this very form was saved before; then nothing is left to do. Raises StillSending
    if another request carries out the same form, BeingWritten if another form holds the lock, and
    what the form got the first time, if that was a failure.
    """
    form: dict[str, Any] = {"ctx": ctx, "token": token, "typed": typed}
    with ExitStack() as stack:
        lock, saved = None, was_saved(**form)
        if not saved:
            try:
                lock = stack.enter_context(lock_record(resource, record_id, token))
            except BeingWritten:
                if not was_saved(**form):
                    raise
        # Asked again under the lock: another request may have carried out the form meanwhile.
        yield None if saved or was_saved(**form) else lock


@contextmanager
def lock_record(resource: Resource, record_id: int, token: str) -> Iterator[RecordLock]:
    """Hold the lock of a record for the form with this token. Raises as `lock_for_form`."""
    holder = token if _TOKEN.fullmatch(token) else ""  # a bad one is refused before it is sent
    with ExitStack() as stack:
        try:
            lock = stack.enter_context(locks.record_lock(f"{resource.name}/{record_id}", holder))
        except locks.Locked as locked:
            if holder and locked.token == holder:
                raise StillSending(reason="another request is sending this form") from None
            raise BeingWritten(reason="the record is being written") from None
        except Error:
            logger.exception("no record lock could be stored; nothing was sent")
            raise ledger.NotRecorded(reason="not recorded") from None
        yield lock


def _write(
    ctx: RequestContext,
    resource: Resource,
    operation: str,
    token: str,
    *,
    held: Mapping[str, Any] = NOTHING,
    **more: Any,
) -> ledger.NewWrite:
    """`held`: what the record held in the fields that are sent, or in all of a deleted one."""
    if not _TOKEN.fullmatch(token):
        raise Rejected(fields={"": [NO_TOKEN]}, sent=False)
    body, as_data = more.get("body", {}), reconciliation.as_data
    names = held if operation == "delete" else more.get("typed", body)
    return ledger.NewWrite(
        token=token,
        person=cast(User, ctx.person),
        owner=owner_of(ctx.gateway),
        workspace=ctx.workspace,
        resource=resource.name,
        operation=operation,
        job=ctx.job,
        before={name: reconciliation.as_text(value) for name, value in held.items()},
        changes={name: (as_data(held.get(name)), as_data(body.get(name))) for name in names},
        related=frozenset(_related(resource, [*held.items(), *body.items()])),
        **more,
    )


def _related(resource: Resource, held: Iterable[tuple[str, Any]]) -> Iterator[ledger.RecordRef]:
    """The other records that a record refers to by these fields."""
    for name, value in held:
        if name in REFERENCES and name != resource.endpoint.id_field and (number := read_id(value)):
            yield REFERENCES[name].name, number


@contextmanager
def _outdating_rows(ctx: RequestContext, resource: Resource) -> Iterator[None]:
    """Rows that were read before the end of a write are not shown again, whatever its outcome."""
    try:
        yield
    finally:
        all_rows.note_written(ctx.gateway, resource.endpoint)


def _send(kind: type[Answer], call: Callable[[], Answer], write: ledger.NewWrite) -> Answer:
    noted = _note(write)
    try:
        row = ledger.begin(write)
    except ledger.UsedToken as used:
        return _answer_again(kind, used.first, write.typed, noted)
    except locks.Locked:
        raise BeingWritten(reason="the record lock was lost") from None
    except ledger.NotRecorded:
        logger.exception("the ledger refused a row; nothing was sent")
        raise
    noted.state = State.NOT_SURE
    try:
        answer = call()
    except OutcomeUnknown as error:
        named = error.named if isinstance(error, verification.Unconfirmed) else None
        _finish(row, State.NOT_SURE, reason=error.reason, named=named)
        raise
    except GatewayError as error:
        noted.state = State.NOT_SAVED
        _finish(row, State.NOT_SAVED, error=type(error).__name__, **vars(error))
        raise
    _note_saved(noted, answer)
    _finish(row, State.SAVED, **vars(answer))
    return answer


def _note(write: ledger.NewWrite | Write) -> WriteStatus:
    """Note a write among those of the request, as Not saved until it is sent."""
    label = write.label if isinstance(write, ledger.NewWrite) else ledger.label_of(write)
    sent = WriteStatus(write.token, write.resource, write.operation, write.record_id, label)
    after_response.current().writes.append(sent)
    return sent


def _note_saved(sent: WriteStatus, answer: Created | Done) -> None:
    sent.state = State.SAVED
    if isinstance(answer, Created):
        sent.record_id, sent.label = answer.id, answer.label or sent.label


def _finish(write: Write, state: str, **answer: Any) -> None:
    logger.info(
        "write",
        resource=write.resource,
        operation=write.operation,
        record=answer.get("id", write.record_id),
        state=state,
        error=answer.get("error"),
        status=answer.get("status"),
        person=write.person_id,
    )
    ledger.finish(write, state, **answer)


def _answer_again(
    kind: type[Answer], first: Write, typed: dict[str, Any], noted: WriteStatus
) -> Answer:
    """As first_answer, noted among the writes of the request."""
    noted.state = State.NOT_SURE
    try:
        answer = first_answer(kind, first, typed)
    except OutcomeUnknown:
        raise
    except GatewayError:
        noted.state = State.NOT_SAVED
        raise
    _note_saved(noted, answer)
    return answer
