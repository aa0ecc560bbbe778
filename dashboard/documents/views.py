"""The form views of invoices and estimates."""

from http import HTTPStatus
from typing import Any, cast

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.views.decorators.http import require_POST, require_safe

from dashboard.core import after_response
from dashboard.documents import customer as terms
from dashboard.documents import initial
from dashboard.documents.bodies import why_not_editable
from dashboard.documents.customer import hints_of
from dashboard.documents.form import DocumentForm
from dashboard.documents.lines import lines_of_numbers
from dashboard.documents.paste import LineEdit, edit_lines, focus_next
from dashboard.gateway import Created, GatewayError, Record, whole_number
from dashboard.office import choices as preferences
from dashboard.people.context import RequestContext, page
from dashboard.records import forms
from dashboard.records.form_drafts import with_drafts
from dashboard.records.record_page import record_context
from dashboard.schema.record_form import RecordForm
from dashboard.schema.resource import Resource
from dashboard.writes import writer
from dashboard.writes.form_input import form_input

MADE_BEFORE = "An invoice was already made of this estimate. Tick the box below."


@with_drafts
@page
def create_document(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """Create a document: empty, copied (?copy=17), or from an estimate (?estimate=17)."""
    values = {} if form_input(ctx).is_typed else initial.initial_values(ctx, resource)
    form = cast(DocumentForm, forms.new_form(ctx, resource, values))
    if not form.is_bound:
        return _render(ctx, resource, form)
    if (pressed := _press(ctx, resource, form)) is not None:
        return _render(ctx, resource, form, **pressed)
    if not _is_valid(ctx, resource, form):
        return _render(ctx, resource, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        created = forms.send_new(ctx, resource, form)
    except GatewayError as error:
        return _render_failed_save(ctx, resource, form, error)
    _announce_created(ctx, resource, form, created)
    return forms.leave_created(ctx, resource, created)


@with_drafts
@page
def edit_document(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """Edit a document; the update sends all of it, as it is in the service plus the changes."""
    page_context: dict[str, Any] = {"record_id": record_id}
    if form_input(ctx).data is None:
        record = forms.read_record(ctx, resource, record_id)
        if why := why_not_editable(record, resource.endpoint):
            return _render_closed(ctx, resource, record, why)
        return _render(ctx, resource, forms.opened_form(ctx, resource, record), **page_context)
    typed = forms.typed_form(ctx, resource, record_id)
    if typed is None:
        outdated = forms.outdated_form(ctx, resource, record_id)
        return _render(ctx, resource, outdated, status=HTTPStatus.CONFLICT, **page_context)
    form = cast(DocumentForm, typed)
    if (pressed := _press(ctx, resource, form)) is not None:
        return _render(ctx, resource, form, **pressed, **page_context)
    if not _is_valid(ctx, resource, form):
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return _render(ctx, resource, form, status=status, **page_context)
    if not form.touched():
        return forms.leave_untouched(ctx, resource, record_id)
    try:
        return _save(ctx, resource, form, record_id)
    except GatewayError as error:
        return _render_failed_save(ctx, resource, form, error, **page_context)


def _save(
    ctx: RequestContext, resource: Resource, form: DocumentForm, record_id: int
) -> HttpResponse:
    """Send the document with what was touched, unless it was closed or somebody else changed the
    same fields meanwhile.
    """
    with forms.lock_for_form(ctx, resource, form, record_id) as lock:
        if lock:
            fresh = forms.read_record(ctx, resource, record_id)
            if why := why_not_editable(fresh, resource.endpoint):
                form.add_error(None, f"This can no longer be saved. {why}")
                status = HTTPStatus.CONFLICT
                return _render(ctx, resource, form, record_id=record_id, status=status)
            if conflict := forms.render_if_conflicting(ctx, resource, form, fresh):
                return conflict
            body = resource.update_body(fresh, form.payload())
            forms.send_changes(ctx, resource, form, record_id, body, fresh=fresh, lock=lock)
    return forms.leave_changed(ctx, resource, record_id)


@require_POST
@page
def show_totals(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """The totals of posted numbers and each line's amount, as a fragment for lines/sums.js."""
    form = _posted_form(ctx, resource)
    form.rows = lines_of_numbers(ctx.request.POST.get("numbers", ""))
    return ctx.render("documents/_lines_sums.html", {"table": form.table(), "is_live": True})


@require_POST
@page
def show_lines(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """The lines after a paste, as a fragment for htmx."""
    form = _posted_form(ctx, resource)
    edit = edit_lines(form, ctx.request.POST)
    form.rows = edit.lines
    form.leave_unchecked()
    context = {
        "resource": resource,
        "table": form.table(),
        "line_edit": edit,
        "lines_url": resource.url(page="lines"),
    }
    return ctx.render("documents/_lines.html", context)


@require_safe
@page
def show_due_date(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """JSON for lines/head.js: {"text": the due date by the terms of this customer}."""
    text = terms.due_text(ctx, ctx.params.get("customer", ""), ctx.params.get("date", ""))
    return JsonResponse({"text": text})


@require_safe
@page
def show_customer(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """What to know of the chosen customer, as a fragment for htmx; empty without one."""
    customer = whole_number(ctx.params.get("customer_id", ""))
    parts = hints_of(ctx, customer, resource) if customer else []
    return ctx.render("documents/_customer.html", {"hints": parts})


def _posted_form(ctx: RequestContext, resource: Resource) -> DocumentForm:
    form = resource.create_form(ctx.request.POST, ctx=ctx)
    return cast(DocumentForm, form)


def _render(ctx: RequestContext, resource: Resource, form: RecordForm, **more: Any) -> HttpResponse:
    page_context = _context(ctx, resource, cast(DocumentForm, form))
    return forms.render_form(ctx, resource, form, **page_context, **more)


def _render_failed_save(
    ctx: RequestContext,
    resource: Resource,
    form: DocumentForm,
    error: GatewayError,
    **more: Any,
) -> HttpResponse:
    page_context = _context(ctx, resource, form)
    return forms.render_failed_save(ctx, resource, form, error, **page_context, **more)


def _context(ctx: RequestContext, resource: Resource, form: DocumentForm) -> dict[str, Any]:
    return {
        "template": "documents/form.html",
        "lines_url": resource.url(page="lines"),
        "totals_url": resource.url(page="totals"),
        "customer_url": resource.url(page="customer"),
        "made_before": initial.invoice_made_before(ctx, resource),
        "estimate": initial.estimate_in(ctx, resource),
    }


def _press(ctx: RequestContext, resource: Resource, form: DocumentForm) -> dict[str, Any] | None:
    """Append the customer's last lines if that button was pressed. Returns what the page then
    needs; None for a form that is to be sent.
    """
    if form_input(ctx).has("choose"):  # back from the choice between two versions
        return {}
    if forms.is_shown_only(ctx, form):
        return {}
    if form_input(ctx).get("do") != "last-lines":
        return None
    form.rows, message = initial.append_last_lines(ctx, form, resource)
    focus_next(form.rows)
    form.leave_unchecked()
    return {"line_edit": LineEdit(form.rows, message=message)}


def _is_valid(ctx: RequestContext, resource: Resource, form: DocumentForm) -> bool:
    given = form_input(ctx)
    asks = initial.invoice_made_before(ctx, resource) and not given.has("again")
    if asks and not writer.was_started(ctx=ctx, token=given.token):
        form.add_error(None, MADE_BEFORE)
    return form.is_valid()


def _announce_created(
    ctx: RequestContext, resource: Resource, form: DocumentForm, created: Created
) -> None:
    messages.success(ctx.request, f"{resource.singular.capitalize()} {created.label} was created.")
    initial.remember_choices(ctx, resource, form.payload())
    if source := initial.estimate_in(ctx, resource):
        after_response.attempt(
            preferences.remember_conversion,
            user=ctx.user.pk,
            workspace=ctx.workspace,
            source=source,
            made=created.id,
            label=created.label,
        )


def _render_closed(
    ctx: RequestContext, resource: Resource, record: Record, why: str
) -> HttpResponse:
    context = {
        **record_context(ctx, resource, record.id),
        "title": resource.title(record),
        "why": why,
    }
    template = "documents/closed.html"
    return ctx.render(template, context, status=HTTPStatus.CONFLICT)
