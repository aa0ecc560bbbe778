"""Bulk jobs from the selection to the result: change, delete, a task for each, undo."""

from contextlib import suppress
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.test import override_settings

from dashboard.gateway import CONTACTS
from dashboard.jobs import rows
from dashboard.jobs.models import Job
from dashboard.writes import ledger
from dashboard.writes.models import Write
from tests import workspaces
from tests.conftest import every_profile
from tests.helpers import encryption_key, text
from tests.jobs.conftest import let_time_pass, states, work
from tests.page_forms import fields

from .conftest import propose

pytestmark = pytest.mark.usefixtures("_in_this_process", "lists")

STATE = Job.State


def ids_of(gateway, endpoint, number=3):
    return [record.id for record in gateway.list(endpoint, page_size=number).records]


def run(desk, job):
    desk.post(f"/bulk/{job.pk}/start/")
    work()
    job.refresh_from_db()
    return job


@pytest.fixture
def deals(gateway):
    from dashboard.gateway import DEALS

    return ids_of(gateway, DEALS)


@pytest.fixture
def contacts(gateway):
    """New ones, which nothing refers to."""
    bodies = ({"cstname": f"Zebra {number}", "contact_type": 1} for number in range(3))
    return [gateway.create(CONTACTS, body).id for body in bodies]


def changed_values(standin, resource, name):
    return {
        entry["record"]: entry["body"][name]
        for entry in standin.ledger(operation="update", resource=resource)
    }


@every_profile
def test_the_same_value_is_set_in_every_chosen_record(desk, standin, deals):
    job = propose(desk, "deals", "change", deals, deal_source="Zebra fair")
    assert standin.ledger(operation="update") == []
    run(desk, job)
    assert (job.state, job.counts) == (STATE.FINISHED, {"saved": 3})
    found = changed_values(standin, "deals", "deal_source")
    assert found == dict.fromkeys(deals, "Zebra fair")


def test_the_page_before_shows_what_is_sent_for_how_many_and_an_example(desk, standin, deals):
    job = propose(desk, "deals", "change", deals, deal_source="Zebra fair")
    page = text(desk.get(f"/bulk/{job.pk}/"))
    assert "Change 3 deals" in page
    assert "Nothing has been sent yet." in page
    assert "Source Zebra fair" in page
    assert "After" in page
    assert standin.ledger(operation="update") == []


def test_a_job_of_a_lost_encryption_key_says_so_and_can_be_discarded(desk, deals):
    job = propose(desk, "deals", "change", deals, deal_source="Zebra fair")
    lost = [encryption_key()]
    with override_settings(FIELD_ENCRYPTION_KEYS=lost):
        job.params = {"of": "deals"}
        job.save()
    page = desk.get(f"/bulk/{job.pk}/")
    assert page.status_code == 424
    assert "open this any more" in text(page)
    assert desk.post(f"/bulk/{job.pk}/discard/").status_code == 302
    assert not Job.objects.exists()


def test_nothing_is_sent_for_a_cancelled_job_and_a_second_start_begins_none(desk, standin, deals):
    job = propose(desk, "deals", "change", deals, deal_source="Zebra fair")
    desk.post(f"/bulk/{job.pk}/discard/")
    assert desk.post(f"/bulk/{job.pk}/start/").status_code == 404
    again = propose(desk, "deals", "change", deals, deal_source="Zebra fair")
    desk.post(f"/bulk/{again.pk}/start/")
    run(desk, again)
    assert len(standin.ledger(operation="update")) == 3


def test_a_record_that_changed_since_it_was_chosen_is_skipped_and_listed(
    desk, standin, deals, gateway
):
    from dashboard.gateway import DEALS

    job = propose(desk, "deals", "change", deals, deal_source="Zebra fair")
    whole = gateway.get(DEALS, deals[1])
    gateway.update(DEALS, deals[1], {"deal_name": "Zebra", "pipeline_id": whole["pipeline_id"],
                                     "cstid": whole["cstid"]})  # fmt: skip
    run(desk, job)
    assert states(job) == {1: "saved", 2: "skipped", 3: "saved"}
    assert "Changed since it was selected: Name." in text(desk.get(f"/jobs/{job.pk}/"))


