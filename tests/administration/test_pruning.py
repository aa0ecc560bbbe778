"""What is older than its time is deleted in batches, daily, by the worker."""

from contextlib import suppress
from datetime import timedelta
from io import StringIO
from itertools import count

import pytest
import time_machine
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import OperationalError, connection
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from dashboard.administration import pruning
from dashboard.core import retention
from dashboard.jobs.models import Chunk, Export, Job
from dashboard.writes.models import Event
from tests.helpers import run_worker

READY = "READY"


def test_every_batch_is_deleted(db, monkeypatch, django_assert_num_queries):
    monkeypatch.setattr(retention, "BATCH_SIZE", 2)
    old, new = timezone.now() - timedelta(days=1), timezone.now() + timedelta(days=1)
    for number, ends in enumerate([old] * 5 + [new]):
        Session.objects.create(session_key=f"key{number}", session_data="", expire_date=ends)
    assert pruning.prune()["sessions"] == 5
    assert Session.objects.get().session_key == "key5"


def test_the_worker_tidies_once_a_day(db):
    call_command("tidy", daily=True)
    call_command("tidy", daily=True)  # at the next deployment
    [planned] = DBTaskResult.objects.filter(status=READY)
    Session.objects.create(session_key="a", session_data="", expire_date=timezone.now())
    run_worker(after=1)
    assert not Session.objects.exists()
    [again] = DBTaskResult.objects.filter(status=READY)
    assert timedelta(hours=23) < again.run_after - planned.enqueued_at < timedelta(hours=25)


def test_without_the_database_it_ends_at_the_first_part(monkeypatch):
    calls = []

    def fail():
        calls.append(1)
        raise OperationalError("the connection is closed")

    monkeypatch.setattr(pruning, "parts", lambda: {"first": fail, "second": fail})
    with pytest.raises(OperationalError):
        pruning.prune()
    assert len(calls) == 1


def test_a_part_that_fails_does_not_end_it(db, monkeypatch):
    def fail():
        raise RuntimeError("broken")

    parts = {"broken": fail, "sessions": pruning.parts()["sessions"]}
    monkeypatch.setattr(pruning, "parts", lambda: parts)
    Session.objects.create(session_key="a", session_data="", expire_date=timezone.now())
    call_command("tidy", daily=True)
    run_worker(after=1)
    assert not Session.objects.exists()
    assert DBTaskResult.objects.failed().count() == 1
    assert DBTaskResult.objects.filter(status=READY).count() == 1


class _Killed(BaseException):
    """The end of the worker's process."""


def _killed_at(last):
    """Let the database carry out so many statements of a worker; how many it was asked for."""
    asked = 0

    def run(execute, *args):
        nonlocal asked
        asked += 1
        if asked > last:
            raise _Killed
        return execute(*args)

    with connection.execute_wrapper(run), suppress(_Killed):
        run_worker()
    return asked


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_is_killed_at_any_statement_leaves_one_run_planned(monkeypatch):
    parts = {"sessions": pruning.parts()["sessions"]}
    monkeypatch.setattr(pruning, "parts", lambda: parts)
    monkeypatch.setattr("time.sleep", lambda seconds: None)  # between attempts to store a failure
    left = []
    for last in count():
        DBTaskResult.objects.all().delete()
        call_command("tidy", daily=True, stdout=StringIO())
        asked = _killed_at(last)
        left.append(DBTaskResult.objects.filter(status=READY).count())
        if asked <= last:
            break
    assert left == [1] * len(left)
    assert len(left) > 5
    assert DBTaskResult.objects.filter(status="SUCCESSFUL").count() == 1


@pytest.mark.parametrize(("days", "left"), [(6, 2), (8, 1)])
def test_finished_tasks_are_kept_for_a_week(db, days, left):
    call_command("tidy", daily=True)
    run_worker(after=1)
    with time_machine.travel(timezone.now() + timedelta(days=days)):
        pruning.prune()
    assert DBTaskResult.objects.count() == left


def test_tasks_of_a_killed_worker_are_deleted(db):
    call_command("tidy", daily=True)
    now = timezone.now()
    DBTaskResult.objects.update(status="RUNNING", started_at=now - timedelta(hours=25))
    assert pruning.prune()["tasks of workers"] == 1


def test_the_history_is_kept_as_long_as_configured(db, settings):
    Event(who="vera", operation="export", resource="contacts").save()
    assert pruning.prune()["events of the history"] == 0
    Event.rows.update(at=timezone.now() - timedelta(days=settings.AUDIT_RETENTION_DAYS + 1))
    assert pruning.prune()["events of the history"] == 1


def test_files_are_deleted_without_their_tasks(viewer):
    """As after a restore, which drops all tasks."""
    ended = {"state": "finished", "finished_at": timezone.now() - timedelta(hours=25)}
    job = Job.objects.create(person=viewer, owner="x", kind="export", title="Contacts", **ended)
    young = Job.objects.create(person=viewer, owner="x", kind="export", title="Deals",
                               state="finished", finished_at=timezone.now())  # fmt: skip
    for each in (job, young):
        Chunk.objects.create(export=Export.objects.create(job=each), content="sealed")
    done = pruning.prune()
    assert done["chunks of exports"] == 1
    assert Chunk.objects.get().export.job == young
