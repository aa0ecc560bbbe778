"""The search over all resources: its page, and the part of it that the palette shows."""

import re
from collections.abc import Collection
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import path
from django.views.decorators.http import require_POST

from dashboard.core import after_response
from dashboard.core.service_name import SERVICE_AT_START
from dashboard.core.templates import address
from dashboard.documents import receivables
from dashboard.documents.invoices import INVOICES
from dashboard.gateway import CONTACTS, GatewayError, concurrency
from dashboard.gateway.records import read_id
from dashboard.office import recents
from dashboard.people.context import RequestContext, page
from dashboard.people.keys import owner_of
from dashboard.people.permissions import (
    EDIT_RECORDS,
    VIEW_RECORDS,
    permission_required,
)
from dashboard.reader import identity, lookups
from dashboard.reader.failures import describe
from dashboard.reader.find import Match, has_folded_signs, search, search_documents
from dashboard.records.form_drafts import send_filled
from dashboard.resources.quick_entry import LINE, parts_of
from dashboard.resources.quick_entry_grammar import EntryPart
from dashboard.schema import cells, titles, values
from dashboard.schema.cells import Names
from dashboard.schema.phones import phones_of
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource
from dashboard.search import caller_index
from dashboard.search.commands import command_groups, statement_group
from dashboard.search.hits import ENTRY, Hit, HitGroup, hits_of, is_entry, preview_of
from dashboard.search.models import CallerIndex
from dashboard.search.preview import show_preview
from dashboard.text.dates import format_datetime
from dashboard.text.numbers import read_number
from dashboard.text.plain import typed_text
from dashboard.text.style import NotReadable
from dashboard.writes.deletions import toasts_of, without_pending
from dashboard.writes.sidebar import sidebar_of

MAX_RESULTS = 5  # of each resource
MAX_RECENT = 6
NUMBER = re.compile(r"^[\w-]*\d+$")
DOCUMENTS = ("invoices", "estimates")
RECENT_RECORDS = "Recent records"
ALL_CONTACTS, SOME_CONTACTS = "All contacts", "Contacts loaded so far"
MAX_CALLERS = 8  # contacts that are read and compared
ONLY_RECENT = "Only recent records were searched."
SEARCHING = "Searching all contacts for this number…"
AMOUNT = re.compile(r"\d[\d .,'\N{RIGHT SINGLE QUOTATION MARK}]*[.,]\d\d")
EXAMPLES = {
    "contact": "Zoe Zebra zoe@zebra.example 030 1234567",
    "lead": "Zoe Zebra zoe@zebra.example trade fair",
    "task": "call Acorn tomorrow 15:00 !high",
}
MAX_QUERY_LENGTH = 400  # characters of a search


def search_all(ctx: RequestContext, text: str, last: CallerIndex | None) -> list[HitGroup]:
    """Return the matching records, one group for each resource in the plan; a group that fails has
    the reason. For a phone number, recently opened records come first, then contacts of the caller
    index (`last`).
    """
    searched = in_plan(ctx)
    search_one = partial(search, text=text, in_any_spelling=has_folded_signs(text))
    of_documents = partial(search_documents, text=text)
    calls = [
        partial(of_documents if each.name in DOCUMENTS else search_one, ctx.gateway, each.endpoint)
        for each in searched
    ]
    answers = concurrency.gather(calls)
    groups = {
        resource.name: _group(ctx, resource, matches)
        for resource, matches in zip(searched, answers, strict=True)
    }
    ordered = without_repeats([groups[name] for name in _order(text) if name in groups])
    lately = _seen_lately(ctx, text)
    contacts = [groups[name] for name in groups if name == CONTACTS.name]
    known = {hit.label.url for group in (lately, *contacts) for hit in group.hits}
    listed = _listed(ctx, text, last, known)
    others = (statement_group(ctx, text), _invoices_of(ctx, text))
    return [each for each in (*others, lately, listed, *ordered) if each.hits or each.failure]


def in_plan(ctx: RequestContext) -> list[Resource]:
    return [each for each in RESOURCES.values() if each.name not in ctx.closed_areas]


def without_repeats(groups: list[HitGroup]) -> list[HitGroup]:
    """Merge groups with the same reason if all of them failed."""
    if not all(group.failure for group in groups):
        return groups
    reasons: dict[str, list[str]] = {}
    for group in groups:
        reasons.setdefault(group.failure, []).append(group.title)
    if len(reasons) == 1:
        return [HitGroup("Search", [], *reasons)]
    return [HitGroup(", ".join(titles), [], reason) for reason, titles in reasons.items()]


