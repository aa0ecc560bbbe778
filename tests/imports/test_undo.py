"""An import is undone: what it created is deleted, what it changed gets its old values back."""

import csv
import io
from typing import Any

import pytest

from dashboard.gateway import CONTACTS, DEALS
from dashboard.imports import targets
from dashboard.jobs.models import Job
from dashboard.office.editing import save_entries
from dashboard.office.kinds import Kind
from dashboard.schema.registry import RESOURCES
from dashboard.standin import resources as standin_resources
from dashboard.writes import ledger
from dashboard.writes.models import Write
from tests.helpers import text
from tests.imports.test_file_totals import answer
from tests.imports.test_import import names, upload
from tests.imports.test_sent_twice import at_once, own_client
from tests.jobs.conftest import work
from tests.page_forms import fields

__all__ = ["own_client"]
OLD, VIP = 42, 41  # tags of the stand-in
CONTACT = {
    "cstname": "Uma Umber", "contact_type": 1, "cstemail": "uma@umber.example",
    "cstmobile": "+49 30 5550000", "cstmobile_country_id": 1, "cstaddress": "Old Street",
    "ct_taxnumber": "DE 1", "cst_tag_id": [OLD], "custom_fields": {"Account no.": "A 1"},
}  # fmt: skip
DEAL = {
    "deal_name": "Old deal", "pipeline_id": 1, "deal_amount": 100, "deal_amount_currency": 1,
    "deal_expected_close_date": "2026-12-31", "deal_owner_id": 21, "deal_source": "Web",
    "deal_assignedto": 21, "tag_ids": [OLD], "deal_description": "Old words",
}  # fmt: skip
NEW_CONTACT = {
    "cstname": "Uma Changed", "cstemail": "uma@changed.example", "cstmobile": "+49 30 5551234",
    "cstmobile_country_id": "2", "cstaddress": "New Street", "ct_taxnumber": "DE 2",
    "cst_tag_id": "VIP", "contact_parent": "Umbra Ltd", "custom:Account no.": "A 2",
}  # fmt: skip
NEW_DEAL = {
    "deal_name": "New deal", "pipeline_id": "2", "deal_amount": "4711.5",
    "deal_amount_currency": "2", "deal_expected_close_date": "2027-01-31", "deal_owner_id": "22",
    "deal_source": "Fair", "deal_assignedto": "22", "tag_ids": "VIP", "deal_description": "New",
    "cstid": "Umbra Ltd", "deal_contact_id": "Uma Umber",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _lists(db: None) -> None:
    tags = [{"code": str(VIP), "name": "VIP"}, {"code": str(OLD), "name": "Newsletter"}]
    save_entries("Acme", Kind.CONTACT_TAG, tags)
    save_entries("Acme", Kind.CONTACT_FIELD, [{"code": "Account no.", "name": "Account no."}])


@pytest.fixture
def records(gateway: Any) -> dict[str, int]:
    """A contact and a deal to change, and the contacts that files name."""
    business = gateway.create(CONTACTS, {"cstname": "Umbra Ltd", "contact_type": 2}).id
    other = gateway.create(CONTACTS, {"cstname": "Old Ltd", "contact_type": 2}).id
    contact = gateway.create(CONTACTS, CONTACT | {"contact_parent": other}).id
    deal = gateway.create(DEALS, DEAL | {"cstid": other}).id
    return {"contacts": contact, "deals": deal, "business": business}


def file_of(resource: Any, number: int, values: dict[str, str]) -> str:
    """A file with one row, which changes these fields of a record."""
    known = targets.targets_of(resource, "Acme")
    out = io.StringIO()
    csv.writer(out).writerows([["ID", *(known[name].label for name in values)],
                               [number, *values.values()]])  # fmt: skip
    return out.getvalue()


def imported(desk: Any, resource: str, data: str) -> Job:
    """The job of a file that changes the records that are there."""
    url = upload(desk, data, resource=resource)
    desk.post(url, {**fields(desk.get(url)), "on_existing": "update"})
    page = answer(desk, url, ids="id")  # the file tells nothing that the record has
    started = desk.post(url, {**fields(page), "do": "send"})
    assert started["Location"] != url, text(desk.get(url))
    work()
    return Job.objects.get(pk=started["Location"].split("/")[2])


def stored(standin: Any, resource: str, number: int) -> dict[str, Any]:
    """A record as the service has stored it, without what is empty and when it was changed."""
    record = standin.store.get(standin_resources.RESOURCES[resource], number)[1]
    return {
        name: value for name, value in record.items() if value is not None and "updated" not in name
    }


def filled(record: dict[str, Any]) -> dict[str, Any]:
    """A record as the service has stored it, without what is empty."""
    return {name: value for name, value in record.items() if value not in ("", 0, [], {})}


def undo(desk: Any, done: Job) -> Job:
    proposed = desk.post(f"/imports/undo/{done.pk}/")["Location"]
    desk.post(f"{proposed}start/")
    work()
    return Job.objects.latest("pk")


def check_old_values(desk: Any, standin: Any, resource: str, number: int, values: Any) -> None:
    """Every field of a record that an import has changed gets its old value back."""
    before, declared = stored(standin, resource, number), RESOURCES[resource]
    done = imported(desk, resource, file_of(declared, number, values))
    assert done.counts == {"saved": 1}
    after = stored(standin, resource, number)
    updated = {targets.edit_name(declared, name) for name in values} - {""}
    assert updated <= {name for name in after if after[name] != before.get(name)}
    page = desk.post(f"/imports/undo/{done.pk}/", follow=True)
    labels = {str(declared.edit_form.base_fields[name].label) for name in updated}
    assert {what for what, _, _ in page.context["changes"]} == labels
    assert undo(desk, done).counts == {"saved": 1}
    assert stored(standin, resource, number) == before


def check_empty_again(desk: Any, standin: Any, resource: str, number: int, values: Any) -> None:
    """Every field of a record that an import has filled is empty again."""
    before, declared = stored(standin, resource, number), RESOURCES[resource]
    done = imported(desk, resource, file_of(declared, number, values))
    assert done.counts == {"saved": 1}
    assert undo(desk, done).counts == {"saved": 1}
    assert filled(stored(standin, resource, number)) == filled(before)


@pytest.mark.parametrize(
    ("resource", "values"),
    [("contacts", NEW_CONTACT), ("contacts", {"contact_type": "business"}), ("deals", NEW_DEAL)],
)
def test_every_field_that_an_import_changed_gets_its_old_value_back(
    desk, standin, records, resource, values
):
    check_old_values(desk, standin, resource, records[resource], values)


@pytest.mark.parametrize(
    ("resource", "bare", "values"),
    [
        ("contacts", {"cstname": "Uma Umber", "contact_type": 1}, NEW_CONTACT),
        ("deals", {"deal_name": "Old deal", "pipeline_id": 1}, NEW_DEAL),
    ],
)
def test_every_field_that_an_import_filled_is_empty_again(
    desk, standin, records, gateway, resource, bare, values
):
    business = {"cstid": records["business"]} if resource == "deals" else {}
    number = gateway.create(RESOURCES[resource].endpoint, bare | business).id
    check_empty_again(desk, standin, resource, number, values)


def test_an_import_that_created_and_changed_is_undone_as_a_whole(desk, standin, records, gateway):
    before = stored(standin, "contacts", records["contacts"])
    data = f"ID,Name,Address\n{records['contacts']},Uma Umber,New Street\n,Nora New,\n"
    done = imported(desk, "contacts", data)
    assert done.counts == {"saved": 2}
    proposed = desk.post(f"/imports/undo/{done.pk}/")["Location"]
    page = text(desk.get(proposed))
    assert "Delete 1 contact of an import, undo 1 change" in page
    assert "restores the old values of what was changed." in page
    desk.post(f"{proposed}start/")
    work()
    undone = Job.objects.latest("pk")
    assert (undone.kind, undone.counts) == ("bulk undo", {"saved": 2})
    assert stored(standin, "contacts", records["contacts"]) == before
    assert "Nora New" not in names(gateway)
    copy = Write.objects.get(Write.COPY_IS_KEPT)
    assert ledger.label_of(copy) == "Nora New"
    assert f"/contacts/new/?again={copy.pk}" in desk.get("/unfinished/").content.decode()


@pytest.mark.parametrize(
    ("resource", "data", "offered"),
    [
        ("tasks", "Task,Contact,Start\nCall,Umbra Ltd,2026-12-01 09:00\n", False),
        ("leads", "Name\nZed\n", True),
    ],
)
def test_undo_is_offered_where_the_service_can_delete(desk, records, resource, data, offered):
    job = imported(desk, resource, data)
    assert job.counts == {"saved": 1}
    assert ("Undo 1 saved" in text(desk.get(f"/jobs/{job.pk}/"))) == offered


def test_undo_pressed_again_leads_to_the_job_that_is_proposed(desk, records):
    done = imported(desk, "contacts", f"ID,Name\n{records['contacts']},Uma Changed\n")
    first = desk.post(f"/imports/undo/{done.pk}/")["Location"]
    assert desk.post(f"/imports/undo/{done.pk}/")["Location"] == first
    desk.post(f"{first}start/")
    assert desk.post(f"/imports/undo/{done.pk}/")["Location"] == first


def test_undo_pressed_three_times_at_once_makes_one_job(own_client):
    url = upload(own_client, "Name\nZed Undone\n", resource="leads")
    work()
    page = fields(own_client.get(url))
    done = own_client.post(url, {**page, "do": "send"})["Location"].split("/")[2]
    work()
    answers = at_once(own_client, f"/imports/undo/{done}/", {}, number=3)
    assert len({answer["Location"] for answer in answers}) == 1
    assert Job.objects.count() == 2
