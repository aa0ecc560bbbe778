"""Faults of the data: reads that lag, somebody else's writes, half a write, a clock that is off.

Somebody else's writes stand in the ledger as those of the pair "somebody else".
"""

import json
import time
from datetime import timedelta

from .faults import State, Work
from .ledger import Entry
from .operations import Call, Operations, RefusedError
from .shape import Resource
from .store import Record, dumps

SOMEBODY = "somebody else"
WORDS = "Changed by somebody else"
ADDED = "Added by somebody else"
DAY = 86_400


def stale(work: Work) -> Record:
    """Reads answer as before the last write of that resource; writes are not touched by it."""
    call = work.call
    last, before = work.application.latest.get((call.workspace, call.resource.name), (None, None))
    if call.operation == "list" and before is None:
        call.unseen = last
    if call.operation != "get" or call.record != last:
        return _done(work)
    if before is None:
        raise RefusedError("missing", f"{call.resource.singular.capitalize()} not found")
    return work.application.profile.detail(call.resource, call.workspace, before)


def meddle(*, same: bool) -> State:
    """Somebody else changes the record just before it is written, or just after it was read:
    a field that the write changes as well (`same`), or another.
    """

    def change(work: Work) -> Record:
        if work.call.operation == "get":
            body = work.done()
            _change(work, same=same)
            return body
        if work.call.operation in {"update", "delete"}:
            _change(work, same=same)
        return _done(work)

    return change


def vanish(work: Work) -> Record:
    """Somebody else deletes the record just before it is written, or just after it was read."""
    call = work.call
    if call.operation not in {"get", "update", "delete"} or call.record is None:
        return _done(work)
    if call.operation == "get":
        body = work.done()
        _remove(work, call.record)
        return body
    _remove(work, call.record)
    return work.done()


def partly(work: Work) -> Record:
    """Of what a write carries only each second field is taken, besides names and references."""
    call = work.call
    if call.operation not in {"create", "update"}:
        return _done(work)
    sent = _sent(call)
    fields = call.resource.accepted(call.operation).values()
    needed = {f.name for f in fields if f.refers or f.uses & {"create!", "update!"}}
    needed.add(call.resource.label)
    kept = [name for place, name in enumerate(sent) if name in needed or place % 2]
    call.body = dumps({name: sent[name] for name in kept}).encode()
    return _done(work)


def clock(*, ahead: bool) -> State:
    """The service's clock is `argument` seconds (a day) ahead or behind."""

    def skewed(work: Work) -> Record:
        real = work.application.operations
        off = timedelta(seconds=float(work.argument or DAY) * (1 if ahead else -1))
        return Operations(real.store, real.profile, lambda: real.now() + off).run(
            work.call, commit=work.commit
        )

    return skewed


def shifting(work: Work) -> Record:
    """Somebody else adds a record just before a list is read, so that every row moves down."""
    if work.call.operation == "list":
        _add(work)
    return work.done()


def _done(work: Work) -> Record:
    return work.application.write(work.call) if work.commit else work.done()


def _change(work: Work, *, same: bool) -> None:
    call, store = work.call, work.application.store
    found = store.get(call.resource, call.record or 0)
    if found is None or found[0] != call.workspace:
        return
    record = found[1]
    record.pop(call.resource.id_field)
    name = _field(call.resource, set(_sent(call)), same=same)
    with store.transaction():
        store.replace(call.resource, call.record or 0, {**record, name: WORDS})
    _note(work, "update", call.record, {name: WORDS})


def _remove(work: Work, number: int) -> None:
    store = work.application.store
    found = store.get(work.call.resource, number)
    if found is None or found[0] != work.call.workspace:
        return
    with store.transaction():
        store.remove(work.call.resource, number)
    _note(work, "delete", number, {})


def _add(work: Work) -> None:
    call, store = work.call, work.application.store
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
    _note(work, "create", number, record)


def _field(resource: Resource, sent: set[str], *, same: bool) -> str:
    """A plain text that an update takes, among those sent or among the others; the record's name
    where there is none such.
    """
    texts = [
        f.name
        for f in resource.accepted("update").values()
        if f.kind == "string" and not f.choices and not f.refers
    ]
    fitting = [name for name in texts if (name in sent) == same]
    return (fitting[0] if same else fitting[-1]) if fitting else (texts or [resource.label])[0]


def _sent(call: Call) -> Record:
    try:
        body = json.loads(call.body) if call.body else {}
    except ValueError:
        body = {}
    return body if isinstance(body, dict) else {}


def _note(work: Work, operation: str, number: int | None, body: Record) -> None:
    call = work.call
    path = f"/v1/{call.resource.name}/{number}"
    method = {"create": "POST", "update": "PUT", "delete": "DELETE"}[operation]
    sent = dumps(body).encode()
    who = (0, time.time(), call.workspace, SOMEBODY, method, path, "", sent)
    work.application.ledger.add(
        Entry(*who, call.resource.name, operation, number, effect=True, status=200)
    )
