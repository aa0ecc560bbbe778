"""Turns of jobs: who gets the next one, and what becomes of a job whose turn fails."""

from datetime import timedelta
from itertools import groupby

import pytest
from django.db.models import F
from django.db.models.functions import Now
from django_tasks_db.models import DBTaskResult

from dashboard.core import retention
from dashboard.gateway import CONTACTS, Busy, Rejected, Unavailable
from dashboard.jobs import leases, row_results, rows, services, slices
from dashboard.jobs.models import Job
from dashboard.people import permissions
from dashboard.people.keys import service
from dashboard.people.models import KeyPair, User
from dashboard.writes import ledger, writer
from dashboard.writes.models import Write
from tests.workspaces import connect

from .conftest import job_of, let_time_pass, run_one, states, work

pytestmark = pytest.mark.usefixtures("_kinds")

State = Job.State


def test_a_job_creates_a_record_for_each_row_and_ends(max_, standin):
    job = job_of(max_, "Zeb One", "Zeb Two", "skip me")
    work()
    job.refresh_from_db()
    assert job.state == State.FINISHED
    assert job.counts == {"saved": 2, "skipped": 1}
    assert [call["body"]["cstname"] for call in standin.ledger(operation="create")] == [
        "Zeb One",
        "Zeb Two",
    ]
    assert not Job.objects.filter(active_key__isnull=False).exists()


def test_a_refused_row_keeps_the_words_of_the_service_and_the_others_go_on(max_, standin):
    standin.fault("status-422", operation="create", times=1)
    job = job_of(max_, "Zeb One", "Zeb Two")
    work()
    assert states(job) == {1: "not saved", 2: "saved"}


def test_a_refusal_that_a_dead_worker_has_left_names_its_fields_as_the_form_does(max_):
    job = job_of(max_, "Zeb One")
    leases.acquire(lambda taken: None)
    job.rows.update(state="sending")
    row = job.rows.get()
    row.operation = "create"
    ledger.start_sending(row)
    refusal = Rejected(fields={"cstname": ["Taken."]}, status=422)
    ledger.finish(row, Write.State.NOT_SAVED, error="Rejected", **vars(refusal))
    services.stop(job)
    let_time_pass(job, 3600)
    assert row_results.requeue_idle(job.pk)
    assert told(job, 1).endswith("Name: Enter another value: the CRM already has this one.")


def told(job, number):
    """What the page of a job says of one of its rows."""
    row = job.rows.get(number=number)
    return row_results.words_of(row, job, row.job_row)


def test_a_row_without_an_answer_is_looked_for_and_stays_not_sure(max_, standin):
    standin.fault("reset-before", operation="create", times=1)
    job = job_of(max_, "Zeb One", "Zeb Two")
    work()
    job.refresh_from_db()
    assert (job.state, states(job)) == (State.RUNNING, {1: "not sure", 2: "saved"})
    let_time_pass(job, 60)
    work()
    job.refresh_from_db()
    assert (job.state, states(job)) == (State.FINISHED, {1: "not sure", 2: "saved"})
    assert len(standin.ledger(operation="create")) == 2


def test_an_update_without_an_answer_is_found_in_the_service(max_, standin):
    standin.fault("reset-after", operation="update", times=1)
    rows = [{"label": "Ann", "id": 1001, "name": "Zeb Three"}]
    job = job_of(max_, kind="rename contacts", rows=rows)
    work()
    let_time_pass(job, 60)
    work()
    assert states(job) == {1: "saved"}
    assert len(standin.ledger(operation="update")) == 1


def test_a_row_keeps_what_its_record_held_before_and_after(max_, standin, gateway):
    before = gateway.get(CONTACTS, 1001)["cstname"]
    job = job_of(max_, kind="rename contacts", rows=[{"label": "Ann", "id": 1001, "name": "Zeb"}])
    work()
    job_row = job.rows.get().job_row
    assert (job_row["before"], job_row["after"]) == ({"cstname": before}, {"cstname": "Zeb"})


def test_several_long_jobs_of_one_person_do_not_delay_another(max_, paula, standin, monkeypatch):
    monkeypatch.setattr(rows, "MAX_ROWS", 2)
    for number in range(5):
        job_of(max_, *(f"Zeb {number} {row}" for row in range(20)))
    for _ in range(4):
        run_one()
    short = job_of(paula, "Yul 1", "Yul 2", "Yul 3")
    for _ in range(6):
        run_one()
    assert Job.objects.get(pk=short.pk).state == State.FINISHED


