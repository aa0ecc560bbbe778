"""What a resource declares, as plain data. The views behave the same for each resource.

A declaration says only what differs: labels, choices and how a value is displayed follow from the
form fields, and from the endpoint where there is no form field. `schema/checks.py` says what is
wrong with a declaration.
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
from dashboard.schema.values import DisplayValue
from dashboard.text.style import PLAIN, Style

BULK_PERMISSION = DELETE_RECORDS  # held by Managers and Administrators


@dataclass(frozen=True)
class Detail:
    """One field as a record's page shows it.

    name: the wire name. label, cell, points_to (the endpoint whose records the field holds ids
    of), is_amount (of money) follow from the form field where they are not given.
    """

    name: str
    _: KW_ONLY
    label: str = ""
    cell: Cell | None = None
    points_to: Endpoint | None = None
    is_amount: bool = False

    def value(self, record: Record, ctx: RequestContext, names: Names = NO_NAMES) -> DisplayValue:
        """The field of this record as it is displayed."""
        return (self.cell or cells.plain(self.name))(record, ctx, names)


@dataclass(frozen=True)
class Column(Detail):
    """One field as a column of the list. The first column links to the record.

    from_record: only the record itself has the field, not the list. It is read record by record,
    after the list is shown. is_email follows from the form field.
    """

    _: KW_ONLY
    sortable: bool = True
    numeric: bool = False
    from_record: bool = False
    is_email: bool = False


Part = TypeVar("Part", bound=Detail)


@dataclass(frozen=True, kw_only=True)
class BulkAction:
    """What can be done with many records of a list in one job.

    name: the value that its button sends. key: its letter. kind: of the job. verb: begins the title
    of the job, before the number of records. needs: the operation that the service must offer.
    writes: the resource that it writes, "" for the one that the records are of. explained: what it
    does, on the page before it begins. deletes: whether it deletes records. permission: who may
    choose it, and carry it out in every turn.
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


class RowAction(NamedTuple):
    """What a key does with a row: opens a page, or posts a form of these hidden fields. Without an
    address there is nothing left to do: the row is of a thing that is done.
    """

    label: str
    key: str
    url: str
    fields: tuple[tuple[str, str], ...] = ()


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


@dataclass(frozen=True)
class CreateFrom:
    """A form of another resource that begins from a record.

    label, key: of its button. target, param: the resource, and the parameter of its form that takes
    the id in `field`, by default the record's own. main: what is mostly done with the record.
    rare: listed among the other actions. each: can be made for each of many records at once.
    query: more parameters of the form's address. words: of what it does, by default "New ...".
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
    query: tuple[tuple[str, str], ...] = ()
    words: str = ""

    @property
    def action(self) -> str:
        """What it does, in words."""
        return self.words or f"New {self.label.lower()}"

    def url(self, record: Record) -> str:
        """The address of the form; "" where the record does not hold the id."""
        value = record.get(self.field) if self.field else record.id
        if not isinstance(value, int):
            return ""
        return address(
            self.target, page="create", query={self.param: str(value), **dict(self.query)}
        )


class ResourcePage(NamedTuple):
    """A page of a resource: its address below the resource's, its view (called with `resource`
    besides what the address holds), and the permission it takes.
    """

    route: str
    view: Callable[..., HttpResponse]
    permission: str


def record_page(route: str, view: Callable[..., HttpResponse], permission: str) -> ResourcePage:
    """A page of one record; `route` is its address below the record's."""
    return ResourcePage(f"<int:record_id>/{route}", view, permission)


@dataclass(frozen=True, kw_only=True)
class DuplicateSearch:
    """How a created record can be found again, as the service has no better handle on it.

    ask: the body's search and filters, as keyword arguments of `Gateway.list`.
    same: list fields that must read as the body's field of the given name did.
    computed: fields that the service computes from the body, as they should read.
    telling: fields of which at least one must agree, where `same` alone tells too little.
    """

    ask: Callable[[Mapping[str, Any]], dict[str, Any]]
    same: Mapping[str, str]
    computed: Callable[[Record, RequestContext], Mapping[str, Any]] = lambda sent, ctx: {}
    telling: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)  # one of each kind, equal to nothing but itself
