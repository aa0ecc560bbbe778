"""The page of a scan: how far it is, and the records found."""

from collections.abc import Callable
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from dashboard.accounts.permissions import EDIT_RECORDS, permission_required
from dashboard.context import RequestContext, page, page_without_keys
from dashboard.declare.resource import Resource, ResourcePage
from dashboard.display import titles
from dashboard.jobs.progress_words import progress_of
from dashboard.jobs.views import refuse_other_workspace
from dashboard.lists import table
from dashboard.lists.fetching import fetch
from dashboard.lists.query import ListQuery
from dashboard.scans import jobs, storage
from dashboard.scans.models import Match, Scan
from dashboard.text.dates import format_datetime

ON_A_PAGE = 50


@require_POST
@page
def begin(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """Begin to read the list to its end; one that was read as a whole is shown as it is."""
    query = ListQuery.read(resource, ctx.params, ctx.style)
    read = fetch(ctx, query).read
    if read is None or read.complete:
        return redirect(query.url())
    return redirect("scans:show", jobs.create(ctx, ctx.user, query, read.total).pk)


@require_safe
@page_without_keys
def show_scan(ctx: RequestContext, pk: int) -> HttpResponse:
    """How far a scan of one's own is, and what it has found."""
    scans = Scan.objects.select_related("job__person")
    scan = get_object_or_404(scans, job=pk, job__person=ctx.user)
    if refused := refuse_other_workspace(ctx, scan.job):
        return refused
    query = jobs.query_of(scan.job, ctx.style)
    ended, until = scan.job.finished_at, scan.kept_until
    context = {
        **progress_of(scan.job),
        "title": scan.job.title,
        "list_url": query.url(),
        "finished": until is not None,
        "at": format_datetime(ended) if ended else "",
        "until": format_datetime(until) if until else "",
        "expired": bool(until and until <= timezone.now()),
        "warnings": scan.gaps(scan.job.resource),
        **_results(ctx, scan, query),
    }
    return ctx.render("scans/show.html", context)


def pages_of(resource: Resource) -> dict[str, ResourcePage]:
    """The page of a resource, every one of which has a filter that the service lacks."""
    return {"scan": ResourcePage("look-through/", begin, EDIT_RECORDS)}


def scan_urls() -> tuple[list[URLPattern], str]:
    """The page of a scan."""
    view: Callable[..., HttpResponseBase] = show_scan
    shown_view = permission_required(EDIT_RECORDS)(view)
    return [path("<int:pk>/", shown_view, name="show")], "scans"


def _results(ctx: RequestContext, scan: Scan, query: ListQuery) -> dict[str, Any]:
    """The context of lists/_table.html, for one page of the matches."""
    resource = query.resource
    matches = Match.objects.filter(scan=scan).select_related("scan__job")
    page = Paginator(matches, ON_A_PAGE).get_page(ctx.params.get("page"))
    records = tuple(storage.record(match, resource.endpoint) for match in page)
    ctx = titles.fill(ctx, query.shown, records)
    unsortable = frozenset(column.name for column in query.shown)
    return {
        "resource": resource,
        "page": page,
        "chips": [chip.label for chip in table.chips(query, ctx)],
        "table": table.ListTable(query, records, ctx, unsortable=unsortable),
        "late": ctx.late,
    }
