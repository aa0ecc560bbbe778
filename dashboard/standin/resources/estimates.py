"""Estimates: documents that offer a price."""

from ..schema import Field, Filter, Record, Resource, Seed
from ..seed_workspace import YEAR, SeedWorkspace, created_day
from .documents import LINE_FIELDS, complete
from .documents import sample as sample_document

FIELDS = (
    Field("est_id", "integer", "list"),
    Field("est_number", "string", "list"),
    Field("customer_id", "integer", "list create!", refers="contacts"),
    Field("est_status", "integer", "list", choices=(0, 1, 2), default=0),
    Field("total", "number", "list"),
    Field("transaction_date", "date", "list create"),
    Field("expiry_date", "date", "list create"),
    Field("template_id", "integer", "create!", refers="templates"),
    Field("items", "lines", "create!", inside=LINE_FIELDS),
    Field("reference", "string", "create", limit=255),
    Field("notes", "string", "create"),
    Field("terms_conditions", "string", "create"),
    Field("deal_id", "integer", "create", refers="deals"),
    Field("org_currency_id", "integer", "create", refers="currencies"),
    Field("conversion_rate", "number", "create"),
    Field("overall_discount", "number", "create"),
    Field("overall_discount_type", "integer", "create", choices=(1, 2)),
    Field("tag_ids", "integers", "create", refers="tags"),
    Field("subtotal", "number"),
    Field("tax_total", "number"),
)


def sample(workspace: SeedWorkspace, index: int, count: int) -> Record:
    """Most old estimates are invoiced, some cancelled; those of the last 40 days are open."""
    record = sample_document(workspace, index, count)
    day = created_day(index, count)
    record["expiry_date"] = workspace.days[day + 30]
    record["est_status"] = 0 if day > YEAR - 40 else workspace.pick((1, 1, 1, 0, 2))
    return record


ESTIMATES = Resource(
    name="estimates",
    singular="estimate",
    id_field="est_id",
    label="est_number",
    operations=("list", "get", "create", "update", "delete"),
    whole_body=True,
    number_field="est_number",
    number_prefix="EST",
    first_id=4001,
    created_fields=("est_id", "est_number"),
    search=("est_number",),
    filters=(
        Filter("est_status", "integer", "est_status", choices=(0, 1, 2)),
        Filter("cstid", "integer", "customer_id"),
        Filter("est_datetime_from", "date", "transaction_date", ">="),
        Filter("est_datetime_to", "date", "transaction_date", "<="),
    ),
    fields=FIELDS,
    complete=complete,
    seed=Seed(sample, demo=190, small=30, share=12),
)