def _seen_lately(ctx: RequestContext, text: str) -> HitGroup:
    typed = identity.typed_number(text)
    rows = recents.seen(ctx.user, owner_of(ctx.gateway)) if typed else []
    same = [
        (RESOURCES[one.resource], one)
        for one in rows
        if one.resource in RESOURCES
        and any(identity.is_caller(typed, number) for number in one.numbers)
    ]
    hits = []
    for resource, one in same[:MAX_RESULTS]:
        title = one.title or f"{resource.singular.capitalize()} {one.record_id}"
        link = values.link(resource.url(one.record_id), title)
        hits.append(Hit(link, ", ".join(one.numbers), resource.icon))
    return HitGroup(RECENT_RECORDS, hits)


def _listed(
    ctx: RequestContext, text: str, last: CallerIndex | None, known: Collection[str]
) -> HitGroup:
    """Return the contacts of the caller index with this number, or with this email address or these
    words if the service finds no contact by them. Each is read with the person's keys. `known`: the
    URLs of hits that are shown already.
    """
    typed = identity.typed_number(text)
    if last is None or (known and not typed):
        return HitGroup(ALL_CONTACTS, [])
    ids = caller_index.by_number(last, typed, MAX_CALLERS) if typed else ()
    ids = ids or caller_index.by_words(last, text, MAX_RESULTS)
    read = lookups.read_records(ctx.gateway, CONTACTS, ids)
    resource, hits = RESOURCES[CONTACTS.name], []
    for contact in [read[number] for number in ids if number in read]:
        numbers = phones_of(resource.create_form, contact)
        is_theirs = not typed or any(identity.is_caller(typed, number) for number in numbers)
        link = values.link(resource.url(contact.id), resource.title(contact))
        if is_theirs and link.url not in known:
            hits.append(Hit(link, ", ".join(numbers), resource.icon))
    return HitGroup(SOME_CONTACTS if last.missing else ALL_CONTACTS, hits)


def _invoices_of(ctx: RequestContext, text: str) -> HitGroup:
    title = "Open invoices with this amount"
    if not AMOUNT.fullmatch(text) or INVOICES.name in ctx.closed_areas:
        return HitGroup(title, [])
    try:
        amount = read_number(text, ctx.style)
        invoices = receivables.Reading(ctx).result().invoices
    except NotReadable:
        return HitGroup(title, [])
    except GatewayError as error:
        return HitGroup(title, [], describe(error).title)
    resource = RESOURCES[INVOICES.name]
    matches = [
        Match(each.id, resource.title(each), "", each)
        for each in invoices
        if amount in (each["total"], each["amount_due"])
    ]
    return _group(ctx, resource, matches)._replace(title=title)


def last_opened(ctx: RequestContext) -> tuple[list[HitGroup], str]:
    """Return the starred and recently opened records, and the URL of the names still to come."""
    owner = owner_of(ctx.gateway)
    starred = recents.opened(ctx.user, owner, starred=True)
    recent = recents.opened(ctx.user, owner, starred=False)[:MAX_RECENT]
    shown = [*starred, *recent]
    names = titles.names_of(ctx, [(RESOURCES[name].endpoint, number) for name, number in shown])
    groups = [("Starred", starred, "star"), ("Recent", recent, "")]
    found = [HitGroup(title, _named(names, refs, icon)) for title, refs, icon in groups if refs]
    return found, names.late_url


def caller_note(ctx: RequestContext, text: str, last: CallerIndex | None) -> dict[str, Any]:
    """Return where a phone number was searched; {} for any other text. `reading`: the index that is
    still being read, for which the palette asks again.
    """
    if not identity.typed_number(text):
        return {}
    if last is None and not ctx.may(EDIT_RECORDS):
        return {"note": f"{SERVICE_AT_START} can't search by phone number. {ONLY_RECENT}"}
    if last is None:
        reading = caller_index.under_way(ctx.workspace)
        return {"note": SEARCHING, "is_waiting": True, "reading": reading}
    read, missing = last.contacts, last.missing
    among = f"{read:,} of {read + missing:,}" if missing else f"all {read:,}"
    at = format_datetime(last.job.created_at)
    return {"note": f"Searched {among} contacts ({at}) and recent records."}


