"""A whole document as a body: an update of invoices and estimates replaces all of it."""

from collections.abc import Mapping
from typing import Any

from dashboard.documents.formset import CELLS, why_not_rebuilt
from dashboard.gateway import Endpoint, Record, Unreadable
from dashboard.records.forms.record_form import EMPTY

SAME = {"customer_id": "customer_id", "transaction_date": "transaction_date"}


def why_closed(record: Record, endpoint: Endpoint) -> str:
    """Why a document cannot be edited without losing a part of it; "" if it can."""
    if why := why_not_rebuilt(record):
        return why
    for item in endpoint.update:
        if item.required and item.kind != "lines" and not record[item.name]:
            known = "did not send" if record[item.name] is None else "sent in a form we cannot read"
            return f"The service {known} a part that every update needs: {item.name}."
    return ""


def rebuilt(record: Record, endpoint: Endpoint) -> dict[str, Any]:
    """The body that says what the record says, for an update that replaces the whole of it."""
    names = [item.name for item in endpoint.update if item.kind != "lines"]
    values = {name: record[name] for name in names}
    known = {name: value for name, value in values.items() if not isinstance(value, Unreadable)}
    lines = [
        {name: line[name] for name in CELLS if line[name] is not None} for line in record.lines
    ]
    return without_empty({**known, "items": lines})


def without_empty(body: Mapping[str, Any]) -> dict[str, Any]:
    """A whole body: what is left out is empty in the service."""
    sent = {name: value for name, value in body.items() if value not in EMPTY and value != ()}
    if "overall_discount" not in sent:
        sent.pop("overall_discount_type", None)
    return sent


def same_customer(body: Mapping[str, Any]) -> dict[str, Any]:
    """Where a document of unknown outcome would be found: among those of its customer."""
    return {"filters": {"cstid": body.get("customer_id")}}
