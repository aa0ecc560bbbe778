"""The page Today: one round of calls side by side, one block for each."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_safe

from dashboard.accounts.permissions import EDIT_RECORDS, VIEW_RECORDS, permission_required
from dashboard.context import RequestContext, page_without_keys
from dashboard.display import titles
from dashboard.forms import defaults
from dashboard.gateway import whole_number
from dashboard.pages.blocks import trouble
from dashboard.setup import steps

from . import blocks, books
from .sources import Round

FIGURES = ("overdue", "due", "deals", "tasks")


@require_safe
@permission_required(VIEW_RECORDS)
@page_without_keys
def show_today(ctx: RequestContext) -> HttpResponse:
    """What is due, who owes, and what was left undone. A block that fails says so by itself.

    An administrator of a workspace that is not set up is led to the setup page.
    """
    if steps.is_first(ctx.user):
        return redirect("setup:page")
    ctx.open_keys()
    today = timezone.localdate()
    calls = Round(ctx.gateway, today, whole_number(defaults.own_id(ctx)))
    may_edit = ctx.may(EDIT_RECORDS)
    own = _own(ctx) if may_edit else {}  # while the service answers
    sources = calls.result()
    ctx = titles.name(ctx, sources.pointers(), least_wait=0)
    found = {block.name: block for block in blocks.all_blocks(sources, ctx)}
    context = {
        "today": today,
        "blocks": found,
        "figures": [found[name].figure for name in FIGURES],
        "is_empty": sources.is_empty,
        "trouble": trouble(found.values()),
        "late": ctx.late,
        "may_edit": may_edit,
        **own,
    }
    return ctx.render("today/today.html", context)


def _own(ctx: RequestContext) -> dict[str, Any]:
    """What the dashboard keeps for somebody who may edit."""
    entered, latest = books.entered_today(ctx.user, ctx.workspace)
    return {
        "books": books.own_books(ctx.user, ctx.workspace),
        "entered": entered,
        "latest": latest,
    }


urls = ([path("", show_today, name="home")], "today")
