"""The initial values of a new document: from another document, a customer or earlier choices."""

from typing import Any

from django.utils import timezone

from dashboard.core import after_response
from dashboard.documents import customer as terms
from dashboard.documents.form import DocumentForm, deadline_of
from dashboard.documents.line_table import record_totals
from dashboard.documents.lines import (
    DocumentLine,
    filled_lines,
    lines_from_texts,
    pad_with_blank_lines,
    texts_of_record,
    why_lines_unreadable,
)
from dashboard.gateway import DEALS, ESTIMATES, Record, whole_number
from dashboard.gateway.values import read_value
from dashboard.office import choices as preferences
from dashboard.office.models import Conversion
from dashboard.people.context import RequestContext
from dashboard.records.form_drafts import form_input
from dashboard.records.initial_values import (
    find_original,
    has_own_dates,
    report_lost,
    values_of_copy,
    values_of_original,
)
from dashboard.schema import new_record
from dashboard.schema.fields import display
from dashboard.schema.money import currency_of
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource
from dashboard.schema.unnamed_references import record_references

DAYS = ("transaction_date", "due_date", "expiry_date")
MAX_SEARCHED = 100


def initial_values(ctx: RequestContext, resource: Resource) -> dict[str, Any]:
    """Return the initial values of a new document's form, by the query parameters of its
    address.
    """
    values = _values_of_source(ctx, resource) or _linked(ctx, resource)
    values.setdefault("transaction_date", timezone.localdate())
    day = str(display(values["transaction_date"]))
    values.setdefault(deadline_of(resource), terms.due_text(ctx, values.get("customer_id"), day))
    return new_record.initial_values(ctx, resource, values)


def estimate_in(ctx: RequestContext, resource: Resource) -> int | None:
    """Return the id of the estimate that the address (?estimate=17) converts to an invoice."""
    number = whole_number(form_input(ctx).params.get("estimate", ""))
    return number if resource.name != ESTIMATES.name else None


def invoice_made_before(ctx: RequestContext, resource: Resource) -> Conversion | None:
    """Return the invoice already made of the estimate in the address; None if there is none."""
    source = estimate_in(ctx, resource)
    return preferences.conversion_of(ctx.workspace, source) if source else None


def remember_days(ctx: RequestContext, resource: Resource, body: dict[str, Any]) -> None:
    """Store the days to pay that this customer was given."""
    start, end = body.get("transaction_date"), body.get(deadline_of(resource))
    if start and end and deadline_of(resource) == "due_date":
        after_response.run_best_effort(
            preferences.remember_days,
            workspace=ctx.workspace,
            customer=body["customer_id"],
            days=(end - start).days,
            usual=ctx.settings.due_days,
        )


def append_last_lines(
    ctx: RequestContext, form: DocumentForm, resource: Resource
) -> tuple[list[DocumentLine], str]:
    """Return the rows followed by those of the customer's latest document, and a message
    about it.
    """
    customer = whole_number(form["customer_id"].value())
    if customer is None:
        return form.rows, "Choose the customer first."
    documents = ctx.gateway.list(
        resource.endpoint, filters={"cstid": customer}, page_size=MAX_SEARCHED
    )
    if not documents.records:
        return form.rows, f"This customer has no earlier {resource.singular}."
    latest = max(documents.records, key=lambda one: (str(one["transaction_date"] or ""), one.id))
    record = ctx.gateway.get(resource.endpoint, latest.id)
    if why := why_lines_unreadable(record):
        return form.rows, f"The lines of {resource.title(record)} can't be used. {why}"
    record_references(resource, [record], ctx)  # so that no item is rejected as unknown
    texts = [row.cells for row in filled_lines(form.rows)] + texts_of_record(record, form.style)
    lines = pad_with_blank_lines(lines_from_texts(texts))
    return lines, f"Lines copied from {resource.title(record)}."


def _linked(ctx: RequestContext, resource: Resource) -> dict[str, Any]:
    values = resource.create_form.linked_to(form_input(ctx).params, ctx)
    deal = whole_number(values.get("deal_id", ""))
    if deal and "customer_id" not in values:
        company = ctx.gateway.get(DEALS, deal)["cstid"]
        values |= {"customer_id": str(company)} if isinstance(company, int) else {}
    return values


def _learn_names(ctx: RequestContext, resource: Resource, record: Record) -> None:
    """Record the names in the source after the answer, so that no item is rejected as unknown."""
    after_response.run_after_response(
        record_references, resource=resource, records=[record], ctx=ctx
    )


def _values_of_source(ctx: RequestContext, resource: Resource) -> dict[str, Any]:
    if record := find_original(ctx, resource):
        _learn_names(ctx, resource, record)
        _report_lost(resource, record, ctx)
        if has_own_dates(ctx):
            return values_of_original(resource, record, ctx)
        return _values(resource, record, ctx)
    if source := estimate_in(ctx, resource):
        record = ctx.gateway.get(ESTIMATES, source)
        _learn_names(ctx, RESOURCES[ESTIMATES.name], record)
        _report_lost(resource, record, ctx)
        values = _values(resource, record, ctx)
        # Below the notes: the reference may hold the customer's own order number.
        line = f"Estimate {record[ESTIMATES.label_field] or record.id}"
        return {**values, "notes": "\n".join(filter(None, (values.get("notes"), line)))}
    return {}


def _report_lost(resource: Resource, record: Record, ctx: RequestContext) -> None:
    totals = record_totals(record, currency_of(record, ctx))
    sums = {totals.subtotal, totals.discount, totals.total, sum(totals.taxes.values())}
    made_anew = [
        name
        for name, value in record.extra.items()
        if "total" in name and read_value("number", value) in sums
    ]
    lines = why_lines_unreadable(record)
    report_lost(resource, record, ctx, made_anew=made_anew, lines=lines)


def _values(resource: Resource, record: Record, ctx: RequestContext) -> dict[str, Any]:
    values = values_of_copy(resource, record, ctx)
    return {name: value for name, value in values.items() if name not in DAYS}
