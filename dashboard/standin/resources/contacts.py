"""Contacts: people and businesses."""

from datetime import datetime

from ..schema import Field, Filter, Record, Resource, Seed
from ..seed_workspace import SeedWorkspace, created_day
from .people import company, custom_fields, email, person, timestamp

FIELDS = (
    Field("cstid", "integer", "list"),
    Field("cstname", "string", "list create! update", limit=100),
    Field("cstemail", "email", "list create update"),
    Field("cstmobile", "string", "list create update"),
    Field("contact_type", "integer", "list create! update", choices=(1, 2)),
    Field("cstcreated_on", "timestamp", "list"),
    Field("cstmobile_country_id", "integer", "create update", refers="countries"),
    Field("cstaddress", "string", "create update", limit=255),
    Field("ct_taxnumber", "string", "create update", limit=50),
    Field("cstnotes", "string", "create", limit=2000),
    Field("cstemailnotify", "boolean", "create", default=True),
    Field("cstsmsnotify", "boolean", "create", default=True),
    Field("cst_whatsapp_notify", "boolean", "create", default=True),
    Field("contact_parent", "integer", "create update", refers="contacts"),
    Field("cst_tag_id", "integers", "create input", refers="contact-tags"),
    Field("tag_ids", "integers", "update", refers="contact-tags"),
    Field("custom_fields", "object", "create update", refers="contact-fields"),
)


def complete(workspace: str, record: Record, now: datetime) -> None:
    """Set the creation time; store the tags of a create under the name that reads show."""
    record.setdefault("cstcreated_on", timestamp(now))
    if "cst_tag_id" in record:
        record["tag_ids"] = record.pop("cst_tag_id")


def sample(workspace: SeedWorkspace, index: int, count: int) -> Record:
    """Every third contact is a business; a third of the people belong to one."""
    random = workspace.random
    is_business = index % 3 == 0
    name = company(workspace) if is_business else person(workspace, index)
    record: Record = {
        "cstname": name,
        "cstemail": email(workspace, name, index),
        "cstmobile": f"0{int(random() * 1e9):09d}" if random() < 0.8 else None,
        "contact_type": 2 if is_business else 1,
        "cstcreated_on": workspace.working_time(created_day(index, count)) + "Z",
        "cstmobile_country_id": workspace.country_id(),
        "cstaddress": workspace.address(),
        "ct_taxnumber": f"00{int(random() * 1e8):08d}" if is_business else None,
        "cstnotes": workspace.pick(workspace.words.notes) if random() < 0.2 else None,
        "cstemailnotify": True,
        "cstsmsnotify": random() < 0.7,
        "cst_whatsapp_notify": random() < 0.5,
        "tag_ids": workspace.tags(),
        "custom_fields": custom_fields(workspace),
    }
    if not is_business and random() < 0.33:
        record["contact_parent"] = workspace.ids["contacts"][index - index % 3]
    return record


CONTACTS = Resource(
    name="contacts",
    singular="contact",
    id_field="cstid",
    label="cstname",
    operations=("list", "get", "create", "update", "delete"),
    in_every_plan=True,
    first_id=1001,
    created_fields=("cstid", "cstname"),
    required_by=(("invoices", "customer_id"),),
    search=("cstname", "cstemail"),
    filters=(Filter("type", "integer", "contact_type", choices=(1, 2)),),
    fields=FIELDS,
    complete=complete,
    seed=Seed(sample, demo=420, small=60, share=35),
)
