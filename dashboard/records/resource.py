"""What a resource is made of, as plain data. The views behave the same for each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpResponse

from dashboard.catalogue.kinds import Kind
from dashboard.gateway import Endpoint, Gateway, Record
from dashboard.gateway.fields import Operation
from dashboard.records.display import cells
from dashboard.records.display.cells import Cell
from dashboard.records.forms.record_form import RecordForm


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of the list: a field of the list record and how its cell reads as HTML.

    `points_to`: the field is the id of a record of that endpoint, shown by its name.
    """

    name: str
    label: str
    cell: Cell | None = None
    sortable: bool = True
    numeric: bool = False
    points_to: Endpoint | None = None

    @property
    def html(self) -> Cell:
        """Called with a record and the desk: the cell's content, already escaped."""
        return _html(self)


@dataclass(frozen=True, kw_only=True)
class Filter:
    """One filter of the list: a query parameter of the API and one way to say its value.

    choices: the values it may take, with their words.
    kind: a list of the workspace that the value is an id of; any id is accepted.
    points_to: a record of that endpoint, chosen in a picker among those that `narrowed` leaves.
    span: the two parameters of a span of dates; the filter's own name is then only ours.
    """

    name: str
    label: str
    choices: Mapping[str, str] = field(default_factory=dict)
    kind: Kind | None = None
    points_to: Endpoint | None = None
    base_filters: Mapping[str, str] = field(default_factory=dict)
    span: tuple[str, str] | None = None


@dataclass(frozen=True, kw_only=True)
class Detail:
    """One line of a record's page; `points_to` as for a column."""

    name: str
    label: str
    cell: Cell | None = None
    points_to: Endpoint | None = None

    @property
    def html(self) -> Cell:
        """Called likewise: the value's HTML, already escaped; empty where there is nothing."""
        return _html(self)


@dataclass(frozen=True, kw_only=True)
class Section:
    """A titled group of lines on a record's page."""

    title: str
    details: tuple[Detail, ...]


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page of a resource: its address below the resource's, its view (called with `resource`
    besides what the address holds), and the permission it takes.
    """

    route: str
    view: Callable[..., HttpResponse]
    permission: str


@dataclass(frozen=True, kw_only=True)
class DuplicateSearch:
    """How a created record can be found again, as the service has no better handle on it.

    ask: the body's search and filters, as keyword arguments of `Gateway.list`.
    same: list fields that must read as the body's field of the given name did.
    """

    ask: Callable[[Mapping[str, Any]], dict[str, Any]]
    same: Mapping[str, str]


@dataclass(frozen=True, kw_only=True, eq=False)  # one of each kind, equal to nothing but itself
class Resource:
    """A kind of business record: its endpoint, its words, its list, its page and its forms.

    quick_form: the few fields that make a new one from inside another form.
    not_offered: why an operation that the service may lack cannot be done, and what can be instead.
    odd_pages: pages of its own by name; one of a usual name ("detail") takes the usual one's place.
    reader: how one record is read, if not by its id: called with the gateway, this and the id.
    starts: what can be begun from a record, as label and address: {"New task": "/tasks/...{id}"}.
    related: lists that the service narrows to a record, likewise. not_listed: what it cannot.
    """

    endpoint: Endpoint
    singular: str
    icon: str
    title_field: str
    search_hint: str
    columns: tuple[Column, ...]
    sections: tuple[Section, ...]
    create_form: type[RecordForm]
    edit_form: type[RecordForm]
    duplicate_search: DuplicateSearch
    quick_form: type[RecordForm] | None = None
    filters: tuple[Filter, ...] = ()
    facts: tuple[Detail, ...] = ()
    not_editable: Mapping[str, str] = field(default_factory=dict)
    not_offered: Mapping[Operation, str] = field(default_factory=dict)
    starts: Mapping[str, str] = field(default_factory=dict)
    related: Mapping[str, str] = field(default_factory=dict)
    not_listed: str = ""
    extra_pages: Mapping[str, "Page"] = field(default_factory=dict)
    reader: Callable[[Gateway, "Resource", int], Record] | None = None

    @property
    def name(self) -> str:
        """The plural wire name, which is also the first part of every address."""
        return self.endpoint.name

    @property
    def label(self) -> str:
        """What the menu and the list's heading say."""
        return self.name.capitalize()

    def url(self, record_id: int | None = None, action: str = "") -> str:
        """A literal address: `{% url %}` in a row loop costs ten times as much."""
        record = "" if record_id is None else f"{record_id}/"
        return f"/{self.endpoint.name}/{record}" + (f"{action}/" if action else "")

    def read(self, gateway: Gateway, record_id: int) -> Record:
        """One record as the service shows it now. Raises GatewayError, Missing where it is gone."""
        if self.reader:
            return self.reader(gateway, self, record_id)
        return gateway.get(self.endpoint, record_id)

    def title(self, record: Record) -> str:
        """What a person calls this record; its number where it has no readable name."""
        value = record[self.title_field]
        return str(value) if value else f"{self.singular.capitalize()} {record.id}"


def _html(part: Column | Detail) -> Cell:
    if part.cell:
        return part.cell
    return cells.pointer(part.points_to, part.name) if part.points_to else cells.plain(part.name)
