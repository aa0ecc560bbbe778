"""Two workers, a person and a crash at one record, in every order: each promise in each state."""

from datetime import timedelta

import pytest

from dashboard.jobs import row_results, rows
from dashboard.writes import deletions, ledger, retries
from dashboard.writes.models import Write
from tests import postgres
from tests.writes.walk import Broken, walk

pytestmark = pytest.mark.slow


# Who sends, and what happens meanwhile; each alone is walked to the end in seconds.
WAYS = (
    ("worker, worker", "undo, death, time"),
    ("worker, form", "death, time"),
    ("worker, form, form", "undo"),
    ("worker", "undo, death, time, again"),
    ("turn, turn", "stop, death, lost after"),
    ("turn, turn", "time"),
    ("turn", "pause, stop, death"),
    ("turn", "stop, death, time"),
    ("turn", "death, no, busy, lost after"),
)


@pytest.fixture(autouse=True)
def _long_times(settings, monkeypatch):
    """A reservation, and the time in which a worker may send, last longer than the walk."""
    settings.API_TIMEOUT = 3_600
    monkeypatch.setattr(deletions, "SEND_TIMEOUT", timedelta(hours=1))


@pytest.mark.django_db
@pytest.mark.parametrize(("senders", "events"), WAYS)
def test_no_order_of_the_steps_breaks_a_promise(manager, senders, events):
    assert walk(manager, senders, events) > 100, "there is something to walk through"


@pytest.mark.django_db
def test_a_deletion_that_is_taken_whatever_its_state_is_found(manager, monkeypatch):
    monkeypatch.setattr(deletions, "find_due", lambda pk: Write.objects.filter(pk=pk))
    with pytest.raises(Broken, match="what was undone is not sent"):
        walk(manager, "worker, worker", "undo, death, time")


@pytest.mark.django_db
def test_a_row_that_is_marked_whatever_its_state_is_found(manager, monkeypatch):
    def begin(job_slice):
        job_slice.job.rows.exclude(state=Write.State.SAVED).update(state=Write.State.SENDING)
        return list(job_slice.job.rows.filter(state=Write.State.SENDING))

    monkeypatch.setattr(rows, "_begin", begin)
    with pytest.raises(Broken, match="what was undone is not sent"):
        walk(manager, "turn", "stop")


@pytest.mark.django_db
def test_a_row_of_a_dead_worker_that_is_sent_again_is_found(manager, monkeypatch):
    def send_again(job):
        retries.retry(job.rows.filter(state=Write.State.SENDING))

    monkeypatch.setattr(row_results, "requeue", send_again)
    with pytest.raises(Broken, match="a row is written twice"):
        walk(manager, "turn", "death")


@pytest.mark.django_db
def test_a_row_that_does_not_lock_its_record_is_found(manager, monkeypatch):
    honest = ledger.reserve

    def reserve(write, waiting=None):
        if waiting is None:
            write.record_id = None
        return honest(write, waiting)

    monkeypatch.setattr(ledger, "reserve", reserve)
    with pytest.raises(Broken, match="one write of a record is sent at a time"):
        walk(manager, "worker, form", "death, time")


@pytest.mark.full
def test_nor_does_one_on_postgresql():  # some of the ways
    postgres.check_tests(__file__, "again or pause")
