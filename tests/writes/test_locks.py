"""A record is locked for one form at a time; the lease ends by the database's clock."""

from contextlib import ExitStack
from datetime import timedelta

import pytest
from django.db import DatabaseError
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from dashboard.writes import locks
from dashboard.writes.models import RecordLock

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


def test_each_record_has_its_own_lock():
    with locks.record_lock("tasks/17", "first"), locks.record_lock("tasks/18", "second"):
        assert RecordLock.objects.count() == 2


def test_a_lock_is_released_even_after_an_error():
    with pytest.raises(ValueError, match="broken"), locks.record_lock("tasks/17", "first"):
        raise ValueError("broken")
    assert not RecordLock.objects.exists()


def test_a_lock_expires_after_its_process_died():
    with locks.record_lock("tasks/17", "first"):
        lapse()
        assert not locks.is_held_by("first")
        with locks.record_lock("tasks/17", "second"):
            assert locks.is_held_by("second")


def test_an_expired_lock_taken_by_another_form_cannot_be_renewed_or_released():
    with ExitStack() as stack:
        with locks.record_lock("tasks/17", "first") as lock:
            lapse()
            stack.enter_context(locks.record_lock("tasks/17", "second"))
            with pytest.raises(locks.Locked):
                locks.renew(lock)
        assert locks.is_held_by("second")


def test_an_expired_lock_that_nobody_took_can_be_renewed():
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
def test_locks_do_not_depend_on_this_machines_clock(time_machine, hours):
    with locks.record_lock("tasks/17", "first"):
        time_machine.move_to(timezone.now() + timedelta(hours=hours))
        with pytest.raises(locks.Locked), locks.record_lock("tasks/17", "second"):
            pass


def test_a_failed_release_does_not_hide_the_result(monkeypatch):
    def fail(rows):
        raise DatabaseError("gone")

    with locks.record_lock("tasks/17", "first"):
        monkeypatch.setattr(QuerySet, "delete", fail)
