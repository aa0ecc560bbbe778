"""The operations list, get, create, update and delete, and what they reject."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn

from .profiles import Profile
from .queries import read_query
from .resources import RESOURCES
from .schema import Errors, Record, Resource
from .store import Store
from .validation import BodyValidator


class RefusedError(Exception):
    """The service rejects a call; `reason` is a key of `profiles.STATUSES`."""

    def __init__(self, reason: str, message: str, errors: Errors | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.errors = errors or {}


@dataclass
class Call:
    """One authorized call. A create sets `record` to the new id."""

    workspace: str
    resource: Resource
    operation: str
    record: int | None = None
    query: str = ""
    body: bytes = b""
    content_type: str = ""
    unpublished: bool = False  # whether the service offers more than the reference
    hidden_record: int | None = None  # left out of a list, as if it did not exist yet


class Operations:
    """Runs calls on the store; the profile shapes the responses. `now` returns the time in UTC."""

    def __init__(self, store: Store, profile: Profile, now: Callable[[], datetime]) -> None:
        self.store = store
        self.profile = profile
        self.now = now

    def run(self, call: Call, *, commit: bool = True) -> Record:
        """Return the body of the response; raises RefusedError. Without `commit`, writes are
        undone.
        """
        operation = getattr(self, call.operation)
        if call.operation in {"list", "get"}:
            return operation(call)  # type: ignore[no-any-return]
        with self.store.transaction(commit=commit):
            return operation(call)  # type: ignore[no-any-return]

    def list(self, call: Call) -> Record:
        """Return a page of records."""
        resource, profile = call.resource, self.profile
        query = read_query(resource, call.workspace, call.query, clamp=profile.clamps_page_size)
        if query.unknown_sort and profile.name == "hostile":
            _refuse_invalid(query.errors)
        if query.errors and profile.strict:
            _refuse_invalid(query.errors)
        if call.hidden_record is not None:
            query.conditions.append(("id <> ?", call.hidden_record))
        total = self.store.total(resource, query.conditions)
        found = self.store.page(
            resource, query.conditions, query.order, query.size, query.index * query.size
        )
        rows = profile.rows(resource, call.workspace, found, query.size)
        return profile.page(rows, query.index, total, query.size)

    def get(self, call: Call) -> Record:
        """Return one record."""
        record = self._existing(call)
        return self.profile.detail(call.resource, call.workspace, record)

    def create(self, call: Call) -> Record:
        """Add a record."""
        resource = call.resource
        record = self._checked(call, {})
        if resource.number_prefix:
            record[resource.number_field] = self._next_number(call)
        self._complete(call, record)
        call.record = self.store.insert(resource, call.workspace, record)
        return self.profile.created(resource, {**record, resource.id_field: call.record})

    def update(self, call: Call) -> Record:
        """Change a record."""
        old = self._existing(call)
        number = old.pop(call.resource.id_field)
        record = self._checked(call, old)
        self._complete(call, record)
        self.store.replace(call.resource, number, record)
        return self.profile.written(call.resource, "update")

    def delete(self, call: Call) -> Record:
        """Remove a record; a strict service rejects if other records require it."""
        record = self._existing(call)
        number = record[call.resource.id_field]
        for name, field in call.resource.required_by if self.profile.strict else ():
            conditions = [("workspace = ?", call.workspace), (f"{field} = ?", number)]
            if self.store.total(RESOURCES[name], conditions):
                message = f"The {call.resource.singular} has {name} and cannot be deleted"
                raise RefusedError("conflict", message)
        self.store.remove(call.resource, number)
        return self.profile.written(call.resource, "delete")

    def _existing(self, call: Call) -> Record:
        found = None if call.record is None else self.store.get(call.resource, call.record)
        if found is None:
            raise RefusedError("missing", f"{call.resource.singular.capitalize()} not found")
        workspace, record = found
        if workspace != call.workspace:
            raise RefusedError("unauthorized", "The keys belong to another workspace")
        return record

    def _checked(self, call: Call, old: Record) -> Record:
        body = read_body(call)
        strict = self.profile.strict
        validator = BodyValidator(call.workspace, self._exists_in(call.workspace), strict=strict)
        accepted = call.resource.accepted(call.operation, unpublished=call.unpublished)
        sent = validator.validate(call.resource, call.operation, body, accepted)
        if validator.errors:
            _refuse_invalid(validator.errors)
        record = _merged(call.resource, old, sent)
        if errors := call.resource.check(call.workspace, record, strict):
            _refuse_invalid(errors)
        return record

    def _complete(self, call: Call, record: Record) -> None:
        """Set defaults and the fields that the service computes, in place."""
        for field in call.resource.stored:
            if field.default is not None and record.get(field.name) is None:
                record[field.name] = field.default
        call.resource.complete(call.workspace, record, self.now())

    def _exists_in(self, workspace: str) -> Callable[[str, int], bool]:
        return lambda name, number: self.store.exists(name, workspace, number)

    def _next_number(self, call: Call) -> str:
        """Return the next number of the workspace and resource; none is used twice."""
        counter = f"{call.workspace} {call.resource.name}"
        number = int(self.store.meta(counter, "0")) + 1
        self.store.set_meta(counter, str(number))
        return call.resource.number(number)


def _merged(resource: Resource, old: Record, sent: Record) -> Record:
    """Return `old` changed by the body of an update, which replaces all if the body is whole."""
    record = dict(old)
    if resource.whole_body:
        record.update(dict.fromkeys(resource.accepted("create")))
    record.update(sent)
    fields = sent.get("custom_fields")
    if fields:  # values not sent stay; {} clears them all (reference, section 2)
        record["custom_fields"] = {**(old.get("custom_fields") or {}), **fields}
    return record


def _refuse_invalid(errors: Errors) -> NoReturn:
    raise RefusedError("invalid", "The given data was invalid", errors)


def read_body(call: Call) -> dict[str, Any]:
    """Return the JSON object of the body; raises RefusedError if there is none."""
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
