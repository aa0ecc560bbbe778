"""The pages of a bulk job: choose an action, and preview it before anything is sent."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from dashboard.core.sealed import readable
from dashboard.gateway import CONTACTS, GatewayError
from dashboard.jobs import bulk_proposals, needed_contacts, services
from dashboard.jobs.bulk_selection import NotPossible, Selection
from dashboard.jobs.models import Job
from dashboard.jobs.rows import Skipped
from dashboard.jobs.views import own_job, refuse_other_workspace
from dashboard.lists.bulk_actions import CHANGE, UNDO, AskingAction, actions_of, offered
from dashboard.people.context import RequestContext, page, page_without_keys
from dashboard.people.permissions import permission_required
from dashboard.reader.failures import describe
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import BULK_PERMISSION, BulkAction, Resource
from dashboard.writes import ledger

NOTHING_TO_UNDO = "Nothing to undo: the old values weren't stored."
MAX_LABELS = 10


@require_POST
@page
def choose(ctx: RequestContext, name: str) -> HttpResponse:
    """Show the form of an action for a selection; a complete form leads to the proposed job."""
    resource = RESOURCES.get(name)
    offers = {one.name: one for one in offered(resource, ctx)} if resource else {}
    action = offers.get(ctx.request.POST.get("do", ""))
    if resource is None or action is None:
        raise Http404
    chosen, params = Selection.from_form(resource, ctx.request.POST), dict[str, Any]()
    try:
        chosen.check()
        if isinstance(action, AskingAction):
            data = ctx.request.POST if "filled" in ctx.request.POST else None
            written = RESOURCES[action.writes or name]
            form = action.form(written, ctx, data)
            if not form.is_valid():
                context = {"title": f"{action.verb} {chosen}", "resource": resource, "form": form}
                context |= {"action": action, "chosen": chosen}
                status = HTTPStatus.UNPROCESSABLE_ENTITY if data else HTTPStatus.OK
                return ctx.render("jobs/bulk_choose.html", context, status=status)
            params = action.params(form)
        records, note = chosen.records(ctx)
    except NotPossible as problem:
        messages.warning(ctx.request, str(problem))
        return redirect(chosen.list_url)
    if note:
        messages.info(ctx.request, note)
    job = bulk_proposals.propose(ctx, action, resource, records, params)
    return redirect("bulk:show", job.pk)


@require_safe
@page_without_keys
def show_proposal(ctx: RequestContext, pk: int) -> HttpResponse:
    job = own_job(ctx, pk)
    if job.state != Job.State.PROPOSED:
        return redirect("jobs:show", pk)
    ctx.open_keys()
    params = job.params
    resource = RESOURCES[params["of"]]
    action, sent = _action_of(job, resource), list[tuple[str, str]]()
    if isinstance(action, AskingAction):
        sent = action.in_words(RESOURCES[job.resource], ctx, params)
    context = {
        "job": job,
        "resource": resource,
        "title": job.title,
        "action": action,
        "sent": sent,
        "labels": [row.sends.get("label", "") for row in job.rows.order_by("number")[:MAX_LABELS]],
        "created": _created(params.get("undoes")),
        **_example(ctx, job, params),
    }
    return ctx.render("jobs/bulk_show.html", context)


@require_POST
@page
def start(ctx: RequestContext, pk: int) -> HttpResponse:
    services.start_job(own_job(ctx, pk))
    return redirect("jobs:show", pk)


@require_POST
@page
def discard(ctx: RequestContext, pk: int) -> HttpResponse:
    job = own_job(ctx, pk)
    services.discard(job)
    of = readable(job, "params").get("of", "")
    return redirect(RESOURCES[of].url() if of in RESOURCES else "jobs:list")


@require_POST
@page
def undo(ctx: RequestContext, pk: int) -> HttpResponse:
    done = own_job(ctx, pk, CHANGE.kind)
    if refused := refuse_other_workspace(ctx, done):
        return refused
    job = bulk_proposals.propose_undo(ctx, done)
    if job is None:
        messages.info(ctx.request, NOTHING_TO_UNDO)
        return redirect("jobs:show", pk)
    return redirect("bulk:show", job.pk)


def _action_of(job: Job, of: Resource) -> BulkAction:
    actions = (one for one in (CHANGE, *actions_of(of)) if one.kind == job.kind)
    return next((one for one in actions if (one.writes or of.name) == job.resource), UNDO)


def _example(ctx: RequestContext, job: Job, params: Mapping[str, Any]) -> dict[str, Any]:
    shown = {"example": bulk_proposals.first_content(job)["label"], "changes": [], "problem": ""}
    try:
        return {**shown, "changes": bulk_proposals.example(ctx, job, params)}
    except Skipped as skipped:
        return {**shown, "problem": skipped.words}
    except GatewayError as error:
        return {**shown, "problem": describe(error).title}


def _created(undone: int | None) -> list[tuple[str, str]]:
    made = needed_contacts.created_for(undone) if undone else []
    contacts = RESOURCES[CONTACTS.name]
    return [(ledger.label_of(write), contacts.url(write.record_id)) for write in made]


app_name = "bulk"
_allowed = permission_required(BULK_PERMISSION)
urlpatterns = [
    path("<int:pk>/", _allowed(show_proposal), name="show"),
    path("<int:pk>/start/", _allowed(start), name="start"),
    path("<int:pk>/discard/", _allowed(discard), name="discard"),
    path("<int:pk>/undo/", _allowed(undo), name="undo"),
    path("<str:name>/", _allowed(choose), name="choose"),
]
