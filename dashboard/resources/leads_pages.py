"""The pages of a lead. The service offers no call to read or update one lead.

The page shows the lead's list row: a fresh one from a search, else the cached one. Replace creates
a corrected lead and deletes the old one once the new one is saved.
"""

import dataclasses
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import HttpResponse

from dashboard.core.message_cookie import follows_a_save
from dashboard.core.service_name import SERVICE, SERVICE_AT_START
from dashboard.core.templates import address
from dashboard.gateway import (
    CONTACTS,
    Gateway,
    GatewayError,
    Missing,
    NotOffered,
    Record,
    concurrency,
)
from dashboard.gateway.records import record_of
from dashboard.people.context import RequestContext, page
from dashboard.reader import identity, listing, lookups
from dashboard.reader.failures import describe
from dashboard.reader.find import Match
from dashboard.records import delete
from dashboard.records.form_drafts import form_input, form_page
from dashboard.records.forms import EditForm, NewForm, edit_record
from dashboard.records.initial_values import values_of_copy
from dashboard.records.panels import SIDE, Calls, Panel, PanelRow
from dashboard.records.record_page import RecordPage, render_not_offered, values_beyond
from dashboard.resources.leads_matching import Matches, find_matches
from dashboard.schema import values
from dashboard.schema.resource import Resource
from dashboard.text.dates import format_datetime
from dashboard.writes import writer

CARRY_OVER = "carry-over"  # the button of edit.html
SEARCHED_PAGES = 3
MAX_MATCHES = 5  # that are shown of the people and of the businesses
LEAD_FIELDS = {"cstname": ("cstname", "lead_company_name")}  # which a contact may be called by


@dataclass(frozen=True)
class KnownLead:
    """A lead that was read.

    whole: by its id, not from a list. seen: when a cached row was read (UTC), None for a fresh one;
    reason: why there is no fresh one.
    """

    record: Record
    whole: bool = False
    seen: datetime | None = None
    reason: str = ""

    def shows(self, name: str, resource: Resource) -> bool:
        """Return True if the record has a value for a field: a list row has the fields of the
        reference, empty or not, and any others that the service sends.
        """
        sent = name in self.record or self.record.get(name) is not None  # tags have several names
        return self.whole or sent or name in {item.name for item in resource.endpoint.fields}

    def notes(self, resource: Resource) -> list[str]:
        """Return notes on the origin of the data, for the lead's page."""
        notes = []
        if self.seen is not None:
            seen = format_datetime(self.seen)
            notes.append(f"{self.reason} This is the lead as last seen on {seen}.")
        if hidden := self.hidden(resource):
            notes.append(f"{SERVICE_AT_START} doesn't show these fields of a lead: {hidden}.")
        return notes

    def hidden(self, resource: Resource) -> str:
        """Return the labels of fields without data, such as "Phone, Industry"."""
        parts = resource.details
        return ", ".join(part.label for part in parts if not self.shows(part.name, resource))


def find_lead(
    gateway: Gateway,
    resource: Resource,
    lead_id: int,
    *,
    fresh: bool = False,
    texts: tuple[str, ...] = (),
) -> KnownLead:
    """Read the lead by its id, from a list or, unless it must be fresh, from the cache. texts:
    search terms beside its cached name.

    Raises Missing if it is not cached and not among the newest SEARCHED_PAGES * 100 leads, and the
    GatewayError of the search if it is not cached.
    """
    if gateway.supports(resource.endpoint, "get"):
        with suppress(NotOffered):  # switched on, but the service has no such operation
            return KnownLead(gateway.get(resource.endpoint, lead_id), whole=True)
    last = lookups.cached_row(gateway, resource.endpoint, lead_id)
    known = _texts_of(last.record) if last else ()
    try:
        return _in_lists(gateway, resource, lead_id, (*texts, *known))
    except GatewayError as error:
        if last is None or fresh:
            raise
        gone = isinstance(error, Missing)
        reason = "It is no longer in the list." if gone else f"{describe(error).title}."
        return KnownLead(last.record, seen=last.read_at, reason=reason)


