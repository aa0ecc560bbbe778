"""`manage.py metrics` serves what site and workers counted, and figures from the database."""

import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from django.db import OperationalError, connection
from prometheus_client import REGISTRY, generate_latest

from dashboard.operations.gauges import Gauges
from dashboard.outbox.models import Submission

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


def test_unsettled_writes_are_counted_with_the_age_of_the_oldest(db, manager):
    assert figures()["desk_not_sure"] == 0
    Submission.objects.create(
        token="a", person=manager, owner="x", resource="contacts", operation="create",
        digest="", state=Submission.State.NOT_SURE,
    )  # fmt: skip
    found = figures()
    assert found["desk_not_sure"] == 1
    assert found["desk_not_sure_oldest_seconds"] >= 0
    assert found["desk_jobsrunning"] == 0
    assert found["desk_database_up"] == 1


@pytest.mark.django_db(transaction=True)
def test_without_the_database_that_is_the_figure():
    def fail(*args):
        raise OperationalError("the database is away")

    with connection.execute_wrapper(fail):
        assert figures() == {"desk_database_up": 0}


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
