"""A record is locked for one form at a time, until an end by the database's clock."""

from contextlib import ExitStack
from datetime import timedelta

import pytest
from django.db import DatabaseError
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from dashboard.outbox import locks
from dashboard.outbox.models import RecordLock

pytestmark = pytest.mark.django_db


def lapse(seconds=1):
    RecordLock.objects.update(until=Now() - timedelta(seconds=seconds))


def test_the_second_form_is_refused_at_once_and_told_who_holds_the_lock():
    with locks.record_lock("tasks/17", "first"):
        with pytest.raises(locks.Locked) as locked, locks.record_lock("tasks/17", "second"):
            pass
        assert locked.value.token == "first"
        assert locks.is_held_by("first")
        assert not locks.is_held_by("second")


def test_records_are_locked_one_by_one():
    with locks.record_lock("tasks/17", "first"), locks.record_lock("tasks/18", "second"):
        assert RecordLock.objects.count() == 2


def test_a_lock_is_released_even_after_an_error():
    with pytest.raises(ValueError, match="broken"), locks.record_lock("tasks/17", "first"):
        raise ValueError("broken")
    assert not RecordLock.objects.exists()


def test_a_lock_whose_process_died_ends():
    with locks.record_lock("tasks/17", "first"):
        lapse()
        assert not locks.is_held_by("first")
        with locks.record_lock("tasks/17", "second"):
            assert locks.is_held_by("second")


def test_who_was_too_slow_cannot_renew_and_releases_nothing_of_the_next():
    with ExitStack() as stack:
        with locks.record_lock("tasks/17", "first") as lock:
            lapse()
            stack.enter_context(locks.record_lock("tasks/17", "second"))
            with pytest.raises(locks.Locked):
                locks.renew(lock)
        assert locks.is_held_by("second")


def test_who_was_slow_but_alone_renews():
    with locks.record_lock("tasks/17", "first") as lock:
        lapse()
        locks.renew(lock)
        assert locks.is_held_by("first")


@pytest.mark.parametrize("seconds", [10, 45])
def test_a_lease_is_longer_than_any_call(settings, seconds):
    settings.API_TIMEOUT = seconds
    with locks.record_lock("tasks/17", "first"):
        held = RecordLock.objects.filter(until__gt=Now() + timedelta(seconds=seconds + 5))
        assert held.exists()


@pytest.mark.parametrize("hours", [-1, 1])
def test_the_clock_of_this_machine_decides_nothing(time_machine, hours):
    with locks.record_lock("tasks/17", "first"):
        time_machine.move_to(timezone.now() + timedelta(hours=hours))
        with pytest.raises(locks.Locked), locks.record_lock("tasks/17", "second"):
            pass


def test_a_lock_that_cannot_be_released_does_not_hide_what_was_done(monkeypatch):
    def fail(rows):
        raise DatabaseError("gone")

    with locks.record_lock("tasks/17", "first"):
        monkeypatch.setattr(QuerySet, "delete", fail)
