"""The types that the resources are declared with: fields, filters, sample records, resources."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from .seed_workspace import SeedWorkspace

Record = dict[str, Any]
Errors = dict[str, list[str]]  # messages by field
SeedRecord = Callable[[SeedWorkspace, int, int], Record]  # workspace, index, number of records
Complete = Callable[[str, Record, datetime], None]  # workspace, record, present time in UTC
Check = Callable[[str, Record, bool], Errors]  # workspace, record, whether the service is strict


@dataclass(frozen=True)
class Field:
    """One field of a record.

    `use` is a list of words: `list` (shown in list rows), `create`, `create!` (required),
    `update`, `update!` (required), `unpublished` (in an update of a service that offers more than
    the reference), `filter` (stored in a column because a filter reads it),
    `input` (accepted but stored under another name, so never returned).
    `limit` is in characters. `refers` names what an id must be an id of: a resource, or a list
    of the reference data. `inside` are the fields of a line item.
    """

    name: str
    kind: str
    use: str = ""
    limit: int | None = None
    choices: tuple[int | str, ...] = ()
    default: Any = None
    refers: str = ""
    inside: tuple["Field", ...] = ()

    @cached_property
    def uses(self) -> frozenset[str]:
        """Return the words of `use`."""
        return frozenset(self.use.split())


@dataclass(frozen=True)
class Filter:
    """A query parameter of a list; `column` may be any SQL expression over the columns."""

    name: str
    kind: str
    column: str
    compare: str = "="
    choices: tuple[int | str, ...] = ()


@dataclass(frozen=True)
class Seed:
    """The sample records of a resource: how to make one, and how many there are.

    `demo` and `small` are numbers of records for the sizes of these names. If the size is a
    number, the resource gets `share` of the sum of all shares.
    """

    record: SeedRecord
    demo: int
    small: int
    share: int = 0


def _complete_nothing(workspace: str, record: Record, now: datetime) -> None:
    return


def _check_nothing(workspace: str, record: Record, strict: bool) -> Errors:
    return {}


@dataclass(frozen=True)
class Resource:
    """One resource: its address, its operations, its fields, its rules and its sample records."""

    name: str
    singular: str
    id_field: str
    label: str
    operations: tuple[str, ...]
    search: tuple[str, ...]
    fields: tuple[Field, ...]
    filters: tuple[Filter, ...]
    seed: Seed
    unpublished: tuple[str, ...] = ()
    in_every_plan: bool = False
    whole_body: bool = False  # an update replaces everything that can be sent
    number_field: str = ""
    number_prefix: str = ""
    first_id: int = 1
    created_fields: tuple[str, ...] = ()  # the fields in the response to a create
    # (resource, field) of records that stop a strict service from deleting the record they refer to
    required_by: tuple[tuple[str, str], ...] = ()
    complete: Complete = _complete_nothing  # sets the fields that the service computes, in place
    check: Check = _check_nothing  # rules about more than one field of the record to be stored

    @cached_property
    def listed(self) -> tuple[Field, ...]:
        """Return the fields of a list row, the identifier first."""
        return tuple(field for field in self.fields if "list" in field.uses)

    @cached_property
    def stored(self) -> tuple[Field, ...]:
        """Return the fields that a detail may show."""
        return tuple(field for field in self.fields if "input" not in field.uses)

    @cached_property
    def columns(self) -> tuple[Field, ...]:
        """Return the fields with a column of their own, to filter and sort by."""
        kept = {"list", "filter"}
        return tuple(f for f in self.fields if f.uses & kept and f.name != self.id_field)

    def accepted(self, operation: str, *, unpublished: bool = False) -> dict[str, Field]:
        """Return the fields that `operation` (create or update) accepts, by name."""
        verb = "create" if self.whole_body else operation
        wanted = {verb, f"{verb}!"}
        if unpublished and operation == "update":
            wanted.add("unpublished")
        return {f.name: f for f in self.fields if f.uses & wanted}

    def required(self, operation: str) -> tuple[str, ...]:
        """Return the names of the fields that `operation` requires."""
        verb = "create" if self.whole_body else operation
        return tuple(f.name for f in self.fields if f"{verb}!" in f.uses)

    def number(self, count: int) -> str:
        """Return the text number of the `count`-th record of a workspace, such as "INV-00017"."""
        return f"{self.number_prefix}-{count:05d}"
