"""Rows of unknown outcome that are settled or sent again many at one press."""

import pytest

from dashboard.credentials.services import service as api
from dashboard.gateway import CONTACTS
from dashboard.jobs import reconciling, services
from dashboard.jobs.models import Job
from dashboard.ledger import services as ledger
from dashboard.ledger.models import Write
from tests.helpers import text

from .conftest import job_of, let_time_pass, run_one, states, work

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
    """Work until the job has ended."""
    for _ in range(6):
        let_time_pass(job, 60)
        api().breakers.reset()
        work()
    assert Job.objects.get(pk=job.pk).state == State.FINISHED


def names(standin, effect=True):
    return [call["body"]["cstname"] for call in standin.ledger(operation="create", effect=effect)]


def test_the_page_says_what_was_found_before_anything_is_done(unsure, max_, client_of, standin):
    client = client_of(max_)
    page = client.get(f"/jobs/{unsure.pk}/")
    assert "Clear up the 3 not sure" in text(page)
    assert text(page).count("Looked for: it is not there.") == 2
    page = client.get(f"/jobs/{unsure.pk}/not-sure/")
    assert "Count the 1 found as saved" in text(page)
    assert "Send the 2 not found again" in text(page)
    there = reconciling.candidate_of(unsure.rows.get(number=2))
    assert f'<a href="/contacts/{there}/">Zeb Two</a>'.encode() in page.content


def test_those_that_are_there_are_settled_at_one_press(unsure, max_, client_of, standin):
    client = client_of(max_)
    client.post(f"/jobs/{unsure.pk}/not-sure/begin/", {"plan": "settle"})
    finish(unsure)
    assert states(unsure) == {1: "not sure", 2: "saved", 3: "not sure", 4: "saved"}
    assert unsure.rows.get(number=2).record_id
    assert len(standin.ledger(operation="create")) == 4
    assert ledger.count_unresolved(max_) == 2


def test_those_of_which_nothing_is_there_are_sent_again_once(unsure, max_, client_of, standin):
    client = client_of(max_)
    for _ in range(2):
        client.post(f"/jobs/{unsure.pk}/not-sure/begin/", {"plan": "send"})
    finish(unsure)
    assert states(unsure) == {1: "saved", 2: "not sure", 3: "saved", 4: "saved"}
    assert sorted(names(standin)) == ["Zeb Four", "Zeb One", "Zeb Three", "Zeb Two"]
    assert ledger.count_unresolved(max_) == 1
    client.post(f"/jobs/{unsure.pk}/not-sure/begin/", {"plan": "send"})
    assert Job.objects.get().state == State.FINISHED


def test_one_that_is_there_by_now_is_not_sent(unsure, max_, client_of, standin, gateway):
    gateway.create(CONTACTS, {"cstname": "Zeb One", "contact_type": 1})
    client_of(max_).post(f"/jobs/{unsure.pk}/not-sure/begin/", {"plan": "send"})
    finish(unsure)
    assert states(unsure) == {1: "not sure", 2: "not sure", 3: "saved", 4: "saved"}
    assert unsure.rows.get(number=1).found == Write.Found.SAME
    assert names(standin).count("Zeb One") == 1


def test_one_record_settles_one_of_two_equal_rows(max_, client_of, standin):
    standin.fault("reset-after", operation="create", times=1)
    standin.fault("reset-before", operation="create", times=1)
    job = job_of(max_, "Zeb", "Zeb")
    finish(job)
    assert states(job) == {1: "not sure", 2: "not sure"}
    client = client_of(max_)
    for plan in ("settle", "settle", "send"):
        client.post(f"/jobs/{job.pk}/not-sure/begin/", {"plan": plan})
        finish(job)
    assert states(job) == {1: "saved", 2: "saved"}
    assert len(set(job.rows.values_list("record_id", flat=True))) == 2
    assert names(standin) == ["Zeb", "Zeb"]


def test_a_repetition_that_is_refused_leaves_the_row_not_sure(unsure, max_, client_of, standin):
    standin.fault("status-422", operation="create")
    client_of(max_).post(f"/jobs/{unsure.pk}/not-sure/begin/", {"plan": "send"})
    finish(unsure)
    assert states(unsure) == {1: "not sure", 2: "not sure", 3: "not sure", 4: "saved"}
    standin.clear_faults()
    client_of(max_).post(f"/jobs/{unsure.pk}/not-sure/begin/", {"plan": "send"})
    finish(unsure)
    assert states(unsure) == {1: "saved", 2: "not sure", 3: "saved", 4: "saved"}
    assert names(standin).count("Zeb One") == 1


