"""The row of a write locks its record, for so long as the database's clock says."""

from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.db import DatabaseError
from django.db.models import F, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from dashboard.writes import ledger
from dashboard.writes.models import Write
from tests.helpers import write_of

pytestmark = pytest.mark.django_db
State = Write.State


def reserve(person, token, **columns):
    return ledger.reserve(write_of(person, token, **{"operation": "", "record_id": 7, **columns}))


def lapse(**of):
    Write.objects.filter(**of).update(reserved_until=Now() - timedelta(seconds=1))


def test_the_second_form_is_refused_at_once(editor, viewer):
    reserve(editor, "first")
    for person in (editor, viewer):
        with pytest.raises(ledger.RecordBusy):
            reserve(person, "second")
    with pytest.raises(ledger.InFlight):
        reserve(editor, "first")
    assert ledger.is_under_way("first", editor)
    assert not ledger.is_under_way("second", editor)


@pytest.mark.parametrize(
    "other", [{"record_id": 8}, {"resource": "deals"}, {"workspace": "Globex"}]
)
def test_each_record_of_each_workspace_has_its_own_lock(editor, other):
    for row in (reserve(editor, "first"), reserve(editor, "second", **other)):
        ledger.start_sending(row)
    assert Write.objects.filter(state=State.SENDING, sent_at__isnull=False).count() == 2


def test_a_record_that_was_not_written_is_released(editor):
    row = reserve(editor, "first")
    ledger.release(write=row)
    assert not Write.objects.exists()
    assert reserve(editor, "second")


def test_a_write_locks_its_record_until_its_outcome_is_stored(editor):
    row = reserve(editor, "first")
    ledger.start_sending(row)
    ledger.release(write=row)
    with pytest.raises(ledger.RecordBusy):
        reserve(editor, "second")
    ledger.finish(row, State.NOT_SURE, reason="lost")
    assert reserve(editor, "second")
    with pytest.raises(ledger.UsedToken):
        reserve(editor, "first")


def test_a_process_that_has_died_while_it_read_leaves_nothing(editor):
    row = reserve(editor, "first")
    lapse()
    assert not ledger.is_under_way("first", editor)
    assert reserve(editor, "second")
    with pytest.raises(ledger.RecordBusy):
        ledger.start_sending(row)
    assert Write.objects.get().token == "second"


def test_a_process_that_has_died_while_it_sent_leaves_a_write_that_is_not_sure(editor):
    ledger.start_sending(reserve(editor, "first"))
    lapse()
    assert reserve(editor, "second")
    assert Write.objects.get(token="first").state == State.NOT_SURE


def test_nothing_is_sent_once_its_time_is_over_though_nobody_took_the_record(editor):
    row = reserve(editor, "first")
    Write.objects.update(reserved_until=F("reserved_until") - timedelta(days=1))
    row.reserved_until -= timedelta(days=1)
    with pytest.raises(ledger.RecordBusy):
        ledger.start_sending(row)


def take_row(person, **columns):
    """Reserve the record for a row of a job, as its worker does."""
    taken = Write.objects.filter(token="row", state=State.SENDING, sent_at=None)
    return ledger.reserve(write_of(person, "row", **{"record_id": 7, **columns}), taken)


@pytest.fixture
def row_of_job(editor):
    write_of(editor, "row", job=3, number=1, operation="").save()


@pytest.mark.usefixtures("row_of_job")
def test_a_row_of_a_job_lets_its_record_go_and_stays(editor):
    row = take_row(editor)
    with pytest.raises(ledger.RecordBusy):
        reserve(editor, "form")
    ledger.release(write=row)
    ledger.release(write=reserve(editor, "form"))
    take_row(editor)
    lapse()
    reserve(editor, "form")
    left = Write.objects.get(token="row")
    assert (left.state, left.record_id, left.number) == (State.SENDING, None, 1)
    with pytest.raises(ledger.RecordBusy):
        take_row(editor)


@pytest.mark.usefixtures("row_of_job")
def test_a_worker_sends_no_row_that_another_one_has_taken_since(editor):
    slow = take_row(editor)
    Write.objects.update(state=State.WAITING)
    Write.objects.update(state=State.SENDING, record_id=None, reserved_until=None)
    quick = take_row(editor)
    slow.reserved_until -= timedelta(seconds=1)  # it was taken before
    with pytest.raises(ledger.RecordBusy):
        ledger.start_sending(slow)
    ledger.start_sending(quick)


@pytest.mark.parametrize("seconds", [10, 45])
def test_a_record_is_reserved_for_longer_than_any_call(editor, settings, seconds):
    settings.API_TIMEOUT = seconds
    reserve(editor, "first")
    end = Now() + timedelta(seconds=seconds + 5)
    assert Write.objects.filter(reserved_until__gt=end).exists()


@pytest.mark.parametrize("hours", [-1, 1])
def test_locks_do_not_depend_on_this_machines_clock(editor, time_machine, hours):
    reserve(editor, "first")
    time_machine.move_to(timezone.now() + timedelta(hours=hours))
    with pytest.raises(ledger.RecordBusy):
        reserve(editor, "second")


def test_a_record_is_free_again_if_its_body_could_not_be_stored(editor, monkeypatch):
    row = reserve(editor, "first")
    with monkeypatch.context() as broken:
        broken.setattr(QuerySet, "update", Mock(side_effect=DatabaseError("disk full")))
        with pytest.raises(ledger.NotRecorded):
            ledger.start_sending(row)
    ledger.release(write=row)
    assert reserve(editor, "second")
