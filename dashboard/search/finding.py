"""Finds records of all resources side by side, what was opened last, and what a line such as
"+lead Jane Doe jane@acme.example" may create.
"""

import re
from collections.abc import Iterable
from functools import partial
from typing import NamedTuple
from urllib.parse import urlencode

from dashboard import resources
from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.display import cells, titles, values
from dashboard.display.values import DisplayValue
from dashboard.forms.phones import is_same_phone
from dashboard.gateway import GatewayError, side_by_side
from dashboard.markup import address
from dashboard.pages.form_drafts import SendFilled, send_filled
from dashboard.preferences import recents
from dashboard.reader.find import Match, search
from dashboard.reader.sealed_cache import owner_of
from dashboard.resources.entry_form import LINE, parts_of
from dashboard.resources.line_words import Part
from dashboard.writes.failures import describe

RESULTS = 5  # of each resource
RECENT = 6
NUMBER = re.compile(r"^[\w-]*\d+$")
PHONE = re.compile(r"^\+?[\d\s()/.-]{5,}$")
DOCUMENTS = ("invoices", "estimates")
SEEN_LATELY = "Among records you saw lately"
PHONE_NOTE = (
    "The service does not search by phone number. "
    "This number was looked for among the records you saw lately."
)
SEARCHES = "Search"


class Hit(NamedTuple):
    """A record or a page: its name, where it leads, and what tells it from others. `save`: what
    saves the form there as its address fills it.
    """

    label: DisplayValue
    hint: str = ""
    icon: str = ""
    keys: str = ""
    save: SendFilled | None = None


class HitGroup(NamedTuple):
    """Hits under a heading; `failure` says why there are none."""

    title: str
    hits: list[Hit]
    failure: str = ""


def find(ctx: RequestContext, text: str) -> list[HitGroup]:
    """The records that match, one group for each resource; those that fail say why, in one line
    for each reason where all fail. A number that was seen lately comes first.
    """
    calls = [partial(search, ctx.gateway, each.endpoint, text) for each in resources.ALL]
    found = side_by_side.run(calls)
    groups = {
        resource.name: _group(resource, matches)
        for resource, matches in zip(resources.ALL, found, strict=True)
    }
    ordered = without_repeats([groups[name] for name in _order(text)])
    return [group for group in (_seen_lately(ctx, text), *ordered) if group.hits or group.failure]


def without_repeats(groups: list[HitGroup]) -> list[HitGroup]:
    """The groups; where all of them fail, one for each reason, with the names of those it has."""
    if not all(group.failure for group in groups):
        return groups
    reasons = {
        group.failure: [one.title for one in groups if one.failure == group.failure]
        for group in groups
    }
    if len(reasons) == 1:
        return [HitGroup(SEARCHES, [], *reasons)]
    return [HitGroup(", ".join(titles), [], reason) for reason, titles in reasons.items()]


def _seen_lately(ctx: RequestContext, text: str) -> HitGroup:
    """The opened records that have this phone number, which the service does not search."""
    known = {each.name: each for each in resources.ALL}
    asks = bool(PHONE.match(text))
    rows = recents.seen(ctx.person, owner_of(ctx.gateway)) if ctx.person and asks else []
    same = [
        (known[one.resource], one)
        for one in rows
        if one.resource in known and any(is_same_phone(text, number) for number in one.numbers)
    ]
    return HitGroup(SEEN_LATELY, [_seen_hit(resource, one) for resource, one in same[:RESULTS]])


def last_opened(ctx: RequestContext) -> list[HitGroup]:
    """The starred records, and those that the person opened last."""
    if ctx.person is None:
        return []
    owner = owner_of(ctx.gateway)
    starred = recents.starred(ctx.person, owner)
    others = recents.recent(ctx.person, owner, RECENT + len(starred))
    recent = [each for each in others if each not in starred][:RECENT]
    groups = [("Starred", starred, "star"), ("Opened last", recent, "")]
    return [HitGroup(title, _named(ctx, refs, icon)) for title, refs, icon in groups if refs]


def name_records(ctx: RequestContext, groups: Iterable[recents.RecordRef]) -> RequestContext:
    """The context with the names of these records, as far as they come in time."""
    known = {each.name: each for each in resources.ALL}
    return titles.name(ctx, [(known[name].endpoint, number) for name, number in groups])


def note_for(text: str) -> str:
    """What the service cannot search for, for a text that looks like it; "" for any other."""
    return PHONE_NOTE if PHONE.match(text) else ""


def _group(resource: Resource, found: list[Match] | GatewayError) -> HitGroup:
    if isinstance(found, GatewayError):
        return HitGroup(resource.label, [], describe(found).title)
    hits = [
        Hit(values.link(resource.url(match.id), match.title), match.hint, resource.icon)
        for match in found[:RESULTS]
    ]
    return HitGroup(resource.label, hits)


def _seen_hit(resource: Resource, seen: recents.Seen) -> Hit:
    title = seen.title or f"{resource.singular.capitalize()} {seen.record_id}"
    link = values.link(resource.url(seen.record_id), title)
    return Hit(link, ", ".join(seen.numbers), resource.icon)


def _order(text: str) -> list[str]:
    """The resources in the order of their groups: documents first for what looks like a number."""
    names = [each.name for each in resources.ALL]
    return sorted(names, key=lambda name: name not in DOCUMENTS) if NUMBER.match(text) else names


def _named(ctx: RequestContext, refs: list[recents.RecordRef], icon: str) -> list[Hit]:
    known = {each.name: each for each in resources.ALL}
    return [
        Hit(
            cells.titled(known[name].endpoint, number, ctx),
            known[name].singular.capitalize(),
            icon or known[name].icon,
        )
        for name, number in refs
        if name in known and address(name)
    ]


ENTRY = re.compile(r"\+\s*(?P<kind>[a-z]*)(?:\s+(?P<line>.*))?", re.I | re.S)
EXAMPLES = {
    "contact": "Zoe Zebra zoe@zebra.example 030 1234567",
    "lead": "Zoe Zebra zoe@zebra.example trade fair",
    "deal": "Website 12,500 @Acorn closes fri",
    "task": "call Acorn tomorrow 15:00 !high",
    "estimate": "acorn 3 consulting hour, 2 design day",
    "invoice": "acorn 3 consulting hour, due +14",
}


def is_entry(text: str) -> bool:
    """Whether the text begins a record: a plus sign with letters, or alone."""
    return ENTRY.fullmatch(text) is not None


def entry_hits(ctx: RequestContext, text: str) -> tuple[list[HitGroup], list[Part]]:
    """The forms that a text may fill, and how it is read for the first of them.

    The word after the plus sign may be shortened: "+l" stands for a lead.
    """
    found = ENTRY.fullmatch(text)
    kind, line = (found["kind"].lower(), (found["line"] or "").strip()) if found else ("", "")
    closed = ctx.closed_areas
    in_plan = (each for each in resources.ALL if each.name not in closed)
    forms = [each for each in in_plan if each.singular.startswith(kind)]
    hits, save = [], None
    for each in forms:
        url = each.url(page="create")
        if line:
            url = f"{url}?{urlencode({LINE: line})}"
            save = send_filled(ctx, url, f"New {each.singular}")
        hint = "" if line else f"+{each.singular} {EXAMPLES[each.singular]}"
        label = values.link(url, f"New {each.singular}")
        hits.append(Hit(label, hint, "plus", f"c {each.key}", save))
    parts = parts_of(forms[0].singular, line, ctx) if forms and line else []
    return ([HitGroup("Create", hits)] if hits else []), parts
