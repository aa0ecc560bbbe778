"""Invoices (reference, section 2, "Invoice")."""

from typing import ClassVar

from django import forms

from dashboard.accounts import permissions as may
from dashboard.catalogue.fields import ReferenceField
from dashboard.catalogue.kinds import Kind
from dashboard.gateway import CONTACTS, DEALS, Record
from dashboard.gateway import INVOICES as ENDPOINT
from dashboard.records.finding import Trace
from dashboard.records.inputs import DayField
from dashboard.records.resource import Column, Detail, Filter, Page, Resource, Section

from . import document_page, document_views
from .document_bodies import SAME, same_customer
from .document_cells import SOON, day, days_left, money, named, status, tags
from .documents import DocumentForm

OPEN, PAID, CANCELLED = 0, 1, 2
STATUSES = {OPEN: ("Open", "open"), PAID: ("Paid", "paid"), CANCELLED: ("Cancelled", "cancelled")}


class InvoiceForm(DocumentForm):
    """A new or an existing invoice."""

    due_date = DayField(label="Due", required=False)
    billing_address = forms.CharField(
        label="Billing address", required=False, widget=forms.Textarea(attrs={"rows": 3})
    )
    shipping_address = forms.CharField(
        label="Shipping address", required=False, widget=forms.Textarea(attrs={"rows": 3})
    )
    assigned_to = ReferenceField(kind=Kind.USER, label="Assigned to", required=False)

    endpoint = ENDPOINT
    head = ("customer_id", "transaction_date", "due_date", "reference", "template_id")
    texts = ("billing_address", "shipping_address", *DocumentForm.texts)
    more: ClassVar[tuple[str, ...]] = ("assigned_to", *DocumentForm.more)

    def clean_due_date(self) -> object:
        """Nothing is due before it is written."""
        begun, ends = self.cleaned_data.get("transaction_date"), self.cleaned_data["due_date"]
        if begun and ends and ends < begun:
            raise forms.ValidationError("This is before the invoice's own date.")
        return ends


def _late(record: Record) -> tuple[str, str] | None:
    """An open invoice whose day has come, or is near."""
    left = days_left(record, "due_date") if record["inv_status"] == OPEN else None
    if left is None or left > SOON:
        return None
    return ("Overdue", "overdue") if left < 0 else ("Due soon", "due")


STATUS = status("inv_status", STATUSES, _late)
INVOICES = Resource(
    endpoint=ENDPOINT,
    singular="invoice",
    icon="receipt",
    title_field="inv_number",
    search_hint="Invoice number",
    columns=(
        Column(name="inv_number", label="Number"),
        Column(name="customer_id", label="Customer", points_to=CONTACTS, sortable=False),
        Column(name="inv_status", label="Status", cell=STATUS),
        Column(name="transaction_date", label="Date", cell=day("transaction_date")),
        Column(name="due_date", label="Due", cell=day("due_date")),
        Column(name="total", label="Total", cell=money("total"), numeric=True),
        Column(name="amount_due", label="Still due", cell=money("amount_due"), numeric=True),
    ),
    filters=(
        Filter(
            name="inv_status",
            label="Status",
            choices={str(code): word for code, (word, _) in STATUSES.items()},
        ),
        Filter(name="cstid", label="Customer", points_to=CONTACTS),
        Filter(name="date", label="Date", span=("inv_datetime_from", "inv_datetime_to")),
    ),
    facts=(
        Detail(name="inv_status", label="Status", cell=STATUS),
        Detail(name="customer_id", label="Customer", points_to=CONTACTS),
        Detail(name="transaction_date", label="Date"),
        Detail(name="due_date", label="Due"),
        Detail(name="reference", label="Reference"),
        Detail(name="total", label="Total", cell=money("total")),
        Detail(name="amount_due", label="Still due", cell=money("amount_due")),
    ),
    sections=(
        Section(
            title="Addresses and terms",
            details=(
                Detail(name="billing_address", label="Billing address"),
                Detail(name="shipping_address", label="Shipping address"),
                Detail(name="terms_conditions", label="Terms and conditions"),
                Detail(name="notes", label="Notes"),
            ),
        ),
        Section(
            title="Filing",
            details=(
                Detail(name="deal_id", label="Deal", points_to=DEALS),
                Detail(
                    name="assigned_to", label="Assigned to", cell=named(Kind.USER, "assigned_to")
                ),
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
    create_form=InvoiceForm,
    edit_form=InvoiceForm,
    not_editable={"Status": "the service sets it."},
    odd_pages={
        "create": Page(route="new/", view=document_views.create, permission=may.EDIT_RECORDS),
        "totals": Page(route="totals/", view=document_views.totals, permission=may.EDIT_RECORDS),
        "lines": Page(route="lines/", view=document_views.lines, permission=may.EDIT_RECORDS),
        "due": Page(route="due/", view=document_views.due, permission=may.EDIT_RECORDS),
        "detail": Page(
            route="<int:record_id>/", view=document_page.show, permission=may.VIEW_RECORDS
        ),
        "edit": Page(
            route="<int:record_id>/edit/", view=document_views.edit, permission=may.EDIT_RECORDS
        ),
    },
)
