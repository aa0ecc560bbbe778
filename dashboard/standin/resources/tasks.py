"""Tasks: things to do for a contact or a deal."""

from ..schema import Errors, Field, Filter, Record, Resource, Seed
from ..seed_workspace import YEAR, SeedWorkspace, created_day

OPEN_TASKS = 6  # of a plausible firm
LEVELS = (0, 1, 2, 3, 4)
DUE = "coalesce(end_datetime, start_datetime)"

FIELDS = (
    Field("activity_id", "integer", "list"),
    Field("title", "string", "list create! update", limit=150),
    Field("activity_type", "string", "list", default="Task"),
    Field("status", "integer", "list create update", choices=LEVELS, default=0),
    Field("priority", "integer", "list create update", choices=LEVELS, default=2),
    Field("start_datetime", "datetime", "list create! update"),
    Field("end_datetime", "datetime", "list create update"),
    Field("cstid", "integer", "list create update", refers="contacts"),
    Field("deal_id", "integer", "create update", refers="deals"),
    Field("description", "string", "create update"),
    Field("assigned_user_id", "integer", "create update filter", refers="users"),
    Field("tags", "integers", "create update", refers="contact-tags"),
)


def check(workspace: str, record: Record, strict: bool) -> Errors:
    """A task belongs to a deal or a contact."""
    if record.get("deal_id") or record.get("cstid"):
        return {}
    message = ["At least one of deal_id and cstid is required."]
    return {"deal_id": message, "cstid": message}


def sample(workspace: SeedWorkspace, index: int, count: int) -> Record:
    """Most tasks of the past are done; a tenth are in the future."""
    random = workspace.random
    plausible = workspace.words.plausible
    day = min(created_day(index, count) + (12 if plausible else 30), YEAR + 40)
    start = workspace.working_time(day)
    record: Record = {
        "title": workspace.pick(workspace.words.tasks) if index % 50 != 3 else "T" * 150,
        "activity_type": "Task",
        "status": workspace.pick((0, 0, 1) if day >= YEAR else (2, 2, 2, 2, 2, 0, 3, 4)),
        "priority": workspace.pick((0, 1, 2, 2, 2, 3, 4)),
        "start_datetime": start,
        "end_datetime": f"{start[:11]}19:00:00" if random() < 0.6 else None,
        "cstid": workspace.pick(workspace.ids["contacts"]),
        "description": workspace.pick(workspace.words.notes) if random() < 0.3 else None,
        "assigned_user_id": workspace.reference_id("users"),
        "tags": workspace.tags(),
    }
    if plausible:
        record["title"] = workspace.words.tasks[index % len(workspace.words.tasks)]
        record["status"] = 0 if index >= count - OPEN_TASKS else 2
    if workspace.ids["deals"] and random() < 0.4:
        record["deal_id"] = workspace.pick(workspace.ids["deals"])
        record["cstid"] = record["cstid"] if random() < 0.5 else None
    return record


TASKS = Resource(
    name="tasks",
    singular="task",
    id_field="activity_id",
    label="title",
    operations=("list", "get", "create"),
    unpublished=("update", "delete"),
    in_every_plan=True,
    first_id=20001,
    created_fields=("activity_id", "title", "activity_type"),
    search=("title",),
    filters=(
        Filter("status", "integer", "status", choices=LEVELS),
        Filter("priority", "integer", "priority", choices=LEVELS),
        Filter("assigned_user_id", "integer", "assigned_user_id"),
        Filter("due_date_from", "date", DUE, ">="),
        Filter("due_date_to", "date", DUE, "<="),
    ),
    fields=FIELDS,
    check=check,
    seed=Seed(sample, demo=520, small=40, share=15),
)
