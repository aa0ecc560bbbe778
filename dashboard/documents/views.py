"""The odd pages of invoices and estimates: they have lines, and an update replaces them whole."""

from http import HTTPStatus
from typing import Any, cast

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from dashboard.documents import initial as beginnings
from dashboard.documents import payment_terms as terms
from dashboard.documents.actions import Step, step
from dashboard.documents.bodies import rebuilt, why_closed, without_empty
from dashboard.documents.form import DocumentForm
from dashboard.gateway import Created, GatewayError, Record
from dashboard.preferences import services as preferences
from dashboard.records.context import RequestContext, StaffRequest, context_of
from dashboard.records.forms.record_form import conflicts, open_snapshot
from dashboard.records.pages import picker_steps
from dashboard.records.pages.rendering import (
    record_context,
    record_name,
    render_failed_save,
    render_form,
)
from dashboard.records.resource import Resource
from dashboard.records.writes import writer

FORM = "resources/documents/form.html"
UNPROCESSABLE = HTTPStatus.UNPROCESSABLE_ENTITY
TOO_OLD = (
    "This form was open for too long to be sure what you changed. "
    "Please look through it and save again."
)


def create(request: StaffRequest, resource: Resource) -> HttpResponse:
    """A new document: empty, copied (?copy=17), or made of an estimate (?estimate=17)."""
    ctx = context_of(request)
    more: dict[str, Any] = {"made_before": beginnings.made_before(request, resource, ctx)}
    if request.method != "POST":
        form = _form(resource, ctx, initial=beginnings.initial(request, resource, ctx))
        return _page(request, resource, form, **more)
    form = _form(resource, ctx, request.POST)
    if page := _stepped(request, resource, form, **more):
        return page
    due = terms.follow(form, form["customer_id"].value())
    token = request.POST.get("token", "")
    asks = more["made_before"] and "again" not in request.POST
    if asks and not writer.was_started(ctx=ctx, token=token):
        form.add_error(None, "An invoice was already made of this estimate. Tick the box below.")
    if not form.is_valid():
        return _page(request, resource, form, status=UNPROCESSABLE, **more)
    due = terms.follow_checked(form) or due
    body = form.payload()
    try:
        created = writer.create(ctx=ctx, resource=resource, body=body, token=token)
    except GatewayError as error:
        return render_failed_save(request, resource, form, error, template=FORM, **more)
    beginnings.remember(request, resource, ctx, body)
    if due:
        messages.info(request, f"It is due {due}, by the days of this customer.")
    return _created(request, resource, ctx, created)


def edit(request: StaffRequest, resource: Resource, record_id: int) -> HttpResponse:
    """Change a document: the whole of it is sent, as it stands in the service plus the changes."""
    ctx = context_of(request)
    if request.method != "POST":
        record = request.gateway.get(resource.endpoint, record_id)
        if why := why_closed(record, resource.endpoint):
            return _closed(request, resource, record, why)
        form = _form(resource, ctx, opened_with=resource.edit_form.read(record, ctx.style))
        return _page(request, resource, form, record_id=record_id)
    opened = open_snapshot(request.POST.get("snapshot", ""), of=record_name(resource, record_id))
    if opened is None:
        record = request.gateway.get(resource.endpoint, record_id)
        opened = resource.edit_form.read(record, ctx.style)
        form = _form(resource, ctx, request.POST, opened_with=opened)
        form.add_error(None, TOO_OLD)
        return _page(request, resource, form, record_id=record_id, status=HTTPStatus.CONFLICT)
    form = _form(resource, ctx, request.POST, opened_with=opened)
    if page := _stepped(request, resource, form, record_id=record_id):
        return page
    if not form.is_valid():
        return _page(request, resource, form, record_id=record_id, status=UNPROCESSABLE)
    if not form.touched():
        messages.info(request, "Nothing was changed.")
        return redirect(resource.url(record_id))
    try:
        return _save(request, resource, form, record_id)
    except GatewayError as error:
        return render_failed_save(
            request, resource, form, error, record_id=record_id, template=FORM
        )


@require_POST
def totals(request: StaffRequest, resource: Resource) -> HttpResponse:
    """What the page at hand comes to, for htmx and lines.js: the sums, and each line's amount."""
    form = _form(resource, context_of(request), request.POST)
    return render(request, "records/_lines_sums.html", {"table": form.live_sums()})


