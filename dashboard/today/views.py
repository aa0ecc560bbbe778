"""The page Today: one round of calls side by side, one block for each."""

from functools import partial
from time import monotonic
from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_safe

from dashboard.accounts.permissions import EDIT_RECORDS, VIEW_RECORDS, permission_required
from dashboard.documents.open_invoices import OpenInvoices, read_open_invoices
from dashboard.gateway import DEALS, LEADS, TASKS, Gateway, GatewayError, side_by_side
from dashboard.records.context import StaffRequest, context_of
from dashboard.records.pages.blocks import ROWS
from dashboard.records.references import titles

from . import blocks, books


@require_safe
@permission_required(VIEW_RECORDS)
def show_today(request: HttpRequest) -> HttpResponse:
    """What is due, who owes, and what was left undone. A block that fails says so by itself."""
    staff, begun = cast(StaffRequest, request), monotonic()
    ctx = context_of(staff)
    sources = read_sources(ctx.gateway)
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


def read_sources(gateway: Gateway) -> blocks.Sources:
    """The answers of all calls. The invoices take a second round where there are over 100."""
    today = timezone.localdate()
    tasks = [
        side_by_side.start(
            partial(
                gateway.list,
                TASKS,
                filters={"status": status, "due_date_to": today},
                page_size=blocks.TASK_PAGE,
            )
        )
        for status in blocks.OPEN_TASKS
    ]
    deals = side_by_side.start(partial(gateway.list, DEALS, page_size=blocks.DEAL_PAGE))
    leads = side_by_side.start(
        partial(gateway.list, LEADS, filters={"lead_status": "New"}, page_size=ROWS)
    )
    return blocks.Sources(
        _invoices(gateway),
        [task.result() for task in tasks],
        deals.result(),
        leads.result(),
    )


def _invoices(gateway: Gateway) -> OpenInvoices | GatewayError:
    try:
        return read_open_invoices(gateway)
    except GatewayError as error:
        return error


urls = ([path("", show_today, name="home")], "today")
