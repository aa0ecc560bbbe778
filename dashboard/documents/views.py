"""The form views of invoices and estimates."""

from http import HTTPStatus
from typing import Any, cast

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.views.decorators.http import require_POST, require_safe

from dashboard.core import after_response
from dashboard.documents import customer as terms
from dashboard.documents import initial
from dashboard.documents.customer import hints_of
from dashboard.documents.form import DocumentForm, why_not_editable
from dashboard.documents.line_table import LineTable
from dashboard.documents.lines import lines_of_numbers
from dashboard.documents.paste import LineEdit, edit_lines, focus_next
from dashboard.documents.price_list import price_list_of
from dashboard.gateway import Created, Record, whole_number
from dashboard.office import choices as preferences
from dashboard.people.context import RequestContext, page
from dashboard.records.form_drafts import form_page
from dashboard.records.forms import EditForm, FormPage, NewForm, create_record, edit_record
from dashboard.records.record_page import record_context
from dashboard.schema.resource import Resource
from dashboard.text.plain import typed_text
from dashboard.writes import writer

MADE_BEFORE = "This estimate has already been invoiced. Tick the box to create another invoice."


class DocumentFormPage(FormPage):
    """The form of a document. `line_edit`: what the button for the customer's last lines did."""

    template, fields_template = "documents/form.html", "documents/_folded.html"
    line_edit: LineEdit | None = None

    @property
    def document(self) -> DocumentForm:
        return cast(DocumentForm, self.form)

    def apply_button(self) -> bool:
        if super().apply_button():
            return True
        if self.input.get("do") != "last-lines":
            return False
        form = self.document
        form.rows, message = initial.append_last_lines(self.ctx, form, self.resource)
        focus_next(form.rows)
        form.leave_unchecked()
        self.line_edit = LineEdit(form.rows, message=message)
        return True

    def is_valid(self) -> bool:
        given = self.input
        asks = initial.invoice_made_before(self.ctx, self.resource) and not given.has("again")
        if asks and not writer.was_started(ctx=self.ctx, token=given.token):
            self.form.add_error(None, MADE_BEFORE)
        return super().is_valid()

    def context(self) -> dict[str, Any]:
        return {
            **super().context(),
            "made_before": initial.invoice_made_before(self.ctx, self.resource),
            "estimate": initial.estimate_in(self.ctx, self.resource),
            "line_edit": self.line_edit,
        }


class NewDocument(DocumentFormPage, NewForm):
    """A new document: empty, copied (?copy=17), or from an estimate (?estimate=17)."""

    def initial(self) -> dict[str, Any]:
        return initial.initial_values(self.ctx, self.resource)

    def announce(self, created: Created) -> None:
        ctx, words = self.ctx, self.resource.singular.capitalize()
        messages.success(ctx.request, f"{words} {created.label} was created.")
        initial.remember_days(ctx, self.resource, self.form.payload())
        if source := initial.estimate_in(ctx, self.resource):
            after_response.run_best_effort(
                preferences.remember_conversion,
                user=ctx.user.pk,
                workspace=ctx.workspace,
                source=source,
                made=created.id,
                label=created.label,
            )


class EditDocument(DocumentFormPage, EditForm):
    """A document; the update sends all of it, as it is in the service plus the changes."""

    def problem_with(self, record: Record) -> HttpResponse | None:
        if reason := why_not_editable(record, self.resource.endpoint):
            self.form.add_error(None, f"We can't save this any more. {reason}")
            return self.render(status=HTTPStatus.CONFLICT)
        return super().problem_with(record)


@form_page
def create_document(ctx: RequestContext, resource: Resource) -> HttpResponse:
    return create_record(NewDocument(ctx, resource))


@form_page
def edit_document(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    form = EditDocument(ctx, resource, record_id)
    if form.is_submitted:
        return edit_record(form)
    if reason := why_not_editable(form.record, resource.endpoint):
        return _render_closed(ctx, resource, form.record, reason)
    return form.render()


@require_POST
@page
def show_totals(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """Return the totals of posted numbers and each line's amount, as a fragment for
    lines/sums.js.
    """
    form = _posted_form(ctx, resource)
    form.rows = lines_of_numbers(ctx.request.POST.get("numbers", ""))
    return ctx.render("documents/_lines_sums.html", {"table": form.table(), "is_live": True})


@require_POST
@page
def show_lines(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """Return the lines after a paste, as a fragment for htmx."""
    form = _posted_form(ctx, resource)
    edit = edit_lines(form, ctx.request.POST)
    form.rows = edit.lines
    form.leave_unchecked()
    context = {"resource": resource, "table": form.table(), "line_edit": edit}
    return ctx.render("documents/_lines.html", context)


@require_safe
@page
def show_items(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """Return the items of a long price list that match a text, as options for lines/items.js."""
    table = LineTable((), ctx.style, price_list=price_list_of(ctx.workspace))
    items = table.found_items(typed_text(ctx.params, "q"))
    return ctx.render("documents/_items.html", {"items": items})


@require_safe
@page
def show_due_date(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """Return JSON for lines/head.js: {"text": the due date by the terms of this customer}."""
    text = terms.due_text(ctx, ctx.params.get("customer", ""), typed_text(ctx.params, "date"))
    return JsonResponse({"text": text})


@require_safe
@page
def show_customer(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """Return the facts about the chosen customer, as a fragment for htmx; empty without one."""
    customer = whole_number(ctx.params.get("customer_id", ""))
    parts = hints_of(ctx, customer, resource) if customer else []
    return ctx.render("documents/_customer.html", {"hints": parts})


def _posted_form(ctx: RequestContext, resource: Resource) -> DocumentForm:
    form = resource.create_form(ctx.request.POST, ctx=ctx)
    return cast(DocumentForm, form)


def _render_closed(
    ctx: RequestContext, resource: Resource, record: Record, why: str
) -> HttpResponse:
    context = {
        **record_context(resource, record.id),
        "title": resource.title(record),
        "why": why,
    }
    template = "documents/closed.html"
    return ctx.render(template, context, status=HTTPStatus.CONFLICT)