def read_lead(gateway: Gateway, resource: Resource, lead_id: int, **how: Any) -> Record:
    return find_lead(gateway, resource, lead_id, **how).record


def _texts_of(record: Record) -> tuple[str, ...]:
    return tuple(str(record[name]) for name in ("cstname", "cstemail") if record[name])


def of_form(ctx: RequestContext, resource: Resource, lead_id: int) -> KnownLead:
    """Return the lead that a form is about. If it is gone when the form is sent, return a record
    with only its id, so that the input can still be saved. Raises as `find_lead` does.
    """
    try:
        return find_lead(ctx.gateway, resource, lead_id)
    except Missing:
        empty = record_of(resource.endpoint, {resource.endpoint.id_field: lead_id})
        if empty is None or form_input(ctx).data is None:
            raise
        return KnownLead(empty)


def _in_lists(
    gateway: Gateway, resource: Resource, lead_id: int, texts: tuple[str, ...]
) -> KnownLead:
    """Find the lead by a search for each text; without texts among the newest. Raises Missing."""
    page = partial(lookups.list_page, gateway, resource.endpoint, page_size=listing.PAGE_SIZE)
    searches = (page(page_index=0, search=text) for text in dict.fromkeys(texts))
    pages = searches if texts else listing.Pages(page, most=SEARCHED_PAGES, at_once=1)
    for row in (row for each in pages for row in each.records):
        if row.id == lead_id:
            return KnownLead(row)
    raise Missing


class ConversionPanel(Panel):
    """Contacts that may be the lead or its business."""

    name, title, side, is_late = "conversion", "Convert", SIDE, True
    template = "resources/leads/_conversion.html"

    def calls(self) -> Calls:
        find = partial(find_matches, self.ctx, self.subject.record)
        return {"matches": partial(concurrency.submit, find)}

    def build(self, matches: Matches) -> None:
        lead = self.subject.record
        self.people = _most_alike(matches.people, lead)
        self.businesses = _most_alike(matches.businesses, lead)
        self.company = str(lead["lead_company_name"] or "")


def _most_alike(matches: list[Match], lead: Record) -> list[PanelRow]:
    """Return the first matches, those with most in common with the lead first, with what they
    share, such as "same email".
    """
    rows = [
        PanelRow(
            values.link(address(CONTACTS.name, match.id), match.title),
            values.text(", ".join(_common(match, lead))),
            note=match.hint,
        )
        for match in matches[:MAX_MATCHES]
    ]
    return sorted(rows, key=lambda row: -len(row.subject.text))


def _common(match: Match, lead: Record) -> Iterator[str]:
    for name, word in identity.FIELDS.items():
        ours = {identity.key(name, lead[each]) for each in LEAD_FIELDS.get(name, (name,))}
        theirs = identity.key(name, match.record[name]) if match.record else ""
        if theirs and theirs in ours:
            yield f"same {word}"


class LeadPage(RecordPage):
    """The page of a lead, with a note about missing data."""

    template = "resources/leads/detail.html"
    panel_types = (ConversionPanel,)
    no_log_reason = (
        f"{SERVICE_AT_START} keeps calls and notes with contacts and deals. "
        "Convert this lead to log one."
    )

    def __init__(self, ctx: RequestContext, resource: Resource, record_id: int) -> None:
        self.found = _confirmed(ctx, resource, record_id) or find_lead(
            ctx.gateway, resource, record_id
        )
        self.notes = self.found.notes(resource)
        super().__init__(ctx, _as_shown(resource, self.found), record_id)

    @property
    def record(self) -> Record:
        return self.found.record

    @property
    def has_main_action(self) -> bool:
        return True


