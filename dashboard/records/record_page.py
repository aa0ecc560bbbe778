"""Renders the pages of a resource, for the default views and for views of their own."""

from functools import cached_property
from http import HTTPStatus
from itertools import islice
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.utils import timezone

from dashboard.core import after_response
from dashboard.gateway import Gateway, Record
from dashboard.gateway.api import Operation
from dashboard.gateway.records import record_of
from dashboard.office import recents, repeats
from dashboard.people.context import RequestContext, page
from dashboard.people.permissions import DELETE_RECORDS, EDIT_RECORDS
from dashboard.reader import lookups
from dashboard.reader.sealed_cache import owner_of
from dashboard.records.panels import BELOW, MAIN, PANEL, SIDE, Figure, Panel, gather, name_records
from dashboard.schema import titles, unnamed_references, values
from dashboard.schema.cells import NO_NAMES, Names
from dashboard.schema.money import Currencies, currency_of
from dashboard.schema.phones import phones_of
from dashboard.schema.record_form import seal_snapshot
from dashboard.schema.resource import Detail, Resource
from dashboard.schema.values import DisplayValue
from dashboard.text.dates import brief_date
from dashboard.writes import deletions, ledger
from dashboard.writes.history_words import RecordHistory, history_around
from dashboard.writes.sidebar import sidebar_of
from dashboard.writes.verification import verify_saved

DETAIL = "records/detail.html"
FIELD = "field"  # the parameter of an edit form that names one field of it
MOST_EXTRA = 200  # undeclared fields on the page of a record


def record_context(
    ctx: RequestContext, resource: Resource, record_id: int | None = None
) -> dict[str, Any]:
    """The resource and the addresses that its pages link to; "" for operations not offered."""

    def to(action: str, operation: Operation) -> str:
        offered = record_id and ctx.gateway.supports(resource.endpoint, operation)
        return resource.url(record_id, action) if offered else ""

    closed = [operation for operation in resource.not_offered if not to("", operation)]
    return {
        "resource": resource,
        "list_url": resource.url(),
        "new_url": resource.url(page="create"),
        "url": resource.url(record_id),
        "edit_url": to("edit", "update"),
        "delete_url": to("delete", "delete"),
        "history_url": resource.url(record_id, "history") if record_id else "",
        "copy_url": f"{resource.url(page='create')}?copy={record_id}" if record_id else "",
        "repeat_url": resource.url(record_id, "repeat") if record_id and resource.repeats else "",
        "closed": [resource.not_offered[operation] for operation in closed] if record_id else [],
    }


def named_record(gateway: Gateway, resource: Resource, record_id: int) -> Record | None:
    """A record with its name alone, as it is known from before; None where it is not known."""
    titles = lookups.cached_titles(gateway, [(resource.endpoint, record_id)])
    name = titles.get((resource.name, record_id))
    raw = {resource.endpoint.id_field: record_id, resource.title_field: name}
    return record_of(resource.endpoint, raw) if name else None


def head_context(ctx: RequestContext, resource: Resource, record: Record) -> dict[str, Any]:
    """What stands above a record, of which the id and the name may be all that is known."""
    return {
        **record_context(ctx, resource, record.id),
        "title": resource.title(record),
        "record_id": str(record.id),
        "may_edit": ctx.user.has_perm(EDIT_RECORDS),
        "creates": [
            (start, url)
            for start in resource.creates
            if start.target not in ctx.closed_areas and (url := start.url(record))
        ],
        "changes_in_place": bool(resource.fields_in_place(ctx)),
        "starred": sidebar_of(ctx.request, (resource.name, record.id)).is_starred,
    }


