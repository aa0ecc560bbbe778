"""Invoices (reference, section 2, "Invoice")."""

from django import forms

from dashboard.documents import views
from dashboard.documents.cells import OPEN
from dashboard.documents.declaration import document
from dashboard.documents.form import DocumentForm
from dashboard.documents.receivables import DUE, OVERDUE, UNPAID, Due
from dashboard.gateway import INVOICES as ENDPOINT
from dashboard.office.kinds import Kind
from dashboard.office.reference_fields import ReferenceField
from dashboard.people import permissions as may
from dashboard.schema.fields import TextField
from dashboard.schema.filters import AtLeast, BuiltInView, Days
from dashboard.schema.inputs import DayField
from dashboard.schema.resource import ResourcePage
from dashboard.writes.history import CREATED_BY_ME, EnteredHere

STATUSES = {0: ("Open", "open"), 1: ("Paid", "paid"), 2: ("Cancelled", "off")}


class InvoiceForm(DocumentForm):
    due_date = DayField(label="Due", required=False, looks_ahead=True)
    billing_address = TextField(
        label="Billing address", required=False, widget=forms.Textarea(attrs={"rows": 3})
    )
    shipping_address = TextField(
        label="Shipping address", required=False, widget=forms.Textarea(attrs={"rows": 3})
    )
    assigned_to = ReferenceField(kind=Kind.USER, label="Assigned to", required=False)

    endpoint = ENDPOINT
    deadline = "due_date"
    texts = ("billing_address", "shipping_address", *DocumentForm.texts)
    more = ("assigned_to", *DocumentForm.more)
    defaults_to_self = ("assigned_to",)
    in_bulk = ("due_date", "assigned_to", "template_id", "notes", "terms_conditions", "tag_ids")


INVOICES = document(
    icon="receipt",
    key="i",
    form=InvoiceForm,
    states=("inv_status", STATUSES),
    late=("Overdue", "Due soon"),
    dates=("inv_datetime_from", "inv_datetime_to"),
    texts="Addresses and terms",
    amounts={"total": "Total", "amount_due": "Balance due"},
    more_filters=(
        Due("due", label="Payment", choices=DUE),
        Days("due_on", label="Due date", field="due_date"),
        AtLeast("least", label="Total from", field="total"),
        EnteredHere(resource="invoices"),
    ),
    own_views=(
        BuiltInView("overdue", "Overdue", {"due": OVERDUE}),
        BuiltInView("week", "Due this week", {"inv_status": str(OPEN), "due_on": "this-week"}),
        BuiltInView("unpaid", "Unpaid by customer", {"due": UNPAID}),
        CREATED_BY_ME,
    ),
    pages={"due": ResourcePage("due/", views.show_due_date, may.EDIT_RECORDS)},
)
