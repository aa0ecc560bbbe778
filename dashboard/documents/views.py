"""The form views of invoices and estimates."""

from http import HTTPStatus
from typing import Any, cast

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from dashboard import progress
from dashboard.documents import initial
from dashboard.documents import payment_terms as terms
from dashboard.documents.actions import Step, focus_next, step
from dashboard.documents.bodies import changed_body, why_closed
from dashboard.documents.customer_hints import hints_of
from dashboard.documents.form import DocumentForm
from dashboard.gateway import Created, Record, whole_number
from dashboard.preferences import services as preferences
from dashboard.records.context import StaffRequest, context_of
from dashboard.records.pages import form_flow, picker_steps
from dashboard.records.pages.rendering import record_context
from dashboard.records.resource import Resource
from dashboard.records.writes import writer

MADE_BEFORE = "An invoice was already made of this estimate. Tick the box below."


def create_document(request: StaffRequest, resource: Resource) -> form_flow.Answer:
    """Create a document: empty, copied (?copy=17), or from an estimate (?estimate=17)."""
    return form_flow.create_record(request, resource, FLOW)


def edit_document(request: StaffRequest, resource: Resource, record_id: int) -> form_flow.Answer:
    """Edit a document; the update sends all of it, as it is in the service plus the changes."""
    return form_flow.edit_record(request, resource, record_id, FLOW)


@require_POST
def show_totals(request: StaffRequest, resource: Resource) -> HttpResponse:
    """The totals of the posted form and each line's amount, as a fragment for htmx and lines.js."""
    form = _posted_form(request, resource)
    return render(request, "records/_lines_sums.html", {"table": form.live_sums()})


@require_POST
def show_lines(request: StaffRequest, resource: Resource) -> HttpResponse:
    """The lines after one button, such as a paste, as a fragment for htmx."""
    form = _posted_form(request, resource)
    taken = step(form, request.POST) or Step(form.rows)
    form.rows = taken.rows
    form.leave_unchecked()
    context = {"table": form.table(), "step": taken, "lines_url": resource.url(page="lines")}
    return render(request, "records/_lines.html", context)


@require_safe
def show_due_date(request: StaffRequest, resource: Resource) -> HttpResponse:
    """JSON for document_head.js: {"text": the due date, "days": the terms of this customer}."""
    ctx, customer = context_of(request), request.GET.get("customer", "")
    text = terms.due_text(ctx, customer, request.GET.get("date", ""))
    return JsonResponse({"text": text, "days": terms.days_for(ctx, customer)})


@require_safe
def show_customer(request: StaffRequest, resource: Resource) -> HttpResponse:
    """What to know of the chosen customer, as a fragment for htmx; empty without one."""
    customer = whole_number(request.GET.get("customer_id", ""))
    parts = hints_of(context_of(request), customer, resource) if customer else []
    return render(request, "resources/documents/_customer.html", {"hints": parts})


def _posted_form(request: StaffRequest, resource: Resource) -> DocumentForm:
    form = resource.create_form(request.POST, ctx=context_of(request))
    return cast(DocumentForm, form)


def _context(request: StaffRequest, resource: Resource, form: DocumentForm) -> dict[str, Any]:
    return {
        "lines_url": resource.url(page="lines"),
        "totals_url": resource.url(page="totals"),
        "customer_url": resource.url(page="customer"),
        "offered": terms.offered_due_date(form),
        "made_before": initial.invoice_made_before(request, resource, context_of(request)),
        "estimate": initial.estimate_in(request, resource),
    }


def _take_step(
    request: StaffRequest, resource: Resource, form: DocumentForm
) -> dict[str, Any] | None:
    """Carry out a button of the lines or of a picker, or append the customer's last lines."""
    given = request.form_input
    if picker_steps.take_step(form, show_only=given.show_only):
        terms.follow_customer(form, form["customer_id"].value(), unfinished=True)
        return {}
    if given.get("do") == "last-lines":
        rows, said = initial.append_last_lines(form, resource, request.gateway)
        focus_next(rows)
        taken: Step | None = Step(rows, said=said)
    else:
        taken = step(form, form.data)
    if taken is None:
        return None
    form.rows = taken.rows
    form.leave_unchecked()
    terms.follow_customer(form, form["customer_id"].value(), unfinished=True)
    return {"step": taken}


def _check(request: StaffRequest, resource: Resource, form: DocumentForm) -> bool:
    """Update a due date that follows the customer, then validate the form."""
    ctx, given = context_of(request), request.form_input
    form.moved_due_date = terms.follow_customer(form, form["customer_id"].value())
    asks = initial.invoice_made_before(request, resource, ctx) and not given.has("again")
    if asks and not writer.was_started(ctx=ctx, token=given.token):
        form.add_error(None, MADE_BEFORE)
    if not form.is_valid():
        return False
    form.moved_due_date = terms.follow_with_cleaned_customer(form) or form.moved_due_date
    return True


def _after_create(
    request: StaffRequest, resource: Resource, form: DocumentForm, created: Created, lock: object
) -> None:
    ctx = context_of(request)
    if form.moved_due_date:
        messages.info(request, f"It is due {form.moved_due_date}, by the terms of this customer.")
    messages.success(request, f"{resource.singular.capitalize()} {created.label} was created.")
    initial.remember_choices(request, resource, ctx, form.payload())
    if source := initial.estimate_in(request, resource):
        progress.run(
            preferences.remember_conversion,
            user=request.user.pk,
            workspace=ctx.workspace,
            source=source,
            made=created.id,
            label=created.label,
        )


def _why_closed(resource: Resource, record: Record) -> str:
    return why_closed(record, resource.endpoint)


def _render_closed(
    request: StaffRequest, resource: Resource, record: Record, why: str
) -> HttpResponse:
    context = {
        **record_context(request, resource, record.id),
        "title": resource.title(record),
        "why": why,
    }
    template = "resources/documents/closed.html"
    return render(request, template, context, status=HTTPStatus.CONFLICT)


def _body(resource: Resource, fresh: Record, typed: dict[str, Any]) -> dict[str, Any]:
    return changed_body(fresh, resource.endpoint, typed)


FLOW = form_flow.FormFlow(
    template="resources/documents/form.html",
    initial=initial.initial_values,
    context=_context,
    take_step=_take_step,
    check=_check,
    after_create=_after_create,
    why_closed=_why_closed,
    render_closed=_render_closed,
    body=_body,
)
