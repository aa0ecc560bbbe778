"""How the API's fields, filters and resources are described (the descriptions: endpoints.py)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

Kind = Literal[
    "string", "email", "integer", "number", "boolean", "date", "datetime", "timestamp",
    "integers", "strings", "object", "lines",
]  # fmt: skip
Operation = Literal["list", "get", "create", "update", "delete"]
Choice = tuple[int | str, str]  # the value on the wire, the reference's word for it


@dataclass(frozen=True)
class Field:
    """One field of a record or a body, or one filter of a list.

    kind: date is YYYY-MM-DD; datetime has no zone; timestamp is ISO 8601 in UTC; number is sent
        from int or Decimal and read as Decimal; lines are line items.
    maximum, minimum: of the value; of lines: how many.
    pattern: what the whole text must match.
    clearable: False where the field may be left out but not emptied.
    """

    name: str
    kind: Kind = "string"
    required: bool = False
    max_length: int | None = None
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[Choice, ...] | None = None
    pattern: str | None = None
    clearable: bool = True

    @cached_property
    def values(self) -> frozenset[int | str]:
        """The values that `choices` allows; empty where any is allowed."""
        return frozenset(value for value, _ in self.choices or ())


@dataclass(frozen=True)
class Endpoint:
    """One resource of the API: what it is called, what its records hold, what can be done.

    fields: of list records. create, update: what those bodies may hold. filters: of its list.
    one_of: at least one of these stands in a create body.
    parent_field: the id of the record of the same kind that this one belongs to.
    operations: published. unpublished: not in the reference, usable once switched on.
    extra: fields that the reference does not name, and their kinds; any body may hold them.
    whole_body_update: an update replaces the record, so it takes everything that create takes.
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
    whole_body_update: bool = False
    one_of: tuple[str, ...] = ()
    parent_field: str = ""
    extra: tuple[Field, ...] = ()

    @property
    def path(self) -> str:
        """Where it stands on the service, below the base URL."""
        return f"/v1/{self.name}"

    def create_field(self, name: str) -> Field:
        """The create field of that name; KeyError if there is none."""
        return _named(self.create, name)

    def update_field(self, name: str) -> Field:
        """The update field of that name; KeyError if there is none."""
        return _named(self.update, name)

    def filter(self, name: str) -> Field:
        """The filter of that name; KeyError if there is none."""
        return _named(self.filters, name)

    @cached_property
    def kinds(self) -> Mapping[str, Kind]:
        """The kind of every field that a record may come back with, by name."""
        fields = (*self.extra, *self.create, *self.update, *self.fields)
        return {field.name: field.kind for field in fields}

    def with_extra(self, fields: Iterable[Field]) -> "Endpoint":
        """This endpoint with those of the fields added as `extra` that it does not name."""
        new = tuple(field for field in fields if field.name not in self.kinds)
        return replace(self, extra=(*self.extra, *new)) if new else self


def _named(fields: tuple[Field, ...], name: str) -> Field:
    for field in fields:
        if field.name == name:
            return field
    raise KeyError(name)