class Resource:
    """A kind of business record: its endpoint, its list, its page and its forms.

    icon: one of static/icons.svg. key: the letter typed after g to open the list, after c to
    create a record.
    quick_form: the few fields that make a new one from inside another form.
    badges: the details beside the name of a record. subtitle: those below it. headline: the largest
    values.
    not_editable: what an edit form cannot change, and why.
    not_offered: why an operation that the service may lack cannot be done, and what can be instead.
    extra_pages: pages of its own by name; one of a usual name ("detail") takes that one's place.
    more_fields: fields that no form has, and that one press changes.
    more_details: fields that the record's page shows in its own way, for other pages.
    reader: how one record is read, if not by its id: called with the gateway, this and the id, and
    with the keywords of `read`.
    whole_body: builds the body of an update that replaces the record, called with the record, the
    endpoint and the changed fields; None where an update replaces only the fields that it names.
    why_not_editable: why such an update would lose a part of a record; "" if it would not.
    views: lists that everybody has under a name. first_view: the key of the one that the list
    opens with, "" for all records. Every list has a filter and a view of what was created here.
    default_sort: the list field that the list is sorted by where its address does not say.
    creates: forms that begin from a record. list_pages: the label, name and key of other pages
    that show the records of the list. bulk_actions: what else can be done with many
    records at once. identity_fields: the list fields that two rows of a file share if they are
    the same record; () for email, number or name. repeats: the dates of a record that can be made
    again in a rhythm, the one that falls on the day first; () for none. reset_on_copy: the fields
    that such a copy does not take over. complete_action: of a record that is a thing to do, what
    completes it, called with the record and the address to come back to; None where it cannot be.
    editable_in_place: the fields that can be changed alone, as the edit form says.
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
        """The plural wire name, which is also the first part of every address."""
        return self.endpoint.name

    @property
    def singular(self) -> str:
        """What one record is called."""
        return self.endpoint.singular

    @property
    def title_field(self) -> str:
        """The field that holds the name of a record."""
        return self.endpoint.label_field

    @property
    def label(self) -> str:
        """What the menu and the list's heading say."""
        return self.name.capitalize()

    @cached_property
    def fields(self) -> Mapping[str, RecordField]:
        """The fields of the create and the edit form, and the others, by wire name, unbound."""
        return {**self.more_fields, **self.edit_form.base_fields, **self.create_form.base_fields}

    @property
    def details(self) -> tuple[Detail, ...]:
        """Every detail of a record's page."""
        prominent = (*self.badges, *self.subtitle, *self.headline)
        return (*prominent, *(part for group in self.sections for part in group.details))

    @cached_property
    def offered_columns(self) -> tuple[Column, ...]:
        """The columns of the list, and those that a person may add: every field of a list row and,
        where records are read by their ids, every field of the record's page.
        """
        listed = {field.name for field in self.endpoint.fields}
        columns = {column.name: column for column in self.columns}
        for part in self.details:
            labels = {column.label for column in columns.values()}
            if part.label not in labels and (part.name in listed or self._reads_records):
                added = Column(**vars(part), from_record=part.name not in listed)
                columns[part.name] = self._column(added)
        return tuple(columns.values())

    def url(self, record_id: int | None = None, page: str = "") -> str:
        """The address of the list, of a record, or of one of their pages by its name."""
        return address(self.endpoint.name, record_id, page)

    def counted(self, number: int | None) -> str:
        """A number of records: 1 contact, 1,240 contacts; contacts, if it is not known."""
        noun = self.singular if number == 1 else self.name
        return noun if number is None else f"{number:,} {noun}"

    def update_body(self, fresh: Record, typed: Mapping[str, Any]) -> dict[str, Any]:
        """The body of an update that changes these fields alone. It holds those that every update
        must carry (reference, section 2) as they are in the service now. One that cannot be read is
        left out; the check before sending then asks for it beside its field.
        """
        if self.whole_body:
            return self.whole_body(fresh, self.endpoint, typed)
        required = (item.name for item in self.endpoint.update if item.required)
        current = {name: fresh.get(name) for name in required}
        return {**{name: value for name, value in current.items() if value}, **typed}

    def fields_in_place(self, ctx: RequestContext) -> frozenset[str]:
        """The fields that this person may change where they stand; none where the service has no
        operation for it.
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
        """The value of a column; of one that the row lacks from the whole record, where that is
        among those `read`, by id.
        """
        if column.from_record and column.name not in record:
            if record.id not in read:
                return values.awaited(self.place(record.id, column))
            record = read[record.id]
        return values.shortened(column.value(record, ctx, names))

    def place(self, record_id: int, column: Column) -> str:
        """Marks the cell whose value comes after the page."""
        return f"{self.name}-{record_id}-{column.name}"

    def compared(self, record: Record, style: Style = PLAIN) -> dict[str, FormValue]:
        """What is compared of a record: the fields of its form, and how many payments it has."""
        own = self.edit_form.read(record, style)
        return own | ({"payments": str(len(record.payments))} if record.payments else {})

    def detail(self, name: str) -> Detail:
        """How a field is shown, also one that the record's page leaves out."""
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
        """One record as the service shows it. Raises GatewayError, Missing where it is gone.

        A record that is not read by its id may be one seen earlier, unless it must be `fresh`;
        `texts`: what it can be searched by.
        """
        if self.reader:
            return self.reader(gateway, self, record_id, fresh=fresh, texts=texts)
        return gateway.get(self.endpoint, record_id)

    def title(self, record: Record) -> str:
        """What a person calls this record; its number where it has no readable name."""
        value = record[self.title_field]
        return str(value) if value else f"{self.singular.capitalize()} {record.id}"

    def _endpoint(self) -> Endpoint:
        """The endpoint with the fields that only the forms name: they are read, compared and sent
        by the kind of the form field.
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
            numeric=part.numeric or kind == "number",
            sortable=part.sortable and not part.from_record,
        )

    def _completed(self, part: Part, default_cell: Callable[..., Cell]) -> Part:
        """A detail or column with what its form field says."""
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

    @property
    def _reads_records(self) -> bool:
        return "get" in self.endpoint.operations

    def _linked_title(self, record: Record, ctx: RequestContext, names: Names) -> DisplayValue:
        return values.link(self.url(record.id), self.title(record))
