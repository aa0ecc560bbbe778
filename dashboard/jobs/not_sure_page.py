"""The page that works off the rows of unknown outcome of an ended job, many at one press."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from dashboard.context import StaffRequest
from dashboard.declare.resource import Resource
from dashboard.jobs import leases, looking, row_results, services
from dashboard.jobs.models import Job
from dashboard.jobs.views import own_job, refuse_other_workspace
from dashboard.ledger.models import Write
from dashboard.reader.sealed_cache import owner_of

Found, Plan = Write.Found, Write.Plan
SHOWN = 50  # rows of each pile
NOTHING_LEFT = "There is nothing left to do here: look at the rows below."


@require_safe
def show(request: StaffRequest, pk: int, resources: Mapping[str, Resource]) -> HttpResponse:
    """What has been found for the rows that are not sure, and what can be done for all of them."""
    job = own_job(request, pk)
    if job.state not in leases.ENDED:
        return redirect("jobs:show", pk)
    rows = list(looking.open_rows(job))
    piles = {
        found.name.lower(): _pile([row for row in rows if row.found == found], job, resources)
        for found in (Found.SAME, Found.NOTHING)
    }
    others = [row for row in rows if row.found not in (Found.SAME, Found.NOTHING)]
    context = {"job": job, "title": job.title, **piles, "others": _pile(others, job, resources)}
    return render(request, "jobs/not_sure.html", context)


@require_POST
def begin(request: StaffRequest, pk: int) -> HttpResponse:
    """Look for the rows once more, then settle or send those for which that is still right."""
    plan = request.POST.get("plan", "")
    if plan not in Plan.values:
        raise Http404
    job = own_job(request, pk)
    if refused := refuse_other_workspace(request, job):
        return refused
    if not services.work_off_not_sure(job, owner_of(request.gateway), plan):
        messages.info(request, NOTHING_LEFT)
    return redirect("jobs:show", pk)


def _pile(rows: list[Write], job: Job, resources: Mapping[str, Resource]) -> dict[str, Any]:
    """How many rows there are, and the first of them with the record that was found."""
    return {"count": len(rows), "rows": [_line(row, job, resources) for row in rows[:SHOWN]]}


def _line(row: Write, job: Job, resources: Mapping[str, Resource]) -> dict[str, str]:
    number, resource = looking.candidate_of(row), resources.get(job.resource)
    label = row_results.sends(row).get("label")
    url = resource.url(number) if resource and number else ""
    return {"label": label or f"Row {row.number}", "url": url}
