"""The operations: what a list, get, create, update and delete do, and what they refuse."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn

from . import effects, queries
from .profiles import Profile
from .rules import RESOURCES
from .shape import Resource
from .store import Record, Store
from .validation import Checker, Errors


class RefusedError(Exception):
    """The service says no; `reason` is one of `profiles.STATUSES`."""

    def __init__(self, reason: str, message: str, errors: Errors | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.errors = errors or {}


@dataclass
class Call:
    """One call that was let in: whose, on what, with what."""

    workspace: str
    resource: Resource
    operation: str
    record: int | None = None
    query: str = ""
    body: bytes = b""
    content_type: str = ""
    unseen: int | None = None  # a list answers as if this record were not there yet


class Operations:
    """Runs calls on the store and answers in the manner of the profile.

    `now` tells the time in UTC.
    """

    def __init__(self, store: Store, profile: Profile, now: Callable[[], datetime]) -> None:
        self.store = store
        self.profile = profile
        self.now = now

    def run(self, call: Call, *, commit: bool = True) -> Record:
        """The answer's body; raises RefusedError. With `commit` false all is undone.

        A create notes the new id in `call.record`.
        """
        operation = getattr(self, call.operation)
        if call.operation in {"list", "get"}:
            return operation(call)  # type: ignore[no-any-return]
        with self.store.transaction(commit=commit):
            return operation(call)  # type: ignore[no-any-return]

    def list(self, call: Call) -> Record:
        """A page of records."""
        resource, profile = call.resource, self.profile
        query = queries.read(resource, call.workspace, call.query, clamp=profile.clamps_page_size)
        if query.unknown_sort and profile.name == "hostile":
            _invalid(query.errors)
        if query.errors and profile.strict:
            _invalid(query.errors)
        if call.unseen is not None:
            query.conditions.append(("id <> ?", call.unseen))
        total = self.store.total(resource, query.conditions)
        found = self.store.page(
            resource, query.conditions, query.order, query.size, query.index * query.size
        )
        rows = profile.rows(resource, call.workspace, found, query.size)
        return profile.page(rows, query.index, total, query.size)

    def get(self, call: Call) -> Record:
        """One record."""
        record = self._existing(call)
        return self.profile.detail(call.resource, call.workspace, record)

    def create(self, call: Call) -> Record:
        """Add a record."""
        resource = call.resource
        record = self._checked(call, {})
        if resource.number_prefix:
            record[resource.number_field] = self._next_number(call)
        effects.complete(resource, call.workspace, record, self.now())
        call.record = self.store.insert(resource, call.workspace, record)
        return self.profile.created(resource, {**record, resource.id_field: call.record})

    def update(self, call: Call) -> Record:
        """Change a record."""
        old = self._existing(call)
        number = old.pop(call.resource.id_field)
        record = self._checked(call, old)
        effects.complete(call.resource, call.workspace, record, self.now())
        self.store.replace(call.resource, number, record)
        return self.profile.done(call.resource, "update")

    def delete(self, call: Call) -> Record:
        """Remove a record; *verbose* keeps a contact that has invoices."""
        record = self._existing(call)
        number = record[call.resource.id_field]
        if self.profile.strict and call.resource.name == "contacts":
            invoices = [("workspace = ?", call.workspace), ("customer_id = ?", number)]
            if self.store.total(RESOURCES["invoices"], invoices):
                raise RefusedError("conflict", "The contact has invoices and cannot be deleted")
        self.store.remove(call.resource, number)
        return self.profile.done(call.resource, "delete")

    def _existing(self, call: Call) -> Record:
        found = None if call.record is None else self.store.get(call.resource, call.record)
        if found is None:
            raise RefusedError("missing", f"{call.resource.singular.capitalize()} not found")
        workspace, record = found
        if workspace != call.workspace:
            raise RefusedError("unauthorized", "The keys belong to another workspace")
        return record

    def _checked(self, call: Call, old: Record) -> Record:
        """The record as it would be after a create or update with the call's body."""
        body = read_body(call)
        strict = self.profile.strict
        checker = Checker(call.workspace, self._has(call.workspace), strict=strict)
        sent = checker.check(call.resource, call.operation, body)
        if checker.errors:
            _invalid(checker.errors)
        record = effects.merged(call.resource, old, sent)
        errors = effects.rule_errors(call.resource, call.workspace, record, strict=strict)
        if errors:
            _invalid(errors)
        return record

    def _has(self, workspace: str) -> Callable[[str, int], bool]:
        return lambda name, number: self.store.exists(name, workspace, number)

    def _next_number(self, call: Call) -> str:
        """Format prefix-number, counted per workspace and resource, never given twice."""
        counter = f"{call.workspace} {call.resource.name}"
        number = int(self.store.meta(counter, "0")) + 1
        self.store.set_meta(counter, str(number))
        return document_number(call.resource, number)


def document_number(resource: Resource, number: int) -> str:
    """The text of the `number`-th document or lead."""
    return f"{resource.number_prefix}-{number:05d}"


def _invalid(errors: Errors) -> NoReturn:
    raise RefusedError("invalid", "The given data was invalid", errors)


def read_body(call: Call) -> dict[str, Any]:
    """The JSON object that was sent."""
    if call.content_type.split(";")[0].strip().lower() != "application/json":
        raise RefusedError("unsupported", "The body must be JSON (Content-Type: application/json)")
    try:
        body = json.loads(call.body, parse_constant=_no_constant)
        json.dumps(body, ensure_ascii=False).encode()  # lone surrogates cannot be stored
    except (ValueError, RecursionError) as error:
        raise RefusedError("unreadable", "The body is not readable JSON") from error
    if not isinstance(body, dict):
        raise RefusedError("unreadable", "The body must be a JSON object")
    return body


def _no_constant(name: str) -> None:
    raise ValueError(name)
