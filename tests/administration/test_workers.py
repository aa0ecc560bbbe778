"""`manage.py db_worker` notes that it lives."""

import os
import sys
from contextlib import contextmanager, nullcontext
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import OperationalError
from django.utils import timezone

from dashboard.administration.management.commands import db_worker
from dashboard.administration.models import (
    Worker,
    heartbeats,
    read_queue,
    report_dead_workers,
    store_heartbeat,
)
from tests.processes import ROOT, python, running
from tests.waits import wait_until

PROGRAM = """
import time
from datetime import timedelta
from django.core.management import call_command
from dashboard.administration import models
from tests.databases import make_tables
models.HEARTBEAT_INTERVAL = timedelta(seconds=0.05)
make_tables()
call_command("db_worker", verbosity=0)
"""


@pytest.mark.slow
def test_a_worker_that_only_waits_is_seen_again_and_again(own_database, tmp_path):
    named = {"DJANGO_SETTINGS_MODULE": "tests.settings", "TEST_DATABASE_URL": own_database}
    code = f"import django; django.setup(){PROGRAM}"
    asked = (
        "import django; django.setup(); from dashboard.administration.models import Worker; "
        "print(*Worker.objects.values_list('name', 'seen').first() or '')"
    )

    def last_seen() -> str:
        return python("-c", asked, **named).stdout.strip()

    environment = {**os.environ, **named}
    with running([sys.executable, "-c", code], cwd=ROOT, env=environment) as worker:
        first = wait_until(last_seen)
        assert f":{worker.pid} " in first
        assert wait_until(lambda: last_seen() != first)
    assert worker.returncode == 0


def test_a_worker_is_noted_once_by_its_name(db):
    for _ in range(2):
        store_heartbeat("here:1")
    store_heartbeat("there:1")
    assert sorted(Worker.objects.values_list("name", flat=True)) == ["here:1", "there:1"]
    assert read_queue().workers == 2


def test_a_worker_that_died_is_logged_once_and_one_that_ended_is_not(db, caplog):
    store_heartbeat("here:1")
    with heartbeats():
        pass
    store_heartbeat("there:1")
    Worker.objects.filter(pk="here:1").update(seen=timezone.now() - timedelta(seconds=50))
    for _ in range(2):
        report_dead_workers()
    [line] = caplog.messages
    assert "'worker': 'here:1'" in line
    store_heartbeat("here:1")  # it was only held up
    assert not Worker.objects.filter(is_reported=True).exists()
    assert sorted(Worker.objects.values_list("name", flat=True)) == ["here:1", "there:1"]


def test_a_worker_goes_on_after_a_long_lock(db, monkeypatch):
    calls = []

    @contextmanager
    def locked(using):
        calls.append(using)
        if len(calls) == 1:
            raise OperationalError("database is locked")
        yield

    library = "django_tasks_db.management.commands.db_worker"
    monkeypatch.setattr(f"{library}.exclusive_transaction", locked)
    monkeypatch.setattr(f"{library}.close_old_connections", lambda: None)
    monkeypatch.setattr(db_worker, "heartbeats", nullcontext)
    call_command("db_worker", batch=True, startup_delay=False, verbosity=0)
    assert len(calls) == 2
