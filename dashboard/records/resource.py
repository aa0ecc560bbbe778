"""What a resource is made of, as plain data. The views behave the same for each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.utils.safestring import SafeString

from dashboard.gateway import Endpoint, Record

from . import cells
from .cells import Cell
from .desk import Desk

if TYPE_CHECKING:
    from .forms import RecordForm


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of the list: a field of the list record and how its cell reads as HTML."""

    name: str
    label: str
    cell: Cell | None = None
    sortable: bool = True
    numeric: bool = False

    def html(self, record: Record, desk: Desk) -> SafeString:
        """The cell's content, already escaped."""
        return self.cell(record, desk) if self.cell else cells.text(record.get(self.name))


@dataclass(frozen=True, kw_only=True)
class Filter:
    """One filter of the list: a query parameter of the API with the values it may take."""

    name: str
    label: str
    choices: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Detail:
    """One line of a record's page."""

    name: str
    label: str
    cell: Cell | None = None

    def html(self, record: Record, desk: Desk) -> SafeString:
        """The value's HTML, already escaped; empty where there is nothing to show."""
        return self.cell(record, desk) if self.cell else cells.text(record.get(self.name))


@dataclass(frozen=True, kw_only=True)
class Section:
    """A titled group of lines on a record's page."""

    title: str
    details: tuple[Detail, ...]


@dataclass(frozen=True, kw_only=True)
class Resource:
    """A kind of business record: its endpoint, its words, its list, its page and its forms."""

    endpoint: Endpoint
    singular: str
    icon: str
    title_field: str
    search_hint: str
    columns: tuple[Column, ...]
    sections: tuple[Section, ...]
    create_form: type["RecordForm"]
    edit_form: type["RecordForm"]
    filters: tuple[Filter, ...] = ()
    facts: tuple[Detail, ...] = ()
    not_editable: Mapping[str, str] = field(default_factory=dict)

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
        parts = [self.name, *([str(record_id)] if record_id is not None else []), action]
        return "/" + "/".join(part for part in parts if part) + "/"

    def title(self, record: Record) -> str:
        """What a person calls this record; its number where it has no readable name."""
        value = record[self.title_field]
        return str(value) if value else f"{self.singular.capitalize()} {record.id}"
