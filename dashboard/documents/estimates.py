"""Estimates (reference, section 2, "Estimate")."""

from dashboard.documents.declaration import document
from dashboard.documents.form import DocumentForm
from dashboard.gateway import ESTIMATES as ENDPOINT
from dashboard.schema.filters import AtLeast, Days
from dashboard.schema.inputs import DayField
from dashboard.writes.history import CREATED_BY_ME, EnteredHere

STATUSES = {0: ("Open", "open"), 1: ("Invoiced", "paid"), 2: ("Cancelled", "off")}


class EstimateForm(DocumentForm):
    expiry_date = DayField(label="Valid until", required=False, looks_ahead=True)

    endpoint = ENDPOINT
    deadline = "expiry_date"
    in_bulk = ("expiry_date", "template_id", "notes", "terms_conditions", "tag_ids")


ESTIMATES = document(
    icon="file-text",
    key="e",
    form=EstimateForm,
    states=("est_status", STATUSES),
    late=("Expired", "Expires soon"),
    dates=("est_datetime_from", "est_datetime_to"),
    texts="Notes and terms",
    amounts={"total": "Total"},
    more_filters=(
        Days("expires_on", label="Valid until", field="expiry_date"),
        AtLeast("least", label="Total from", field="total"),
        EnteredHere(resource="estimates"),
    ),
    own_views=(CREATED_BY_ME,),
)
