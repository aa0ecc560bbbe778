"""Declarations of resources as plain data. The views behave the same for each resource.

A declaration holds only what differs: labels, choices and cells follow from the form fields, or
from the endpoint where there is no form field. `schema/checks.py` checks declarations.
"""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeVar

from django.http import HttpResponse

from dashboard.core.templates import address
from dashboard.gateway import Endpoint, Gateway, Record
from dashboard.gateway.api import Field, Operation
from dashboard.office.record_field import FormValue, RecordField
from dashboard.people.context import RequestContext
from dashboard.people.permissions import DELETE_RECORDS, EDIT_RECORDS
from dashboard.schema import cells, values
from dashboard.schema.cells import NO_NAMES, Cell, Names
from dashboard.schema.fields import EmailField
from dashboard.schema.filters import BuiltInView, Filter
from dashboard.schema.inputs import MoneyField
from dashboard.schema.record_form import RecordForm
from dashboard.schema.values import DisplayValue, RowAction
from dashboard.text.style import PLAIN, Style

BULK_PERMISSION = DELETE_RECORDS  # held by Managers and Administrators


@dataclass(frozen=True)
class Detail:
    """One field on a record's page.

    name: the wire name. label, cell, points_to (the endpoint of the records whose ids the field
    holds) and is_amount (of money) follow from the form field if they are not given.
    """

    name: str
    _: KW_ONLY
    label: str = ""
    cell: Cell | None = None
    points_to: Endpoint | None = None
    is_amount: bool = False

    def value(self, record: Record, ctx: RequestContext, names: Names = NO_NAMES) -> DisplayValue:
        return (self.cell or cells.plain(self.name))(record, ctx, names)


@dataclass(frozen=True)
class Column(Detail):
    """One field as a column of the list. The first column links to the record.

    from_record: the list lacks the field, so it is read record by record after the list is shown.
    stands_first: on a narrow screen it stands before the first column. is_email and is_day follow
    from the form field and the endpoint.
    """

    _: KW_ONLY
    sortable: bool = True
    numeric: bool = False
    from_record: bool = False
    stands_first: bool = False
    is_email: bool = False
    is_day: bool = False


Part = TypeVar("Part", bound=Detail)


@dataclass(frozen=True, kw_only=True)
class BulkAction:
    """An action on many records of a list in one job.

    name: the value of its button. key: its letter. kind: of the job. verb: begins the title of the
    job, before the number of records. needs: the operation that the service must offer. writes: the
    resource that it writes, "" for that of the records. explained: its description on the page
    before it begins. deletes: whether it deletes records. permission: checked at the choice and in
    every slice.
    """

    name: str
    label: str
    key: str
    kind: str
    verb: str
    needs: Operation | None = None
    writes: str = ""
    explained: str = ""
    deletes: bool = False
    permission: str = BULK_PERMISSION


@dataclass(frozen=True)
class Section:
    title: str
    details: tuple[Detail, ...]


def details(*parts: str | Detail) -> tuple[Detail, ...]:
    """Return details; a plain name stands for a default `Detail`."""
    return tuple(Detail(part) if isinstance(part, str) else part for part in parts)


def columns(*parts: str | Column) -> tuple[Column, ...]:
    """Return columns; a plain name stands for a default `Column`."""
    return tuple(Column(part) if isinstance(part, str) else part for part in parts)


@dataclass(frozen=True)
class CreateFrom:
    """A form of another resource that begins from a record.

    label, key: of its button. target, param: the resource, and the parameter of its form that takes
    the id in `field`, by default the record's own. main: the most frequent action of the record.
    rare: listed among the other actions. each: also a bulk action.
    """

    label: str
    key: str
    target: str
    param: str
    _: KW_ONLY
    field: str = ""
    main: bool = False
    rare: bool = False
    each: bool = False

    @property
    def action(self) -> str:
        return f"New {self.label.lower()}"

    def url(self, record: Record) -> str:
        """Return the URL of the form; "" if the record does not hold the id."""
        value = record.get(self.field) if self.field else record.id
        if not isinstance(value, int):
            return ""
        return address(self.target, page="create", query={self.param: str(value)})


