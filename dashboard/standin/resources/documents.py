"""What estimates and invoices share: their declaration, totals and sample documents."""

from datetime import datetime
from typing import Any

from ..money import totals
from ..reference_data import entry_names
from ..schema import Field, Filter, Record, Resource
from ..seed_workspace import SeedWorkspace, created_day

LINE_FIELDS = (
    Field("item_id", "integer", "create!", refers="items"),
    Field("item_name", "string", "create!"),
    Field("quantity", "number", "create!"),
    Field("price", "number", "create!"),
    Field("type", "string", "create!", choices=("item", "header")),
    Field("description", "string", "create"),
    Field("discount", "number", "create"),
    Field("discount_type", "integer", "create", choices=(1, 2)),
    Field("tax_id", "string", "create", refers="taxes"),
    Field("tax_rate", "number", "create"),
)

SHARED_FIELDS = (
    Field("customer_id", "integer", "list create!", refers="contacts"),
    Field("total", "number", "list"),
    Field("transaction_date", "date", "list create"),
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
    Field("tag_ids", "integers", "create", refers="contact-tags"),
    Field("subtotal", "number"),
    Field("tax_total", "number"),
)


def document(name: str, prefix: str, *, fields: tuple[Field, ...], **details: Any) -> Resource:
    """Return a resource of documents. prefix: begins the names of its id, number and status, and of
    the filters of its date. fields: those beside the shared ones. details: of the resource.
    """
    number, status = f"{prefix}_number", f"{prefix}_status"
    own = (
        Field(f"{prefix}_id", "integer", "list"),
        Field(number, "string", "list"),
        Field(status, "integer", "list", choices=(0, 1, 2), default=0),
    )
    return Resource(
        name=name,
        singular=name.removesuffix("s"),
        id_field=f"{prefix}_id",
        label=number,
        operations=("list", "get", "create", "update", "delete"),
        whole_body=True,
        number_field=number,
        number_prefix=prefix.upper(),
        created_fields=(f"{prefix}_id", number),
        search=(number,),
        filters=(
            Filter(status, "integer", status, choices=(0, 1, 2)),
            Filter("cstid", "integer", "customer_id"),
            Filter(f"{prefix}_datetime_from", "date", "transaction_date", ">="),
            Filter(f"{prefix}_datetime_to", "date", "transaction_date", "<="),
        ),
        fields=(*own, *SHARED_FIELDS, *fields),
        **details,
    )


def complete(workspace: str, record: Record, now: datetime) -> None:
    """Set the totals, and today's date if none was sent."""
    if not record.get("transaction_date"):
        record["transaction_date"] = now.date().isoformat()
    currency = entry_names(workspace, "currencies").get(record.get("org_currency_id") or 0)
    record.update(totals(record, currency))


def sample(workspace: SeedWorkspace, index: int, count: int) -> Record:
    """Return the part of a sample document that estimates and invoices have in common."""
    random = workspace.random
    record: Record = {
        "customer_id": workspace.pick(workspace.ids["contacts"]),
        "transaction_date": workspace.days[created_day(index, count)],
        "template_id": workspace.reference_id("templates"),
        "items": _sample_lines(workspace),
        "reference": f"PO-{int(random() * 1e5):05d}" if random() < 0.5 else None,
        "notes": workspace.pick(workspace.words.notes) if random() < 0.2 else None,
        "terms_conditions": "Payable within 30 days." if random() < 0.8 else None,
        "org_currency_id": workspace.reference["currencies"][0]["id"],
        "conversion_rate": 1,
        "tag_ids": workspace.tags(),
    }
    if workspace.ids["deals"] and random() < 0.3:
        record["deal_id"] = workspace.pick(workspace.ids["deals"])
    if random() < 0.1:
        record.update(overall_discount=5, overall_discount_type=2)
    record.update(totals(record, workspace.reference["currencies"][0]["name"]))
    return record


def _sample_lines(workspace: SeedWorkspace) -> list[Record]:
    """One to five lines; a tenth of the documents begin with a header."""
    lines = [_sample_line(workspace) for _ in range(1 + int(workspace.random() ** 2 * 5))]
    if workspace.random() < 0.1:
        header = {"item_id": lines[0]["item_id"], "item_name": "Phase 1", "quantity": 0, "price": 0}
        lines.insert(0, {**header, "type": "header"})
    return lines


def _sample_line(workspace: SeedWorkspace) -> Record:
    item = workspace.pick(workspace.reference["items"])
    tax = workspace.pick(workspace.reference["taxes"])
    line: Record = {
        "item_id": item["id"],
        "item_name": item["name"],
        "quantity": workspace.pick((1, 1, 1, 2, 3, 5, 10, 0.5, 12)),
        "price": item["price"],
        "type": "item",
        "tax_id": str(tax["id"]),
        "tax_rate": tax["rate"],
    }
    if workspace.random() < 0.15:
        line.update(discount=10, discount_type=2)
    return line
