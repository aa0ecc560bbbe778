"""What the page of an unresolved write says: what was sent, and what was found, in words."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from math import ceil
from typing import Any, NamedTuple

from django.utils import timezone

from dashboard import sealed
from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.display import titles
from dashboard.display.values import DisplayValue
from dashboard.gateway import Record, Unreadable
from dashboard.gateway.records import LINE_KEYS, record_of
from dashboard.ledger import services as ledger
from dashboard.ledger.models import Write
from dashboard.pages.form_drafts import time_in_words
from dashboard.sealed import readable
from dashboard.writes import reconciliation
from dashboard.writes.reconciliation import Candidate
from dashboard.writes.settling import Look

NO_ANSWER = "The dashboard stopped before an answer came"


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


class Event(NamedTuple):
    """One line of what happened."""

    words: str
    at: str


def build(
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
    ctx = titles.fill(ctx, map(resource.detail, names), records, round_trip=0)
    typed = set(content.typed) if write.operation == "update" else set(names)
    return {
        "name": _name(ctx, resource, write, content.label, sent),
        "sent": _labelled(ctx, resource, sent, (name for name in names if name in typed)),
        "unchanged": _labelled(ctx, resource, sent, (name for name in names if name not in typed)),
        "found": [_shown(ctx, resource, one) for one in look.candidates],
        "problem": look.problem,
        "gone": look.gone,
        "complete": look.complete,
        "late": ctx.late,
        "events": _events(write, look, seconds),
        "next_look": "" if seconds is None else str(max(1, ceil(seconds))),
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
    names = _in_order(resource, content.before)
    if content.copy and (copy := record_of(resource.endpoint, content.copy)):
        return copy, names
    record = reconciliation.sent_record(resource, content.before)
    return record, [name for name in names if not _is_list(record, name)]


def _is_list(record: Record, name: str) -> bool:
    """Whether a field holds several values, which an earlier release has stored as one text."""
    return name in LINE_KEYS or isinstance(record.get(name), Unreadable)


def _in_order(resource: Resource, values: Iterable[str]) -> list[str]:
    """The name of the record first, then in the order of its page, then the others."""
    order = [resource.title_field, *(part.name for part in resource.details)]
    given = list(values)
    return [name for name in dict.fromkeys(order) if name in given] + [
        name for name in given if name not in order
    ]


def _labelled(
    ctx: RequestContext, resource: Resource, record: Record, names: Iterable[str]
) -> list[Labelled]:
    parts = [resource.detail(name) for name in names]
    shown = [Labelled(part.label or part.name, part.value(record, ctx)) for part in parts]
    return [one for one in shown if one.value]


def _name(ctx: RequestContext, resource: Resource, write: Write, label: str, sent: Record) -> str:
    """What people call the record; one that has no name yet by the record that it is for."""
    if label or write.record_id:
        return label or f"{resource.singular} {write.record_id}"
    parts = [resource.detail(name) for name in _in_order(resource, sent)]
    whom = next((part.value(sent, ctx).words for part in parts if part.points_to), "")
    return f"the {resource.singular} for {whom}" if whom else f"the {resource.singular}"


def _shown(ctx: RequestContext, resource: Resource, one: Candidate) -> ShownCandidate:
    record = one.record
    return ShownCandidate(
        id=str(record.id),
        url=resource.url(record.id),
        title=resource.title(record),
        same=", ".join(
            resource.detail(name).label or name for name in _in_order(resource, one.same)
        ),
        differing=[
            Labelled(part.label or part.name, part.value(record, ctx))
            for part in map(resource.detail, _in_order(resource, one.differing))
        ],
    )


def _events(write: Write, look: Look, seconds: float | None) -> list[Event]:
    """The newest first, after the next look in so many seconds."""
    said = readable(write, "answer").get("reason")
    answer = f"No clear answer: {said}" if said else NO_ANSWER
    now = timezone.now()
    after = (
        [] if seconds is None else [Event("Next look", _clock(now + timedelta(seconds=seconds)))]
    )
    return [
        *after,
        Event(f"Looked: {_found_in_words(write, look)}", _clock(now)),
        Event(answer, _clock(write.done_at)),
        Event("Sent by you", _clock(write.sent_at)),
    ]


def _found_in_words(write: Write, look: Look) -> str:
    if look.problem:
        return "the service did not say"
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
