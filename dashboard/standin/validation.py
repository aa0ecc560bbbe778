"""Validates a request body against the fields of its resource.

Messages are keyed by field, those of a line item by `items.0.price`. The reference does not give
their wording.
"""

import re
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from .reference_data import entry_names
from .resources import RESOURCES
from .schema import Errors, Field, Resource

Exists = Callable[[str, int], bool]

BIGGEST = 2**63 - 1
EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
PHONE = re.compile(r"\+?\d{1,20}")
DATE = re.compile(r"\d{4}-\d\d-\d\d")
DATETIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")


def is_integer(value: Any) -> bool:
    """Return whether it is a whole JSON number that the database can hold; booleans are not."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= BIGGEST


def is_number(value: Any) -> bool:
    """Return whether it is a JSON number."""
    return is_integer(value) or isinstance(value, float)


def is_text(value: Any) -> bool:
    """Return whether it is a string."""
    return isinstance(value, str)


def is_date(value: Any) -> bool:
    """Return whether it is an existing date as YYYY-MM-DD."""
    return is_text(value) and bool(DATE.fullmatch(value)) and _parses(date, value)


def is_datetime(value: Any) -> bool:
    """Return whether it is an existing date and time as YYYY-MM-DDTHH:MM:SS."""
    return is_text(value) and bool(DATETIME.fullmatch(value)) and _parses(datetime, value)


def _parses(kind: type[date], text: str) -> bool:
    try:
        kind.fromisoformat(text)
    except ValueError:
        return False
    return True


def _list_of(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(check(item) for item in value)


KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "string": (is_text, "must be a string"),
    "email": (lambda v: is_text(v) and bool(EMAIL.fullmatch(v)), "must be a valid email address"),
    "phone": (
        lambda v: is_text(v) and bool(PHONE.fullmatch(v)),
        "must be digits, with or without a leading plus sign",
    ),
    "integer": (is_integer, "must be an integer"),
    "number": (is_number, "must be a number"),
    "boolean": (lambda v: isinstance(v, bool), "must be true or false"),
    "date": (is_date, "must be a date in the format YYYY-MM-DD"),
    "datetime": (is_datetime, "must be a date and time in the format YYYY-MM-DDTHH:MM:SS"),
    "integers": (_list_of(is_integer), "must be an array of integers"),
    "strings": (_list_of(is_text), "must be an array of strings"),
    "object": (lambda v: isinstance(v, dict), "must be an object"),
    "lines": (lambda v: isinstance(v, list), "must be an array"),
}


class BodyValidator:
    """Validates bodies of one workspace; `errors` are the messages by field.

    If `strict`, fields that the operation does not accept and ids that the reference data does not
    have are errors; otherwise the former are dropped and the latter accepted.
    `exists(resource, id)` returns whether the workspace has a record.
    """

    def __init__(self, workspace: str, exists: Exists, *, strict: bool) -> None:
        self.workspace = workspace
        self.exists = exists
        self.strict = strict
        self.errors: Errors = {}

    def validate(
        self, resource: Resource, operation: str, body: dict[str, Any], accepted: dict[str, Field]
    ) -> dict[str, Any]:
        """Return the accepted part of `body`; adds to `errors`."""
        self._check_fields(accepted, resource.required(operation), body, "")
        return {name: value for name, value in body.items() if name in accepted}

    def _add_error(self, key: str, message: str) -> None:
        self.errors.setdefault(key, []).append(f"The {key} field {message}.")

    def _check_fields(
        self,
        accepted: dict[str, Field],
        required: tuple[str, ...],
        body: dict[str, Any],
        prefix: str,
    ) -> None:
        if self.strict:
            for name in sorted(body.keys() - accepted.keys()):
                self._add_error(prefix + name, "is not accepted here")
        # An update of some fields may leave a required field out, but not empty it.
        never_empty = {name for name, f in accepted.items() if f.uses & {"create!", "update!"}}
        for name, field in accepted.items():
            value = body.get(name)
            if value in (None, "", []):
                if name in required or (name in body and name in never_empty):
                    self._add_error(prefix + name, "is required")
            else:
                self._check_value(field, value, prefix + name)

    def _check_value(self, field: Field, value: Any, key: str) -> None:
        is_valid, message = KINDS[field.kind]
        if not is_valid(value):
            self._add_error(key, message)
        elif field.limit is not None and len(value) > field.limit:
            self._add_error(key, f"may not be longer than {field.limit} characters")
        elif field.choices and value not in field.choices:
            self._add_error(key, f"must be one of {', '.join(map(str, field.choices))}")
        elif field.inside:
            self._check_lines(field, value, key)
        elif field.refers:
            self._check_reference(field, value, key)

    def _check_lines(self, field: Field, lines: list[Any], key: str) -> None:
        accepted = {inner.name: inner for inner in field.inside}
        required = tuple(inner.name for inner in field.inside if "create!" in inner.uses)
        for index, line in enumerate(lines):
            if isinstance(line, dict):
                self._check_fields(accepted, required, line, f"{key}.{index}.")
            else:
                self._add_error(f"{key}.{index}", "must be an object")

    def _check_reference(self, field: Field, value: Any, key: str) -> None:
        if field.refers in RESOURCES:
            if not self.exists(field.refers, value):
                self._add_error(key, "does not exist")
            return
        known = entry_names(self.workspace, field.refers)
        if field.kind == "object":  # custom fields are keyed by name (reference, section 2)
            for name in value.keys() - set(known.values()):
                self._add_error(f"{key}.{name}", "is not a configured custom field")
        elif self.strict:
            given = value if isinstance(value, list) else [value]
            if any(str(one) not in {str(k) for k in known} for one in given):
                self._add_error(key, "does not exist")