def test_a_key_pair_has_one_turn_at_a_time(max_, paula):
    first, second = job_of(max_, "Zeb"), job_of(paula, "Yul")
    assert leases.acquire(lambda job: None) == first
    assert leases.acquire(lambda job: None) is None
    leases.release(Job.objects.get(pk=first.pk), leases.Ending())
    assert leases.acquire(lambda job: None) == second


def test_a_worker_whose_lease_was_taken_over_stores_and_sends_nothing(max_):
    job_of(max_, "Zeb")
    lost = leases.acquire(lambda job: None)
    Job.objects.update(lease_until=Now() - timedelta(seconds=1))
    assert leases.acquire(lambda job: None).slices == lost.slices + 1
    with pytest.raises(leases.LeaseLost):
        leases.renew(lost)
    leases.release(lost, leases.Ending(State.FINISHED))
    assert Job.objects.get().state == State.RUNNING
    assert Job.objects.get().lease_until is not None


def test_a_turn_whose_lease_is_taken_over_while_it_sends_stores_nothing_beside_the_write(
    max_, standin, monkeypatch
):
    def create(**asked):
        assert states(job) == {1: "sending", 2: "sending"}, "the rows of a turn are marked"
        created = stock(**asked)
        Job.objects.update(slices=F("slices") + 1)
        return created

    stock = writer.create
    monkeypatch.setattr(writer, "create", create)
    monkeypatch.setattr(leases, "lease", lambda: timedelta(seconds=60))
    job = job_of(max_, "Zeb One", "skip me")
    assert slices.run(leases.acquire(lambda taken: None)) is None
    assert states(job) == {1: "saved", 2: "sending"}, "the next turn sees to the other row"
    assert Job.objects.get().counts == {"waiting": 2}


@pytest.mark.parametrize(("seconds", "is_told"), [(50, False), (70, True)])
def test_a_job_that_no_worker_takes_is_told_after_a_minute(max_, seconds, is_told):
    job = job_of(max_, "Zeb One")
    Job.objects.update(created_at=Now() - timedelta(seconds=seconds))
    assert leases.lacks_worker(job) is is_told


def test_a_job_that_waits_for_a_worker_that_is_busy_or_for_nobody_lacks_none(max_, paula):
    job = job_of(max_, "Zeb One")
    job_of(paula, "Yul")
    Job.objects.update(created_at=Now() - timedelta(hours=1))
    assert leases.lacks_worker(job)
    assert not leases.lacks_worker(Job(pk=job.pk, state=State.PAUSED))
    assert not leases.lacks_worker(Job(pk=0, state=State.WAITING)), "it was deleted meanwhile"
    leases.acquire(lambda taken: None)
    assert not leases.lacks_worker(job)


@pytest.mark.parametrize(
    ("error", "failures", "seconds"),
    [
        (Unavailable(), 1, 5),
        (Unavailable(), 3, 20),
        (Unavailable(), 7, 300),
        (Busy(), 2, 10),
        (Busy(retry_after=7), 2, 7),
        (Busy(retry_after=3_600), 1, 300),
    ],
)
def test_a_service_that_fails_is_asked_again_after_more_and_more_seconds(error, failures, seconds):
    assert slices.delay_of(error, failures) == seconds


def test_the_reason_of_a_pause_leaves_out_the_message_of_the_service():
    error = Rejected("Zebra Ltd. is there already", fields={"cstname": ["Zebra"]}, status=409)
    ending = slices.ending_of(error, 1)
    assert (ending.state, "Zebra" in ending.reason) == (State.PAUSED, False)
    assert ending.reason


def test_the_watch_begins_anew_after_a_worker_has_died(max_, standin):
    job = job_of(max_, "Zeb One")
    DBTaskResult.objects.all().delete()
    leases.acquire(lambda taken: services.enqueue(taken, leases.lease()))
    let_time_pass(job, 3600)
    work()
    assert states(job) == {1: "saved"}


def test_the_watch_ends_with_the_job(max_, standin):
    job = job_of(max_, "Zeb One")
    work()
    let_time_pass(job, 3600)
    assert 0 < work() < 100
    assert not DBTaskResult.objects.filter(status="READY").exists()


def test_a_task_whose_slice_was_taken_takes_no_other(max_, paula, standin, monkeypatch):
    monkeypatch.setattr(rows, "MAX_ROWS", 1)
    job, other = job_of(max_, "Zeb One", "Zeb Two"), job_of(paula, "Yul One")
    for _ in range(5):
        services.enqueue(job)
    run_one()
    assert work() < 20
    assert (states(job), states(other)) == ({1: "saved", 2: "saved"}, {1: "saved"})


