"""The pages of a bulk job: what is to be done, and how it will be, before anything is sent."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from dashboard import resources
from dashboard.bulk import forms, proposals
from dashboard.bulk.kinds import CHANGE, DELETE, TASK
from dashboard.bulk.selection import Selection, TooMany, records_of
from dashboard.gateway import GatewayError
from dashboard.jobs import content, services
from dashboard.jobs.models import Job
from dashboard.jobs.rows import Skipped
from dashboard.records.context import RequestContext, StaffRequest, context_of
from dashboard.records.forms.record_form import RecordForm
from dashboard.records.pages.failures import describe
from dashboard.records.resource import Resource
from dashboard.records.writes import reconciliation

DO = {"change": CHANGE, "delete": DELETE, "task": TASK}
NOTHING_CHOSEN = "Nothing was chosen. Tick records first, or choose all that match."
ALL_GONE = "None of the chosen records is there any more."
TOO_MANY = "{:,} match, which is too many at once. Narrow the list to 5,000 or fewer."
NOTHING_TO_UNDO = "There is nothing to undo: no old values are known."
TASKS = resources.BY_NAME["tasks"]
MOST_LABELS = 10


@require_POST
def choose(request: StaffRequest, name: str) -> HttpResponse:
    """What is to be done with a selection; a form that is complete leads to the proposed job."""
    resource = resources.BY_NAME.get(name)
    kind = DO.get(request.POST.get("do", ""))
    if resource is None or kind is None or not is_offered(request, resource, kind):
        raise Http404
    chosen = Selection.read(request.POST)
    back = f"{resource.url()}?{chosen.params}" if chosen.params else resource.url()
    if chosen.is_empty:
        messages.info(request, NOTHING_CHOSEN)
        return redirect(back)
    ctx = context_of(request)
    form = _form(request, ctx, resource, kind)
    if form is None or (form.is_bound and form.is_valid()):
        return _propose(request, ctx, resource, kind, chosen, form, back)
    context = {
        "resource": resource, "form": form, "chosen": chosen, "back": back,
        "do": request.POST["do"], "ids": ",".join(map(str, chosen.ids)), "kind": kind,
    }  # fmt: skip
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    return render(request, "bulk/choose.html", context, status=status)


@require_safe
def show(request: StaffRequest, pk: int) -> HttpResponse:
    """What a proposed job will send, for how many, and one record as it is and as it will be."""
    job = _own(request, pk)
    if job.state != Job.State.PROPOSED:
        return redirect("jobs:show", pk)
    ctx, params = context_of(request), content.unseal(job.params, job.person_id)
    resource = resources.BY_NAME[params["of"]]
    context = {
        "job": job,
        "resource": resource,
        "title": job.title,
        "deletes": job.kind == DELETE,
        "undoes": params.get("undoes"),
        "sent": _sent_in_words(ctx, job, params, resource),
        "labels": _labels(job),
        **_example(ctx, job, params),
    }
    return render(request, "bulk/show.html", context)


@require_POST
def start(request: StaffRequest, pk: int) -> HttpResponse:
    """Begin a proposed job; pressed twice, it begins once."""
    services.start(_own(request, pk))
    return redirect("jobs:show", pk)


@require_POST
def discard(request: StaffRequest, pk: int) -> HttpResponse:
    """Delete a proposed job."""
    job = _own(request, pk)
    services.discard(job)
    of = content.readable(job.params, job.person_id).get("of", "")
    return redirect(resources.BY_NAME[of].url() if of in resources.BY_NAME else "jobs:list")


@require_POST
def undo(request: StaffRequest, pk: int) -> HttpResponse:
    """Propose to give the records of a bulk change their old values back."""
    done = get_object_or_404(Job, pk=pk, person=request.user, kind=CHANGE)
    job = proposals.propose_undo(context_of(request), done)
    if job is None:
        messages.info(request, NOTHING_TO_UNDO)
        return redirect("jobs:show", pk)
    return redirect("bulk:show", job.pk)


def is_offered(request: StaffRequest, resource: Resource, kind: str) -> bool:
    """Whether the service can do this with the records of a resource."""
    if kind == CHANGE:
        updates = request.gateway.offers(resource.endpoint, "update")
        return updates and forms.form_of(resource) is not None
    if kind == DELETE:
        return request.gateway.offers(resource.endpoint, "delete")
    return bool(_task_link(resource))


def _task_link(resource: Resource) -> str:
    """The field of a task that holds a record of this resource; "" for none."""
    start = next((one for one in resource.starts if one.target == TASKS.name), None)
    return TASKS.create_form.links[start.param] if start else ""


def _form(
    request: StaffRequest, ctx: RequestContext, resource: Resource, kind: str
) -> RecordForm | None:
    """The form for what is to be done, bound once it was posted; None where there is nothing to
    ask.
    """
    data = request.POST if "filled" in request.POST else None
    made = forms.form_of(resource)
    if kind == CHANGE and made:
        return made(data, ctx=ctx)
    return _task_form(data, ctx, _task_link(resource)) if kind == TASK else None


def _task_form(data: Any, ctx: RequestContext, link: str) -> RecordForm:
    """The form of a new task without what it is about, which differs for each record."""
    if data is not None:
        data = data.copy()
        data[link] = "1"  # any number: each task gets the one of its record
    form = TASKS.create_form(data, ctx=ctx, initial={"start_datetime": _now()})
    if data is None:
        for name in TASKS.create_form.links.values():
            del form.fields[name]
    return form


def _now() -> Any:
    return timezone.localtime().replace(tzinfo=None)


def _propose(
    request: StaffRequest,
    ctx: RequestContext,
    resource: Resource,
    kind: str,
    chosen: Selection,
    form: RecordForm | None,
    back: str,
) -> HttpResponse:
    try:
        records = records_of(ctx, resource, chosen)
    except TooMany as many:
        messages.warning(request, TOO_MANY.format(many.total))
        return redirect(back)
    if not records:
        messages.info(request, ALL_GONE)
        return redirect(back)
    params, writes = _params(form, resource)
    job = proposals.propose(ctx, kind, resource, records, params, writes=writes)
    return redirect("bulk:show", job.pk)


def _params(form: RecordForm | None, resource: Resource) -> tuple[dict[str, Any], str]:
    """What a job sends, and the resource that it writes where that is another."""
    if isinstance(form, forms.BulkForm):
        return form.changes(), ""
    if form is None:
        return {}, ""
    link = _task_link(resource)
    body = {name: value for name, value in form.payload().items() if name != link}
    return {"body": body, "link": link}, TASKS.name


def _own(request: StaffRequest, pk: int) -> Job:
    return get_object_or_404(Job, pk=pk, person=request.user)


def _sent_in_words(
    ctx: RequestContext, job: Job, params: Mapping[str, Any], resource: Resource
) -> list[tuple[str, str]]:
    """What is sent for every record, as (what, value)."""
    made = forms.form_of(resource)
    if job.kind == CHANGE and made:
        return forms.in_words(made(ctx=ctx), params)
    form = TASKS.create_form(ctx=ctx)
    sent = reconciliation.sent_record(TASKS, params.get("body", {}))
    body = TASKS.create_form.read(sent, ctx.style)
    return [
        (str(form.fields[name].label), form.value_in_words(name, value))
        for name, value in body.items()
        if params.get("body", {}).get(name) not in (None, "")
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
    return [content.readable(row.content, job.person_id).get("label", "") for row in rows]
