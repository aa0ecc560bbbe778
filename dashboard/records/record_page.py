"""Renders the pages of a resource, for the default views and for views of their own."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from http import HTTPStatus
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.utils import timezone

from dashboard.core import after_response
from dashboard.core.message_cookie import follows_a_save
from dashboard.core.service_name import SERVICE
from dashboard.core.templates import address
from dashboard.gateway import Gateway, Record
from dashboard.gateway.api import COMPLETED, Operation
from dashboard.gateway.records import TAG_KEYS, record_of
from dashboard.office import recents, repeats
from dashboard.people.context import RequestContext, page
from dashboard.people.keys import owner_of
from dashboard.people.permissions import DELETE_RECORDS, EDIT_RECORDS
from dashboard.reader import lookups
from dashboard.reader.lookups import Pointer
from dashboard.records.form_drafts import SendFilled, send_filled
from dashboard.records.panels import (
    MAIN,
    PANEL,
    Figure,
    Panel,
    gather,
    name_records,
    summarise_failures,
)
from dashboard.schema import titles, unnamed_references, values
from dashboard.schema.cells import NO_NAMES, Names
from dashboard.schema.money import Currencies, currency_of
from dashboard.schema.phones import phones_of
from dashboard.schema.record_form import EMPTY, seal_snapshot
from dashboard.schema.resource import CreateFrom, Detail, Resource
from dashboard.schema.values import DisplayValue
from dashboard.text.dates import short_date, write_datetime
from dashboard.writes import deletions, ledger
from dashboard.writes.history_words import RecordHistory, TimelineEntry, history_around
from dashboard.writes.models import Write
from dashboard.writes.sidebar import Sidebar, sidebar_of
from dashboard.writes.verification import verify_saved

FIELD = "field"  # the parameter of an edit form that names one field of it
MAX_EXTRA = 200  # undeclared fields on the page of a record


def record_context(resource: Resource, record_id: int | None = None) -> dict[str, Any]:
    """Return what every page of a record or its forms needs of the resource."""
    return {
        "resource": resource,
        "list_url": resource.url(),
        "url": resource.url(record_id),
        "copy_url": f"{resource.url(page='create')}?copy={record_id}" if record_id else "",
    }


def named_record(gateway: Gateway, resource: Resource, record_id: int) -> Record | None:
    """Return a record with only its cached name; None if that is not cached."""
    titles = lookups.cached_titles(gateway, [(resource.endpoint, record_id)])
    name = titles.get((resource.name, record_id))
    raw = {resource.endpoint.id_field: record_id, resource.title_field: name}
    return record_of(resource.endpoint, raw) if name else None


class ShownDetail(NamedTuple):
    """A label with its value, which is false if empty. field_url: the URL of the form of the field
    `name` alone, or "". was_sent: False if the service left the field out.
    """

    label: str
    value: DisplayValue
    name: str = ""
    field_url: str = ""
    was_sent: bool = True


Group = tuple[str, list[ShownDetail]]


class PageDetails(NamedTuple):
    """The non-empty details of a record by section, the empty ones, and undeclared values."""

    sections: list[Group]
    empty: list[ShownDetail]
    extra: list[ShownDetail]


class RecordPage:
    """Data for templates/records/detail.html, read lazily. A resource with a page of its own has a
    subclass.
    """

    template = "records/detail.html"
    panel_types: tuple[type[Panel], ...] = ()
    with_events = False  # in the timeline
    is_printable = False
    has_nothing = False  # no panel has anything to show
    logged_as = ""  # the resource whose records log calls and notes
    task_entries: Sequence[TimelineEntry] = ()  # the tasks of the service, set by their panel
    statement_url = ""
    merge_url = ""
    sidebar: Sidebar

    def __init__(self, ctx: RequestContext, resource: Resource, record_id: int) -> None:
        self.ctx, self.resource, self.record_id = ctx, resource, record_id
        self.late_panel = ctx.params.get(PANEL, "")
        self.panels = gather(
            self.panel_types, ctx, self, only=self.late_panel, meanwhile=lambda: self.record
        )
        self.names = name_records(ctx, self.panels, [] if self.late_panel else self.pointers())

    def pointers(self) -> list[Pointer]:
        """Return the records whose names the page displays, beside those of its panels."""
        return list(titles.pointers(self.resource.details, [self.record]))

    @cached_property
    def record(self) -> Record:
        """Return the current record; for a late panel at most a minute old. Raises GatewayError."""
        gateway, endpoint = self.ctx.gateway, self.resource.endpoint
        if self.late_panel:
            known = lookups.cached_records(gateway, endpoint, [self.record_id])
            if self.record_id in known:
                return known[self.record_id]
        is_saved = follows_a_save(self.ctx.request)
        return lookups.read_for_page(gateway, endpoint, self.record_id, after_save=is_saved)

    @cached_property
    def history(self) -> RecordHistory:
        return history_around(self.ctx, self.resource, self.record, with_events=self.with_events)

    @cached_property
    def timeline(self) -> list[TimelineEntry]:
        return [self._as_log(each) for each in self.history.timeline(self.task_entries)]

    @cached_property
    def title(self) -> str:
        return self.resource.title(self.record)

    @property
    def log_params(self) -> dict[str, str]:
        """Return the parameters of the form that logs a call for this record; {} if none can."""
        return {}

    @property
    def log_titles(self) -> tuple[str, str]:
        """Return the titles of a logged call and a note."""
        return "Call", "Note"

    @property
    def no_log_reason(self) -> str:
        """Return why calls and notes cannot be logged; "" if they can."""
        if self.logged_as not in self.ctx.closed_areas:
            return ""
        plan = f"Your plan in {SERVICE} doesn't include {self.logged_as}"
        return f"{plan}, so you can't log calls or notes."

    @cached_property
    def log(self) -> SendFilled | None:
        """Return the form that stores a call or a note, which is filled in when it is sent."""
        ctx, params = self.ctx, self.log_params
        if not params or not ctx.may(EDIT_RECORDS) or self.no_log_reason:
            return None
        back = f"{self.resource.url(self.record_id)}#activity"
        query = {**params, "done": "now", "back": back}
        return send_filled(ctx, address(self.logged_as, page="create", query=query), "Call or note")

    @property
    def log_time(self) -> str:
        now = timezone.localtime().replace(second=0, microsecond=0, tzinfo=None)
        return write_datetime(now)

    @cached_property
    def creates(self) -> list[tuple[CreateFrom, str]]:
        """Return the offered actions that create a record from this one, with their URLs."""
        record, closed = self.record, self.ctx.closed_areas
        offered = [each for each in self.resource.creates if each.target not in closed]
        return [(each, url) for each in offered if (url := each.url(record))]

    @property
    def edit_url(self) -> str:
        offered = self.ctx.gateway.supports(self.resource.endpoint, "update")
        return self.resource.url(self.record_id, "edit") if offered else ""

    @property
    def not_offered(self) -> list[str]:
        """Return why the service lacks operations on the record, and the alternatives."""
        supports, endpoint = self.ctx.gateway.supports, self.resource.endpoint
        reasons = self.resource.not_offered.items()
        return [reason for operation, reason in reasons if not supports(endpoint, operation)]

    @property
    def has_main_action(self) -> bool:
        """Return True if the main action is not Edit."""
        return any(start.main for start, _ in self.creates)

    @cached_property
    def field_urls(self) -> dict[str, str]:
        """Return the URLs of the in-place forms, by field."""
        fields = self.resource.fields_in_place(self.ctx)
        url = self.resource.url(self.record_id, "edit") if fields else ""
        return {name: f"{url}?{FIELD}={name}" for name in fields}

    @cached_property
    def snapshot(self) -> str:
        """Return the snapshot for the deletion form; "" without permission to delete."""
        ctx = self.ctx
        may_delete = ctx.may(DELETE_RECORDS)
        if not (may_delete and ctx.gateway.supports(self.resource.endpoint, "delete")):
            return ""
        return snapshot_of(ctx, self.resource, self.record)

    @cached_property
    def badges(self) -> list[ShownDetail]:
        return [line for line in self._lines(self.resource.badges) if line.value]

    @cached_property
    def subtitle(self) -> list[ShownDetail]:
        return [line for line in self._lines(self.resource.subtitle) if line.value]

    @cached_property
    def details(self) -> PageDetails:
        details = page_details(self.resource, self.record, self.ctx, self.names, self.field_urls)
        lines = self._lines(self.resource.subtitle)
        fillable = [line for line in lines if line.field_url and not line.value]
        return details._replace(empty=[*fillable, *details.empty])

    @cached_property
    def figures(self) -> list[Figure]:
        return [*self.own_figures(), *(each for panel in self.panels for each in panel.figures)]

    def own_figures(self) -> list[Figure]:
        """Return the declared figures of the record itself, without empty ones."""
        record, ctx, currency = self.record, self.ctx, currency_of(self.record, self.ctx)
        names = replace(self.names, currencies=Currencies(common=currency))
        return [
            Figure(
                part.label,
                value,
                unit=currency if part.is_amount else "",
                name=part.name,
                field_url=self.field_urls.get(part.name, ""),
            )
            for part in self.resource.headline
            if (value := part.value(record, ctx, names))
        ]

    @property
    def main(self) -> list[Panel]:
        return [panel for panel in self.panels if panel.side == MAIN]

    @cached_property
    def pending_deletion(self) -> Write | None:
        if not self.sidebar.deletions:
            return None
        owner = owner_of(self.ctx.gateway)
        return deletions.find_waiting(self.ctx.user, owner, self.resource.name, self.record_id)

    @cached_property
    def repeats(self) -> str:
        """Return how the person repeats this record, in words; "" if they do not."""
        place = (self.ctx.user.pk, self.ctx.workspace, self.resource.name, self.record_id)
        known = repeats.find_repeat(*place) if self.sidebar.repeats else None
        if known is None:
            return ""
        today = timezone.localdate()
        when = short_date(known.next_on, today)
        due = f"due since {when}" if known.next_on < today else "due today"
        words = f"next on {when}" if known.next_on > today else due
        return f"Repeats {known.frequency}, {words}"

    def _lines(self, details: tuple[Detail, ...]) -> list[ShownDetail]:
        return shown_details(details, self.record, self.ctx, self.names, self.field_urls)

    def render(self) -> HttpResponse:
        """Render the page, or the requested late panel."""
        ctx, resource = self.ctx, self.resource
        context: dict[str, Any] = {"late": self.names.late_url}
        if self.late_panel and not self.panels:
            raise Http404
        if self.late_panel:
            return ctx.render("records/_panels.html", {**context, "panels": self.panels})
        self.sidebar = sidebar_of(ctx.request, (resource.name, self.record_id))
        after_response.run_after_response(self._note_opened)
        if follows_a_save(ctx.request):
            for words in verify_saved(ctx, resource, self.record):
                messages.warning(ctx.request, words, extra_tags="differs")
        context |= {
            **record_context(resource, self.record_id),
            "title": self.title,
            "may_edit": ctx.may(EDIT_RECORDS),
            "failures": summarise_failures(self.main),
            "token": ledger.new_token(),  # by which a deletion that is posted twice is one
            "record_page": self,
        }
        return ctx.render(self.template, context)

    def _as_log(self, entry: TimelineEntry) -> TimelineEntry:
        """Show what was created as completed as a call or a note, with its text."""
        new = entry.new
        if entry.resource != self.logged_as or new.get("status") != str(COMPLETED):
            return entry
        return entry._replace(words=new.get("title", ""), text=new.get("description", ""))

    def _note_opened(self) -> None:
        unnamed_references.record_references(self.resource, [self.record], self.ctx)
        recents.note_opened(
            user=self.ctx.user,
            owner=owner_of(self.ctx.gateway),
            resource=self.resource.name,
            record_id=self.record_id,
            title=self.title,
            numbers=phones_of(self.resource.create_form, self.record),
        )


def render_not_offered(
    ctx: RequestContext,
    resource: Resource,
    record_id: int,
    operation: Operation,
    *,
    template: str = "records/not_offered.html",
) -> HttpResponse:
    context = {
        **record_context(resource, record_id),
        "what": "edited" if operation == "update" else "deleted",
        "reason": resource.not_offered.get(operation, ""),
    }
    return ctx.render(template, context, status=HTTPStatus.NOT_IMPLEMENTED)


def snapshot_of(ctx: RequestContext, resource: Resource, record: Record) -> str:
    """Return a signed snapshot of the record as displayed, for the deletion form."""
    return seal_snapshot(resource.compared(record, ctx.style), of=resource.record_name(record.id))


def shown_details(
    details: Iterable[Detail],
    record: Record,
    ctx: RequestContext,
    names: Names = NO_NAMES,
    field_urls: Mapping[str, str] = MappingProxyType({}),
) -> list[ShownDetail]:
    """Return the labelled values of details. `field_urls`: of RecordPage."""
    return [
        ShownDetail(
            part.label,
            part.value(record, ctx, names),
            part.name,
            field_urls.get(part.name, ""),
            record.was_sent(part.name),
        )
        for part in details
    ]


def page_details(
    resource: Resource,
    record: Record,
    ctx: RequestContext,
    names: Names = NO_NAMES,
    field_urls: Mapping[str, str] = MappingProxyType({}),
) -> PageDetails:
    groups = [
        (section.title, shown_details(section.details, record, ctx, names, field_urls))
        for section in resource.sections
    ]
    filled = [(title, [line for line in lines if line.value]) for title, lines in groups]
    declared = {part.name: part.value(record, ctx, names).words for part in resource.details}
    extra = [
        _undeclared_detail(name, value, ctx)
        for name, value in _undeclared(resource, record).items()
        if value not in (None, "") and not _is_shown(name, value, declared)
    ]
    return PageDetails(
        [group for group in filled if group[1]],
        [line for _, lines in groups for line in lines if not line.value],
        extra,
    )


def values_beyond(
    resource: Resource, record: Record, ctx: RequestContext, carried: Collection[str]
) -> list[ShownDetail]:
    """Return the values of a record that another one has without these fields, which is all that a
    new record may have, and all that neither the API's reference nor the page knows, but names of
    carried ids.
    """
    known = {*carried}
    if not known.isdisjoint(TAG_KEYS):
        known.update(TAG_KEYS)
        if record["tag_ids"]:
            known.add("tag_names")
    fields = [field.name for field in resource.endpoint.create if field.name not in known]
    lost = shown_details(map(resource.detail, fields), record, ctx)
    known.update(part.name for part in resource.details)  # such as a status, which starts over
    for name in carried:
        if resource.endpoint.kinds.get(name) == "integer":
            known.update(record.keys_of_label(name))
    undeclared = [
        _undeclared_detail(name, value, ctx)
        for name, value in _undeclared(resource, record).items()
        if value not in EMPTY and name not in known
    ]
    return [*(line for line in lost if line.value), *undeclared]


def _undeclared_detail(name: str, value: object, ctx: RequestContext) -> ShownDetail:
    return ShownDetail(name.replace("_", " ").capitalize(), values.text(value, ctx.style))


def _undeclared(resource: Resource, record: Record) -> dict[str, object]:
    """Return values beyond the API's reference; those that a form reads, parsed by its kind."""
    by_form = {item.name: record.get(item.name) for item in resource.endpoint.extra}
    extra = dict(islice(record.extra.items(), MAX_EXTRA))
    return {**extra, **{name: by_form[name] for name in by_form if name in record}}


def _is_shown(name: str, value: object, declared: dict[str, str]) -> bool:
    """Return True if the page displays this value already: under its own name, or as the name of an
    id (an owner by name, a currency after an amount).
    """
    if name in declared or not name.endswith("_name"):
        return name in declared
    words, beside = values.text(value).words, declared.get(name.removesuffix("_name"), "")
    elsewhere = (
        declared_words == words or declared_words.endswith(f" {words}")
        for declared_words in declared.values()
    )
    return words in beside or any(elsewhere)


@page
def show_record(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    return RecordPage(ctx, resource, record_id).render()
