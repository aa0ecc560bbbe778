"""Deals: possible sales on their way through a pipeline."""

from datetime import datetime

from ..reference_data import entry_names, stages, user_name
from ..schema import Field, Filter, Record, Resource, Seed
from ..seed_workspace import SeedWorkspace, created_day
from ..words import SOURCES

FIELDS = (
    Field("deal_id", "integer", "list"),
    Field("deal_name", "string", "list create! update!", limit=255),
    Field("deal_amount", "number", "list create update"),
    Field("deal_source", "string", "list create update"),
    Field("deal_expected_close_date", "date", "list create update"),
    Field("pipeline_id", "integer", "list create! update!", refers="pipelines"),
    Field("cstid", "integer", "list create! update!", refers="contacts"),
    Field("owner", "string", "list"),
    Field("deal_current_stage", "integer", "filter unpublished"),
    Field("deal_amount_currency", "integer", "create update", refers="currencies"),
    Field("deal_owner_id", "integer", "create update filter", refers="users"),
    Field("deal_contact_id", "integer", "create update", refers="contacts"),
    Field("deal_description", "string", "create update"),
    Field("deal_assignedto", "integer", "create update", refers="users"),
    Field("tag_ids", "integers", "create update", refers="contact-tags"),
)


def complete(workspace: str, record: Record, now: datetime) -> None:
    """Set the owner and a stage of the deal's pipeline; a new pipeline starts at its first."""
    users = entry_names(workspace, "users")
    if not record.get("deal_owner_id"):
        record["deal_owner_id"] = next(iter(users))
    record["owner"] = user_name(workspace, record["deal_owner_id"])
    allowed = stages(workspace, record["pipeline_id"])
    if record.get("deal_current_stage") not in allowed:
        record["deal_current_stage"] = allowed[0]


def sample(workspace: SeedWorkspace, index: int, count: int) -> Record:
    """Spread over pipelines and their stages; old deals are in the last stages."""
    random, words = workspace.random, workspace.words
    pipeline = workspace.reference_id("pipelines")
    allowed = stages(workspace.name, pipeline)
    reached = min(len(allowed) - 1, int((1 - index / count) * len(allowed) + random() * 2))
    user = workspace.pick(workspace.reference["users"])
    day = created_day(index, count)
    name = workspace.pick(words.deals).format(n=index + 1)
    amount = random() ** 3 * words.largest_deal + 250
    return {
        "deal_name": name,
        "deal_amount": round(round(amount / words.deal_step) * words.deal_step, 2),
        "deal_source": workspace.pick(SOURCES),
        "deal_expected_close_date": workspace.days[day + 20 + int(random() * 80)],
        "pipeline_id": pipeline,
        "cstid": workspace.business(),
        "owner": user["name"],
        "deal_current_stage": allowed[reached],
        "deal_amount_currency": workspace.reference["currencies"][0]["id"],
        "deal_owner_id": user["id"],
        "deal_description": workspace.pick(workspace.words.notes) if random() < 0.4 else None,
        "deal_assignedto": workspace.reference_id("users"),
        "tag_ids": workspace.tags(),
    }


DEALS = Resource(
    name="deals",
    singular="deal",
    id_field="deal_id",
    label="deal_name",
    operations=("list", "get", "create", "update", "delete"),
    first_id=301,
    created_fields=("deal_id", "deal_name"),
    search=("deal_name", "deal_description"),
    filters=(
        Filter("pipeline_id", "integer", "pipeline_id"),
        Filter("deal_current_stage", "integer", "deal_current_stage"),
        Filter("cstid", "integer", "cstid"),
        Filter("deal_owner_id", "integer", "deal_owner_id"),
    ),
    fields=FIELDS,
    complete=complete,
    seed=Seed(sample, demo=140, small=30, share=10),
)