@page
def show_lead(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    return LeadPage(ctx, resource, record_id).render()


def _confirmed(ctx: RequestContext, resource: Resource, lead_id: int) -> KnownLead | None:
    if not follows_a_save(ctx.request):
        return None
    record = lookups.pop_confirmed(ctx.gateway, resource.endpoint, lead_id)
    return (
        KnownLead(record, whole=ctx.gateway.supports(resource.endpoint, "get")) if record else None
    )


def _as_shown(resource: Resource, found: KnownLead) -> Resource:
    groups = (
        dataclasses.replace(
            group, details=tuple(part for part in group.details if found.shows(part.name, resource))
        )
        for group in resource.sections
    )
    return dataclasses.replace(resource, sections=tuple(groups))


class EditLead(EditForm):
    template = "resources/leads/edit.html"


class ReplaceLead(NewForm):
    """Form of the lead that replaces another. It keeps the snapshot of an edit form that was
    carried over, so that its draft opens as that edit.
    """

    template = "resources/leads/replace.html"

    def __init__(self, ctx: RequestContext, resource: Resource, found: KnownLead) -> None:
        self.found = found
        super().__init__(ctx, resource)

    def initial(self) -> dict[str, Any]:
        return values_of_copy(self.resource, self.found.record, self.ctx)

    def apply_button(self) -> bool:
        if self.input.get("do") != CARRY_OVER:  # typed into the edit form, which could not be saved
            return super().apply_button()
        self.form.leave_unchecked()
        return True

    def context(self) -> dict[str, Any]:
        return {
            "changes": _what_changes(self.resource, self.found, self.ctx),
            "old": self.found.record,
            "snapshot": self.input.get("snapshot"),
        }


@form_page
def edit(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """Edit the lead if the service supports that; otherwise explain why not, and offer Replace."""
    if not ctx.gateway.supports(resource.endpoint, "update"):
        return render_not_offered(
            ctx, resource, record_id, "update", template="resources/leads/not_offered.html"
        )
    return edit_record(EditLead(ctx, resource, record_id))


@form_page
def replace(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """Create a corrected lead, and delete the old one once the new one is saved."""
    found = of_form(ctx, resource, record_id)
    form = ReplaceLead(ctx, resource, found)
    if not form.is_submitted or form.apply_button():
        return form.render()
    if not form.is_valid():
        return form.render(status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        with writer.reserve(ctx, resource, record_id, f"{form.input.token}:old") as deletion:
            created = form.send()
            messages.success(ctx.request, "The corrected lead was created.")
            delete_old(ctx, deletion, found.record)
    except GatewayError as error:
        return form.render_failure(error)
    return form.leave(created)


def delete_old(ctx: RequestContext, deletion: writer.PendingWrite, lead: Record) -> None:
    """Delete a lead once its replacement is saved. Reports the outcome as a message."""
    try:
        deletion.extend()
        deletion.current = lead
        deletion.delete()
    except Missing:
        messages.info(ctx.request, "The old lead was already deleted.")
    except GatewayError as error:
        messages.error(
            ctx.request,
            f"The old lead, number {lead.id}, may still be there: {describe(error).title.lower()}. "
            "Check the list and delete it there.",
        )
    else:
        messages.success(ctx.request, f"The old lead was deleted. {delete.COPY_STORED_MESSAGE}")


def _what_changes(resource: Resource, found: KnownLead, ctx: RequestContext) -> list[str]:
    record = found.record
    number = record["ct_number"] or "it has"
    changes = [f"The number {number} is replaced by a new one."]
    changes.append(
        f"It will get a new ID, so existing links to lead {record.id} will stop working."
    )
    if record["lead_status"] not in (None, "New"):
        changes.append(f"Its status, {record['lead_status']}, is reset to New.")
    changes.append(f"Its creation date is reset to today, and {SERVICE} assigns an owner.")
    carried = values_of_copy(resource, record, ctx)
    lost = values_beyond(resource, record, ctx, carried)
    changes += [f"{line.label} is lost: {line.value.words}" for line in lost]
    if hidden := found.hidden(resource):
        changes.append(f"These fields will be lost unless you enter them again: {hidden}.")
    return changes
