"""Merges two contacts: what is chosen of the other is saved with the one that is kept, and the
other is deleted if nothing is known to be left of it.

The API moves no documents to another contact: those of the other stay with it, are listed, and keep
it from being deleted.
"""

from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect

from dashboard.core.templates import address
from dashboard.gateway import (
    CONTACTS,
    DEALS,
    ESTIMATES,
    INVOICES,
    TASKS,
    Endpoint,
    Gateway,
    GatewayError,
    OutcomeUnknown,
    Page,
    Record,
    Rejected,
    concurrency,
    whole_number,
)
from dashboard.gateway.api import BUSINESS
from dashboard.office.record_field import FormValue
from dashboard.people.context import RequestContext, page
from dashboard.people.permissions import DELETE_RECORDS
from dashboard.reader import lookups
from dashboard.reader.failures import describe
from dashboard.reader.find import search, title_of
from dashboard.records.record_page import ShownDetail, record_context, values_beyond
from dashboard.schema.record_form import RecordForm, open_snapshot, posted_fields, seal_snapshot
from dashboard.schema.resource import Resource
from dashboard.text.plain import folded, plain, typed_text
from dashboard.writes import deletions, outcomes, writer
from dashboard.writes.ledger import new_token
from dashboard.writes.outcomes import TokenReused

from . import open_tasks

OTHER, SEARCH = "other", "search"  # parameters of the address
OF_OTHER = "other"  # the value of a choice
DELETE = "delete"  # the box
MAX_SHOWN = 5  # documents of a kind
CHANGED = "One of the contacts has changed. Nothing was saved. Choose again."
SUMMARY = "Not merged"
TELLING = ("cstemail", "cstmobile")  # what tells two of the same name apart, the first that differs


class FieldChoice(NamedTuple):
    """A field that the other contact has, too: its label, and both values in words."""

    name: str
    label: str
    kept: str
    other: str
    is_other: bool


class LinkedRecords(NamedTuple):
    """What stays with the other contact: what it is, how many, links to the first; `reason` says
    why nobody knows.
    """

    label: str
    number: int
    links: list[tuple[str, str]]
    reason: str = ""