class ResourcePage(NamedTuple):
    """A page of a resource: its route below the resource's, its view (called with `resource` and
    the route's arguments), and its permission.
    """

    route: str
    view: Callable[..., HttpResponse]
    permission: str


def record_page(route: str, view: Callable[..., HttpResponse], permission: str) -> ResourcePage:
    """Return a page of one record; `route` is below the record's URL."""
    return ResourcePage(f"<int:record_id>/{route}", view, permission)


@dataclass(frozen=True, kw_only=True)
class DuplicateSearch:
    """The search for a created record, as the service has no better handle on it.

    ask: the body's search and filters, as keyword arguments of `Gateway.list`. same: list fields
    that must equal the body's field of the given name. computed: fields that the service computes
    from the body, with their values. telling: fields of which at least one must agree if `same`
    alone is too weak.
    """

    ask: Callable[[Mapping[str, Any]], dict[str, Any]]
    same: Mapping[str, str]
    computed: Callable[[Record, RequestContext], Mapping[str, Any]] = lambda sent, ctx: {}
    telling: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)  # one of each kind, equal to nothing but itself
class Resource:
    """A kind of business record: its endpoint, its list, its page and its forms.

    icon: one of static/icons.svg. key: the letter typed after g to open the list, after c to create
    a record. quick_form: the few fields that make a new one from inside another form. badges: the
    details beside the title of a record. subtitle: those below it. headline: the largest values.
    not_editable: fields that an edit form cannot change, with the reason. not_offered: why the
    service lacks an operation, and the alternative. extra_pages: pages of its own by name; "detail"
    or another default name replaces that page. more_fields: fields that no form has and that a
    button changes. more_details: fields that the record's page shows in its own way, for other
    pages. reader: reads one record if that is not by its id; called with the gateway, this and the
    id, and with the keywords of `read`. whole_body: builds the body of an update that replaces the
    record, called with the record, the endpoint and the changed fields; None if an update replaces
    only the fields that it names. why_not_editable: why such an update would lose a part of a
    record; "" if it would not. views: the built-in views. first_view: the key of the one that the
    list opens with, "" for all records. Every list has a filter and a view of what was created
    here. default_sort: the list field that the list is sorted by without a sort in its URL.
    creates: forms that begin from a record. list_pages: the label, name and key of other pages that
    show the records of the list. bulk_actions: its own actions on many records. identity_fields:
    the list fields that two rows of a file share if they are the same record; () for email, number
    or name. repeats: the dates of a record that can recur, first the one that falls on the day; ()
    for none. reset_on_copy: the fields that a repeated copy does not take over. complete_action:
    what completes an open record, called with the record and the URL to return to; None if it
    has none. editable_in_place: the fields that can be changed alone, from the edit form.
    """

    endpoint: Endpoint
    icon: str
    key: str
    search_hint: str
    columns: tuple[Column, ...]
    sections: tuple[Section, ...]
    create_form: type[RecordForm]
    edit_form: type[RecordForm]
    duplicate_search: DuplicateSearch
    quick_form: type[RecordForm] | None = None
    filters: tuple[Filter, ...] = ()
    badges: tuple[Detail, ...] = ()
    subtitle: tuple[Detail, ...] = ()
    headline: tuple[Detail, ...] = ()
    not_editable: Mapping[str, str] = field(default_factory=dict)
    not_offered: Mapping[Operation, str] = field(default_factory=dict)
    creates: tuple[CreateFrom, ...] = ()
    views: tuple[BuiltInView, ...] = ()
    first_view: str = ""
    default_sort: str = ""
    list_pages: tuple[tuple[str, str, str], ...] = ()
    bulk_actions: tuple[BulkAction, ...] = ()
    identity_fields: tuple[str, ...] = ()
    repeats: tuple[str, ...] = ()
    reset_on_copy: tuple[str, ...] = ()
    extra_pages: Mapping[str, ResourcePage] = field(default_factory=dict)
    more_details: tuple[Detail, ...] = ()
    more_fields: Mapping[str, RecordField] = field(default_factory=dict)
    reader: Callable[..., Record] | None = None
    whole_body: Callable[[Record, Endpoint, Mapping[str, Any]], dict[str, Any]] | None = None
    why_not_editable: Callable[[Record, Endpoint], str] = lambda record, endpoint: ""
    complete_action: Callable[[Record, RequestContext, str], RowAction | None] | None = None
    editable_in_place: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        """Complete the declaration from the form fields and the endpoint."""
        completed: dict[str, object] = {
            "endpoint": self._endpoint(),
            "editable_in_place": self.edit_form.editable_in_place(),
            "columns": (
                self._column(self.columns[0], is_first=True),
                *map(self._column, self.columns[1:]),
            ),
            "badges": tuple(map(self._detail, self.badges)),
            "subtitle": tuple(map(self._detail, self.subtitle)),
            "more_details": tuple(map(self._detail, self.more_details)),
            "headline": tuple(map(self._detail, self.headline)),
            "sections": tuple(
                replace(group, details=tuple(map(self._detail, group.details)))
                for group in self.sections
            ),
            "filters": tuple(
                each.resolved_from_field(self.fields.get(each.name)) for each in self.filters
            ),
        }
        for name, value in completed.items():
            object.__setattr__(self, name, value)  # the dataclass is frozen from here on

    @property
    def name(self) -> str:
        """Return the plural wire name, which is also the first part of every URL."""
        return self.endpoint.name

    @property
    def singular(self) -> str:
        return self.endpoint.singular

    @property
    def title_field(self) -> str:
        return self.endpoint.label_field

    @property
    def label(self) -> str:
        return self.name.capitalize()

    @cached_property
    def fields(self) -> Mapping[str, RecordField]:
        """Return the fields of both forms, and `more_fields`, by wire name, unbound."""
        return {**self.more_fields, **self.edit_form.base_fields, **self.create_form.base_fields}

    @property
    def details(self) -> tuple[Detail, ...]:
        prominent = (*self.badges, *self.subtitle, *self.headline)
        return (*prominent, *(part for group in self.sections for part in group.details))

    @cached_property
    def offered_columns(self) -> tuple[Column, ...]:
        """Return the columns of the list, and those that a person may add: every field of a list
        row and, if records are read by id, every field of the record's page.
        """
        listed = {field.name for field in self.endpoint.fields}
        columns = {column.name: column for column in self.columns}
        for part in self.details:
            labels = {column.label for column in columns.values()}
            is_read = part.name in listed or "get" in self.endpoint.operations
            if part.label not in labels and is_read:
                added = Column(**vars(part), from_record=part.name not in listed)
                columns[part.name] = self._column(added)
        return tuple(columns.values())

    def url(self, record_id: int | None = None, page: str = "") -> str:
        """Return the URL of the list, of a record, or of a named page of either."""
        return address(self.endpoint.name, record_id, page)

    def record_name(self, record_id: int | None) -> str:
        """Return the name of a record in a signed snapshot, such as "contacts/17"."""
        return f"{self.name}/{record_id}"

    def counted(self, number: int | None) -> str:
        """Format a number of records: 1 contact, 1,240 contacts; contacts, if it is not known."""
        noun = self.singular if number == 1 else self.name
        return noun if number is None else f"{number:,} {noun}"

    def update_body(self, fresh: Record, typed: Mapping[str, Any]) -> dict[str, Any]:
        """Build the body of an update that changes only these fields. It repeats the current values
        of the fields that every update must carry (reference, section 2), and those of which a new
        record needs one. An unreadable one is left out; the check before sending then asks for a
        required one beside its field.
        """
        if self.whole_body:
            return self.whole_body(fresh, self.endpoint, typed)
        required = (item.name for item in self.endpoint.update if item.required)
        current = {name: fresh.get(name) for name in (*required, *self.endpoint.one_of)}
        return {**{name: value for name, value in current.items() if value}, **typed}

    def fields_in_place(self, ctx: RequestContext) -> frozenset[str]:
        """Return the fields that this person may edit in place; none if the service has no
        update.
        """
        if not ctx.may(EDIT_RECORDS) or not ctx.gateway.supports(self.endpoint, "update"):
            return frozenset()
        return self.editable_in_place

    def cell(
        self,
        column: Column,
        record: Record,
        ctx: RequestContext,
        names: Names,
        read: Mapping[int, Record],
    ) -> DisplayValue:
        """Return the value of a column. If the row lacks it, it comes from the whole record in
        `read`, by id.
        """
        if column.from_record and column.name not in record:
            if record.id not in read:
                return values.awaited(self.place(record.id, column))
            record = read[record.id]
        return values.shortened(column.value(record, ctx, names))

    def place(self, record_id: int, column: Column) -> str:
        """Return the marker of a cell that is filled after the page."""
        return f"{self.name}-{record_id}-{column.name}"

    def compared(self, record: Record, style: Style = PLAIN) -> dict[str, FormValue]:
        """Return the values of a record to compare: the fields of its form, and its number of
        payments.
        """
        own = self.edit_form.read(record, style)
        return own | ({"payments": str(len(record.payments))} if record.payments else {})

    def detail(self, name: str) -> Detail:
        """Return the declaration of a field, also of one that the record's page leaves out."""
        known = (part for part in (*self.details, *self.more_details) if part.name == name)
        return next(known, None) or self._detail(Detail(name))

    def read(
        self,
        gateway: Gateway,
        record_id: int,
        *,
        fresh: bool = False,
        texts: tuple[str, ...] = (),
    ) -> Record:
        """Read one record. Raises GatewayError, Missing if it is gone.

        A record that is not read by its id may come from a cache, unless it must be `fresh`;
        `texts`: search texts that find it.
        """
        if self.reader:
            return self.reader(gateway, self, record_id, fresh=fresh, texts=texts)
        return gateway.get(self.endpoint, record_id)

    def title(self, record: Record) -> str:
        """Return the name of this record, or its number if it has no readable one."""
        value = record[self.title_field]
        return str(value) if value else f"{self.singular.capitalize()} {record.id}"

    def _endpoint(self) -> Endpoint:
        """Return the endpoint with the fields that only the forms have, of the form fields'
        kinds.
        """
        kinds = {name: item.api_kind for name, item in self.fields.items()}
        extra = (Field(name, kind) for name, kind in kinds.items() if kind)
        return self.endpoint.with_extra(extra)

    def _detail(self, part: Detail) -> Detail:
        return self._completed(part, cells.detail_cell)

    def _column(self, part: Column, *, is_first: bool = False) -> Column:
        item, kind = self.fields.get(part.name), self.endpoint.kinds.get(part.name)
        completed = self._completed(part, partial(cells.list_cell, kind=kind))
        return replace(
            completed,
            cell=self._linked_title if is_first and not part.cell else completed.cell,
            is_email=isinstance(item, EmailField),
            is_day=kind in {"date", "datetime"},
            numeric=part.numeric or kind == "number",
            sortable=part.sortable and not part.from_record,
        )

    def _completed(self, part: Part, default_cell: Callable[..., Cell]) -> Part:
        item = self.fields.get(part.name)
        target = part.points_to or cells.points_to(item)
        default = default_cell(part.name, item, target)
        return replace(
            part,
            label=part.label or str(item.label or "" if item else ""),
            cell=part.cell or (cells.money(part.name) if part.is_amount else default),
            points_to=target,
            is_amount=part.is_amount or isinstance(item, MoneyField),
        )

    def _linked_title(self, record: Record, ctx: RequestContext, names: Names) -> DisplayValue:
        return values.link(self.url(record.id), self.title(record))
