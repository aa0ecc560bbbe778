"""Many leads become contacts, with their businesses, where no question is open."""

import pytest

from dashboard.jobs.models import Job
from tests.helpers import text
from tests.jobs.conftest import states
from tests.jobs.test_bulk import run

pytestmark = pytest.mark.usefixtures("_in_this_process", "lists")


def test_leads_become_contacts_unless_somebody_must_decide(desk, standin, gateway):
    from dashboard.gateway import CONTACTS, LEADS

    firm = gateway.create(CONTACTS, {"cstname": "Zebra Works", "contact_type": 2}).id
    gateway.create(CONTACTS, {"cstname": "Zoe", "cstemail": "zoe@z.example", "contact_type": 1})
    bodies = [
        {"cstname": "Zack", "cstemail": "zack@z.example", "lead_company_name": "zebra works"},
        {"cstname": "Zoe Other", "cstemail": "ZOE@z.example"},
        {"cstname": "Zed", "lead_company_name": "Twin Works"},
        {"cstname": "Zack", "cstemail": "zack@z.example"},
    ]
    for _ in range(2):
        gateway.create(CONTACTS, {"cstname": "Twin Works", "contact_type": 2})
    leads = [gateway.create(LEADS, body).id for body in bodies]
    before = len(standin.ledger(operation="create"))
    answer = desk.post("/bulk/leads/", {"do": "convert", "chosen": leads})
    assert "The leads are kept." in text(desk.get(answer["Location"]))
    job = run(desk, Job.objects.latest("pk"))
    assert states(job) == {1: "saved", 2: "skipped", 3: "skipped", 4: "skipped"}
    (made,) = standin.ledger(operation="create")[before:]
    expected = {"cstname": "Zack", "cstemail": "zack@z.example", "contact_parent": firm}
    assert made["body"].items() >= expected.items()
    shown = desk.get(f"/jobs/{job.pk}/")
    page = text(shown)
    assert f"/leads/{leads[2]}/" in shown.content.decode()
    assert "A contact already has this email: Zoe." in page
    assert "There may be several businesses called “Twin Works”" in page


def converted(desk, gateway, *bodies):
    from dashboard.gateway import LEADS

    leads = [gateway.create(LEADS, body).id for body in bodies]
    desk.post("/bulk/leads/", {"do": "convert", "chosen": leads})
    return Job.objects.latest("pk")


def people_of_new_works(standin):
    """The ids of the businesses created, and the business of each person created."""
    made = standin.ledger(operation="create", resource="contacts")
    firms = [entry for entry in made if entry["body"]["contact_type"] == 2]
    people = [entry["body"] for entry in made if entry["body"]["contact_type"] == 1]
    assert {entry["body"]["cstname"] for entry in firms} <= {"New Works"}
    return [entry["record"] for entry in firms], [body["contact_parent"] for body in people]


NEW_WORKS = [
    {"cstname": "Zack", "cstemail": "zack@z.example", "lead_company_name": "New Works"},
    {"cstname": "Zoe", "cstemail": "zoe@z.example", "lead_company_name": " new  works"},
]


def test_a_business_that_is_not_there_is_created_once_for_all_its_leads(
    desk, standin, gateway, monkeypatch
):
    from dashboard.resources import leads_matching

    find = leads_matching.find_matches
    job = converted(desk, gateway, *NEW_WORKS)
    # The service does not find at once what was created.
    monkeypatch.setattr(
        leads_matching, "find_matches", lambda *args: find(*args)._replace(businesses=[])
    )
    run(desk, job)
    firms, people = people_of_new_works(standin)
    assert (len(firms), people) == (1, firms * 2)


def test_a_worker_that_dies_after_the_business_creates_no_second_one(desk, standin, gateway):
    job = converted(desk, gateway, NEW_WORKS[0])
    standin.fault("status-429", operation="create", after=1, times=1)
    run(desk, job)
    Job.objects.update(not_before=None)
    run(desk, job)
    firms, people = people_of_new_works(standin)
    assert (len(set(firms)), set(people)) == (1, set(firms))


def test_a_business_that_is_perhaps_created_leaves_its_lead_to_a_person(desk, standin, gateway):
    job = converted(desk, gateway, NEW_WORKS[0])
    standin.fault("reset-before", operation="create", times=1)
    run(desk, job)
    assert states(job) == {1: "skipped"}
    assert "We don't know if the business “New Works” was created" in text(
        desk.get(f"/jobs/{job.pk}/")
    )
    assert people_of_new_works(standin)[1] == []
