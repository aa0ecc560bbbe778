"""The pages of a bulk job: what is to be done, and how it will be, before anything is sent."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.forms import HiddenInput
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from dashboard import resources
from dashboard.bulk import conversion, forms, proposals
from dashboard.bulk.kinds import CHANGE, CONVERT, CREATE, DELETE, UNDO
from dashboard.bulk.selection import MOST_TICKED, Selection, TooMany, records_of
from dashboard.gateway import GatewayError
from dashboard.jobs import content, services
from dashboard.jobs.models import Job
from dashboard.jobs.rows import Skipped
from dashboard.jobs.views import own_job, refuse_other_workspace
from dashboard.records.context import RequestContext, StaffRequest, context_of
from dashboard.records.display.starts import Start
from dashboard.records.forms.record_form import RecordForm
from dashboard.records.lists.bulk_actions import offered
from dashboard.records.pages.failures import describe
from dashboard.records.resource import Resource
from dashboard.records.writes import reconciliation

DO = {"change": CHANGE, "delete": DELETE, "convert": CONVERT}
WRITES = {"convert": "contacts"}  # where that is another resource than the one chosen from
EXPLAINED = {
    CONVERT: conversion.EXPLAINED,
    UNDO: "What was created is deleted. What was changed gets its old values back.",
}
NOTHING_CHOSEN = "Nothing was chosen. Tick records first, or choose all that match."
ALL_GONE = "The chosen records no longer exist."
TOO_MANY = "{:,} match, which is too many at once. Narrow the list to 5,000 or fewer."
TOO_MANY_TICKED = (
    f"{{:,}} were ticked; at most {MOST_TICKED} can be. Choose all that match instead."
)
NOTHING_TO_UNDO = "There is nothing to undo: no old values are known."
MOST_LABELS = 10
ANY_RECORD = "1"  # stands in the form of new records for the one that each begins from


@require_POST
def choose(request: StaffRequest, name: str) -> HttpResponse:
    """What is to be done with a selection; a form that is complete leads to the proposed job."""
    resource = resources.BY_NAME.get(name)
    do = request.POST.get("do", "")
    if resource is None or do not in [one.do for one in offered(resource, request.gateway)]:
        raise Http404
    kind = DO.get(do, CREATE)
    chosen = Selection.read(request.POST)
    back = f"{resource.url()}?{chosen.params}" if chosen.params else resource.url()
    if chosen.is_empty:
        messages.info(request, NOTHING_CHOSEN)
        return redirect(back)
    if len(chosen.ids) > MOST_TICKED:
        messages.warning(request, TOO_MANY_TICKED.format(len(chosen.ids)))
        return redirect(back)
    ctx = context_of(request)
    form = _form(request, ctx, resource, do)
    if form is None or (form.is_bound and form.is_valid()):
        return _propose(request, ctx, resource, do, chosen, form, back)
    context = {
        "resource": resource, "form": form, "chosen": chosen, "back": back,
        "do": do, "ids": ",".join(map(str, chosen.ids)),
        "title": f"{proposals.verb(kind, do)} {_how_many(resource, chosen)}",
    }  # fmt: skip
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    return render(request, "bulk/choose.html", context, status=status)


@require_safe
def show(request: StaffRequest, pk: int) -> HttpResponse:
    """What a proposed job will send, for how many, and one record as it is and as it will be."""
    job = own_job(request, pk)
    if job.state != Job.State.PROPOSED:
        return redirect("jobs:show", pk)
    ctx, params = context_of(request), content.unseal(job, "params", job.person_id)
    resource = resources.BY_NAME[params["of"]]
    context = {
        "job": job,
        "resource": resource,
        "title": job.title,
        "deletes": job.kind in (DELETE, UNDO),
        "explained": EXPLAINED.get(job.kind, ""),
        "undoes": params.get("undoes"),
        "sent": _sent_in_words(ctx, job, params, resource),
        "labels": _labels(job),
        **_example(ctx, job, params),
    }
    return render(request, "bulk/show.html", context)


@require_POST
def start(request: StaffRequest, pk: int) -> HttpResponse:
    """Begin a proposed job; pressed twice, it begins once."""
    services.start(own_job(request, pk))
    return redirect("jobs:show", pk)


@require_POST
def discard(request: StaffRequest, pk: int) -> HttpResponse:
    """Delete a proposed job."""
    job = own_job(request, pk)
    services.discard(job)
    of = content.readable(job, "params", job.person_id).get("of", "")
    return redirect(resources.BY_NAME[of].url() if of in resources.BY_NAME else "jobs:list")


@require_POST
def undo(request: StaffRequest, pk: int) -> HttpResponse:
    """Propose to give the records of a bulk change their old values back."""
    done = own_job(request, pk, CHANGE)
    if refused := refuse_other_workspace(request, done):
        return refused
    job = proposals.propose_undo(context_of(request), done)
    if job is None:
        messages.info(request, NOTHING_TO_UNDO)
        return redirect("jobs:show", pk)
    return redirect("bulk:show", job.pk)


def _how_many(resource: Resource, chosen: Selection) -> str:
    if chosen.all_that_match:
        return f"all {resource.name} that match"
    return proposals.counted(resource, len(chosen.ids))


def _start(resource: Resource, do: str) -> Start:
    """How a record of another resource begins from one of these."""
    return next(start for start in resource.starts if start.each and start.target == do)


def _link(resource: Resource, do: str) -> str:
    """The field of the new records that holds the one which each begins from."""
    return resources.BY_NAME[do].create_form.links[_start(resource, do).param]


def _form(
    request: StaffRequest, ctx: RequestContext, resource: Resource, do: str
) -> RecordForm | None:
    """The form for what is to be done, bound once it was posted; None where there is nothing to
    ask.
    """
    data = request.POST if "filled" in request.POST else None
    if do == "change":
        return forms.form_of(resource)(data, ctx=ctx)
    return None if do in DO else _form_of_new(data, ctx, resource, do)


def _form_of_new(data: Any, ctx: RequestContext, resource: Resource, do: str) -> RecordForm:
    """The form of the new records without what they begin from, which differs for each."""
    kind, link = resources.BY_NAME[do].create_form, _link(resource, do)
    if data is not None:
        data = data.copy()
        data[link] = ANY_RECORD
    initial = kind.linked_to({_start(resource, do).param: ANY_RECORD}, ctx)
    form = kind(data, ctx=ctx, initial=initial)
    for name in kind.links.values():
        form.fields[name].widget = HiddenInput()
    return form


def _propose(
    request: StaffRequest,
    ctx: RequestContext,
    resource: Resource,
    do: str,
    chosen: Selection,
    form: RecordForm | None,
    back: str,
) -> HttpResponse:
    try:
        records, note = records_of(ctx, resource, chosen)
    except TooMany as many:
        messages.warning(request, TOO_MANY.format(many.total))
        return redirect(back)
    if not records:
        messages.info(request, ALL_GONE)
        return redirect(back)
    if note:
        messages.info(request, note)
    params, kind = _params(form, resource, do), DO.get(do, CREATE)
    writes = WRITES.get(do, "" if do in DO else do)
    job = proposals.propose(ctx, kind, resource, records, params, writes=writes)
    return redirect("bulk:show", job.pk)


def _params(form: RecordForm | None, resource: Resource, do: str) -> dict[str, Any]:
    """What a job sends for each record."""
    if form is None:
        return {}
    if isinstance(form, forms.BulkForm):
        return form.changes()
    link = _link(resource, do)
    return {"link": link, "body": {n: value for n, value in form.payload().items() if n != link}}


def _sent_in_words(
    ctx: RequestContext, job: Job, params: Mapping[str, Any], resource: Resource
) -> list[tuple[str, str]]:
    """What is sent for every record, as (what, value)."""
    if job.kind == CHANGE:
        return forms.in_words(resource.edit_form(ctx=ctx), params)
    if job.kind != CREATE:
        return []
    target, body = resources.BY_NAME[job.resource], params.get("body", {})
    form = target.create_form(ctx=ctx)
    shown = target.create_form.read(reconciliation.sent_record(target, body), ctx.style)
    return [
        (str(form.fields[name].label), form.value_in_words(name, shown[name]))
        for name in form.fields
        if body.get(name) not in (None, "") and name in shown
    ]


def _example(ctx: RequestContext, job: Job, params: Mapping[str, Any]) -> dict[str, Any]:
    """The template context of the first record; `problem` says why it cannot be shown."""
    label = proposals.first_content(job)["label"]
    try:
        return {"example": label, "changes": proposals.example(ctx, job, params), "problem": ""}
    except Skipped as skipped:
        return {"example": label, "changes": [], "problem": skipped.words}
    except GatewayError as error:
        return {"example": label, "changes": [], "problem": describe(error).title}


def _labels(job: Job) -> list[str]:
    """What the first records are called."""
    rows = job.rows.order_by("number")[:MOST_LABELS]
    return [content.readable(row, "content", job.person_id).get("label", "") for row in rows]
