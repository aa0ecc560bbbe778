"""What a resource of the API is made of: the vocabulary that `rules` is written in."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Field:
    """One field of a record.

    `use` is a list of words: `list` (shown in list rows), `create`, `create!` (required),
    `update`, `update!` (required), `filter` (stored in a column because a filter reads it),
    `input` (sent but kept under another name, so never answered).
    `refers` names what an id must point at: a resource, or a list of the reference data.
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
        """The words of `use`."""
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
class Resource:
    """One resource: where it lives, what may be done with it, and its fields."""

    name: str
    singular: str
    id_field: str
    label: str
    operations: tuple[str, ...]
    search: tuple[str, ...]
    fields: tuple[Field, ...]
    filters: tuple[Filter, ...]
    unpublished: tuple[str, ...] = ()
    area: bool = True  # an area that a plan may lack
    whole_body: bool = False  # an update replaces everything that can be sent
    number_field: str = ""
    number_prefix: str = ""
    first_id: int = 1
    answered: tuple[str, ...] = ()  # what a create answers with

    @cached_property
    def listed(self) -> tuple[Field, ...]:
        """The fields of a list row, the identifier first."""
        return tuple(field for field in self.fields if "list" in field.uses)

    @cached_property
    def stored(self) -> tuple[Field, ...]:
        """The fields that a detail may show."""
        return tuple(field for field in self.fields if "input" not in field.uses)

    @cached_property
    def columns(self) -> tuple[Field, ...]:
        """The fields kept in columns of their own, to filter and sort by."""
        kept = {"list", "filter"}
        return tuple(f for f in self.fields if f.uses & kept and f.name != self.id_field)

    def accepted(self, operation: str) -> dict[str, Field]:
        """The fields that `operation` (create or update) takes, by name."""
        verb = "create" if self.whole_body else operation
        return {f.name: f for f in self.fields if f.uses & {verb, f"{verb}!"}}

    def required(self, operation: str) -> tuple[str, ...]:
        """The names of the fields that `operation` cannot do without."""
        verb = "create" if self.whole_body else operation
        return tuple(f.name for f in self.fields if f"{verb}!" in f.uses)
