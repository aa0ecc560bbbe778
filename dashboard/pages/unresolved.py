"""The page of a write whose outcome is unknown: reconciles it, or lets the person decide.

The page reads from the service when it opens and a few times more (writes/settling.py). Where that
does not settle a create, it lists possible duplicates, and the person selects the record or sends
the write again (resending.py).
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from http import HTTPStatus
from math import ceil
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from dashboard import sealed
from dashboard.context import RequestContext, page
from dashboard.declare.registry import RESOURCES
from dashboard.declare.resource import Resource
from dashboard.display import titles
from dashboard.display.cells import Names
from dashboard.display.values import DisplayValue
from dashboard.drafts import services as drafts
from dashboard.gateway import GatewayError, Record, whole_number
from dashboard.gateway.records import record_of
from dashboard.ledger import repetitions
from dashboard.ledger import services as ledger
from dashboard.ledger.models import Write
from dashboard.pages import form_outcome
from dashboard.pages.form_drafts import time_in_words
from dashboard.pages.form_input import form_input
from dashboard.reader.sealed_cache import owner_of
from dashboard.sealed import readable
from dashboard.service_name import SERVICE
from dashboard.writes import reconciliation
from dashboard.writes.reconciliation import Candidate
from dashboard.writes.settling import Look, look, next_reconciliation, settle

Resolution, State = Write.Resolution, Write.State
NO_ANSWER = "Entry Desk stopped before an answer came"


def address_of(token: str) -> str:
    """The address of an unresolved write; of its form's outcome page if it may be under way."""
    write = Write.objects.filter(token=token, state=State.NOT_SURE).first()
    return address(write.pk) if write else form_outcome.url(token)


def leave_unresolved_form(ctx: RequestContext, token: str) -> HttpResponse:
    """The answer of a form page whose write, sent with this token, has no known outcome. The draft
    waits until that is settled.
    """
    ctx.request.form_input = replace(form_input(ctx), is_unresolved=True)
    return redirect(address_of(token))


def address(pk: int) -> str:
    """The address of the page of an unresolved write."""
    return reverse("unsure:show", args=[pk])


@require_safe
@page
def show_unresolved(ctx: RequestContext, pk: int) -> HttpResponse:
    """The page with the state of the write, the records found, and the possible actions."""
    write, resource = own_write(ctx, pk)
    if ledger.refreshed(write).state != State.NOT_SURE and not write.resolution:
        return redirect(form_outcome.url(write.token))
    if write.resolution == Resolution.SENT_AGAIN:
        return _show_sent_again(ctx, write, resource)
    outcome = look(ctx, resource, write)
    if write.resolution != Resolution.OPEN:
        return _redirect_settled(ctx, write, resource)
    return _render(ctx, resource, write, outcome)


@require_POST
@page
def settle_as_saved(ctx: RequestContext, pk: int) -> HttpResponse:
    """Settle the write as saved, with the record that the person selected."""
    write, resource = own_write(ctx, pk)
    settle(write, Resolution.FOUND, whole_number(ctx.request.POST.get("record_id", "")))
    messages.success(ctx.request, "Settled: it was saved.")
    return redirect(resource.url(write.record_id))


@require_POST
@page
def leave_unresolved(ctx: RequestContext, pk: int) -> HttpResponse:
    """Close the entry without an outcome; its draft stays under Unfinished."""
    write = get_object_or_404(Write, pk=pk, person=ctx.user)  # with any keys
    resource = RESOURCES[write.resource]
    if ledger.settle(write, Resolution.CLOSED):
        drafts.release_by_token(write.person_id, write.token)
    rest = "" if write.operation == "delete" else " What was typed stays under Unfinished."
    messages.info(ctx.request, f"Left as it is.{rest}")
    return redirect(resource.url())


def own_write(ctx: RequestContext, pk: int) -> tuple[Write, Resource]:
    """The person's own write, sent with the keys they hold now; 404 for any other."""
    write = get_object_or_404(Write, pk=pk, person=ctx.user)
    if write.owner != owner_of(ctx.gateway):
        raise Http404
    return write, RESOURCES[write.resource]


def _render(
    ctx: RequestContext,
    resource: Resource,
    write: Write,
    look: Look,
    again: Write | None = None,
) -> HttpResponse:
    """`again`: the write that was sent in place of this one, and saved."""
    seconds = next_reconciliation(again or write)
    context = {
        "resource": resource,
        "write": write,
        "again_url": resource.url(again.record_id) if again else "",
        "token": repetitions.retry_token(write),
        **_context(ctx, resource, write, look, seconds),
    }
    template = "pages/_unsure.html" if ctx.request.htmx else "pages/unsure.html"
    return ctx.render(template, context)


def _show_sent_again(ctx: RequestContext, write: Write, resource: Resource) -> HttpResponse:
    """The page after a create was sent again and saved, which looks for a late effect of the first;
    for other writes a redirect.
    """
    again = repetitions.sent_again(write)
    if again and again.state != State.SAVED:
        return redirect(address_of(again.token))
    if again is None or write.operation != "create":
        return _redirect_settled(ctx, write, resource)
    try:
        candidates = reconciliation.find_candidates(ctx, resource, ledger.content_of(write).body)
    except (GatewayError, sealed.Unreadable) as error:
        look = Look(problem=error if isinstance(error, GatewayError) else None)
    else:
        others = [one for one in candidates.candidates if one.record.id != again.record_id]
        look = Look(others, complete=candidates.complete)
    return _render(ctx, resource, write, look, again)