def test_a_job_whose_task_served_another_goes_on_if_that_worker_dies(max_, paula, standin):
    other, job = job_of(paula, "Yul One"), job_of(max_, "Zeb One")
    DBTaskResult.objects.all().delete()
    services._follow(job, leases.acquire(lambda taken: None))
    let_time_pass(other, 3600)
    work()
    assert (states(other), states(job)) == ({1: "saved"}, {1: "saved"})


@pytest.mark.parametrize("sent", [True, False])
def test_a_row_that_a_dead_worker_left_is_settled_by_its_token(max_, standin, sent):
    job = job_of(max_, "Zeb One")
    left = {"state": "saved", "record_id": 77, "sent_at": Now()} if sent else {"state": "sending"}
    job.rows.update(**left)
    token = job.rows.get().token
    work()
    assert states(job) == {1: "saved"}
    assert len(standin.ledger(operation="create")) == (0 if sent else 1)
    assert job.rows.get().token == token


def test_refused_keys_pause_the_job_until_its_person_continues_with_others(
    max_, standin, client_of
):
    job = job_of(max_, "Zeb One", "Zeb Two")
    standin.revoke("acme/office")
    work()
    job.refresh_from_db()
    assert job.state == State.PAUSED
    assert "rejected your API keys" in job.reason
    assert states(job) == {1: "waiting", 2: "waiting"}
    access, secret = standin.keys["acme"][0]
    connect(max_, access=access, secret=secret, workspace="Acme")
    page = client_of(max_).get(f"/jobs/{job.pk}/")
    assert "uses your current API keys" in page.content.decode()
    client_of(max_).post(f"/jobs/{job.pk}/continue/")
    work()
    assert states(job) == {1: "saved", 2: "saved"}


def test_a_job_waits_as_long_as_the_service_asks_and_makes_fewer_calls_at_once(max_, standin):
    standin.fault("status-429", operation="create", times=1)
    job = job_of(max_, "Zeb One")
    work()
    job.refresh_from_db()
    assert (job.state, job.at_once, states(job)) == (State.RUNNING, 4, {1: "waiting"})
    assert job.not_before is not None
    let_time_pass(job, 600)
    work()
    assert states(job) == {1: "saved"}


def test_the_pace_of_a_job_rises_again_after_refusals_for_being_too_many(
    max_, standin, monkeypatch
):
    monkeypatch.setattr(rows, "MAX_ROWS", 1)  # of one turn
    standin.fault("status-429", operation="create", times=2)
    job = job_of(max_, *(f"Zeb {number}" for number in range(9)))
    seen = []
    while Job.objects.get().state != State.FINISHED and len(seen) < 60:
        if not run_one():
            let_time_pass(job, 600)
        seen.append(Job.objects.get().at_once)
    assert [number for number, _ in groupby(seen)] == [4, 2, 3, 4, 5, 6, 7, 8]
    assert set(states(job).values()) == {"saved"}


def test_a_job_that_is_continued_begins_at_its_full_pace(max_, client_of, standin):
    job = job_of(max_, "Zeb")
    Job.objects.update(at_once=1, state=State.PAUSED)
    client_of(max_).post(f"/jobs/{job.pk}/continue/")
    assert Job.objects.get().at_once == 8


def test_a_service_that_refuses_too_many_calls_in_each_turn_does_not_pause_the_job(max_, standin):
    job = job_of(max_, *(f"Zeb {number}" for number in range(20)))
    for _ in range(12):
        standin.fault("status-429", operation="create", times=1, after=2)
        work()
        let_time_pass(job, 600)
    job.refresh_from_db()
    assert job.state == State.FINISHED


def test_a_service_that_answers_no_write_leaves_few_rows_not_sure_and_asks_the_person(
    max_, standin
):
    standin.fault("status-503", operation="create")
    job = job_of(max_, *(f"Zeb {number}" for number in range(60)))
    failures = []
    for _ in range(12):
        service().breaker.reset()  # as some seconds later
        work()
        failures.append(Job.objects.get().failures)
        let_time_pass(job, 600)
    job.refresh_from_db()
    assert (job.state, failures[:8]) == (State.PAUSED, [1, 2, 3, 4, 5, 6, 7, 0])
    assert "no clear answer" in job.reason
    assert job.counts == {"not sure": 12, "waiting": 48}  # 5 in the first turn, then one in each
    assert len(standin.ledger(operation="create")) == 12


