"""The pages of jobs: the list, and one job with its progress, its rows and what can be done."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode
from zlib import crc32

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from dashboard.accounts.permissions import MANAGE_SETTINGS
from dashboard.context import StaffRequest, workspace_of
from dashboard.credentials.services import workspace_names
from dashboard.declare.resource import Resource
from dashboard.gateway import GatewayError
from dashboard.jobs import looking, row_results, services
from dashboard.jobs.kinds import kind_of
from dashboard.jobs.leases import RUNNABLE
from dashboard.jobs.models import Job
from dashboard.jobs.progress_words import OUTCOMES, WORDS, progress_of
from dashboard.ledger import deletions
from dashboard.ledger.models import Write
from dashboard.pages import deleted_copies, unresolved
from dashboard.pages.history import csv_answer
from dashboard.reader.sealed_cache import owner_of
from dashboard.sealed import readable
from dashboard.text.dates import format_datetime

Row = Write.State
Resources = Mapping[str, Resource]
JOBS_ON_A_PAGE, ROWS_ON_A_PAGE = 25, 50
COLUMNS = ("row", "name", "outcome", "id", "answer")
ENDED = "It had already ended."
FOUND = {
    Write.Found.UNKNOWN: "",
    Write.Found.SAME: "Looked for: it is there, equal in every field.",
    Write.Found.NOTHING: "Looked for: it is not there.",
    Write.Found.UNCLEAR: "Looked for: not clear.",
}
OTHER_WORKSPACE = "This began with keys of {}. Connect keys of that workspace first."


def visible(request: StaffRequest) -> QuerySet[Job]:
    """The person's own jobs; for administrators all of their workspace, as in the history."""
    shown = Q(person=request.user)
    workspace = workspace_of(request.user)
    if workspace and request.user.has_perm(MANAGE_SETTINGS):
        shown |= Q(workspace=workspace)
    begun = Job.objects.filter(shown).exclude(state=Job.State.PROPOSED)
    return begun.select_related("person").order_by("-pk")


@require_safe
def list_jobs(request: StaffRequest) -> HttpResponse:
    """The jobs, the newest first."""
    page = Paginator(visible(request), JOBS_ON_A_PAGE).get_page(request.GET.get("page"))
    jobs = [{**progress_of(job), "at": format_datetime(job.created_at)} for job in page]
    return render(request, "jobs/list.html", {"page": page, "jobs": jobs})


@require_safe
def show_job(request: StaffRequest, pk: int, resources: Resources) -> HttpResponseBase:
    """One job; for htmx its progress alone, and a reload once it has changed to another state."""
    job = get_object_or_404(visible(request), pk=pk)
    if request.htmx:
        return _progress(request, job, resources)
    if job.state not in RUNNABLE:
        row_results.settle_resting(job.pk)
    row_results.store_counts(job)  # its person may have settled a row on its own page
    job.refresh_from_db()
    if request.GET.get("format") == "csv":
        return csv_answer(f"job-{job.pk}.csv", _csv_rows(job))
    return render(request, "jobs/job.html", _context(request, job, resources))


def _progress(request: StaffRequest, job: Job, resources: Resources) -> HttpResponse:
    """How far the job is; the page of the job gets its rows too, if one of them has changed."""
    context = progress_of(job)
    if not context["live"]:
        return HttpResponseClientRefresh()
    if "rows" in request.GET:
        context |= _shown_rows(request, job, resources)
    return render(request, "jobs/_progress.html", context)


@require_POST
def pause(request: StaffRequest, pk: int) -> HttpResponse:
    """Pause after what is being sent."""
    return _answer(request, pk, services.pause(get_object_or_404(visible(request), pk=pk)))


@require_POST
def stop(request: StaffRequest, pk: int) -> HttpResponse:
    """Stop after what is being sent; the rest is not sent."""
    return _answer(request, pk, services.stop(get_object_or_404(visible(request), pk=pk)))


@require_POST
def resume(request: StaffRequest, pk: int) -> HttpResponse:
    """Continue one's own job, with the keys that one has now."""
    job = own_job(request, pk)
    if refused := refuse_other_workspace(request, job):
        return refused
    return _answer(request, pk, services.resume(job, owner_of(request.gateway)))


@require_POST
def repeat_refused(request: StaffRequest, pk: int) -> HttpResponse:
    """Try the refused rows of one's own job again."""
    job = own_job(request, pk)
    if refused := refuse_other_workspace(request, job):
        return refused
    return _answer(request, pk, bool(services.repeat_refused(job, owner_of(request.gateway))))


def own_job(request: StaffRequest, pk: int, kind: str = "") -> Job:
    """A job of the person who asks, and of one kind if that is given. Raises Http404."""
    wanted = {"kind": kind} if kind else {}
    return get_object_or_404(Job, pk=pk, person=request.user, **wanted)


def refuse_other_workspace(request: StaffRequest, job: Job) -> HttpResponse | None:
    """A redirect to the job with the reason; None if the person's keys are of its workspace."""
    if workspace_of(request.user) == job.workspace:
        return None
    messages.error(request, OTHER_WORKSPACE.format(_name_of_workspace(job) or "another workspace"))
    return redirect("jobs:show", job.pk)


def _name_of_workspace(job: Job) -> str:
    return workspace_names([job.workspace]).get(job.workspace, "")


def _answer(request: StaffRequest, pk: int, changed: bool) -> HttpResponse:
    if not changed:
        messages.info(request, ENDED)
    return redirect("jobs:show", pk)