def _redirect_settled(ctx: RequestContext, write: Write, resource: Resource) -> HttpResponse:
    gone = write.operation == "delete"
    words = {
        Resolution.FOUND: f"It was {'deleted' if gone else 'saved'} after all.",
        Resolution.SENT_AGAIN: "It was sent again.",
        Resolution.CLOSED: "It was left as it is.",
    }
    messages.info(ctx.request, words[Resolution(write.resolution)])
    url = resource.url() if gone else resource.url(write.record_id)
    if not ctx.request.htmx:
        return redirect(url)
    return HttpResponse(status=HTTPStatus.NO_CONTENT, headers={"HX-Redirect": url})


class Labelled(NamedTuple):
    """A field with its label, as the record's page shows it."""

    label: str
    value: DisplayValue


class ShownCandidate(NamedTuple):
    """A candidate: `same` holds labels, `differing` what the service shows instead."""

    id: str
    url: str
    title: str
    same: str
    differing: list[Labelled]


class WriteEvent(NamedTuple):
    """One line of what happened."""

    words: str
    at: str


def _context(
    ctx: RequestContext,
    resource: Resource,
    write: Write,
    look: Look,
    seconds: float | None,
) -> dict[str, Any]:
    """The context of pages/unsure.html but for what the buttons need.

    seconds: until the next look, None if the looks are over.
    """
    content = _content(write)
    sent, names = _sent(resource, write, content)
    records = [sent, *(one.record for one in look.candidates)]
    known = titles.names_around(ctx, map(resource.detail, names), records)
    typed = set(content.typed) if write.operation == "update" else set(names)
    return {
        "name": _name(ctx, known, resource, write, content.label, sent),
        "sent": _labelled(ctx, known, resource, sent, [each for each in names if each in typed]),
        "unchanged": _labelled(
            ctx, known, resource, sent, [each for each in names if each not in typed]
        ),
        "found": [_shown(ctx, known, resource, one) for one in look.candidates],
        "problem": look.problem,
        "gone": look.gone,
        "complete": look.complete,
        "late": known.late_url,
        "events": _events(write, look, seconds),
        "next_reconciliation": "" if seconds is None else str(max(1, ceil(seconds))),
    }


def _content(write: Write) -> ledger.Content:
    """What was sent; empty if it can no longer be opened."""
    try:
        return ledger.content_of(write)
    except sealed.Unreadable:
        return ledger.Content("", {}, {}, [])


def _sent(resource: Resource, write: Write, content: ledger.Content) -> tuple[Record, list[str]]:
    """The body as a record, or a deleted one as it was read, and the names of its fields."""
    if write.operation != "delete":
        return reconciliation.sent_record(resource, content.body), _in_order(resource, content.body)
    copy = record_of(resource.endpoint, content.copy) if content.copy else None
    sent = copy or reconciliation.sent_record(resource, content.before)
    return sent, _in_order(resource, content.before)


def _in_order(resource: Resource, values: Iterable[str]) -> list[str]:
    """The name of the record first, then in the order of its page, then the others."""
    order = [resource.title_field, *(part.name for part in resource.details)]
    given = list(values)
    return [name for name in dict.fromkeys(order) if name in given] + [
        name for name in given if name not in order
    ]


def _labelled(
    ctx: RequestContext, known: Names, resource: Resource, record: Record, names: Iterable[str]
) -> list[Labelled]:
    parts = [resource.detail(name) for name in names]
    labelled = [Labelled(part.label or part.name, part.value(record, ctx, known)) for part in parts]
    return [one for one in labelled if one.value]


def _name(
    ctx: RequestContext, known: Names, resource: Resource, write: Write, label: str, sent: Record
) -> str:
    """What people call the record; one that has no name yet by the record that it is for."""
    if label or write.record_id:
        return label or f"{resource.singular} {write.record_id}"
    parts = [resource.detail(name) for name in _in_order(resource, sent)]
    whom = next((part.value(sent, ctx, known).words for part in parts if part.points_to), "")
    return f"the {resource.singular} for {whom}" if whom else f"the {resource.singular}"


def _shown(ctx: RequestContext, known: Names, resource: Resource, one: Candidate) -> ShownCandidate:
    record = one.record
    return ShownCandidate(
        id=str(record.id),
        url=resource.url(record.id),
        title=resource.title(record),
        same=", ".join(
            resource.detail(name).label or name for name in _in_order(resource, one.same)
        ),
        differing=[
            Labelled(part.label or part.name, part.value(record, ctx, known))
            for part in map(resource.detail, _in_order(resource, one.differing))
        ],
    )


def _events(write: Write, look: Look, seconds: float | None) -> list[WriteEvent]:
    """The newest first, after the next look in so many seconds."""
    reason = readable(write, "answer").get("reason")
    answer = f"No clear answer: {reason}" if reason else NO_ANSWER
    now = timezone.now()
    after = []
    if seconds is not None:
        after = [WriteEvent("Next look", _clock(now + timedelta(seconds=seconds)))]
    return [
        *after,
        WriteEvent(f"Looked: {_found_in_words(write, look)}", _clock(now)),
        WriteEvent(answer, _clock(write.done_at)),
        WriteEvent("Sent by you", _clock(write.sent_at)),
    ]


def _found_in_words(write: Write, look: Look) -> str:
    if look.problem:
        return f"{SERVICE} did not say"
    count = len(look.candidates)
    if write.operation != "create":
        return "it is there" if count else "it is not there"
    return {0: "nothing like it", 1: "one that could be it"}.get(count, f"{count} that could be it")


def _clock(at: datetime | None) -> str:
    """A time to the second, with its day if that is not today."""
    if at is None:
        return ""
    words = time_in_words(at)
    return f"{timezone.localtime(at):%H:%M:%S}{words[5:]}"
