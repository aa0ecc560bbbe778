"""Faults of the data: stale reads, writes of another user, half a write, a wrong clock.

The ledger has the writes of the other user as those of the key pair "somebody else".
"""

import json
import time
from datetime import timedelta

from ..ledger import LedgerEntry
from ..operations import Call, Operations, RefusedError
from ..schema import Record, Resource
from ..store import dumps
from .fault import DataContext, DataFault

SOMEBODY = "somebody else"
CHANGED = "Changed by somebody else"
ADDED = "Added by somebody else"
DAY = 86_400  # seconds


def stale(context: DataContext) -> Record:
    """Reads show the state before the last write of the resource; writes are as usual."""
    call, state = context.call, context.state
    last, before = state.last_writes.get((call.workspace, call.resource.name), (None, None))
    if call.operation == "list" and before is None:
        call.hidden_record = last
    if call.operation != "get" or call.record != last:
        return context.run()
    if before is None:
        raise RefusedError("missing", f"{call.resource.singular.capitalize()} not found")
    return state.profile.detail(call.resource, call.workspace, before)


def change_record(*, same: bool) -> DataFault:
    """Another user changes the record before a write, or after a read.

    The field is one that the write changes as well if `same`, else another.
    """

    def change(context: DataContext) -> Record:
        operation = context.call.operation
        if operation in {"update", "delete"}:
            _change(context, same=same)
        body = context.run()
        if operation == "get":
            _change(context, same=same)
        return body

    return change


def delete_record(context: DataContext) -> Record:
    """Another user deletes the record before a write, or after a read."""
    call = context.call
    if call.operation in {"update", "delete"} and call.record is not None:
        _remove(context, call.record)
    body = context.run()
    if call.operation == "get" and call.record is not None:
        _remove(context, call.record)
    return body


def store_half(context: DataContext) -> Record:
    """A write stores only every second field, besides names, references and required fields."""
    call = context.call
    if call.operation in {"create", "update"}:
        sent = _body(call)
        fields = call.resource.accepted(call.operation).values()
        needed = {f.name for f in fields if f.refers or f.uses & {"create!", "update!"}}
        needed.add(call.resource.label)
        kept = [name for place, name in enumerate(sent) if name in needed or place % 2]
        call.body = dumps({name: sent[name] for name in kept}).encode()
    return context.run()


def clock(*, ahead: bool) -> DataFault:
    """The clock of the service is `argument` seconds (a day) ahead or behind."""

    def run(context: DataContext) -> Record:
        right = context.state.operations
        offset = timedelta(seconds=float(context.argument or DAY) * (1 if ahead else -1))
        wrong = Operations(right.store, right.profile, lambda: right.now() + offset)
        return wrong.run(context.call, commit=context.commit)

    return run


def add_record(context: DataContext) -> Record:
    """Another user adds a record before a list is read, so that every row moves down."""
    if context.call.operation == "list":
        _add(context)
    return context.run()


def _change(context: DataContext, *, same: bool) -> None:
    call, store = context.call, context.state.store
    found = store.get(call.resource, call.record or 0)
    if found is None or found[0] != call.workspace:
        return
    record = found[1]
    record.pop(call.resource.id_field)
    name = _text_field(call.resource, set(_body(call)), same=same)
    with store.transaction():
        store.replace(call.resource, call.record or 0, {**record, name: CHANGED})
    _log(context, "update", call.record, {name: CHANGED})


def _remove(context: DataContext, number: int) -> None:
    store = context.state.store
    found = store.get(context.call.resource, number)
    if found is None or found[0] != context.call.workspace:
        return
    with store.transaction():
        store.remove(context.call.resource, number)
    _log(context, "delete", number, {})


def _add(context: DataContext) -> None:
    call, store = context.call, context.state.store
    newest = store.page(call.resource, [("workspace = ?", call.workspace)], "id DESC", 1, 0)
    found = store.get(call.resource, newest[0][0]) if newest else None
    if found is None:
        return
    texts = {f.name for f in call.resource.fields if f.kind in {"string", "email"}}
    record = {name: value for name, value in found[1].items() if name not in texts}
    record[call.resource.label] = ADDED
    record.pop(call.resource.id_field)
    with store.transaction():
        number = store.insert(call.resource, call.workspace, record)
    _log(context, "create", number, record)


def _text_field(resource: Resource, sent: set[str], *, same: bool) -> str:
    """A text field that an update accepts, among those sent if `same`, else among the others.

    The first text field if none matches; the label if there is no text field.
    """
    texts = [
        f.name
        for f in resource.accepted("update").values()
        if f.kind == "string" and not f.choices and not f.refers
    ]
    matching = [name for name in texts if (name in sent) == same]
    return (matching[0] if same else matching[-1]) if matching else (texts or [resource.label])[0]


def _body(call: Call) -> Record:
    try:
        body = json.loads(call.body) if call.body else {}
    except ValueError:
        body = {}
    return body if isinstance(body, dict) else {}


def _log(context: DataContext, operation: str, number: int | None, body: Record) -> None:
    call = context.call
    path = f"/v1/{call.resource.name}/{number}"
    method = {"create": "POST", "update": "PUT", "delete": "DELETE"}[operation]
    sent = dumps(body).encode()
    request = (0, time.time(), call.workspace, SOMEBODY, method, path, "", sent)
    context.state.ledger.add(
        LedgerEntry(*request, call.resource.name, operation, number, effect=True, status=200)
    )
