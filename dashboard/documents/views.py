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
from dashboard.gateway import Created, GatewayError, Record, whole_number
from dashboard.preferences import services as preferences
from dashboard.records.context import StaffRequest, context_of
from dashboard.records.forms.record_form import RecordForm
from dashboard.records.pages import form_pages
from dashboard.records.pages.form_drafts import with_drafts
from dashboard.records.pages.rendering import record_context
from dashboard.records.resource import Resource
from dashboard.records.writes import writer

MADE_BEFORE = "An invoice was already made of this estimate. Tick the box below."


@with_drafts
def create_document(request: StaffRequest, resource: Resource) -> HttpResponse:
    """Create a document: empty, copied (?copy=17), or from an estimate (?estimate=17)."""
    values = {} if request.form_input.is_typed else initial.initial_values(request, resource)
    form = cast(DocumentForm, form_pages.new_form(request, resource, values))
    if not form.is_bound:
        return _render(request, resource, form)
    if (pressed := _press(request, resource, form)) is not None:
        return _render(request, resource, form, **pressed)
    if not _is_valid(request, resource, form):
        return _render(request, resource, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        created = form_pages.send_new(request, resource, form)
    except GatewayError as error:
        return _render_failed_save(request, resource, form, error)
    _announce_created(request, resource, form, created)
    return form_pages.leave_created(request, resource, created)


@with_drafts
def edit_document(request: StaffRequest, resource: Resource, record_id: int) -> HttpResponse:
    """Edit a document; the update sends all of it, as it is in the service plus the changes."""
    shown: dict[str, Any] = {"record_id": record_id}
    if request.form_input.data is None:
        record = form_pages.read_record(request, resource, record_id)
        if why := why_closed(record, resource.endpoint):
            return _render_closed(request, resource, record, why)
        return _render(
            request, resource, form_pages.opened_form(request, resource, record), **shown
        )
    typed = form_pages.typed_form(request, resource, record_id)
    if typed is None:
        outdated = form_pages.outdated_form(request, resource, record_id)
        return _render(request, resource, outdated, status=HTTPStatus.CONFLICT, **shown)
    form = cast(DocumentForm, typed)
    if (pressed := _press(request, resource, form)) is not None:
        return _render(request, resource, form, **pressed, **shown)
    if not _is_valid(request, resource, form):
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return _render(request, resource, form, status=status, **shown)
    if not form.touched():
        return form_pages.leave_untouched(request, resource, record_id)
    try:
        return _save(request, resource, form, record_id)
    except GatewayError as error:
        return _render_failed_save(request, resource, form, error, **shown)


def _save(
    request: StaffRequest, resource: Resource, form: DocumentForm, record_id: int
) -> HttpResponse:
    """Send the document with what was touched, unless it was closed or somebody else changed the
    same fields meanwhile.
    """
    with form_pages.lock_for_form(request, resource, form, record_id) as lock:
        if lock:
            fresh = form_pages.read_record(request, resource, record_id)
            if why := why_closed(fresh, resource.endpoint):
                form.add_error(None, f"This can no longer be saved. {why}")
                status = HTTPStatus.CONFLICT
                return _render(request, resource, form, record_id=record_id, status=status)
            if page := form_pages.render_if_conflicting(request, resource, form, fresh):
                return page
            body = changed_body(fresh, resource.endpoint, form.payload())
            form_pages.send_changes(
                request, resource, form, record_id, body, fresh=fresh, lock=lock
            )
    return form_pages.leave_changed(request, resource, record_id)


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


def _render(
    request: StaffRequest, resource: Resource, form: RecordForm, **more: Any
) -> HttpResponse:
    shown = _context(request, resource, cast(DocumentForm, form))
    return form_pages.render_form(request, resource, form, **shown, **more)


def _render_failed_save(
    request: StaffRequest,
    resource: Resource,
    form: DocumentForm,
    error: GatewayError,
    **more: Any,
) -> HttpResponse:
    shown = _context(request, resource, form)
    return form_pages.render_failed_save(request, resource, form, error, **shown, **more)


def _context(request: StaffRequest, resource: Resource, form: DocumentForm) -> dict[str, Any]:
    return {
        "template": "resources/documents/form.html",
        "lines_url": resource.url(page="lines"),
        "totals_url": resource.url(page="totals"),
        "customer_url": resource.url(page="customer"),
        "offered": terms.offered_due_date(form),
        "made_before": initial.invoice_made_before(request, resource, context_of(request)),
        "estimate": initial.estimate_in(request, resource),
    }


def _press(request: StaffRequest, resource: Resource, form: DocumentForm) -> dict[str, Any] | None:
    """Carry out a button of the lines or of a picker, or append the customer's last lines. Returns
    what the page then needs; None if no such button was pressed.
    """
    if request.form_input.has("choose"):  # back from the choice between two versions
        return {}
    if form_pages.is_picker_pressed(request, form):
        terms.follow_customer(form, form["customer_id"].value(), unfinished=True)
        return {}
    if request.form_input.get("do") == "last-lines":
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


def _is_valid(request: StaffRequest, resource: Resource, form: DocumentForm) -> bool:
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


def _announce_created(
    request: StaffRequest, resource: Resource, form: DocumentForm, created: Created
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
