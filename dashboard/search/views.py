"""The page of the search, and the part of it that the palette shows."""

from collections.abc import Collection
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import path
from django.views.decorators.http import require_http_methods, require_POST

from dashboard import resources
from dashboard.accounts.permissions import EDIT_RECORDS, VIEW_RECORDS, permission_required
from dashboard.context import RequestContext, page
from dashboard.declare.resource import Resource
from dashboard.display import values
from dashboard.gateway.records import read_id
from dashboard.lists.query import ALL
from dashboard.pages.saved_lists import NamedList, saved_of, views_of
from dashboard.preferences import recents
from dashboard.reader.sealed_cache import owner_of
from dashboard.site.shell import Shell

from .finding import Hit, HitGroup, entry_hits, find, is_entry, last_opened, name_records, note_for

LONGEST = 400  # characters of a search


@require_http_methods(["GET", "HEAD", "POST"])
@permission_required(VIEW_RECORDS)
@page
def show_search(ctx: RequestContext) -> HttpResponse:
    """Records, pages and commands that match `q`; what was opened last for an empty one.

    With hits=1 only the list of hits, for the palette. It posts, as proxies and browsers write
    addresses into their logs and histories.
    """
    given = ctx.request.POST if ctx.request.method == "POST" else ctx.params
    text = given.get("q", "").strip()[:LONGEST]
    if is_entry(text) and ctx.may(EDIT_RECORDS):
        groups, parts = entry_hits(ctx, text)
        context = {"q": text, "groups": groups, "understood": parts}
    else:
        context = _found(ctx, text)
    template = "search/_hits.html" if given.get("hits") else "search/page.html"
    return ctx.render(template, context)


def _found(ctx: RequestContext, text: str) -> dict[str, Any]:
    if not text:
        ctx = _with_names(ctx)
    records, shell = find(ctx, text) if text else last_opened(ctx), Shell(ctx.request)
    shown = [each._replace(hits=shell.staying(each.hits, "label.url")) for each in records]
    found = [each for each in shown if each.hits or each.failure]
    groups = [*found, *_commands(shell, ctx, text)]
    return {"q": text, "groups": groups, "note": note_for(text), "late": ctx.late}


@require_POST
@permission_required(VIEW_RECORDS)
@page
def star_record(ctx: RequestContext) -> HttpResponse:
    """Star a record or take its star away; for htmx the new star, else back to the record."""
    posted = ctx.request.POST
    known = {each.name: each for each in resources.ALL}
    resource = known.get(posted.get("resource", ""))
    record_id = read_id(posted.get("record", ""))
    if resource is None or record_id is None:
        raise Http404
    on = posted.get("on") == "1"
    recents.star(ctx.user, owner_of(ctx.gateway), resource.name, record_id, on=on)
    if not ctx.request.htmx:
        return redirect(resource.url(record_id))
    context = {"resource": resource, "record_id": str(record_id), "starred": on}
    return ctx.render("pages/_star.html", context)


def _with_names(ctx: RequestContext) -> RequestContext:
    if ctx.person is None:
        return ctx
    owner = owner_of(ctx.gateway)
    refs = [*recents.starred(ctx.person, owner), *recents.recent(ctx.person, owner, 20)]
    return name_records(ctx, refs)


def _commands(shell: Shell, ctx: RequestContext, text: str) -> list[HitGroup]:
    """The pages of the menu and the forms for new records whose words match the text."""
    entries = [entry for group in shell.menu for entry in group]
    pages = [
        Hit(values.link(entry.url, entry.item.label), "", entry.item.icon, f"g {entry.item.key}")
        for entry in entries
    ]
    pages += [
        Hit(values.link(one.url, one.label), "", one.icon, one.keys) for one in shell.shortcuts
    ]
    pages += [
        Hit(values.link(view.url, f"{each.label}: {view.label}"), "", each.icon)
        for each, view in (_views(ctx, {one.item.section for one in entries}) if text else ())
    ]
    new = [
        Hit(
            values.link(entry.create_url, entry.item.create_label),
            "",
            "plus",
            f"c {entry.item.key}",
        )
        for entry in entries
        if entry.create_url
    ]
    groups = [HitGroup("Create", _matching(new, text)), HitGroup("Go to", _matching(pages, text))]
    return [group for group in groups if group.hits]


def _views(ctx: RequestContext, sections: Collection[str]) -> list[tuple[Resource, NamedList]]:
    """The named lists of the resources that the person has in the menu."""
    saved = saved_of(ctx)
    return [
        (each, view)
        for each in resources.ALL
        if each.name in sections
        for view in views_of(each, ctx, saved)
        if view.key != ALL
    ]


def _matching(hits: list[Hit], text: str) -> list[Hit]:
    words = text.casefold().split()
    return [hit for hit in hits if all(word in hit.label.text.casefold() for word in words)]


urls = (
    [path("", show_search, name="page"), path("star/", star_record, name="star")],
    "search",
)
