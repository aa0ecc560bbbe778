"""A worker that dies at any statement leaves each row one effect and one outcome."""

from collections import Counter
from itertools import count

import pytest

from dashboard.jobs import leases, services
from dashboard.jobs.models import Job
from tests.faults import deaths

from .conftest import job_of, let_time_pass, work

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kinds")]

State = Job.State
TAKE = "dashboard.jobs.leases.acquire"
EFFECTS = {"saved": {1}, "not sure": {0, 1}, "waiting": {0}, "not saved": {0}, "cancelled": {0}}


def recover(job):
    """Let other workers go on with it an hour later."""
    deaths.let_an_hour_pass()
    for _ in range(3):
        let_time_pass(job, deaths.HOUR)
        work()
    job.refresh_from_db()


def wrong_rows(job, standin):
    created = standin.ledger(effect=True, operation="create")
    effects = Counter(entry["body"]["cstname"] for entry in created)
    for row in job.rows.all():
        label = row.job_row["sends"]["label"]
        if effects[label] not in EFFECTS.get(row.state, ()):
            yield f"{label} is {row.state} and was written {effects[label]} times"


@pytest.mark.parametrize("press", [None, services.stop, services.pause])
def test_no_row_is_lost_or_sent_twice(max_, standin, monkeypatch, press):
    take = leases.acquire

    def take_and_press(*args):
        taken = take(*args)
        if taken and presses:
            presses.pop()(taken)
        return taken

    monkeypatch.setattr(leases, "acquire", take_and_press)
    for point in count(1):
        job = job_of(max_, *(f"Zeb {point}.{number}" for number in range(3)))
        presses = [press] if press else []
        with deaths.dying(point, after=TAKE) as death:
            work()
        recover(job)
        assert list(wrong_rows(job, standin)) == [], point
        if press == services.pause:
            assert job.state in {State.PAUSED, State.FINISHED}, point
            services.resume(job, job.owner)
            recover(job)
            assert list(wrong_rows(job, standin)) == [], point
        assert job.state == (State.STOPPED if press == services.stop else State.FINISHED), point
        if not death.came:
            break
    assert point > 10