class RecordPage:
    """The page of a record, of which each part is read when it is first needed."""

    panel_types: tuple[type[Panel], ...] = ()
    with_events = False

    def __init__(self, ctx: RequestContext, resource: Resource, record_id: int) -> None:
        self.ctx, self.resource, self.record_id = ctx, resource, record_id
        self.late_panel = ctx.params.get(PANEL, "")
        self.panels = gather(
            self.panel_types, ctx, self, only=self.late_panel, meanwhile=lambda: self.record
        )
        pointers = [] if self.late_panel else titles.pointers(resource.details, [self.record])
        self.names = name_records(ctx, self.panels, pointers)

    @cached_property
    def record(self) -> Record:
        """The record as the service has it; for a late panel at most a minute old. Raises
        GatewayError.
        """
        gateway, endpoint = self.ctx.gateway, self.resource.endpoint
        if self.late_panel:
            known = lookups.cached_records(gateway, endpoint, [self.record_id])
            if self.record_id in known:
                return known[self.record_id]
        is_saved = self.ctx.follows_a_save
        return lookups.read_for_page(gateway, endpoint, self.record_id, after_save=is_saved)

    @cached_property
    def history(self) -> RecordHistory:
        return history_around(self.ctx, self.resource, self.record, with_events=self.with_events)

    def on_side(self, side: str) -> list[Panel]:
        """The panels of a part of the page."""
        return [panel for panel in self.panels if panel.side == side]

    def more(self) -> dict[str, Any]:
        """What its template reads beside what that of every record does."""
        sides = {"panels": MAIN, "side": SIDE, "below": BELOW}
        of_panels = [figure for panel in self.panels for figure in panel.figures]
        return {
            **{name: self.on_side(side) for name, side in sides.items()},
            "figures": [*self.own_figures(), *of_panels],
        }

    def own_figures(self) -> list[Figure]:
        """The values of the record on top of the page, before those of its panels."""
        return default_figures(self.resource, self.record, self.ctx)

    def render(self, template: str = DETAIL) -> HttpResponse:
        """The page, or the late panel that is asked for."""
        if not self.late_panel:
            return render_record(
                self.ctx,
                self.resource,
                self.record,
                self.names,
                template=template,
                around=self.history,
                **self.more(),
            )
        if not self.panels:
            raise Http404
        context = {"panels": self.panels, "late": self.names.late_url}
        return self.ctx.render("records/_panels.html", context)


def render_record(
    ctx: RequestContext,
    resource: Resource,
    record: Record,
    names: Names,
    *,
    template: str = DETAIL,
    around: RecordHistory | None = None,
    **more: Any,
) -> HttpResponse:
    """The page of a record. `names`: of the records that it refers to. `around`: the history around
    the record, where it was read before.
    """
    unnamed_references.learn(resource, [record], ctx)
    _note_opened(ctx, resource, record)
    for words in verify_saved(ctx, resource, record) if ctx.follows_a_save else ():
        messages.warning(ctx.request, words, extra_tags="differs")
    sidebar = sidebar_of(ctx.request, (resource.name, record.id))
    subtitle = shown_details(resource, resource.subtitle, record, ctx, names)
    details = page_details(resource, record, ctx, names)
    empty = [line for line in subtitle if line.field_url and not line.value]
    head = head_context(ctx, resource, record)
    may_delete = bool(head["delete_url"]) and ctx.user.has_perm(DELETE_RECORDS)
    context = {
        **head,
        "snapshot": snapshot_of(ctx, resource, record) if may_delete else "",
        "token": ledger.new_token(),  # by which a deletion that is posted twice is one
        "badges": [
            line
            for line in shown_details(resource, resource.badges, record, ctx, names)
            if line.value
        ],
        "subtitle": [line for line in subtitle if line.value],
        "figures": default_figures(resource, record, ctx),
        **details._replace(empty=[*empty, *details.empty])._asdict(),
        "details_lead": not more.get("panels") and template == DETAIL,
        "late": names.late_url,
        "timeline": (around or history_around(ctx, resource, record)).timeline(),
        "pending_deletion": sidebar.deletions
        and deletions.find_waiting(ctx.user, owner_of(ctx.gateway), resource.name, record.id),
        **(_repeat(ctx, resource, record) if sidebar.repeats else {}),
        **more,
    }
    return ctx.render(template, context)


def _note_opened(ctx: RequestContext, resource: Resource, record: Record) -> None:
    after_response.after_answer(
        recents.note_opened,
        user=ctx.user,
        owner=owner_of(ctx.gateway),
        resource=resource.name,
        record_id=record.id,
        title=resource.title(record),
        numbers=phones_of(resource.create_form, record),
    )


def _repeat(ctx: RequestContext, resource: Resource, record: Record) -> dict[str, Any]:
    """The mark of a record that its person makes again in a rhythm."""
    known = repeats.find(ctx.user.pk, ctx.workspace, resource.name, record.id)
    if known is None:
        return {}
    today = timezone.localdate()
    when = brief_date(known.next_on, today)
    due = f"due since {when}" if known.next_on < today else "due today"
    words = f"next on {when}" if known.next_on > today else due
    return {"repeats": f"Repeats {known.rhythm}, {words}"}