def test_tags_are_added_and_taken_without_touching_the_others(desk, standin, contacts, gateway):
    gateway.update(CONTACTS, contacts[0], {"tag_ids": [41, 42]})
    gateway.update(CONTACTS, contacts[1], {"tag_ids": [42]})
    gateway.update(CONTACTS, contacts[2], {"tag_ids": [43]})
    tags = {"add_tag_ids": "43", "take_tag_ids": "42"}
    job = run(desk, propose(desk, "contacts", "change", contacts, **tags))
    now = {number: set(gateway.get(CONTACTS, number)["tag_ids"]) for number in contacts}
    assert now == dict(zip(contacts, [{41, 43}, {43}, {43}], strict=True))
    assert states(job) == {1: "saved", 2: "saved", 3: "skipped"}


def test_a_change_is_undone_where_nobody_changed_the_record_since(desk, standin, deals, gateway):
    from dashboard.gateway import DEALS

    names = ("deal_source", "deal_expected_close_date")
    before = {number: [gateway.get(DEALS, number)[name] for name in names] for number in deals}
    fields = {"deal_source": "Zebra fair", "deal_expected_close_date": "2027-03-14"}
    job = run(desk, propose(desk, "deals", "change", deals, **fields))
    assert "Undo 3 saved" in text(desk.get(f"/jobs/{job.pk}/"))
    whole = gateway.get(DEALS, deals[2])
    body = {"deal_source": "Other", "deal_name": whole["deal_name"]}
    gateway.update(DEALS, deals[2], body | {name: whole[name] for name in ("pipeline_id", "cstid")})
    answer = desk.post(f"/bulk/{job.pk}/undo/")
    undo = Job.objects.latest("pk")
    assert answer["Location"] == f"/bulk/{undo.pk}/"
    assert "Undo the change of 3 deals" in text(desk.get(answer["Location"]))
    run(desk, undo)
    assert states(undo) == {1: "saved", 2: "saved", 3: "skipped"}
    for number in deals[:2]:
        now = gateway.get(DEALS, number)
        assert [now[name] for name in names] == before[number]


def test_a_change_is_undone_only_with_keys_of_its_workspace(desk, standin, deals, manager):
    job = run(desk, propose(desk, "deals", "change", deals, deal_source="Zebra fair"))
    manager.key_pair.workspace = workspaces.of_name("Globex")
    manager.key_pair.save()
    page = desk.post(f"/bulk/{job.pk}/undo/", follow=True)
    assert "This belongs to the workspace Acme" in text(page)
    assert Job.objects.count() == 1


def test_a_field_is_emptied_and_that_is_undone(desk, standin, deals, gateway):
    from dashboard.gateway import DEALS

    before = [gateway.get(DEALS, number)["deal_source"] for number in deals]
    job = run(desk, propose(desk, "deals", "change", deals, empty=["deal_source"]))
    now = [gateway.get(DEALS, number)["deal_source"] for number in deals]
    assert now == [None] * 3
    assert "not saved" not in job.counts
    desk.post(f"/bulk/{job.pk}/undo/")
    run(desk, Job.objects.latest("pk"))
    assert [gateway.get(DEALS, number)["deal_source"] for number in deals] == before


def test_chosen_records_are_deleted_after_the_page_that_says_so(desk, standin, contacts):
    answer = desk.post("/bulk/contacts/", {"do": "delete", "chosen": contacts[:2]})
    page = desk.get(answer["Location"])
    assert "An encrypted copy of each record is kept under Unfinished for a week" in text(page)
    job = run(desk, Job.objects.latest("pk"))
    assert job.counts == {"saved": 2}
    assert [one["record"] for one in standin.ledger(operation="delete")] == contacts[:2]
    shown = text(desk.get(f"/jobs/{job.pk}/"))
    assert "2 of 2 done 2 deleted" in shown
    assert "saved" not in shown.lower()


def test_what_a_job_deleted_is_created_again_from_its_copy(desk, gateway, contacts):
    held = gateway.get(CONTACTS, contacts[0])
    desk.post("/bulk/contacts/", {"do": "delete", "chosen": contacts[:1]})
    job = run(desk, Job.objects.latest("pk"))
    [copy] = Write.objects.filter(Write.COPY_IS_KEPT)
    assert held["cstname"] not in copy.content_sealed
    url = f"/contacts/new/?again={copy.pk}"
    for page in ("/unfinished/", f"/jobs/{job.pk}/"):
        assert f'href="{url}"' in desk.get(page).content.decode()
    made = desk.post(url, fields(desk.get(url)))
    again = gateway.get(CONTACTS, int(made["Location"].split("/")[2]))
    assert again["cstname"] == held["cstname"]


