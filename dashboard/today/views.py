"""The page Today: one round of calls side by side, one block for each."""

from concurrent.futures import Future
from functools import partial
from time import monotonic
from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_safe

from dashboard.accounts.permissions import EDIT_RECORDS, VIEW_RECORDS, permission_required
from dashboard.documents.open_invoices import OpenInvoices, read_open_invoices
from dashboard.gateway import (
    DEALS,
    LEADS,
    TASKS,
    Gateway,
    GatewayError,
    Page,
    side_by_side,
    whole_number,
)
from dashboard.records.context import StaffRequest, context_of
from dashboard.records.pages import defaults
from dashboard.records.pages.blocks import ROWS
from dashboard.records.references import titles
from dashboard.setup import steps

from . import blocks, books


@require_safe
@permission_required(VIEW_RECORDS)
def show_today(request: HttpRequest) -> HttpResponse:
    """What is due, who owes, and what was left undone. A block that fails says so by itself.

    An administrator of a workspace that is not set up is led to the setup page.
    """
    staff, begun = cast(StaffRequest, request), monotonic()
    if steps.is_first(staff.user):
        return redirect("setup:page")
    ctx = context_of(staff)
    sources = read_sources(ctx.gateway, whole_number(defaults.own_id(ctx)))
    pointers = blocks.pointers(sources, timezone.localdate())
    ctx = titles.name(ctx, pointers, round_trip=monotonic() - begun)
    may_edit = staff.user.has_perm(EDIT_RECORDS)
    context = {
        "today": timezone.localdate(),
        "blocks": {block.name: block for block in blocks.all_blocks(sources, ctx)},
        "late": ctx.late,
        "may_edit": may_edit,
    }
    if may_edit:
        entered, latest = books.entered_today(staff.user, ctx.workspace)
        context |= {
            "books": books.own_books(staff.user, ctx.workspace),
            "entered": entered,
            "latest": latest,
        }
    return render(request, "today/today.html", context)


def read_sources(gateway: Gateway, me: int | None = None) -> blocks.Sources:
    """The answers of all calls. The invoices take a second round where there are over 100.

    me: the person's own user id in the service, if it is known.
    """
    tasks = [_start_tasks(gateway, status) for status in blocks.OPEN_TASKS]
    mine = [_start_tasks(gateway, status, me) for status in blocks.OPEN_TASKS if me]
    deals = side_by_side.start(partial(gateway.list, DEALS, page_size=blocks.DEAL_PAGE))
    leads = side_by_side.start(
        partial(gateway.list, LEADS, filters={"lead_status": "New"}, page_size=ROWS)
    )
    return blocks.Sources(
        _invoices(gateway),
        [task.result() for task in tasks],
        [task.result() for task in mine],
        deals.result(),
        leads.result(),
    )


def _start_tasks(
    gateway: Gateway, status: int, me: int | None = None
) -> "Future[Page | GatewayError]":
    """Begin to read the tasks of a status that are due by today: all, or those of one user."""
    filters = {"status": status, "due_date_to": timezone.localdate()}
    filters |= {"assigned_user_id": me} if me else {}
    return side_by_side.start(
        partial(gateway.list, TASKS, filters=filters, page_size=blocks.TASK_PAGE)
    )


def _invoices(gateway: Gateway) -> OpenInvoices | GatewayError:
    try:
        return read_open_invoices(gateway)
    except GatewayError as error:
        return error


urls = ([path("", show_today, name="home")], "today")