def _context(request: StaffRequest, job: Job, resources: Resources) -> dict[str, Any]:
    own = job.person_id == request.user.pk
    ended = job.state in (Job.State.STOPPED, Job.State.FINISHED)
    saved = job.counts.get(Row.SAVED, 0)
    sending = 0 if job.state in RUNNABLE else job.rows.filter(state=Row.SENDING).count()
    return {
        **progress_of(job),
        "title": job.title,
        "at": format_datetime(job.created_at),
        "own": own,
        "workspace": _name_of_workspace(job),
        "other_keys": own and job.state == Job.State.PAUSED and not _has_its_keys(request, job),
        **_shown_rows(request, job, resources),
        "refused": job.counts.get(Row.NOT_SAVED, 0),
        "ended": ended,
        "not_sure": looking.open_rows(job).count() if own and ended else 0,
        "saved": saved,
        "sending": sending,
        "undo_url": _undo_url(request, job) if own and ended and saved and not sending else "",
        "result_url": _url(job, "result") if own else "",
        "result_words": _of_kind(job, "result_words"),
    }


def _shown_rows(request: StaffRequest, job: Job, resources: Resources) -> dict[str, Any]:
    """The page of rows that was asked for. rows is None where they are as the browser has them;
    follow_query asks again, and tells what the browser has then.
    """
    state = request.GET.get("state", "")
    state = state if state in WORDS else ""
    rows = job.rows.order_by("number")
    pages = Paginator(rows.filter(state=state) if state else rows, ROWS_ON_A_PAGE)
    page = pages.get_page(request.GET.get("page"))
    shown = list(page)
    version = str(crc32(repr([(row.number, row.state) for row in shown]).encode()))
    changed = request.GET.get("rows") != version
    own = job.person_id == request.user.pk
    return {
        "page": page,
        "rows": _lines(shown, job, resources, own=own) if changed else None,
        "states": [(name, words, job.counts[name]) for name, words in WORDS.items()
                   if job.counts.get(name)],
        "state": state,
        "follow_query": urlencode({"rows": version, "state": state, "page": page.number}),
    }  # fmt: skip


def _url(job: Job, name: str) -> str:
    """The address of a page that the job's kind names; "" for none."""
    page = _of_kind(job, name)
    return reverse(page, args=[job.pk]) if page else ""


def _undo_url(request: StaffRequest, job: Job) -> str:
    """The address that proposes to undo what the job has saved; "" where there is no way to."""
    url = _url(job, "undo")
    try:
        return url if url and kind_of(job).can_undo(job, request.gateway) else ""
    except GatewayError:  # the person has no keys now, and is told so there
        return url


def _of_kind(job: Job, name: str) -> str:
    """A text that the job's kind declares; "" for a kind that this version does not know."""
    try:
        return str(getattr(kind_of(job), name))
    except KeyError:
        return ""


def _has_its_keys(request: StaffRequest, job: Job) -> bool:
    try:
        return owner_of(request.gateway) == job.owner
    except GatewayError:
        return False


def _lines(rows: list[Write], job: Job, resources: Resources, *, own: bool) -> list[dict[str, Any]]:
    """The rows as the table shows them; the Not sure pages and the copies of what was deleted are
    for the person of the job alone.
    """
    again = _copies(rows, job, resources) if own else {}
    return [
        {
            **_facts(row, job),
            "url": _record_url(row, job, resources),
            "unsure_url": unresolved.address(row.pk) if own and row.state == Row.NOT_SURE else "",
            "again_url": again.get(row.pk, ""),
            "state": row.state,
        }
        for row in rows
    ]


def _copies(rows: list[Write], job: Job, resources: Resources) -> dict[int, str]:
    """Where what these rows have deleted is created again, by the primary key of the row."""
    kept = deletions.copies(job.person, job.owner).filter(pk__in=[row.pk for row in rows])
    return {
        each.pk: deleted_copies.recreate_url(resources[each.resource], each)
        for each in kept.filter(resource__in=resources)
    }


def _record_url(row: Write, job: Job, resources: Resources) -> str:
    """The record that a row has written, else the one that it was to be about."""
    name, number = job.resource, _record_of(row)
    if number is None and row.state != Row.SAVED:
        kept = row_results.sends(row)
        name, number = kept.get("of", ""), kept.get("id")
    return resources[name].url(number) if name in resources and number else ""


def _record_of(row: Write) -> int | None:
    """The record that a row has written, or that stands in its way; none that it has deleted."""
    return None if row.operation == "delete" and row.state == Row.SAVED else row.record_id


def _facts(row: Write, job: Job) -> dict[str, Any]:
    job_row = readable(row, "job_row")
    words = row_results.words_of(row, job, job_row)
    if row.state == Row.NOT_SURE:
        words = f"{words} {FOUND[Write.Found(row.found)]}".strip()
    label = job_row.get("sends", {}).get("label") or f"Row {row.number}"
    outcome = OUTCOMES[Row(row.state)]
    return {"number": row.number, "label": label, "outcome": outcome, "words": words}


def _csv_rows(job: Job) -> Iterator[tuple[str, ...]]:
    yield COLUMNS
    for row in job.rows.order_by("number").iterator():
        facts = _facts(row, job)
        record = str(_record_of(row) or "")
        yield (str(row.number), facts["label"], facts["outcome"], record, facts["words"])