def test_a_repetition_without_an_answer_is_not_sure_once(unsure, max_, client_of, standin):
    standin.fault("reset-after", operation="create", times=1)
    client_of(max_).post(f"/jobs/{unsure.pk}/not-sure/begin/", {"plan": "send"})
    finish(unsure)
    assert states(unsure) == {1: "not sure", 2: "not sure", 3: "saved", 4: "saved"}
    assert ledger.count_unresolved(max_) == 2
    client_of(max_).post(f"/jobs/{unsure.pk}/not-sure/begin/", {"plan": "settle"})
    finish(unsure)
    assert set(states(unsure).values()) == {"saved"}
    assert ledger.count_unresolved(max_) == 0
    assert sorted(names(standin)) == ["Zeb Four", "Zeb One", "Zeb Three", "Zeb Two"]


def test_a_change_of_which_nothing_is_there_is_sent_again(max_, client_of, standin):
    standin.fault("reset-before", operation="update", times=1)
    job = job_of(max_, kind="rename contacts", rows=[{"label": "A", "id": 1001, "name": "Zeb"}])
    finish(job)
    client_of(max_).post(f"/jobs/{job.pk}/not-sure/begin/", {"plan": "send"})
    finish(job)
    assert states(job) == {1: "saved"}
    assert len(standin.ledger(operation="update", effect=True)) == 1


def test_a_look_that_the_service_does_not_answer_is_made_again(max_, client_of, standin):
    standin.fault("reset-before", operation="create", times=1)
    job = job_of(max_, "Zeb One")
    work()
    standin.fault("status-503", operation="list", times=4)
    finish(job)
    assert job.rows.get().found == Write.Found.NOTHING


def send_by_hand(row, client):
    """Press "Send again" on the row's own page."""
    return client.post(f"/unsure/{row.pk}/again/")


def test_a_row_that_its_person_sends_again_on_its_page_is_settled(unsure, max_, client_of, standin):
    assert send_by_hand(unsure.rows.get(number=1), client_of(max_)).status_code == 302
    assert states(unsure) == {1: "saved", 2: "not sure", 3: "not sure", 4: "saved"}
    assert (len(unsure.rows.all()), names(standin).count("Zeb One")) == (4, 1)


def test_a_row_that_waits_to_be_sent_again_is_sent_once_by_its_person_or_the_job(
    unsure, max_, client_of, standin
):
    client, first = client_of(max_), unsure.rows.get(number=1)
    standin.fault("status-429", operation="create")
    client.post(f"/jobs/{unsure.pk}/not-sure/begin/", {"plan": "send"})
    for _ in range(2):
        work()
        let_time_pass(unsure, 60)
    assert states(unsure)[1] == "waiting"
    services.pause(Job.objects.get())
    standin.clear_faults()
    send_by_hand(first, client)
    assert states(unsure)[1] == "saved"
    client.post(f"/jobs/{unsure.pk}/continue/")
    finish(unsure)
    assert states(unsure) == {1: "saved", 2: "not sure", 3: "saved", 4: "saved"}
    assert names(standin).count("Zeb One") == 1
    assert ledger.count_unresolved(max_) == 1


@pytest.mark.parametrize("settled", ["sent again", "left"])
def test_stopping_leaves_what_was_to_be_sent_again_as_not_sure_as_before(
    unsure, max_, client_of, standin, settled
):
    client, before = client_of(max_), states(unsure)
    client.post(f"/jobs/{unsure.pk}/not-sure/begin/", {"plan": "send"})
    run_one()  # looks
    assert states(unsure)[1] == "waiting"
    client.post(f"/jobs/{unsure.pk}/stop/")
    assert states(unsure) == before
    work()
    first = unsure.rows.get(number=1)
    if settled == "left":
        client.post(f"/unsure/{first.pk}/leave/")
        assert states(unsure) == before
        return
    send_by_hand(first, client)
    assert states(unsure) == before | {1: "saved"}
    assert names(standin).count("Zeb One") == 1


def test_what_was_settled_meanwhile_is_not_sent_again(unsure, max_, client_of, standin):
    client, first = client_of(max_), unsure.rows.get(number=1)
    client.post(f"/jobs/{unsure.pk}/not-sure/begin/", {"plan": "send"})
    run_one()  # looks
    client.post(f"/unsure/{first.pk}/found/", {"record_id": "1001"})
    finish(unsure)
    assert states(unsure) == {1: "saved", 2: "not sure", 3: "saved", 4: "saved"}
    assert names(standin).count("Zeb One") == 0


def test_a_row_closed_by_its_person_is_in_no_pile(unsure, max_, client_of, standin):
    Write.objects.filter(state="not sure").update(resolution="left")
    page = client_of(max_).get(f"/jobs/{unsure.pk}/not-sure/")
    assert "Every row of this job has a clear outcome." in text(page)
