"""The types that describe the API: fields, filters and endpoints (endpoints.py lists them)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

FieldKind = Literal[
    "string", "email", "integer", "number", "boolean", "date", "datetime", "timestamp",
    "integers", "strings", "object", "lines",
]  # fmt: skip
Operation = Literal["list", "get", "create", "update", "delete"]
Choice = tuple[int | str, str]  # the value in JSON, its name in the reference


@dataclass(frozen=True)
class Field:
    """One field of a record or a body, or one filter of a list.

    kind: date is YYYY-MM-DD; datetime has no zone; timestamp is ISO 8601 in UTC; number is sent
        from int or Decimal and read as Decimal; lines are line items.
    minimum, maximum: bounds of the value; for lines, of their count.
    pattern: a regular expression that the whole text must match.
    clearable: False if the field may be left out of a body but not be sent empty.
    """

    name: str
    kind: FieldKind = "string"
    required: bool = False
    max_length: int | None = None
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[Choice, ...] | None = None
    pattern: str | None = None
    clearable: bool = True

    @cached_property
    def values(self) -> frozenset[int | str]:
        """The values that `choices` allows; empty if any value is allowed."""
        return frozenset(value for value, _ in self.choices or ())


@dataclass(frozen=True, eq=False)
class Endpoint:
    """One endpoint of the API: its names, the fields of its records and bodies, its operations.
    It equals itself alone: as a key of a dict it need not compare its fields.

    fields: the fields of list records. create, update: the fields of those bodies. filters: the
        filters of its list.
    one_of: a create body must hold at least one of these fields.
    parent_field: the field with the id of the parent record, which is of the same endpoint.
    operations: the published ones. unpublished: not in the reference, usable once switched on.
    unpublished_fields: those of an update that are not in the reference, usable once switched on.
    extra: fields that the reference does not name, which every body may hold.
    """

    name: str
    singular: str
    id_field: str
    label_field: str
    fields: tuple[Field, ...]
    create: tuple[Field, ...]
    update: tuple[Field, ...]
    filters: tuple[Field, ...]
    operations: frozenset[Operation]
    unpublished: frozenset[Operation] = frozenset()
    unpublished_fields: frozenset[str] = frozenset()
    one_of: tuple[str, ...] = ()
    parent_field: str = ""
    extra: tuple[Field, ...] = ()

    @property
    def path(self) -> str:
        """The path below the base URL."""
        return f"/v1/{self.name}"

    def filter(self, name: str) -> Field:
        """The filter of that name. Raises KeyError."""
        for field in self.filters:
            if field.name == name:
                return field
        raise KeyError(name)

    @cached_property
    def kinds(self) -> Mapping[str, FieldKind]:
        """The kind of each field that a record may have, by name."""
        fields = (*self.extra, *self.create, *self.update, *self.fields)
        return {field.name: field.kind for field in fields}

    def with_extra(self, fields: Iterable[Field]) -> "Endpoint":
        """This endpoint with those of the fields added as `extra` that it does not name."""
        new = tuple(field for field in fields if field.name not in self.kinds)
        return replace(self, extra=(*self.extra, *new)) if new else self
