"""The parts of a resource's declaration: details, columns, filters and sections."""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from dashboard.catalogue.kinds import Kind
from dashboard.gateway import Endpoint, Record
from dashboard.records.context import RequestContext
from dashboard.records.display import cells
from dashboard.records.display.cells import Cell
from dashboard.records.display.values import DisplayValue


@dataclass(frozen=True)
class Detail:
    """One field as a record's page shows it.

    name: the wire name. label, cell, points_to (the endpoint whose records the field holds ids
    of) follow from the form field where they are not given.
    """

    name: str
    _: KW_ONLY
    label: str = ""
    cell: Cell | None = None
    points_to: Endpoint | None = None

    def value(self, record: Record, ctx: RequestContext) -> DisplayValue:
        """The field of this record as it is displayed."""
        return (self.cell or cells.plain(self.name))(record, ctx)


@dataclass(frozen=True)
class Column(Detail):
    """One field as a column of the list. The first column links to the record.

    from_record: only the record itself has the field, not the list. It is read record by record,
    after the list is shown.
    """

    _: KW_ONLY
    sortable: bool = True
    numeric: bool = False
    from_record: bool = False


@dataclass(frozen=True)
class Filter:
    """One filter of the list: a query parameter of the API, and how its value is entered.

    A form field of the same name gives label, choices, kind, points_to, base_filters and prefers
    where they are not given.
    choices: the values it may take, with their words.
    kind: a list of the workspace that the value is an id of; any id is accepted.
    points_to: a record of that endpoint, chosen in a picker among those that `base_filters` leave;
    those that `prefers` names come first (forms/pickers.py).
    span: the two parameters of a span of dates; the filter's own name is then only ours.
    narrow: how the records of a choice are found that the service cannot filter by. days, amount:
    a list field that is compared here with a span of days, or with the least amount.
    """

    name: str
    _: KW_ONLY
    label: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    kind: Kind | None = None
    points_to: Endpoint | None = None
    base_filters: Mapping[str, str] = field(default_factory=dict)
    prefers: str = ""
    span: tuple[str, str] | None = None
    narrow: "Narrow | None" = None
    days: str = ""
    amount: str = ""

    @property
    def is_span(self) -> bool:
        """Whether its value is a span of days."""
        return bool(self.span or self.days)

    @property
    def is_ours(self) -> bool:
        """Whether the service lacks it, so that it applies to the rows that were read."""
        return bool(self.narrow or self.days or self.amount)


@dataclass(frozen=True)
class Narrowing:
    """Which of the rows read a filter keeps.

    sent: filters of the API that hold for all it keeps. order: a key to sort by, None for the
    service's order. conflict: what to say where another filter excludes what is `sent`.
    """

    keeps: Callable[[Record], bool]
    _: KW_ONLY
    sent: Mapping[str, Any] = field(default_factory=dict)
    order: Callable[[Record], Any] | None = None
    conflict: str = ""


Narrow = Callable[[RequestContext, str], Narrowing]


@dataclass(frozen=True)
class BuiltInView:
    """A list under a name that everybody has: the parameters of its address by name.

    own_id: a filter that takes the person's own user id in the service; without one there is no
    such list.
    """

    key: str
    label: str
    params: Mapping[str, str]
    _: KW_ONLY
    own_id: str = ""


@dataclass(frozen=True)
class Section:
    """A titled group of fields on a record's page."""

    title: str
    details: tuple[Detail, ...]


def details(*parts: str | Detail) -> tuple[Detail, ...]:
    """Details of fields, of which a plain name stands for one that differs in nothing."""
    return tuple(Detail(part) if isinstance(part, str) else part for part in parts)


def columns(*parts: str | Column) -> tuple[Column, ...]:
    """Columns, likewise."""
    return tuple(Column(part) if isinstance(part, str) else part for part in parts)


def filters(*parts: str | Filter) -> tuple[Filter, ...]:
    """Filters, likewise."""
    return tuple(Filter(part) if isinstance(part, str) else part for part in parts)
