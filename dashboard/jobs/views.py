"""The pages of jobs: the list, and one job with its progress, rows and actions."""

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode
from zlib import crc32

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import path, reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from dashboard.core import after_response
from dashboard.core.sealed import readable
from dashboard.core.templates import page_url
from dashboard.gateway import GatewayError
from dashboard.jobs import leases, row_results, services
from dashboard.jobs.export_files import csv_answer
from dashboard.jobs.export_views import send_file
from dashboard.jobs.kinds import kind_of
from dashboard.jobs.leases import RUNNABLE
from dashboard.jobs.models import Export, Job
from dashboard.jobs.progress_words import TONES, outcomes_of, progress_of
from dashboard.people.context import RequestContext, page, page_without_keys
from dashboard.people.keys import owner_of, workspace_name
from dashboard.people.permissions import EDIT_RECORDS, MANAGE_SETTINGS, permission_required
from dashboard.schema.registry import RESOURCES
from dashboard.text.dates import format_datetime
from dashboard.writes import deletions
from dashboard.writes.models import Write

Row = Write.State
JOBS_ON_A_PAGE, ROWS_ON_A_PAGE = 25, 50
RELOAD_AFTER = "3"  # seconds, until rows that a paused or ended job was sending have an outcome
COLUMNS = ("row", "name", "outcome", "id", "answer")
ALREADY_ENDED = "This job has already finished."
OTHER_WORKSPACE = "This belongs to the workspace {}. Connect API keys of it first."


def visible(ctx: RequestContext) -> QuerySet[Job]:
    """Return the person's own jobs; for administrators all of their workspace."""
    may_be_seen = Q(person=ctx.user)
    if ctx.workspace and ctx.may(MANAGE_SETTINGS):
        may_be_seen |= Q(workspace=ctx.workspace)
    begun_jobs = Job.objects.filter(may_be_seen).exclude(state=Job.State.PROPOSED)
    return begun_jobs.select_related("person").order_by("-pk")


@require_safe
@page_without_keys
def list_jobs(ctx: RequestContext) -> HttpResponse:
    page = Paginator(visible(ctx), JOBS_ON_A_PAGE).get_page(ctx.params.get("page"))
    jobs = [{**progress_of(job), "at": format_datetime(job.created_at)} for job in page]
    return ctx.render("jobs/list.html", {"page": page, "jobs": jobs})


@require_safe
@page_without_keys
def show_job(ctx: RequestContext, pk: int) -> HttpResponseBase:
    """Show a job; for htmx only its progress, and a reload once its state has changed."""
    job = get_object_or_404(visible(ctx), pk=pk)
    if ctx.request.htmx:
        return _progress(ctx, job)
    if job.state not in RUNNABLE:
        after_response.run_after_response(row_results.requeue_idle, job=job.pk)
    # Its person may have settled a row on its own page.
    job.counts = row_results.counts(job) or job.counts
    if ctx.params.get("format") == "csv":
        return csv_answer(f"job-{job.pk}.csv", _csv_rows(job))
    context = _context(ctx, job)
    response = ctx.render("jobs/job.html", context)
    if context["sending"]:
        response.headers["Refresh"] = RELOAD_AFTER
    return response


def _progress(ctx: RequestContext, job: Job) -> HttpResponse:
    context = progress_of(job)
    if not context["live"]:
        return HttpResponseClientRefresh()
    return ctx.render("jobs/_progress.html", context | _shown_rows(ctx, job))


@require_POST
@page
def halt(ctx: RequestContext, pk: int, change: Callable[[Job], bool]) -> HttpResponse:
    """Pause or stop a job."""
    return _answer(ctx, pk, change(get_object_or_404(visible(ctx), pk=pk)))


@require_POST
@page
def go_on(ctx: RequestContext, pk: int, change: Callable[[Job, str], int]) -> HttpResponse:
    """Continue one's own job; `change` is given its new owner."""
    job = own_job(ctx, pk)
    return refuse_other_workspace(ctx, job) or _answer(ctx, pk, change(job, owner_of(ctx.gateway)))


def own_job(ctx: RequestContext, pk: int, kind: str = "") -> Job:
    of_kind = {"kind": kind} if kind else {}
    return get_object_or_404(Job, pk=pk, person=ctx.user, **of_kind)


def refuse_other_workspace(ctx: RequestContext, job: Job) -> HttpResponse | None:
    """Redirect to the job with the reason; None if the keys are of its workspace."""
    if ctx.workspace == job.workspace:
        return None
    name = workspace_name(job.workspace) or "another workspace"
    messages.error(ctx.request, OTHER_WORKSPACE.format(name))
    return redirect("jobs:show", job.pk)


def _answer(ctx: RequestContext, pk: int, changed: int) -> HttpResponse:
    if not changed:
        messages.info(ctx.request, ALREADY_ENDED)
    return redirect("jobs:show", pk)


def _context(ctx: RequestContext, job: Job) -> dict[str, Any]:
    own = job.person_id == ctx.user.pk
    ended = job.state in leases.ENDED
    saved = job.counts.get(Row.SAVED, 0)
    sending = 0 if job.state in RUNNABLE else job.rows.filter(state=Row.SENDING).count()
    return {
        **progress_of(job),
        "title": job.title,
        "at": format_datetime(job.created_at),
        "own": own,
        "workspace": workspace_name(job.workspace),
        "other_keys": own and job.state == Job.State.PAUSED and not _has_its_keys(ctx, job),
        **_shown_rows(ctx, job),
        "refused": job.counts.get(Row.NOT_SAVED, 0),
        "ended": ended,
        "not_sure": row_results.unresolved_rows(job).count() if own and ended else 0,
        "saved": saved,
        "sending": sending,
        "undo_url": _undo_url(ctx, job) if own and ended and saved and not sending else "",
        **(_export(job) if own else {}),
    }


