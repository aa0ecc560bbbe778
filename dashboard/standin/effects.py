"""What a create or update does to a record beyond storing what was sent."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from . import money
from .reference_data import names, reference_data, stages
from .shape import Resource
from .validation import Errors

Record = dict[str, Any]


def merged(resource: Resource, old: Record, sent: Record) -> Record:
    """`old` with what an update sent: all of it where the body is whole, else what is there."""
    record = dict(old)
    if resource.whole_body:
        record.update(dict.fromkeys(resource.accepted("create")))
    record.update(sent)
    fields = sent.get("custom_fields")
    if fields:  # values not sent stay; {} clears them all (reference, section 2)
        record["custom_fields"] = {**(old.get("custom_fields") or {}), **fields}
    return record


def complete(resource: Resource, workspace: str, record: Record, now: datetime) -> None:
    """Fill in what the service sets itself, in place. `now` is in UTC."""
    for field in resource.stored:
        if field.default is not None and record.get(field.name) is None:
            record[field.name] = field.default
    COMPLETE[resource.name](workspace, record, now)


def _contact(workspace: str, record: Record, now: datetime) -> None:
    record.setdefault("cstcreated_on", timestamp(now))
    if "cst_tag_id" in record:
        record["tag_ids"] = record.pop("cst_tag_id")


def _lead(workspace: str, record: Record, now: datetime) -> None:
    record.setdefault("cstcreated_on", timestamp(now))
    record["owner"] = _user_name(workspace, record.get("lead_assignedto"))
    mobile = record.get("cstmobile") or ""
    if mobile.startswith("+") and not record.get("cstmobile_country_id"):
        record["cstmobile_country_id"] = country_of(workspace, mobile)
    if "tag_names" in record:
        found, _ = tags_named(workspace, record.pop("tag_names") or [])
        record["tag_ids"] = sorted({*(record.get("tag_ids") or []), *found})


def _document(workspace: str, record: Record, now: datetime) -> None:
    if not record.get("transaction_date"):
        record["transaction_date"] = now.date().isoformat()
    record.update(money.totals(record))


def _invoice(workspace: str, record: Record, now: datetime) -> None:
    _document(workspace, record, now)
    payments = record.setdefault("payments", [])
    paid = sum((money.exact(payment["amount"]) for payment in payments), money.exact(0))
    record["amount_due"] = float(money.exact(record["total"]) - paid)


def _deal(workspace: str, record: Record, now: datetime) -> None:
    users = names(workspace, "users")
    if not record.get("deal_owner_id"):
        record["deal_owner_id"] = next(iter(users))
    record["owner"] = _user_name(workspace, record["deal_owner_id"])
    allowed = stages(workspace, record["pipeline_id"])
    if record.get("deal_current_stage") not in allowed:
        record["deal_current_stage"] = allowed[0]


def _task(workspace: str, record: Record, now: datetime) -> None:
    return


COMPLETE: dict[str, Callable[[str, Record, datetime], None]] = {
    "contacts": _contact,
    "leads": _lead,
    "invoices": _invoice,
    "estimates": _document,
    "deals": _deal,
    "tasks": _task,
}


def rule_errors(resource: Resource, workspace: str, record: Record, *, strict: bool) -> Errors:
    """Rules about more than one field, checked on the record as it would be stored."""
    errors: Errors = {}
    if resource.name == "tasks" and not record.get("deal_id") and not record.get("cstid"):
        complaint = ["At least one of deal_id and cstid is required."]
        errors = {"deal_id": complaint, "cstid": complaint}
    _, unknown = tags_named(workspace, record.get("tag_names") or [])
    if strict and unknown:
        errors["tag_names"] = [f"There is no tag named {', '.join(unknown)}."]
    return errors


def timestamp(moment: datetime) -> str:
    """ISO 8601 in UTC."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def tags_named(workspace: str, wanted: list[str]) -> tuple[list[int], list[str]]:
    """The ids of tags by name, whatever the case, and the names that no tag has."""
    known = {name.casefold(): number for number, name in names(workspace, "tags").items()}
    found = [known[name.casefold()] for name in wanted if name.casefold() in known]
    return found, [name for name in wanted if name.casefold() not in known]


def country_of(workspace: str, mobile: str) -> int | None:
    """The country whose ISD prefix an international number starts with; the longest wins."""
    countries = reference_data(workspace)["countries"]
    fitting = [c for c in countries if mobile.startswith(f"+{c['isd']}")]
    longest = max(fitting, key=lambda c: len(c["isd"]), default=None)
    return longest["id"] if longest else None


def _user_name(workspace: str, user_id: int | None) -> str | None:
    return names(workspace, "users").get(user_id) if user_id else None
