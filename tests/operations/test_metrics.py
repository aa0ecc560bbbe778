"""`manage.py metrics` serves what site and workers counted, and figures from the database."""

import os
import re
import subprocess
import sys
import urllib.request
from datetime import timedelta
from math import inf
from pathlib import Path

import pytest
from django.db import OperationalError, connection
from django.http import HttpResponse
from django.utils import timezone
from django_tasks_db.models import DBTaskResult
from prometheus_client import REGISTRY, generate_latest

from dashboard.accounts import mails
from dashboard.accounts.models import Mail
from dashboard.credentials import services
from dashboard.ledger.models import Write
from dashboard.management.commands.metrics import Counted, Gauges
from dashboard.monitoring import calls, requests
from dashboard.monitoring.calls import Longest
from dashboard.operations import workers

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def figures() -> dict[str, float]:
    return {
        sample.name + "".join(sample.labels.values()): sample.value
        for metric in Gauges().collect()
        for sample in metric.samples
    }


def test_requests_and_calls_are_counted_by_kind_not_by_record(desk, gateway):
    desk.get("/contacts/?search=Zebra")
    desk.get("/contacts/1/")
    found = generate_latest(REGISTRY).decode()
    assert re.search(
        r'desk_request_seconds_count\{method="GET",status="200",view="contacts:list"\}', found
    )
    assert re.search(
        r'desk_api_call_seconds_count\{endpoint="contacts",operation="list",outcome="ok"\}', found
    )
    assert "Zebra" not in found


def test_a_failed_call_has_its_own_outcome(desk, standin):
    standin.fault("status-500", operation="list", times=9)
    desk.get("/contacts/")
    assert 'outcome="Unavailable"' in generate_latest(REGISTRY).decode()


def value(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels)


def open_breakers() -> tuple[float, float]:
    return value("desk_breakers_open", of="service"), value("desk_breakers_open", of="keys")


def longest(of: str) -> float:
    return value("desk_longest_wait_seconds", of=of)


def test_the_breaker_shows_in_every_process_that_calls_the_service(desk, standin):
    desk.get("/contacts/")
    assert open_breakers() == (0, 0)
    standin.fault("status-500", operation="list", times=9)
    for _ in range(6):
        desk.get("/contacts/")
    assert open_breakers() == (0, 1)
    standin.refuse()
    services.service().breakers.reset()
    for _ in range(6):
        desk.get("/contacts/")
    standin.accept()
    assert open_breakers() == (1, 0)


def test_the_longest_waits_of_the_last_minutes_are_known(desk, standin, monkeypatch):
    for module, of in ((requests, "request"), (calls, "call")):
        monkeypatch.setattr(module, "LONGEST", Longest(of))  # without the waits of other tests
    standin.fault("slow:0.7", operation="list", times=1)
    desk.get("/contacts/")
    assert longest("request") > longest("call") > 0.7


def test_the_longest_wait_is_forgotten_after_two_minutes():
    seconds = iter([0, 61, 119, 125, 300])
    waits = Longest("test", clock=lambda: next(seconds))
    found = []
    for wait in (9.0, 1.0, 3.0, 2.0, 0.5):
        waits.note(wait)
        found.append(longest("test"))
    assert found == [9, 9, 9, 3, 0.5]


def test_requests_under_way_are_counted(rf):
    seen = []

    def answer(request):
        seen.append(value("desk_requests_under_way", method="GET"))
        return HttpResponse()

    requests.RequestLogMiddleware(answer)(rf.get("/"))
    assert [*seen, value("desk_requests_under_way", method="GET")] == [1, 0]


def test_unsettled_writes_are_counted_with_the_age_of_the_oldest(transactional_db, manager):
    assert figures()["desk_not_sure"] == 0
    Write.objects.create(
        token="a", person=manager, owner="x", resource="contacts", operation="create",
        digest="", state=Write.State.NOT_SURE,
    )  # fmt: skip
    found = figures()
    assert found["desk_not_sure"] == 1
    assert found["desk_not_sure_oldest_seconds"] >= 0
    assert found["desk_jobsrunning"] == 0
    assert found["desk_database_up"] == 1


def test_a_worker_that_is_not_seen_and_what_waits_for_it_are_figures(transactional_db):
    assert figures()["desk_worker_seen_seconds"] == inf
    workers.note_life("here:1")
    mails.post("invitation", "S", "b", "a@b.test")
    mails.post("invitation", "S", "b", "a@b.test")
    Mail.objects.filter(pk=Mail.objects.first().pk).update(next_try=None)
    DBTaskResult.objects.update(enqueued_at=timezone.now() - timedelta(minutes=9))
    found = figures()
    assert found["desk_workers"] == 1
    assert 0 <= found["desk_worker_seen_seconds"] < 120
    assert found["desk_tasks_waiting"] == 2
    assert found["desk_task_oldest_wait_seconds"] >= 9 * 60
    assert (found["desk_mails_waiting"], found["desk_mails_given_up"]) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_without_the_database_that_is_the_figure():
    def fail(*args):
        raise OperationalError("the database is away")

    with connection.execute_wrapper(fail):
        assert figures() == {"desk_database_up": 0}


def test_a_command_that_counts_nothing_writes_no_file(tmp_path):
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "PROMETHEUS_MULTIPROC_DIR": str(tmp_path),
    }
    command = [sys.executable, "manage.py", "check"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    assert not list(tmp_path.iterdir())


def test_gauges_of_a_process_that_has_ended_are_left_out(tmp_path):
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "PROMETHEUS_MULTIPROC_DIR": str(tmp_path),
    }
    noted = "calls.note_breakers(is_open=True, pairs=2); calls.note('deals', 'list', 'ok', 0.2)"
    code = f"from dashboard.monitoring import calls; {noted}; print(); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        process.stdout.readline()
        running = {metric.name for metric in Counted(tmp_path).collect()}
        process.kill()
    ended = {metric.name for metric in Counted(tmp_path).collect()}
    assert {"desk_breakers_open", "desk_api_call_seconds"} <= running
    assert "desk_breakers_open" not in ended
    assert "desk_api_call_seconds" in ended


def test_the_command_serves_what_another_process_counted(tmp_path):
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "PROMETHEUS_MULTIPROC_DIR": str(tmp_path),
    }
    counted = "from dashboard.monitoring import calls; calls.note('deals', 'list', 'ok', 0.2)"
    subprocess.run([sys.executable, "-c", counted], cwd=ROOT, env=environment, check=True)
    command = [sys.executable, "manage.py", "metrics", "--port", "0"]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            address = process.stdout.readline().split()[-1]
            with urllib.request.urlopen(address, timeout=10) as answer:
                text = answer.read().decode()
        finally:
            process.terminate()
    assert process.returncode == 0
    assert re.search(r'desk_api_call_seconds_count\{endpoint="deals".*\} 1\.0', text)
    assert "desk_database_up" in text


def test_the_command_refuses_to_start_without_a_directory():
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    environment.pop("PROMETHEUS_MULTIPROC_DIR", None)
    done = subprocess.run(
        [sys.executable, "manage.py", "metrics"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "PROMETHEUS_MULTIPROC_DIR" in done.stderr
