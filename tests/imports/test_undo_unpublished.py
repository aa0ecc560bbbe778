"""Undo of an import that changed leads and tasks, where their unpublished operations are on."""

import pytest

from dashboard.gateway import CONTACTS, DEALS, LEADS, TASKS
from dashboard.imports.targets import is_document, targets_of
from dashboard.office.editing import save_entries
from dashboard.office.kinds import Kind
from dashboard.schema.registry import RESOURCES
from tests.imports.test_undo import (
    NEW_CONTACT,
    NEW_DEAL,
    OLD,
    VIP,
    check_empty_again,
    check_old_values,
)
from tests.resources.conftest import unpublished

__all__ = ["unpublished"]
LEAD = {
    "cstname": "Old Lead", "lead_company_name": "Old Ltd", "cstemail": "old@lead.example",
    "cstmobile": "0305550000", "cstmobile_country_id": 1, "lead_source": "Web",
    "lead_industry": "Retail", "lead_assignedto": 21, "lead_assignmentgroup": 31, "brand_id": 71,
    "tag_ids": [OLD], "cstaddress": "Old Street", "cstnotes": "Old words",
    "custom_fields": {"Account no.": "1"},
}  # fmt: skip
TASK = {
    "title": "Old task", "start_datetime": "2026-12-01T09:00:00",
    "end_datetime": "2026-12-01T10:00:00", "priority": 1, "status": 0, "assigned_user_id": 21,
    "tags": [OLD], "description": "Old words",
}  # fmt: skip
NEW_LEAD = {
    "cstname": "New Lead", "lead_company_name": "New Ltd", "cstemail": "new@lead.example",
    "cstmobile": "0305551234", "cstmobile_country_id": "2", "lead_source": "Fair",
    "lead_industry": "Food", "lead_assignedto": "22", "lead_assignmentgroup": "32",
    "brand_id": "72", "tag_ids": "VIP", "cstaddress": "New Street", "cstnotes": "New",
    "custom:Account no.": "2",
}  # fmt: skip
NEW_TASK = {
    "title": "New task", "start_datetime": "2027-01-05 11:00", "end_datetime": "2027-01-05 12:00",
    "priority": "Urgent", "status": "Completed", "assigned_user_id": "22", "tags": "VIP",
    "description": "New", "cstid": "Umbra Ltd", "deal_id": "Roof",
}  # fmt: skip


@pytest.fixture(autouse=True)
def lists(db):
    tags = [{"code": str(VIP), "name": "VIP"}, {"code": str(OLD), "name": "Newsletter"}]
    for kind in (Kind.CONTACT_TAG, Kind.LEAD_TAG):
        save_entries("Acme", kind, tags)
    save_entries("Acme", Kind.LEAD_FIELD, [{"code": "Account no.", "name": "Account no."}])


@pytest.fixture
def records(gateway, unpublished):
    """A lead and a task to change, and what the file of the task names."""
    business = gateway.create(CONTACTS, {"cstname": "Umbra Ltd", "contact_type": 2}).id
    other = gateway.create(CONTACTS, {"cstname": "Old Ltd", "contact_type": 2}).id
    deals = [
        gateway.create(DEALS, {"deal_name": name, "pipeline_id": 1, "cstid": business}).id
        for name in ("Roof", "Door")
    ]
    task = gateway.create(TASKS, TASK | {"cstid": other, "deal_id": deals[1]}).id
    return {"leads": gateway.create(LEADS, LEAD).id, "tasks": task}


@pytest.mark.parametrize(("resource", "values"), [("leads", NEW_LEAD), ("tasks", NEW_TASK)])
def test_every_field_gets_its_old_value_back(desk, unpublished, records, resource, values):
    check_old_values(desk, unpublished, resource, records[resource], values)


@pytest.mark.parametrize(("resource", "values"), [("leads", NEW_LEAD), ("tasks", NEW_TASK)])
def test_every_field_that_an_import_filled_is_empty_again(
    desk, gateway, unpublished, records, resource, values
):
    business = gateway.create(CONTACTS, {"cstname": "Old Ltd", "contact_type": 2}).id
    day = "2026-12-01T09:00:00"
    bare = {
        "leads": {"cstname": "Old Lead"},
        "tasks": {"title": "Old task", "start_datetime": day, "cstid": business},
    }
    number = gateway.create(RESOURCES[resource].endpoint, bare[resource]).id
    check_empty_again(desk, unpublished, resource, number, values)


def test_every_field_of_every_record_that_an_import_may_change_is_tried():
    tried = {
        "contacts": {*NEW_CONTACT, "contact_type"}, "deals": {*NEW_DEAL}, "leads": {*NEW_LEAD},
        "tasks": {*NEW_TASK},
    }  # fmt: skip
    assert {each.name for each in RESOURCES.values() if not is_document(each)} == {*tried}
    for name, values in tried.items():
        declared = RESOURCES[name]
        targets = targets_of(declared, "").values()
        assert {one.name for one in targets if one.edit_name} <= values, name