def _group(
    ctx: RequestContext, resource: Resource, matches: list[Match] | GatewayError
) -> HitGroup:
    if isinstance(matches, GatewayError):
        return HitGroup(resource.label, [], describe(matches).title)
    shown = matches[:MAX_RESULTS]
    hits = [
        hit._replace(preview=preview_of(resource, match.id, match.record))
        for match, hit in zip(shown, hits_of(ctx, resource, shown), strict=True)
    ]
    return HitGroup(resource.label, hits)


def _order(text: str) -> list[str]:
    return sorted(RESOURCES, key=lambda name: bool(NUMBER.match(text)) and name not in DOCUMENTS)


def _named(names: Names, refs: list[recents.RecordRef], icon: str) -> list[Hit]:
    return [
        Hit(
            cells.titled(RESOURCES[name].endpoint, number, names),
            RESOURCES[name].singular.capitalize(),
            icon or RESOURCES[name].icon,
        )
        for name, number in refs
        if name in RESOURCES and address(name)
    ]


def entry_hits(ctx: RequestContext, text: str) -> tuple[list[HitGroup], list[EntryPart]]:
    """Return the forms that a text may fill, and how it is parsed for the first of them. The word
    after the plus sign may be shortened: "+l" stands for a lead.
    """
    entry = ENTRY.fullmatch(text)
    kind, line = (entry["kind"].lower(), (entry["line"] or "").strip()) if entry else ("", "")
    forms = [
        each
        for each in in_plan(ctx)
        if each.singular.startswith(kind) and (not line or each.singular in EXAMPLES)
    ]
    hits, save = [], None
    for each in forms:
        url = each.url(page="create")
        if line:
            url = f"{url}?{urlencode({LINE: line})}"
            save = send_filled(ctx, url, f"New {each.singular}")
        example = "" if line else EXAMPLES.get(each.singular, "")
        hint = f"+{each.singular} {example}" if example else ""
        label = values.link(url, f"New {each.singular}")
        hits.append(Hit(label, hint, "plus", f"c {each.key}", save))
    parts = parts_of(forms[0].singular, line, ctx) if forms and line else []
    return ([HitGroup("Create", hits)] if hits else []), parts


@permission_required(VIEW_RECORDS)
@page
def show_search(ctx: RequestContext) -> HttpResponse:
    """Show records, pages and commands that match `q`, or recently opened records without it. With
    hits=1, return only the list of hits, for the palette. The palette posts, because proxies and
    browsers log URLs.
    """
    given = ctx.request.POST if ctx.request.method == "POST" else ctx.params
    text = typed_text(given, "q")[:MAX_QUERY_LENGTH]
    if is_entry(text) and ctx.may(EDIT_RECORDS):
        groups, parts = entry_hits(ctx, text)
        context = {"q": text, "groups": groups, "understood": parts}
    else:
        context = _found(ctx, text)
    template = "search/_hits.html" if given.get("hits") else "search/page.html"
    return ctx.render(template, context)


def _found(ctx: RequestContext, text: str) -> dict[str, Any]:
    last = caller_index.last_read(ctx.workspace) if text else None
    records, late = (search_all(ctx, text, last), "") if text else last_opened(ctx)
    toasts = toasts_of(ctx.user) if sidebar_of(ctx.request).deletions else []
    if identity.is_whole(identity.typed_number(text)):
        after_response.run_after_response(caller_index.renew, ctx=ctx, last=last)
    remaining = [
        each._replace(hits=without_pending(each.hits, "label.url", toasts)) for each in records
    ]
    record_groups = [each for each in remaining if each.hits or each.failure]
    groups = [*record_groups, *command_groups(ctx, text)]
    return {"q": text, "groups": groups, "late": late, **caller_note(ctx, text, last)}


@require_POST
@permission_required(VIEW_RECORDS)
@page
def star_record(ctx: RequestContext) -> HttpResponse:
    """Add or remove a star. Return the new star for htmx, else redirect to the record."""
    posted = ctx.request.POST
    resource = RESOURCES.get(posted.get("resource", ""))
    record_id = read_id(posted.get("record", ""))
    if resource is None or record_id is None:
        raise Http404
    on = posted.get("on") == "1"
    recents.star(ctx.user, owner_of(ctx.gateway), resource.name, record_id, on=on)
    if not ctx.request.htmx:
        return redirect(resource.url(record_id))
    context = {"resource": resource, "record_id": str(record_id), "starred": on}
    return ctx.render("records/_star.html", context)


app_name = "search"
urlpatterns = [
    path("", show_search, name="page"),
    path("preview/", show_preview, name="preview"),
    path("star/", star_record, name="star"),
]