def test_nothing_is_risked_while_a_read_fails_after_a_failure(max_, standin):
    standin.fault("status-503", operation="create")
    job = job_of(max_, *(f"Zeb {number}" for number in range(60)))
    work()
    sent = len(standin.ledger(operation="create"))
    standin.fault("status-503", operation="list")
    for _ in range(12):
        let_time_pass(job, 600)
        service().breaker.reset()  # as some seconds later
        work()
    job.refresh_from_db()
    assert (job.state, job.counts["not sure"]) == (State.PAUSED, sent)
    assert len(standin.ledger(operation="create")) == sent


def test_a_service_that_is_back_after_a_failure_gets_all_rows(max_, standin):
    standin.fault("status-503", operation="create", times=6)
    job = job_of(max_, *(f"Zeb {number}" for number in range(60)))
    for _ in range(6):
        service().breaker.reset()  # as some seconds later
        work()
        let_time_pass(job, 600)
    job.refresh_from_db()
    assert job.state == State.FINISHED
    assert job.counts == {"not sure": 6, "saved": 54}


def test_a_service_that_stays_away_pauses_the_job(max_, standin):
    job = job_of(max_, "Zeb One")
    standin.refuse()
    for _ in range(10):
        work()
        let_time_pass(job, 600)
    job.refresh_from_db()
    assert (job.state, states(job)) == (State.PAUSED, {1: "waiting"})


def test_a_row_that_cannot_be_read_does_not_keep_the_others_from_being_sent(max_, standin):
    contents = [{"label": "", "id": 1001 + n, "name": f"Zeb {n}"} for n in range(20)]
    job = job_of(max_, kind="rename contacts", rows=contents)
    standin.fault("status-503", operation="get", path="*/1001")
    for _ in range(9):
        work()
        let_time_pass(job, 600)
    assert Job.objects.get().state == State.PAUSED
    assert states(job) == {1: "waiting"} | dict.fromkeys(range(2, 21), "saved")


def test_a_person_who_lost_the_role_pauses_the_job(max_, standin):
    job = job_of(max_, "Zeb One")
    permissions.set_role(max_, "")
    work()
    job.refresh_from_db()
    assert (job.state, standin.ledger(operation="create")) == (State.PAUSED, [])


@pytest.mark.parametrize("taken", ["the role", "the account", "the keys"])
def test_what_is_taken_away_while_rows_are_sent_ends_the_sending_at_once(
    max_, standin, monkeypatch, taken
):
    job = job_of(max_, "Zeb One", "Zeb Two", "Zeb Three")

    def create(**asked):
        if taken == "the role":
            permissions.set_role(max_, "")
        elif taken == "the account":
            User.objects.filter(pk=max_.pk).update(is_active=False)
        else:
            KeyPair.objects.all().delete()
        return stock(**asked)

    stock = writer.create
    monkeypatch.setattr(writer, "create", create)
    work()
    job.refresh_from_db()
    assert (job.state, states(job)) == (State.PAUSED, {1: "saved", 2: "waiting", 3: "waiting"})
    assert len(standin.ledger(operation="create")) == 1


def test_a_fault_in_the_dashboard_ends_neither_the_worker_nor_the_other_rows(max_, standin):
    job = job_of(max_, kind="rename contacts", rows=[{"label": "broken"}, {"label": "too"}])
    work()
    job.refresh_from_db()
    assert job.state == State.FINISHED
    assert job.counts == {"not saved": 2}


def test_jobs_without_a_turn_for_long_are_purged(max_, standin):
    job = job_of(max_, "Zeb One")
    work()
    assert retention.purge(Job) == 0
    let_time_pass(job, 31 * 24 * 3600)
    assert retention.purge(Job) == 1
    assert services.release_rows() == 1
    assert not job.rows.exists()
    assert Write.objects.get().state == "saved"


def test_a_job_whose_kind_cannot_be_imported_is_paused(settings):
    settings.JOB_KINDS = ("dashboard.missing.KINDS",)
    ending = slices.run(Job(kind="export", pk=1))
    assert ending is not None
    assert ending.state == Job.State.PAUSED


def test_a_job_of_a_kind_that_this_version_lacks_is_paused():
    ending = slices.run(Job(kind="of a later version", pk=1))
    assert ending == leases.Ending(Job.State.PAUSED, slices.UNKNOWN_KIND)