def _shown_rows(ctx: RequestContext, job: Job) -> dict[str, Any]:
    """Return the requested page of rows. `rows` is None if the browser has them already;
    `follow_query` is the query of the next request, which says what it has then.
    """
    state = ctx.params.get("state", "")
    state = state if state in TONES else ""
    rows = job.rows.order_by("number")
    pages = Paginator(rows.filter(state=state) if state else rows, ROWS_ON_A_PAGE)
    page = pages.get_page(ctx.params.get("page"))
    rows_of_page = list(page)
    version = str(crc32(repr([(row.number, row.state) for row in rows_of_page]).encode()))
    changed = ctx.params.get("rows") != version
    own = job.person_id == ctx.user.pk
    return {
        "page": page,
        "rows": _lines(rows_of_page, job, own=own) if changed else None,
        "state": state,
        "follow_query": urlencode({"rows": version, "state": state, "page": page.number}),
    }  # fmt: skip


def _export(job: Job) -> dict[str, Any]:
    """Return the export that the job is for, and until when its file can be had; "" for none."""
    export = Export.objects.select_related("job").filter(job=job).first()
    until = export.available_until if export else None
    return {
        "export": export,
        "until": format_datetime(until) if until and until > timezone.now() else "",
    }


def _undo_url(ctx: RequestContext, job: Job) -> str:
    kind = kind_of(job)
    url = reverse(kind.undo, args=[job.pk]) if kind.undo else ""
    try:
        return url if url and kind.can_undo(job, ctx.gateway) else ""
    except GatewayError:  # the person has no keys now, and is told so there
        return url


def _has_its_keys(ctx: RequestContext, job: Job) -> bool:
    try:
        return owner_of(ctx.gateway) == job.owner
    except GatewayError:
        return False


def _lines(rows: list[Write], job: Job, *, own: bool) -> list[dict[str, Any]]:
    """Return the lines of the table. Not sure pages and deleted copies are only for the person of
    the job.
    """
    again = _copies(rows, job) if own else {}
    words = outcomes_of(job)
    return [
        {
            **_facts(row, job),
            "outcome": words[Row(row.state)],
            "url": _record_url(row, job),
            "unsure_url": page_url("unsure:show", row.pk)
            if own and row.state == Row.NOT_SURE
            else "",
            "again_url": again.get(row.pk, ""),
            "state": row.state,
        }
        for row in rows
    ]


def _copies(rows: list[Write], job: Job) -> dict[int, str]:
    copies = deletions.copies(job.person, job.owner).filter(pk__in=[row.pk for row in rows])
    return {
        each.pk: deletions.recreate_url(RESOURCES[each.resource], each)
        for each in copies.filter(resource__in=RESOURCES)
    }


def _record_url(row: Write, job: Job) -> str:
    name, number = job.resource, _record_of(row)
    if number is None and row.state != Row.SAVED:
        content = row.sends
        name, number = content.get("of", ""), content.get("id")
    return RESOURCES[name].url(number) if name in RESOURCES and number else ""


def _record_of(row: Write) -> int | None:
    """Return the id of the record that a row has written, or that is in its way; None if it has
    deleted it.
    """
    return None if row.operation == "delete" and row.state == Row.SAVED else row.record_id


def _facts(row: Write, job: Job) -> dict[str, Any]:
    job_row = readable(row, "job_row")
    words = row_results.words_of(row, job, job_row)
    if row.state == Row.NOT_SURE:
        words = f"{words} {job_row.get('looked', '')}".strip()
    sends = job_row.get("sends", {})
    number = sends.get("row", row.number)  # that of the file, where there was one
    return {
        "number": number,
        "label": sends.get("label") or f"Row {number}",
        "words": words,
        "service_words": row_results.service_words_of(row),
    }


def _csv_rows(job: Job) -> Iterator[tuple[str, ...]]:
    yield COLUMNS
    outcomes = outcomes_of(job)
    for row in job.rows.order_by("number").iterator():
        facts, outcome = _facts(row, job), outcomes[Row(row.state)]
        record = str(_record_of(row) or "")
        yield (str(facts["number"]), facts["label"], outcome, record, facts["words"])


app_name = "jobs"
_allowed = permission_required(EDIT_RECORDS)
urlpatterns = [
    path("", _allowed(list_jobs), name="list"),
    path("<int:pk>/", _allowed(show_job), name="show"),
    path("<int:pk>/file/", send_file, name="file"),
    path("<int:pk>/pause/", _allowed(halt), {"change": services.pause}, name="pause"),
    path("<int:pk>/stop/", _allowed(halt), {"change": services.stop}, name="stop"),
    path("<int:pk>/continue/", _allowed(go_on), {"change": services.resume}, name="resume"),
    path("<int:pk>/again/", _allowed(go_on), {"change": services.repeat_refused}, name="repeat"),
    path("<int:pk>/check/", _allowed(go_on), {"change": services.check_again}, name="check"),
]
