"""Leads: people who may become contacts."""

from datetime import datetime

from ..reference_data import reference_data, user_name
from ..schema import Errors, Field, Filter, Record, Resource, Seed
from ..seed_workspace import SeedWorkspace, created_day
from ..words import SOURCES
from .people import company, custom_fields, email, person, timestamp

STATUSES = ("New", "Contacted", "Qualified", "Lost", "Converted")
INDUSTRIES = ("Hospitality", "Retail", "Health", "Construction", "Education", "Média", "")

FIELDS = (
    Field("cstid", "integer", "list"),
    Field("ct_number", "string", "list"),
    Field("cstname", "string", "list create! update", limit=100),
    Field("cstemail", "email", "list create update"),
    Field("lead_status", "string", "list", choices=STATUSES, default="New"),
    Field("lead_source", "string", "list create update"),
    Field("lead_company_name", "string", "list create update"),
    Field("owner", "string", "list"),
    Field("cstcreated_on", "timestamp", "list"),
    Field("cstmobile", "phone", "create update"),
    Field("cstmobile_country_id", "integer", "create update", refers="countries"),
    Field("cstaddress", "string", "create update"),
    Field("cstnotes", "string", "create update"),
    Field("lead_industry", "string", "create update"),
    Field("lead_assignedto", "integer", "create update", refers="users"),
    Field("lead_assignmentgroup", "integer", "create update", refers="user-groups"),
    Field("brand_id", "integer", "create update", refers="brands"),
    Field("tag_ids", "integers", "create update", refers="lead-tags"),
    Field("tag_names", "strings", "create update input"),
    Field("custom_fields", "object", "create update", refers="lead-fields"),
)


def complete(workspace: str, record: Record, now: datetime) -> None:
    """Set creation time and owner's name; derive the country from the number, tags from names."""
    record.setdefault("cstcreated_on", timestamp(now))
    record["owner"] = user_name(workspace, record.get("lead_assignedto"))
    mobile = record.get("cstmobile") or ""
    if mobile.startswith("+") and not record.get("cstmobile_country_id"):
        record["cstmobile_country_id"] = _country_of(workspace, mobile)
    if "tag_names" in record:
        found, _ = _tags_named(workspace, record.pop("tag_names") or [])
        record["tag_ids"] = sorted({*(record.get("tag_ids") or []), *found})


def check(workspace: str, record: Record, strict: bool) -> Errors:
    """A strict service rejects names that no tag has."""
    _, unknown = _tags_named(workspace, record.get("tag_names") or [])
    if strict and unknown:
        return {"tag_names": [f"There is no tag named {', '.join(unknown)}."]}
    return {}


def _tags_named(workspace: str, wanted: list[str]) -> tuple[list[int], list[str]]:
    known = {row["name"].casefold(): row["id"] for row in reference_data(workspace)["lead-tags"]}
    found = [known[name.casefold()] for name in wanted if name.casefold() in known]
    return found, [name for name in wanted if name.casefold() not in known]


def _country_of(workspace: str, mobile: str) -> int | None:
    countries = reference_data(workspace)["countries"]
    matching = [c for c in countries if mobile.startswith(f"+{c['calling code']}")]
    longest = max(matching, key=lambda c: len(c["calling code"]), default=None)
    return longest["id"] if longest else None


def sample(workspace: SeedWorkspace, index: int, count: int) -> Record:
    """Of the last fifth all are new; older ones have any status."""
    random = workspace.random
    name = person(workspace, index + 3)
    user = workspace.pick(workspace.reference["users"])
    recent = index > count * 0.8
    return {
        "cstname": name,
        "cstemail": email(workspace, name, index),
        "lead_status": "New" if recent else workspace.pick(STATUSES),
        "lead_source": workspace.pick(SOURCES),
        "lead_company_name": company(workspace) if random() < 0.6 else "",
        "owner": user["name"],
        "cstcreated_on": workspace.working_time(created_day(index, count)) + "Z",
        "cstmobile": f"0{int(random() * 1e9):09d}" if random() < 0.7 else None,
        "cstmobile_country_id": workspace.country_id(),
        "cstnotes": workspace.pick(workspace.words.notes) if random() < 0.2 else None,
        "lead_industry": workspace.pick(INDUSTRIES),
        "lead_assignedto": user["id"],
        "lead_assignmentgroup": workspace.reference_id("user-groups"),
        "brand_id": workspace.reference_id("brands"),
        "tag_ids": workspace.tags(),
        "custom_fields": custom_fields(workspace),
    }


LEADS = Resource(
    name="leads",
    singular="lead",
    id_field="cstid",
    label="cstname",
    operations=("list", "create", "delete"),
    unpublished=("get", "update"),
    number_field="ct_number",
    number_prefix="LD",
    first_id=5_000_001,  # beyond the ids of contacts, which have the same name
    created_fields=("cstid", "ct_number", "cstname"),
    search=("cstname", "cstemail"),
    filters=(Filter("lead_status", "string", "lead_status", choices=STATUSES),),
    fields=FIELDS,
    complete=complete,
    check=check,
    seed=Seed(sample, demo=160, small=45, share=10),
)