@page
def merge_contacts(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """Choose the other contact, then the fields to keep; a POST saves them and deletes the other if
    that was requested.
    """
    kept = ctx.gateway.get(resource.endpoint, record_id)
    other_id = whole_number(ctx.params.get(OTHER, ""))
    if other_id is None:
        return _choose_other(ctx, resource, kept)
    if other_id == kept.id:
        raise Http404
    merge = Merge(ctx, resource, kept, ctx.gateway.get(resource.endpoint, other_id))
    if ctx.request.method != "POST":
        return merge.render()
    token = ctx.request.POST.get("token", "")
    if not merge.is_as_shown and not writer.was_started(ctx=ctx, token=token):
        return merge.render(said=CHANGED, status=HTTPStatus.CONFLICT)
    return _save(merge, ctx.request.POST)


def _choose_other(ctx: RequestContext, resource: Resource, kept: Record) -> HttpResponse:
    title = resource.title(kept)
    typed = typed_text(ctx.params, SEARCH)
    text = typed or title
    matches = [each for each in search(ctx.gateway, resource.endpoint, text) if each.id != kept.id]
    context = {
        **record_context(resource, kept.id),
        "title": title,
        "typed": typed,
        "search": text,
        "matches": [
            (address(CONTACTS.name, kept.id, "merge", {OTHER: str(each.id)}), each)
            for each in matches
        ],
    }
    return ctx.render("overviews/merge_choose.html", context)


class Merge:
    """The two contacts, their values as the edit form shows them, and what they are called."""

    def __init__(
        self, ctx: RequestContext, resource: Resource, kept: Record, other: Record
    ) -> None:
        self.ctx, self.resource, self.kept, self.other = ctx, resource, kept, other
        values = partial(resource.edit_form.read, style=ctx.style)
        self.kept_values, self.other_values = values(kept), values(other)
        self.title, self.other_title = self._titles()

    def _titles(self) -> tuple[str, str]:
        """Return both names, with the email or phone that differs, else with the IDs, if they are
        the same.
        """
        both = self.kept, self.other
        kept, other = map(self.resource.title, both)
        if folded(kept) != folded(other):
            return kept, other
        telling = next((each for each in TELLING if self.kept[each] != self.other[each]), None)
        kept_has, other_has = ((telling and each[telling]) or f"#{each.id}" for each in both)
        return f"{kept} ({kept_has})", f"{other} ({other_has})"

    @property
    def shown(self) -> tuple[tuple[str, str, dict[str, FormValue]], ...]:
        """Return for each contact the field that holds the snapshot, the name in it, and the
        values.
        """
        both = ((self.kept.id, self.kept_values), (self.other.id, self.other_values))
        return tuple(
            (f"snapshot_{number}", self.resource.record_name(number), values)
            for number, values in both
        )

    @property
    def is_as_shown(self) -> bool:
        posted = self.ctx.request.POST
        return all(
            open_snapshot(posted.get(field, ""), of=name) == values
            for field, name, values in self.shown
        )

    @property
    def differing(self) -> list[str]:
        """Return the fields readable in both contacts whose non-empty value in the other looks
        different.
        """
        return [
            name
            for name, value in self.other_values.items()
            if value
            and name in self.kept_values
            and _as_seen(value) != _as_seen(self.kept_values[name])
        ]

    def choices(self, posted: Mapping[str, str] | None) -> list[FieldChoice]:
        """Return the differing fields; the value of the other is chosen where ours is empty."""
        kept, other = (
            self.resource.edit_form(ctx=self.ctx, opened_with=values)
            for values in (self.kept_values, self.other_values)
        )
        return [
            FieldChoice(
                name,
                str(kept.fields[name].label),
                kept.fields[name].caption(self.kept_values[name]),
                other.fields[name].caption(self.other_values[name]),
                not self.kept_values[name]
                if posted is None
                else posted.get(f"choice-{name}") == OF_OTHER,
            )
            for name in self.differing
        ]

    def form(self, posted: Mapping[str, str]) -> RecordForm:
        chosen = {name for name in self.differing if posted.get(f"choice-{name}") == OF_OTHER}
        values = self.kept_values | {name: self.other_values[name] for name in chosen}
        edit_form = partial(self.resource.edit_form, ctx=self.ctx)
        return edit_form(posted_fields(edit_form(opened_with=values)), opened_with=self.kept_values)

    @property
    def lost(self) -> list[ShownDetail]:
        """Return the values of the other contact that no form can set on the kept one."""
        carried = self.kept_values.keys() & self.other_values.keys()
        kept, other = (
            values_beyond(self.resource, record, self.ctx, carried)
            for record in (self.kept, self.other)
        )
        ours = {(line.label, line.value.words) for line in kept}
        return [line for line in other if (line.label, line.value.words) not in ours]

    def render(
        self,
        posted: Mapping[str, str] | None = None,
        status: int = HTTPStatus.OK,
        **more: Any,
    ) -> HttpResponse:
        kept, other = self.kept.id, self.other.id
        has_people = self.other["contact_type"] == BUSINESS
        context = {
            **record_context(self.resource, kept),
            "title": self.title,
            "other": self.other_title,
            "other_url": self.resource.url(other),
            "swap_url": address(CONTACTS.name, other, "merge", {OTHER: str(kept)}),
            "choices": self.choices(posted),
            "left": _left(self.ctx, self.other),
            "lost": self.lost,
            "may_have_people": has_people,
            "may_delete": self.ctx.may(DELETE_RECORDS),
            "is_ticked": (
                "delete" in posted if posted is not None else not (self.lost or has_people)
            ),
            "token": new_token(),
            "snapshots": [
                (field, seal_snapshot(values, of=name)) for field, name, values in self.shown
            ],
            "summary_title": SUMMARY,
            **more,
        }
        return self.ctx.render("overviews/merge.html", context, status=status)


def _as_seen(value: Any) -> Any:
    if isinstance(value, dict):
        return {plain(name): _as_seen(item) for name, item in value.items()}
    return plain(value) if isinstance(value, str) else value


def _save(merge: Merge, posted: Mapping[str, str]) -> HttpResponse:
    ctx, token, form = merge.ctx, posted.get("token", ""), merge.form(posted)
    if not form.is_valid():
        return merge.render(posted, HTTPStatus.UNPROCESSABLE_ENTITY, form=form)
    try:
        if form.touched():
            with writer.reserve(ctx, merge.resource, merge.kept.id, token) as write:
                if write.is_new:
                    write.read()
                write.update(form.payload())
    except OutcomeUnknown:
        return redirect(outcomes.url_for_token(token))
    except GatewayError as error:
        if isinstance(error, Rejected) and not isinstance(error, TokenReused):
            form.show_rejection(error)
            return merge.render(posted, HTTPStatus.UNPROCESSABLE_ENTITY, form=form)
        failure = describe(error)
        return merge.render(posted, HTTPStatus(failure.status), failure=failure)
    messages.success(ctx.request, f"{merge.other_title} was merged into {merge.title}.")
    if posted.get(DELETE):
        _delete_other(merge, f"{token}:other")
    return redirect(merge.resource.url(merge.kept.id))


def _delete_other(merge: Merge, token: str) -> None:
    """Start the countdown of the other's deletion, unless records are still linked to it."""
    ctx, title = merge.ctx, merge.other_title
    if _left(ctx, merge.other) or not ctx.may(DELETE_RECORDS):
        messages.warning(ctx.request, f"{title} was not deleted, because it still has records.")
        return
    deletions.schedule(ctx, merge.resource, merge.other, token=token, label=title)


def _left(ctx: RequestContext, contact: Record) -> list[LinkedRecords]:
    listed = [each for each in (INVOICES, ESTIMATES, DEALS) if each.name not in ctx.closed_areas]
    calls = [
        partial(ctx.gateway.list, each, filters={"cstid": contact.id}, page_size=MAX_SHOWN)
        for each in listed
    ]
    documents = map(_documents, listed, concurrency.gather(calls))
    others = _tasks(ctx.gateway, contact), _people(ctx, contact)
    return [each for each in (*documents, *others) if each.number or each.reason]


def _documents(endpoint: Endpoint, answer: Page | GatewayError) -> LinkedRecords:
    label = endpoint.name.capitalize()
    if isinstance(answer, GatewayError):
        return LinkedRecords(label, 0, [], describe(answer).title)
    links = [(title_of(endpoint, each), address(endpoint.name, each.id)) for each in answer.records]
    number = max(answer.total_records or 0, len(links), answer.unreadable_rows)
    return LinkedRecords(label, number, links[:MAX_SHOWN])


def _tasks(gateway: Gateway, contact: Record) -> LinkedRecords:
    try:
        read = open_tasks.TasksReading(gateway).result()
    except GatewayError as error:
        return LinkedRecords("Open tasks", 0, [], describe(error).title)
    own = [each for each in read.tasks if each["cstid"] == contact.id]
    links = [(title_of(TASKS, each), address(TASKS.name, each.id)) for each in own]
    return LinkedRecords("Open tasks", len(links), links[:MAX_SHOWN])


def _people(ctx: RequestContext, contact: Record) -> LinkedRecords:
    ids = lookups.cached_children(ctx.gateway, CONTACTS, contact.id)
    names = lookups.load_titles(ctx.gateway, [(CONTACTS, each) for each in ids], seconds=1)
    links = [
        (names.get((CONTACTS.name, each)) or f"Contact {each}", address(CONTACTS.name, each))
        for each in ids
    ]
    return LinkedRecords("People", len(links), links[:MAX_SHOWN])