@require_POST
def lines(request: StaffRequest, resource: Resource) -> HttpResponse:
    """The lines after one step, such as a paste, for htmx."""
    form = _form(resource, context_of(request), request.POST)
    taken = step(form, request.POST) or Step(form.rows)
    form.rows = taken.rows
    form.leave_unchecked()
    context = {"table": form.table(), "step": taken, "lines_url": resource.url(action="lines")}
    return render(request, "records/_lines.html", context)


def _form(resource: Resource, ctx: RequestContext, data: Any = None, **more: Any) -> DocumentForm:
    kind = resource.edit_form if "opened_with" in more else resource.create_form
    return cast(DocumentForm, kind(data, ctx=ctx, **more))


def _page(
    request: StaffRequest, resource: Resource, form: DocumentForm, **more: Any
) -> HttpResponse:
    context: dict[str, Any] = {
        "lines_url": resource.url(action="lines"),
        "totals_url": resource.url(action="totals"),
        "offered": terms.offered(form),
    }
    return render_form(request, resource, form, template=FORM, **context, **more)


def _stepped(
    request: StaffRequest, resource: Resource, form: DocumentForm, **more: Any
) -> HttpResponse | None:
    """The form after a button of the lines, of a picker, or for the customer's last lines."""
    if picker_steps.step(form):
        terms.follow(form, form["customer_id"].value(), unfinished=True)
        return _page(request, resource, form, **more)
    if request.POST.get("do") == "last-lines":
        rows, said = beginnings.with_last_lines(form, resource, request.gateway)
        taken: Step | None = Step(rows, said=said)
    else:
        taken = step(form, request.POST)
    if taken is None:
        return None
    form.rows = taken.rows
    form.leave_unchecked()
    terms.follow(form, form["customer_id"].value(), unfinished=True)
    return _page(request, resource, form, step=taken, **more)


def _created(
    request: StaffRequest, resource: Resource, ctx: RequestContext, created: Created
) -> HttpResponse:
    messages.success(request, f"{resource.singular.capitalize()} {created.label} was created.")
    if source := beginnings.estimate_in(request):
        preferences.remember_conversion(
            request.user, ctx.workspace, source, made=created.id, label=created.label
        )
    if "save_new" in request.POST:
        return redirect(resource.url(action="new"))
    return redirect(resource.url(created.id))


def _closed(request: StaffRequest, resource: Resource, record: Record, why: str) -> HttpResponse:
    context = {
        **record_context(request, resource, record.id),
        "title": resource.title(record),
        "why": why,
    }
    return render(request, "resources/documents/closed.html", context, status=HTTPStatus.CONFLICT)


def _save(
    request: StaffRequest, resource: Resource, form: DocumentForm, record_id: int
) -> HttpResponse:
    """Send the whole document, unless somebody else changed the same parts meanwhile."""
    token, typed = request.POST.get("token", ""), form.payload()
    one: dict[str, Any] = {"ctx": context_of(request), "resource": resource, "record_id": record_id}
    with writer.lock_for_form(**one, token=token, typed=typed) as lock:
        if lock:
            fresh = request.gateway.get(resource.endpoint, record_id)
            if not _still_fits(resource, form, fresh):
                status = HTTPStatus.CONFLICT
                return _page(request, resource, form, record_id=record_id, status=status)
            writer.update(
                **one,
                body=without_empty({**rebuilt(fresh, resource.endpoint), **typed}),
                token=token,
                label=str((form.opened_with or {}).get(resource.title_field) or ""),
                typed=typed,
                fresh=fresh,
                lock=lock,
            )
    messages.success(request, "Your changes were saved.")
    return redirect(resource.url(record_id))


def _still_fits(resource: Resource, form: DocumentForm, fresh: Record) -> bool:
    """Whether the form can be put over the document as it is now; if not, the form says why."""
    if why := why_closed(fresh, resource.endpoint):
        form.add_error(None, f"Meanwhile this cannot be saved any more. {why}")
        return False
    clashes = list(conflicts(form, resource.edit_form.read(fresh, form.style)))
    if clashes:
        form.show_conflicts(clashes)
    return not clashes


@require_safe
def due(request: StaffRequest, resource: Resource) -> HttpResponse:
    """When a document of this day is due for this customer, for scripts: {"text", "days"}."""
    ctx, customer = context_of(request), request.GET.get("customer", "")
    text = terms.due_text(ctx, customer, request.GET.get("date", ""))
    return JsonResponse({"text": text, "days": terms.days_for(ctx, customer)})
