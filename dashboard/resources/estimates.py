"""Estimates (reference, section 2, "Estimate")."""

from typing import ClassVar

from django import forms

from dashboard.accounts import permissions as may
from dashboard.catalogue.kinds import Kind
from dashboard.gateway import CONTACTS, DEALS, Record
from dashboard.gateway import ESTIMATES as ENDPOINT
from dashboard.records.finding import Trace
from dashboard.records.inputs import DayField
from dashboard.records.resource import Column, Detail, Filter, Page, Resource, Section

from . import document_page, document_views
from .document_bodies import SAME, same_customer
from .document_cells import SOON, day, days_left, money, named, status, tags
from .documents import DocumentForm

OPEN, INVOICED, CANCELLED = 0, 1, 2
STATUSES = {
    OPEN: ("Open", "open"),
    INVOICED: ("Invoiced", "paid"),
    CANCELLED: ("Cancelled", "cancelled"),
}


class EstimateForm(DocumentForm):
    """A new or an existing estimate."""

    expiry_date = DayField(label="Valid until", required=False)

    endpoint = ENDPOINT
    head: ClassVar[tuple[str, ...]] = (
        "customer_id",
        "transaction_date",
        "expiry_date",
        "reference",
        "template_id",
    )

    def clean_expiry_date(self) -> object:
        """Nothing runs out before it is written."""
        begun, ends = self.cleaned_data.get("transaction_date"), self.cleaned_data["expiry_date"]
        if begun and ends and ends < begun:
            raise forms.ValidationError("This is before the estimate's own date.")
        return ends


def _late(record: Record) -> tuple[str, str] | None:
    """An open estimate that has run out, or will soon."""
    left = days_left(record, "expiry_date") if record["est_status"] == OPEN else None
    if left is None or left > SOON:
        return None
    return ("Expired", "overdue") if left < 0 else ("Expires soon", "due")


STATUS = status("est_status", STATUSES, _late)
ESTIMATES = Resource(
    endpoint=ENDPOINT,
    singular="estimate",
    icon="file-text",
    title_field="est_number",
    search_hint="Estimate number",
    columns=(
        Column(name="est_number", label="Number"),
        Column(name="customer_id", label="Customer", points_to=CONTACTS, sortable=False),
        Column(name="est_status", label="Status", cell=STATUS),
        Column(name="transaction_date", label="Date", cell=day("transaction_date")),
        Column(name="expiry_date", label="Valid until", cell=day("expiry_date")),
        Column(name="total", label="Total", cell=money("total"), numeric=True),
    ),
    filters=(
        Filter(
            name="est_status",
            label="Status",
            choices={str(code): word for code, (word, _) in STATUSES.items()},
        ),
        Filter(name="cstid", label="Customer", points_to=CONTACTS),
        Filter(name="date", label="Date", span=("est_datetime_from", "est_datetime_to")),
    ),
    facts=(
        Detail(name="est_status", label="Status", cell=STATUS),
        Detail(name="customer_id", label="Customer", points_to=CONTACTS),
        Detail(name="transaction_date", label="Date"),
        Detail(name="expiry_date", label="Valid until"),
        Detail(name="reference", label="Reference"),
        Detail(name="total", label="Total", cell=money("total")),
    ),
    sections=(
        Section(
            title="Notes and terms",
            details=(
                Detail(name="notes", label="Notes"),
                Detail(name="terms_conditions", label="Terms and conditions"),
            ),
        ),
        Section(
            title="Filing",
            details=(
                Detail(name="deal_id", label="Deal", points_to=DEALS),
                Detail(
                    name="template_id",
                    label="Document template",
                    cell=named(Kind.TEMPLATE, "template_id"),
                ),
                Detail(
                    name="org_currency_id",
                    label="Currency",
                    cell=named(Kind.CURRENCY, "org_currency_id"),
                ),
                Detail(name="conversion_rate", label="Conversion rate"),
                Detail(name="tag_ids", label="Tags", cell=tags),
            ),
        ),
    ),
    trace=Trace(
        ask=same_customer,
        same=SAME,
    ),
    create_form=EstimateForm,
    edit_form=EstimateForm,
    not_editable={"Status": "the service sets it."},
    odd_pages={
        "create": Page(route="new/", view=document_views.create, permission=may.EDIT_RECORDS),
        "totals": Page(route="totals/", view=document_views.totals, permission=may.EDIT_RECORDS),
        "lines": Page(route="lines/", view=document_views.lines, permission=may.EDIT_RECORDS),
        "detail": Page(
            route="<int:record_id>/", view=document_page.show, permission=may.VIEW_RECORDS
        ),
        "edit": Page(
            route="<int:record_id>/edit/", view=document_views.edit, permission=may.EDIT_RECORDS
        ),
    },
)
