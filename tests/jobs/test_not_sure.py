"""Rows of unknown outcome: all are checked at one press, and each is settled on its own page."""

import pytest

from dashboard.gateway import CONTACTS
from dashboard.jobs import services
from dashboard.jobs.models import Job
from dashboard.people.keys import gateway_for, owner_of
from dashboard.people.keys import service as api
from dashboard.writes.models import Write
from tests.helpers import text

from .conftest import job_of, let_time_pass, states, work

pytestmark = pytest.mark.usefixtures("_kinds")

State = Job.State


@pytest.fixture
def unsure(max_, standin):
    """A job that has ended: of rows 1 to 3 no answer came, and only the second was carried out."""
    for fault in ("reset-before", "reset-after", "reset-before"):
        standin.fault(fault, operation="create", times=1)
    job = job_of(max_, "Zeb One", "Zeb Two", "Zeb Three", "Zeb Four")
    finish(job)
    assert states(job) == {1: "not sure", 2: "not sure", 3: "not sure", 4: "saved"}
    return job


def finish(job):
    for _ in range(6):
        let_time_pass(job, 60)
        api().breaker.reset()
        work()
    assert Job.objects.get(pk=job.pk).state == State.FINISHED


def names(standin, effect=True):
    return [call["body"]["cstname"] for call in standin.ledger(operation="create", effect=effect)]


def test_all_rows_are_checked_again_and_nothing_is_sent(unsure, max_, client_of, standin, gateway):
    client = client_of(max_)
    words = text(client.get(f"/jobs/{unsure.pk}/"))
    assert words.count("Checked: no match.") == 2
    assert words.count("Checked: 1 possible match.") == 1
    gateway.create(CONTACTS, {"cstname": "Zeb One", "contact_type": 1})
    before = len(standin.ledger(operation="create"))
    client.post(f"/jobs/{unsure.pk}/check/")
    finish(unsure)
    assert text(client.get(f"/jobs/{unsure.pk}/")).count("Checked: no match.") == 1
    assert states(unsure) == {1: "not sure", 2: "not sure", 3: "not sure", 4: "saved"}
    assert len(standin.ledger(operation="create")) == before


def test_a_record_that_another_row_made_does_not_count(max_, standin):
    standin.fault("reset-before", operation="create", times=1)
    job = job_of(max_, "Zeb One", "Zeb One")
    finish(job)
    assert states(job) == {1: "not sure", 2: "saved"}
    assert job.rows.get(number=1).job_row["looked"] == "Checked: no match."


def test_a_look_that_the_service_does_not_answer_is_made_again(max_, client_of, standin):
    standin.fault("reset-before", operation="create", times=1)
    job = job_of(max_, "Zeb One")
    work()
    standin.fault("status-503", operation="list", times=4)
    finish(job)
    assert job.rows.get().job_row["looked"] == "Checked: no match."


def test_a_row_that_its_person_sends_again_on_its_page_is_settled(unsure, max_, client_of, standin):
    address = f"/unsure/{unsure.rows.get(number=1).pk}/again/"
    assert client_of(max_).post(address).status_code == 302
    assert states(unsure) == {1: "saved", 2: "not sure", 3: "not sure", 4: "saved"}
    assert (len(unsure.rows.all()), names(standin).count("Zeb One")) == (4, 1)


def test_a_row_sent_with_other_keys_is_of_those_keys(max_, standin):
    job = job_of(max_, "Zeb One", "Zeb Two")
    services.pause(job)
    Job.objects.update(owner="of keys before")
    Write.objects.update(owner="of keys before")
    job.refresh_from_db()
    assert services.resume(job, owner_of(gateway_for(max_)))
    standin.fault("reset-before", operation="create", times=1)
    finish(job)
    assert states(job) == {1: "not sure", 2: "saved"}
    assert job.rows.get(number=1).job_row["looked"]
