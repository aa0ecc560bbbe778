"""Request bodies of documents: an update of an invoice or estimate replaces the whole document."""

from collections.abc import Mapping
from typing import Any

from dashboard.core.service_name import SERVICE_AT_START
from dashboard.documents.lines import CELLS, why_lines_unreadable
from dashboard.gateway import Endpoint, Record, Unreadable
from dashboard.schema.record_form import EMPTY

SAME = {"customer_id": "customer_id", "transaction_date": "transaction_date"}


def why_not_editable(record: Record, endpoint: Endpoint) -> str:
    """Why an update would lose a part of the document; "" if it would not."""
    if why := why_lines_unreadable(record):
        return why
    for item in endpoint.update:
        if item.required and item.kind != "lines" and not record[item.name]:
            known = "did not send" if record[item.name] is None else "sent in a form we cannot read"
            return f"{SERVICE_AT_START} {known} a part that every update needs: {item.name}."
    return ""


def body_of_record(record: Record, endpoint: Endpoint) -> dict[str, Any]:
    """The update body with the values of the record as read, without those that are unreadable."""
    names = [item.name for item in endpoint.update if item.kind != "lines"]
    values = {name: record[name] for name in names}
    known = {name: value for name, value in values.items() if not isinstance(value, Unreadable)}
    lines = [
        {name: line[name] for name in CELLS if line[name] is not None} for line in record.lines
    ]
    return without_empty({**known, "items": lines})


def changed_body(record: Record, endpoint: Endpoint, typed: Mapping[str, Any]) -> dict[str, Any]:
    """The body of an update that changes the typed fields alone."""
    return without_empty({**body_of_record(record, endpoint), **typed})


def without_empty(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body without empty values; an update clears the fields it does not name."""
    sent = {name: value for name, value in body.items() if value not in EMPTY and value != ()}
    if "overall_discount" not in sent:
        sent.pop("overall_discount_type", None)
    return sent


def same_customer(body: Mapping[str, Any]) -> dict[str, Any]:
    """`Gateway.list` arguments for the duplicate search: the documents of the same customer."""
    return {"filters": {"cstid": body.get("customer_id")}}
