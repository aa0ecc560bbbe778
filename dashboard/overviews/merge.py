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
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

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
from dashboard.people.context import RequestContext, page
from dashboard.people.permissions import DELETE_RECORDS
from dashboard.reader import lookups
from dashboard.reader.failures import describe
from dashboard.reader.find import search, title_of
from dashboard.records.record_page import ShownDetail, page_details, record_context, record_name
from dashboard.schema.fields import Shown
from dashboard.schema.record_form import RecordForm, open_snapshot, posted_fields, seal_snapshot
from dashboard.schema.resource import Resource
from dashboard.writes import deletions, outcomes, writer
from dashboard.writes.ledger import new_token
from dashboard.writes.outcomes import SentBefore

from . import open_tasks

OTHER, SEARCH = "other", "search"  # parameters of the address
OF_OTHER = "other"  # the value of a choice
DELETE = "delete"  # the box
MOST_SHOWN = 5  # documents of a kind
CHANGED = "One of the two was changed meanwhile. Nothing was saved: please choose again."
SUMMARY = "Not merged"
TELLING = ("cstemail", "cstmobile")  # what tells two of the same name apart, the first that differs


class Choice(NamedTuple):
    """A field that the other contact has, too: its label, and both values in words."""

    name: str
    label: str
    kept: str
    other: str
    is_other: bool


class Left(NamedTuple):
    """What stays with the other contact: what it is, how many, links to the first; `reason` says
    why nobody knows.
    """

    label: str
    number: int
    links: list[tuple[str, str]]
    reason: str = ""


class Pair(NamedTuple):
    """The two contacts, and their values as the edit form shows them."""

    kept: Record
    other: Record
    kept_values: dict[str, Shown]
    other_values: dict[str, Shown]


