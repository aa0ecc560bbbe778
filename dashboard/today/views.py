"""The page Today: one round of calls side by side, one block for each."""

from collections import Counter
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_safe

from dashboard.accounts.models import User
from dashboard.accounts.permissions import EDIT_RECORDS, VIEW_RECORDS, permission_required
from dashboard.context import RequestContext, page_without_keys
from dashboard.declare.registry import RESOURCES
from dashboard.display import titles
from dashboard.drafts import services as drafts
from dashboard.forms import defaults
from dashboard.gateway import whole_number
from dashboard.ledger import history
from dashboard.ledger import services as ledger
from dashboard.ledger.models import Write
from dashboard.markup import address, page_url
from dashboard.pages import repeating
from dashboard.pages.blocks import trouble
from dashboard.pages.draft_entries import draft_entries
from dashboard.pages.form_drafts import time_in_words
from dashboard.pages.sidebar import sidebar_of
from dashboard.sealed import readable
from dashboard.setup import steps
from dashboard.writes import outcomes

from . import blocks, pictures
from .fetch import Sources

FORMS = 3
ENTERED = 5


@require_safe
@permission_required(VIEW_RECORDS)
@page_without_keys
def show_today(ctx: RequestContext) -> HttpResponse:
    """What is due, who owes, and what was left undone. A block that fails says so by itself.

    Somebody without keys is led to the welcome, an administrator of a workspace that is not set up
    to the setup page.
    """
    if not ctx.workspace:
        return redirect("credentials:connect")
    if steps.is_first(ctx.user):
        return redirect("setup:page")
    ctx.open_keys()
    today = timezone.localdate()
    sources = Sources(ctx.gateway, today, whole_number(defaults.own_id(ctx)))
    may_edit = ctx.may(EDIT_RECORDS)
    own = _own(ctx) if may_edit else {}  # while the service answers
    sources.wait()
    owing = pictures.debtors(ctx, sources)
    sources.names = titles.names_of(ctx, sources.pointers(owing.shown))
    blocks_by_name = {block.name: block for block in blocks.all_blocks(sources, owing, ctx)}
    context = {
        "today": today,
        "blocks": blocks_by_name,
        "is_empty": sources.is_empty,
        "trouble": trouble(blocks_by_name.values()),
        "late": sources.names.late_url,
        "may_edit": may_edit,
        **own,
    }
    return ctx.render("today/today.html", context)


def _own(ctx: RequestContext) -> dict[str, Any]:
    entered, latest = entered_today(ctx.user, ctx.workspace)
    is_any_due = sidebar_of(ctx.request).again
    return {
        "again": repeating.due_block(ctx, timezone.localdate()) if is_any_due else None,
        "books": own_books(ctx),
        "entered": entered,
        "latest": latest,
    }


class OwnBook(NamedTuple):
    """One line: what waits or was done, where it is, and when. `is_unsure` colours it."""

    label: str
    url: str
    time: str = ""
    is_unsure: bool = False


def own_books(ctx: RequestContext) -> list[OwnBook]:
    """Unresolved writes and unfinished forms, read where the sidebar's counts tell of any."""
    left = sidebar_of(ctx.request)
    unresolved = ledger.unresolved(ctx.user)[:FORMS] if left.unresolved else ()
    forms_left = drafts.latest_drafts(ctx.user, ctx.workspace, most=FORMS) if left.forms else ()
    unsure = [
        OwnBook(
            outcomes.question(each),
            page_url("unsure:show", each.pk),
            "not sure",
            is_unsure=True,
        )
        for each in unresolved
    ]
    forms = [
        OwnBook(", ".join([entry["label"], *entry["facts"]]), entry["url"], entry["at"])
        for entry in draft_entries(forms_left, ctx)
        if entry["url"] and not entry["is_old"]
    ]
    return [*unsure, *forms]


def entered_today(person: User, workspace: str) -> tuple[str, list[OwnBook]]:
    """What the person created today in words ("14 invoices, 3 contacts"), and the latest ones."""
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    found, entries = history.created_since(person, workspace, since=midnight, most=ENTERED)
    counts = Counter(found)
    words = [
        f"{number:,} {RESOURCES[name].singular if number == 1 else name}"
        for name, number in counts.most_common()
        if name in RESOURCES
    ]
    latest = [
        OwnBook(
            _label(entry),
            address(entry.resource, entry.record_id),
            time_in_words(entry.at),
        )
        for entry in entries
        if entry.resource in RESOURCES
    ]
    return ", ".join(words), latest


def _label(entry: Write) -> str:
    noun = RESOURCES[entry.resource].singular.capitalize()
    return f"{noun} {readable(entry, 'changes').get('label', entry.record_id)}"


app_name = "today"
urlpatterns = [path("", show_today, name="home")]
