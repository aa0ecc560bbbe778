"""Jobs that were stopped or paused in the turn in which their worker died."""

import csv
from datetime import timedelta
from io import StringIO

import pytest
from django.db.models.functions import Now
from django_tasks_db.models import DBTaskResult

from dashboard.jobs import leases, services
from dashboard.jobs.models import Job
from dashboard.writes import ledger
from dashboard.writes.models import Write
from tests.helpers import text

from .conftest import job_of, let_time_pass, run_one, states, work

pytestmark = pytest.mark.usefixtures("_kinds")

State = Job.State


def left_behind(user, how):
    """A job of four rows, and the task that looks after it. The worker has died after one row was
    saved and told, one saved, one sent; the fourth was only marked.
    """
    job = job_of(user, "Zeb One", "Zeb Two", "Zeb Three", "Zeb Four")
    DBTaskResult.objects.all().delete()
    leases.acquire(lambda taken: services.enqueue(taken, leases.lease()))
    for row in job.rows.all():
        row.state = "saved" if row.number < 3 else "sending"
        row.record_id = 1000 + row.number if row.number < 3 else None
        row.sent_at = Now() if row.number < 4 else None
        row.reserved_until = Now() + ledger.longest_call() if row.number == 3 else None
        row.save()
    assert how(job)
    return job


def outlive_the_lease(job):
    """Let the time pass after which the worker of a turn counts as dead."""
    let_time_pass(job, 3600)
    Write.objects.filter(reserved_until__isnull=False).update(
        reserved_until=Now() - timedelta(seconds=1)
    )


@pytest.mark.parametrize("how", [services.stop, services.pause])
def test_rows_that_were_being_sent_get_the_outcome_that_the_ledger_knows(max_, standin, how):
    job = left_behind(max_, how)
    outlive_the_lease(job)
    work()
    unsent = "cancelled" if how == services.stop else "waiting"
    assert states(job) == {1: "saved", 2: "saved", 3: "not sure", 4: unsent}
    assert job.rows.get(number=2).record_id == 1002
    assert Job.objects.get().counts == {"saved": 2, "not sure": 1, unsent: 1}
    assert not DBTaskResult.objects.filter(status="READY").exists()
    assert standin.ledger(operation="create") == []


def test_the_page_settles_them_where_no_worker_runs(max_, client_of, standin):
    job, client = left_behind(max_, services.stop), client_of(max_)
    outlive_the_lease(job)
    assert client.get(f"/jobs/{job.pk}/").headers["Refresh"]
    assert states(job) == {1: "saved", 2: "saved", 3: "not sure", 4: "cancelled"}
    page = client.get(f"/jobs/{job.pk}/")
    assert "2 saved 1 perhaps saved" in text(page)
    assert "Refresh" not in page.headers


def test_rows_that_are_being_sent_are_never_called_not_sent(max_, client_of, standin):
    job, client = left_behind(max_, services.stop), client_of(max_)
    page = client.get(f"/jobs/{job.pk}/")
    assert [row["outcome"] for row in page.context["rows"]] == ["saved"] * 2 + ["being sent"] * 2
    assert "2 rows are still being sent" in text(page)
    answer = client.get(f"/jobs/{job.pk}/?format=csv")
    csv_rows = list(csv.reader(StringIO(b"".join(answer).decode())))
    assert [row[2] for row in csv_rows[1:]] == ["saved"] * 2 + ["being sent"] * 2
    outlive_the_lease(job)
    client.get(f"/jobs/{job.pk}/")
    page = client.get(f"/jobs/{job.pk}/")
    outcomes = [row["outcome"] for row in page.context["rows"]]
    assert outcomes == ["saved", "saved", "perhaps saved", "not sent"]


def test_a_worker_that_lives_goes_on_beside_the_page(max_, client_of, standin):
    job, client = left_behind(max_, services.stop), client_of(max_)
    client.get(f"/jobs/{job.pk}/")
    assert states(job) == {1: "saved", 2: "saved", 3: "sending", 4: "sending"}


def test_the_refused_of_a_stopped_job_are_tried_again_and_nothing_else_is_sent(
    max_, client_of, standin
):
    job, client = left_behind(max_, services.stop), client_of(max_)
    job.rows.filter(number=2).update(state="not saved", record_id=None)
    client.post(f"/jobs/{job.pk}/again/")
    assert Job.objects.get().state == State.STOPPED  # the last turn is not over
    outlive_the_lease(job)
    client.post(f"/jobs/{job.pk}/again/")
    assert run_one()
    work()
    assert [call["body"]["cstname"] for call in standin.ledger(operation="create")] == ["Zeb Two"]
    page = client.get(f"/jobs/{job.pk}/")
    outcomes = [row["outcome"] for row in page.context["rows"]]
    assert outcomes == ["saved", "saved", "perhaps saved", "not sent"]