@require_http_methods(["GET", "HEAD", "POST"])
@page
def merge(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """Choose the other contact, then what is kept of it; a POST saves that and deletes the other
    where that was asked for.
    """
    kept = ctx.gateway.get(resource.endpoint, record_id)
    other_id = whole_number(ctx.params.get(OTHER, ""))
    if other_id is None:
        return _choose_other(ctx, resource, kept)
    if other_id == kept.id:
        raise Http404
    pair = _pair(ctx, resource, kept, ctx.gateway.get(resource.endpoint, other_id))
    if ctx.request.method != "POST":
        return _render(ctx, resource, pair)
    token = ctx.request.POST.get("token", "")
    if not _is_as_shown(ctx, resource, pair) and not writer.was_started(ctx=ctx, token=token):
        return _render(ctx, resource, pair, said=CHANGED, status=HTTPStatus.CONFLICT)
    return _save(ctx, resource, pair, ctx.request.POST)


def _choose_other(ctx: RequestContext, resource: Resource, kept: Record) -> HttpResponse:
    """The contacts that the search finds, first by the name of the one that is kept."""
    title = resource.title(kept)
    typed = ctx.params.get(SEARCH, "").strip()
    text = typed or title
    matches = [each for each in search(ctx.gateway, resource.endpoint, text) if each.id != kept.id]
    context = {
        **record_context(ctx, resource, kept.id),
        "title": title,
        "typed": typed,
        "search": text,
        "matches": [
            (address(CONTACTS.name, kept.id, "merge", {OTHER: str(each.id)}), each)
            for each in matches
        ],
    }
    return ctx.render("overviews/merge_choose.html", context)


def _pair(ctx: RequestContext, resource: Resource, kept: Record, other: Record) -> Pair:
    values = partial(resource.edit_form.read, style=ctx.style)
    return Pair(kept, other, values(kept), values(other))


def _names(resource: Resource, pair: Pair) -> tuple[str, str]:
    """What the two are called: with the email or phone that differs, else with their numbers, where
    both have the same name.
    """
    kept, other = resource.title(pair.kept), resource.title(pair.other)
    if kept.casefold() != other.casefold():
        return kept, other
    differs = (each for each in TELLING if pair.kept[each] != pair.other[each])
    telling = next(differs, None)
    kept_has, other_has = (
        (telling and each[telling]) or f"#{each.id}" for each in (pair.kept, pair.other)
    )
    return f"{kept} ({kept_has})", f"{other} ({other_has})"


def _is_as_shown(ctx: RequestContext, resource: Resource, pair: Pair) -> bool:
    shown = ((pair.kept, pair.kept_values), (pair.other, pair.other_values))
    return all(
        open_snapshot(
            ctx.request.POST.get(f"snapshot_{record.id}", ""), of=record_name(resource, record.id)
        )
        == values
        for record, values in shown
    )


def _save(
    ctx: RequestContext, resource: Resource, pair: Pair, posted: Mapping[str, str]
) -> HttpResponse:
    token = posted.get("token", "")
    form = _filled(ctx, resource, pair, posted)
    if not form.is_valid():
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return _render(ctx, resource, pair, posted=posted, form=form, status=status)
    try:
        _update(ctx, resource, pair, form, token)
    except OutcomeUnknown:
        return redirect(outcomes.url_for_token(token))
    except GatewayError as error:
        return _render_failed(ctx, resource, pair, posted, form, error)
    kept, other = _names(resource, pair)
    messages.success(ctx.request, f"{other} was merged into {kept}.")
    if posted.get(DELETE):
        _delete_other(ctx, resource, pair, f"{token}:other")
    return redirect(resource.url(pair.kept.id))


def _render_failed(
    ctx: RequestContext,
    resource: Resource,
    pair: Pair,
    posted: Mapping[str, str],
    form: RecordForm,
    error: GatewayError,
) -> HttpResponse:
    if isinstance(error, Rejected) and not isinstance(error, SentBefore):
        form.show_rejection(error)
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return _render(ctx, resource, pair, posted=posted, form=form, status=status)
    failure = describe(error)
    return _render(
        ctx, resource, pair, posted=posted, failure=failure, status=HTTPStatus(failure.status)
    )


def _filled(
    ctx: RequestContext, resource: Resource, pair: Pair, posted: Mapping[str, str]
) -> RecordForm:
    """The edit form of the contact that is kept, with the values that were chosen of the other."""
    chosen = {name for name in _differing(pair) if posted.get(f"choice-{name}") == OF_OTHER}
    data = QueryDict(mutable=True)
    data.update({DELETE: posted.get(DELETE, "")})
    for values, is_wanted in (
        (pair.kept_values, lambda name: name not in chosen),
        (pair.other_values, chosen.__contains__),
    ):
        form = resource.edit_form(ctx=ctx, opened_with=values)
        form.fields = {name: field for name, field in form.fields.items() if is_wanted(name)}
        for name, texts in posted_fields(form).lists():
            data.setlist(name, texts)
    return resource.edit_form(data, ctx=ctx, opened_with=pair.kept_values)


def _update(
    ctx: RequestContext, resource: Resource, pair: Pair, form: RecordForm, token: str
) -> None:
    """Save what was chosen of the other with the contact that is kept. Raises GatewayError."""
    if not form.touched():
        return
    one: dict[str, Any] = {"ctx": ctx, "resource": resource, "record_id": pair.kept.id}
    typed = form.payload()
    with writer.lock_for_form(**one, token=token, typed=typed) as lock:
        if lock:
            fresh = resource.read(ctx.gateway, pair.kept.id, fresh=True)
            body = resource.update_body(fresh, typed)
            label = resource.title(fresh)
            writer.update(
                **one, body=body, token=token, label=label, typed=typed, fresh=fresh, lock=lock
            )


def _delete_other(ctx: RequestContext, resource: Resource, pair: Pair, token: str) -> None:
    """Let the deletion of the other count down, unless something is left of it by now."""
    left = _left(ctx, pair.other)
    _, title = _names(resource, pair)
    if left or not ctx.may(DELETE_RECORDS):
        messages.warning(ctx.request, f"{title} is kept, as something is left with it.")
        return
    deletions.schedule(ctx, resource, pair.other, token=token, label=title)


def _render(
    ctx: RequestContext,
    resource: Resource,
    pair: Pair,
    *,
    posted: Mapping[str, str] | None = None,
    status: int = HTTPStatus.OK,
    **more: Any,
) -> HttpResponse:
    left = _left(ctx, pair.other)
    title, other = _names(resource, pair)
    shown = ((pair.kept, pair.kept_values), (pair.other, pair.other_values))
    context = {
        **record_context(ctx, resource, pair.kept.id),
        "title": title,
        "other": other,
        "other_url": resource.url(pair.other.id),
        "swap_url": address(CONTACTS.name, pair.other.id, "merge", {OTHER: str(pair.kept.id)}),
        "choices": _choices(ctx, resource, pair, posted),
        "left": left,
        "lost": _lost(ctx, resource, pair),
        "may_delete": ctx.may(DELETE_RECORDS),
        "token": new_token(),
        "snapshots": [
            (f"snapshot_{each.id}", seal_snapshot(values, of=record_name(resource, each.id)))
            for each, values in shown
        ],
        "summary_title": SUMMARY,
        **more,
    }
    return ctx.render("overviews/merge.html", context, status=status)


def _choices(
    ctx: RequestContext, resource: Resource, pair: Pair, posted: Mapping[str, str] | None
) -> list[Choice]:
    """The fields in which the other has another value; its own is chosen where ours is empty."""
    kept = resource.edit_form(ctx=ctx, opened_with=pair.kept_values)
    other = resource.edit_form(ctx=ctx, opened_with=pair.other_values)
    return [
        Choice(
            name,
            str(kept.fields[name].label),
            kept.value_in_words(name, pair.kept_values[name]),
            other.value_in_words(name, pair.other_values[name]),
            not pair.kept_values[name]
            if posted is None
            else posted.get(f"choice-{name}") == OF_OTHER,
        )
        for name in _differing(pair)
    ]


def _differing(pair: Pair) -> list[str]:
    """The fields that both can be read in, where the other has another value than ours."""
    return [
        name
        for name, value in pair.other_values.items()
        if value and name in pair.kept_values and value != pair.kept_values[name]
    ]


def _lost(ctx: RequestContext, resource: Resource, pair: Pair) -> list[ShownDetail]:
    """What the other contact holds that no form can give to the one that is kept."""
    created = {field.name for field in resource.endpoint.create}
    names = created - (pair.kept_values.keys() & pair.other_values.keys())

    def lines(record: Record) -> list[ShownDetail]:
        shown = page_details(resource, record, ctx)
        lines = (line for _, group in shown.sections for line in group if line.name in names)
        return [*lines, *shown.extra]

    ours = {(line.label, line.value.words) for line in lines(pair.kept)}
    return [line for line in lines(pair.other) if (line.label, line.value.words) not in ours]


def _left(ctx: RequestContext, contact: Record) -> list[Left]:
    """What is known to belong to a contact, or cannot be read; without what there is nothing of."""
    listed = [each for each in (INVOICES, ESTIMATES, DEALS) if each.name not in ctx.closed_areas]
    calls = [
        partial(ctx.gateway.list, each, filters={"cstid": contact.id}, page_size=MOST_SHOWN)
        for each in listed
    ]
    documents = map(_documents, listed, concurrency.gather(calls))
    others = _tasks(ctx.gateway, contact), _people(ctx, contact)
    return [each for each in (*documents, *others) if each.number or each.reason]


def _documents(endpoint: Endpoint, answer: Page | GatewayError) -> Left:
    label = endpoint.name.capitalize()
    if isinstance(answer, GatewayError):
        return Left(label, 0, [], describe(answer).title)
    links = [(title_of(endpoint, each), address(endpoint.name, each.id)) for each in answer.records]
    number = max(answer.total_records or 0, len(links), answer.unreadable_rows)
    return Left(label, number, links[:MOST_SHOWN])


def _tasks(gateway: Gateway, contact: Record) -> Left:
    """The open tasks of a contact among those that can be read."""
    try:
        read = open_tasks.Reading(gateway).result()
    except GatewayError as error:
        return Left("Open tasks", 0, [], describe(error).title)
    own = [each for each in read.tasks if each["cstid"] == contact.id]
    links = [(title_of(TASKS, each), address(TASKS.name, each.id)) for each in own]
    return Left("Open tasks", len(links), links[:MOST_SHOWN])


def _people(ctx: RequestContext, contact: Record) -> Left:
    ids = lookups.cached_children(ctx.gateway, CONTACTS, contact.id)
    names = lookups.load_titles(ctx.gateway, [(CONTACTS, each) for each in ids], seconds=1)
    links = [
        (names.get((CONTACTS.name, each)) or f"Contact {each}", address(CONTACTS.name, each))
        for each in ids
    ]
    return Left("People", len(links), links[:MOST_SHOWN])
