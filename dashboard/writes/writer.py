"""The only writer: every create, update and delete of a business record passes through here.

A write has three outcomes: these functions return when it is Saved, raise `OutcomeUnknown` when
nobody can tell, and any other `GatewayError` when it is certainly Not saved. The write is in the
ledger before its first byte leaves. The same token again gets the outcome of the first time, and
nothing is sent twice.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar, cast

import structlog
from django.db.models import QuerySet

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
)
from dashboard.gateway.api import REFERENCES
from dashboard.gateway.body import check_body
from dashboard.gateway.records import currency_id, read_id
from dashboard.office import recents, reference_lists
from dashboard.office.editing import note_currency
from dashboard.people.context import RequestContext
from dashboard.people.keys import owner_of
from dashboard.reader import all_rows, lookups
from dashboard.schema.resource import Resource
from dashboard.writes import ledger, reconciliation, verification
from dashboard.writes.models import Write
from dashboard.writes.outcomes import first_answer

logger = structlog.stdlib.get_logger(__name__)

Answer = TypeVar("Answer", Created, Done)
State = Write.State

NOTHING: dict[str, Any] = {}
NO_TOKEN = "This page was incomplete, so nothing was sent. Save again."  # noqa: S105
_TOKEN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.:+-]{0,79}")  # see ledger.form_token_of


def create(
    *,
    ctx: RequestContext,
    resource: Resource,
    body: dict[str, Any],
    token: str,
    beside: Collection[ledger.RecordRef] = (),
) -> Created:
    """Create a record; the answer has its id. It is Saved once a read confirms it.

    `beside`: records that show it among their activity, although it does not refer to them.
    """
    row = _new_row(ctx, resource, token)
    if ctx.job is not None:
        row = _row_of_job(row).select_related("person").first() or row
    return PendingWrite(ctx, resource, row, beside=beside).create(body)


@contextmanager
def reserve(
    ctx: RequestContext,
    resource: Resource,
    record_id: int,
    token: str,
    *,
    waiting: QuerySet[Write] | None = None,
) -> Iterator["PendingWrite"]:
    """Reserve a record, so that only this form or row of a job reads and writes it.

    `waiting`: its WAITING row. A form that was sent before is not compared with later changes.
    Raises InFlight, RecordBusy or NotRecorded.
    """
    row = _new_row(ctx, resource, token, record_id)
    if waiting is None and ctx.job is not None:
        waiting = _row_of_job(row)
    try:
        write = PendingWrite(ctx, resource, ledger.reserve(row, waiting))
    except ledger.UsedToken as used:
        write = PendingWrite(ctx, resource, used.first, is_new=False)
    except ledger.NotRecorded:
        logger.exception("the ledger refused a row; nothing was sent")
        raise
    try:
        yield write
    finally:
        if write.is_new and not write.is_sent:
            after_response.run_best_effort(ledger.release, write=write.row)


def was_started(*, ctx: RequestContext, token: str) -> bool:
    """Return True if a form has sent anything before. Its own effects are no conflict then: that
    the record to delete is gone, or the one to create exists.
    """
    return bool(ctx.person and token and ledger.of_form(token, ctx.person).exists())


def _new_row(
    ctx: RequestContext, resource: Resource, token: str, record_id: int | None = None
) -> Write:
    if not _TOKEN.fullmatch(token):
        raise Rejected(fields={"": [NO_TOKEN]}, sent=False)
    return Write(
        token=token,
        form_token="" if ctx.job is not None else ledger.form_token_of(token),
        person=ctx.person,
        owner=owner_of(ctx.gateway),
        workspace=ctx.workspace,
        resource=resource.name,
        record_id=record_id,
        job=ctx.job,
    )


def _row_of_job(row: Write) -> QuerySet[Write]:
    """Return the row that a job has taken for this write, before anything is sent with it."""
    taken = Write.objects.filter(token=row.token, person=row.person)
    return taken.filter(state=State.SENDING, sent_at=None)


class PendingWrite:
    """One write, until it is sent.

    is_new: False if this very form was sent before. `update` and `delete` then send nothing, but
    return or raise what it got. current: the record as it was read for this write.
    """

    def __init__(
        self,
        ctx: RequestContext,
        resource: Resource,
        row: Write,
        *,
        is_new: bool = True,
        beside: Collection[ledger.RecordRef] = (),
    ) -> None:
        self.ctx, self.resource, self.row, self.is_new = ctx, resource, row, is_new
        self.current: Record | None = None
        self.is_sent = False
        self._beside = beside
        self._label = ""
        self._typed: dict[str, Any] = {}
        self._changes: dict[str, tuple[Any, Any]] = {}
        self._related: set[ledger.RecordRef] = set()

    def read(self, texts: tuple[str, ...] = ()) -> Record:
        """Return the record as it is now. Raises GatewayError."""
        gateway, number = self.ctx.gateway, self.row.record_id or 0
        self.current = self.resource.read(gateway, number, fresh=True, texts=texts)
        return self.current

    def extend(self) -> None:
        """Keep the record after other writes, which may have taken longer than it was reserved."""
        if self.is_new:
            after_response.run_best_effort(ledger.extend, write=self.row)

    def create(self, body: dict[str, Any]) -> Created:
        sent = check_body(self.resource.endpoint, "create", body)
        label = str(sent.get(self.resource.title_field) or "")
        self._describe("create", label=label, body=sent, typed=sent)

        def call() -> Created:
            ctx, resource = self.ctx, self.resource
            created = ctx.gateway.create(resource.endpoint, sent, token=self.row.token)
            return verification.confirm_created(ctx, resource, self.row, sent, created)

        return self._send(Created, call)

    def update(self, typed: dict[str, Any], *, body: dict[str, Any] | None = None) -> Done:
        """Update these fields of the record that was read. `body`: what is sent instead."""
        if not self.is_new:
            return _answer_again(Done, self.row, typed, _note(self.row, ledger.label_of(self.row)))
        endpoint, current = self.resource.endpoint, cast(Record, self.current)
        lookups.uncache_record(self.ctx.gateway, endpoint, current.id)
        body = self.resource.update_body(current, typed) if body is None else body
        sent, held = check_body(endpoint, "update", body), reconciliation.values_of(current, body)
        title = self.resource.title(current)
        self._describe("update", label=title, body=sent, typed=typed, held=held)
        call = self.ctx.gateway.update
        return self._send(Done, partial(call, endpoint, current.id, sent, token=self.row.token))

    def delete(self, label: str = "") -> Done:
        """Delete the record, and store a copy of it as it was read."""
        if not self.is_new:
            return _answer_again(Done, self.row, {}, _note(self.row, ledger.label_of(self.row)))
        endpoint, number = self.resource.endpoint, self.row.record_id or 0
        gateway, held, copy = self.ctx.gateway, NOTHING, NOTHING
        lookups.uncache_record(gateway, endpoint, number)
        if self.current:
            label, copy = self.resource.title(self.current), self.current.raw
            read = reconciliation.values_of(self.current, self.resource.edit_form.base_fields)
            held = {name: value for name, value in read.items() if reconciliation.as_text(value)}
        self._describe("delete", label=label, held=held, copy=copy)
        try:
            done = self._send(Done, partial(gateway.delete, endpoint, number, token=self.row.token))
        except Missing:
            self._forget()
            raise
        self._forget()
        return done

    def _forget(self) -> None:
        gone = {"resource": self.resource.name, "record_id": self.row.record_id}
        after_response.run_best_effort(recents.forget, owner=owner_of(self.ctx.gateway), **gone)

    def _describe(
        self,
        operation: str,
        *,
        label: str,
        body: dict[str, Any] = NOTHING,
        typed: dict[str, Any] = NOTHING,
        held: Mapping[str, Any] = NOTHING,
        copy: dict[str, Any] = NOTHING,
    ) -> None:
        """Store in the row what is sent.

        body: exactly that, also for a retry. typed: the person's own part of it, which identifies a
        repeated form. held: previous values of the fields sent, or all of a deleted record, for its
        copy.
        """
        row, as_data = self.row, reconciliation.as_data
        before = {name: reconciliation.as_text(value) for name, value in held.items()}
        names = held if operation == "delete" else typed
        self._changes = {name: (as_data(held.get(name)), as_data(body.get(name))) for name in names}
        row.operation, row.digest = operation, ledger.digest_of(typed)
        row.content = vars(ledger.Content(label, body, before, list(typed), copy))
        row.changes = ledger.seen_by_colleagues(label, self._changes)
        self._label, self._typed = label, typed
        self._currency = currency_id(body) or currency_id(self.current or {})
        self._related = {*self._references([*held.items(), *body.items()]), *self._beside}

    def _references(self, values: Iterable[tuple[str, Any]]) -> Iterator[ledger.RecordRef]:
        for name, value in values:
            other = name in REFERENCES and name != self.resource.endpoint.id_field
            if other and (number := read_id(value)):
                yield REFERENCES[name].name, number

    def _send(self, kind: type[Answer], call: Callable[[], Answer]) -> Answer:
        noted, workspace = _note(self.row, self._label), self.ctx.workspace
        currency = self._currency
        is_foreign = currency is not None and reference_lists.is_foreign(workspace, currency)
        try:
            ledger.start_sending(self.row, self._related)
        except ledger.UsedToken as used:
            return _answer_again(kind, used.first, self._typed, noted)
        except ledger.NotRecorded:
            logger.exception("the ledger refused a row; nothing was sent")
            raise
        self.is_sent = True
        noted.state = State.NOT_SURE
        try:
            answer = call()
        except OutcomeUnknown as error:
            named = error.named if isinstance(error, verification.Unconfirmed) else None
            _finish(self.row, State.NOT_SURE, reason=error.reason, named=named)
            raise
        except GatewayError as error:
            noted.state = State.NOT_SAVED
            _finish(self.row, State.NOT_SAVED, error=type(error).__name__, **vars(error))
            raise
        finally:  # rows that were read before are not shown again, whatever the outcome
            all_rows.expire_rows(self.ctx.gateway, self.resource.endpoint)
        _note_saved(noted, answer)
        if noted.label and not self._label:  # the service has named a record without a title
            self.row.changes = ledger.seen_by_colleagues(noted.label, self._changes)
        _finish(self.row, State.SAVED, **vars(answer))
        if is_foreign:
            where = {"workspace": workspace, "url": self.resource.url(self.row.record_id)}
            after_response.run_best_effort(note_currency, code=currency, **where)
        return answer


def _note(write: Write, label: str) -> WriteStatus:
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
    """Return the answer as first_answer. `noted`: the write among those of the request."""
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