def render_not_offered(
    ctx: RequestContext,
    resource: Resource,
    record_id: int,
    operation: Operation,
    *,
    template: str = "records/not_offered.html",
) -> HttpResponse:
    """The page that explains why the service does not offer an operation."""
    context = {
        **record_context(ctx, resource, record_id),
        "what": "edited" if operation == "update" else "deleted",
        "reason": resource.not_offered.get(operation, ""),
    }
    return ctx.render(template, context, status=HTTPStatus.NOT_IMPLEMENTED)


def record_name(resource: Resource, record_id: int | None) -> str:
    """The name of a record in a signed snapshot, such as "contacts/17"."""
    return f"{resource.name}/{record_id}"


def snapshot_of(ctx: RequestContext, resource: Resource, record: Record) -> str:
    """What a page has shown of a record, signed, for the form that deletes it."""
    values = deletions.values_of(resource, record, ctx.style)
    return seal_snapshot(values, of=record_name(resource, record.id))


class ShownDetail(NamedTuple):
    """One label with its value, which is false where the service gives none. field_url: the
    address of the form that changes the field `name`, "" where it is not changed by itself.
    """

    label: str
    value: DisplayValue
    name: str = ""
    field_url: str = ""


Group = tuple[str, list[ShownDetail]]


def shown_details(
    resource: Resource,
    details: tuple[Detail, ...],
    record: Record,
    ctx: RequestContext,
    names: Names,
) -> list[ShownDetail]:
    """The labelled values of some details."""
    urls = field_urls(resource, record, ctx)
    return [
        ShownDetail(part.label, part.value(record, ctx, names), part.name, urls.get(part.name, ""))
        for part in details
    ]


def field_urls(resource: Resource, record: Record, ctx: RequestContext) -> dict[str, str]:
    """The addresses of the forms that change one field of the record alone, by its name."""
    fields = resource.fields_in_place(ctx)
    url = resource.url(record.id, "edit") if fields else ""
    return {name: f"{url}?{FIELD}={name}" for name in fields}


def default_figures(resource: Resource, record: Record, ctx: RequestContext) -> list[Figure]:
    """The figures of a page as they are declared, without those that are empty."""
    currency = currency_of(record, ctx)
    names = Names(currencies=Currencies(common=currency))
    shown = ((part, part.value(record, ctx, names)) for part in resource.headline)
    urls = field_urls(resource, record, ctx)
    return [
        Figure(
            part.label,
            value,
            unit=currency if part.is_amount else "",
            name=part.name,
            field_url=urls.get(part.name, ""),
        )
        for part, value in shown
        if value
    ]


class PageDetails(NamedTuple):
    """The fields of a record by section, without the empty ones; those; and what the service sent
    that no detail declares.
    """

    sections: list[Group]
    empty: list[ShownDetail]
    extra: list[ShownDetail]


def page_details(
    resource: Resource, record: Record, ctx: RequestContext, names: Names = NO_NAMES
) -> PageDetails:
    """The details of a record's page."""
    groups = [
        (section.title, shown_details(resource, section.details, record, ctx, names))
        for section in resource.sections
    ]
    filled = [(title, [line for line in lines if line.value]) for title, lines in groups]
    declared = {part.name: part.value(record, ctx, names).words for part in resource.details}
    extra = [
        ShownDetail(name.replace("_", " ").capitalize(), values.text(value, ctx.style))
        for name, value in _undeclared(resource, record).items()
        if value not in (None, "") and not _is_shown(name, value, declared)
    ]
    return PageDetails(
        [group for group in filled if group[1]],
        [line for _, lines in groups for line in lines if not line.value],
        extra,
    )


def _undeclared(resource: Resource, record: Record) -> dict[str, object]:
    """What came beyond the fields of the reference; what a form reads, by the form's kind."""
    by_form = {item.name: record.get(item.name) for item in resource.endpoint.extra}
    extra = dict(islice(record.extra.items(), MOST_EXTRA))
    return {**extra, **{name: by_form[name] for name in by_form if name in record}}


def _is_shown(name: str, value: object, declared: dict[str, str]) -> bool:
    """Whether the page shows it already: as a field of that name, or as the name of an id, beside
    the id or elsewhere (an owner by name, a currency behind an amount).
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
    """One record with everything the service shows of it."""
    record = lookups.read_for_page(
        ctx.gateway, resource.endpoint, record_id, after_save=ctx.follows_a_save
    )
    names = titles.names_around(ctx, resource.details, [record])
    return render_record(ctx, resource, record, names)