@pytest.mark.parametrize("answered", [True, False])
def test_a_deletion_that_a_dead_worker_has_sent_keeps_its_copy(
    desk, standin, contacts, monkeypatch, answered
):
    """Its outcome is stored, or found later in the service."""

    def die(*args, **kwargs):
        raise KeyboardInterrupt

    desk.post("/bulk/contacts/", {"do": "delete", "chosen": contacts[:1]})
    job = Job.objects.latest("pk")
    with monkeypatch.context() as patched, suppress(KeyboardInterrupt):
        patched.setattr(rows, "_store", die)
        if not answered:
            patched.setattr(ledger, "finish", die)
        desk.post(f"/bulk/{job.pk}/start/")
        work()
    assert len(standin.ledger(operation="delete")) == 1
    let_time_pass(job, 3600)
    Write.objects.update(reserved_until=Now() - timedelta(seconds=1))
    for _ in range(2):
        work()
        let_time_pass(job, 60)
    assert states(job) == {1: "saved"}
    assert Write.objects.get().copy_until
    assert "Create again" in text(desk.get(f"/jobs/{job.pk}/"))
    assert len(standin.ledger(operation="delete")) == 1


def test_a_record_that_is_gone_already_is_skipped(desk, standin, contacts, gateway):
    desk.post("/bulk/contacts/", {"do": "delete", "chosen": contacts[:2]})
    gateway.delete(CONTACTS, contacts[0])
    job = run(desk, Job.objects.latest("pk"))
    assert states(job) == {1: "skipped", 2: "saved"}


def test_each_chosen_contact_gets_a_task(desk, standin, contacts):
    fields = {"title": "Call about renewal", "start_datetime": "2027-03-14 09:00",
              "priority": "2", "status": "0"}  # fmt: skip
    job = propose(desk, "contacts", "tasks", contacts, **fields)
    assert "Call about renewal" in text(desk.get(f"/bulk/{job.pk}/"))
    run(desk, job)
    made = standin.ledger(operation="create", resource="tasks")
    assert [entry["body"]["cstid"] for entry in made] == contacts
    assert job.resource == "tasks"
    assert {entry["body"]["title"] for entry in made} == {"Call about renewal"}


def test_all_that_match_are_collected_page_by_page_and_told_as_a_number(
    desk, standin, gateway, monkeypatch
):
    from dashboard.gateway import CONTACTS
    from dashboard.reader import listing

    monkeypatch.setattr(listing, "PAGE_SIZE", 6)
    total = gateway.list(CONTACTS, filters={"type": 2}, page_size=1).total_records
    assert total > 18
    fields = {"all": "1", "list": "type=2&page=2", "add_tag_ids": "43"}
    job = propose(desk, "contacts", "change", [], **fields)
    assert job.title == f"Change {total} contacts"
    assert job.rows.count() == total


def test_a_selection_that_is_too_large_is_refused_with_its_number(desk, standin, monkeypatch):
    from dashboard.jobs import bulk_selection

    monkeypatch.setattr(bulk_selection, "MAX_SELECTED", 10)
    data = {"do": "delete", "all": "1"}
    page = desk.post("/bulk/contacts/", data, follow=True)
    assert "Narrow the list" in text(page)
    assert not Job.objects.exists()


def test_so_many_ids_that_each_would_be_read_are_refused_with_their_number(desk, standin):
    ids = ",".join(map(str, range(1, 202)))
    page = desk.post("/bulk/contacts/", {"do": "delete", "chosen": ids}, follow=True)
    assert "201 were selected; at most 200 can be." in text(page)
    assert not standin.ledger(operation="get")
    assert not Job.objects.exists()


@pytest.mark.parametrize("fields", [{}, {"deal_source": "x", "empty": ["deal_source"]}])
def test_a_form_that_changes_nothing_or_contradicts_itself_comes_back(desk, deals, fields):
    page = desk.post("/bulk/deals/", {"do": "change", "chosen": deals, "filled": "1", **fields})
    assert page.status_code == 422
    assert not Job.objects.exists()


def test_nothing_chosen_leads_back_to_the_list(desk, standin):
    page = desk.post("/bulk/deals/", {"do": "change", "list": "page=2"})
    assert page["Location"] == "/deals/?page=2"


def test_what_the_service_does_not_offer_is_not_to_be_had(desk, standin):
    assert desk.post("/bulk/tasks/", {"do": "change", "chosen": "1"}).status_code == 404
    assert desk.post("/bulk/invoices/", {"do": "tasks", "chosen": "1"}).status_code == 404
