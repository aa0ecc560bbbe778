"""/metrics serves what the processes of this machine have counted."""

import os
import re
import subprocess
import sys

import pytest
from django.http import HttpResponse
from prometheus_client import REGISTRY, generate_latest

from dashboard.core import request_log
from dashboard.core.gunicorn import child_exit
from dashboard.people import keys
from tests.processes import ROOT, python
from tests.test_settings import COMPLETE

pytestmark = pytest.mark.slow


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


def test_the_breaker_shows_in_every_process_that_calls_the_service(desk, standin):
    desk.get("/contacts/")
    assert open_breakers() == (0, 0)
    standin.fault("status-500", operation="list", times=9)
    for _ in range(6):
        desk.get("/contacts/")
    assert open_breakers() == (0, 1)
    standin.refuse()
    keys.service().breaker.reset()
    for _ in range(6):
        desk.get("/contacts/")
    standin.accept()
    assert open_breakers() == (1, 0)


def test_requests_under_way_are_counted(rf):
    seen = []

    def answer(request):
        seen.append(value("desk_requests_under_way", method="GET"))
        return HttpResponse()

    request_log.RequestLogMiddleware(answer)(rf.get("/"))
    assert [*seen, value("desk_requests_under_way", method="GET")] == [1, 0]


def counting(folder, *arguments):
    """What Python did that counts into this folder."""
    done = python(
        *arguments, DJANGO_SETTINGS_MODULE="tests.settings", PROMETHEUS_MULTIPROC_DIR=str(folder)
    )
    assert done.returncode == 0, done.stderr
    return done


def test_a_command_that_counts_nothing_writes_no_file(tmp_path):
    counting(tmp_path, "manage.py", "check")
    assert not list(tmp_path.iterdir())


def test_what_another_process_counted_is_served_and_its_gauges_end_with_it(
    client, db, settings, tmp_path
):
    settings.METRICS_DIR = str(tmp_path)
    code = (
        "import os; from dashboard.core import request_log as calls; print(os.getpid());"
        "calls.observe_breakers(is_open=True, pairs=2);"
        "calls.observe_call('deals', 'list', 'ok', 0.2)"
    )
    done = counting(tmp_path, "-c", code)
    served = client.get("/metrics").content.decode()
    assert 'desk_breakers_open{of="keys"} 2.0' in served
    ended = type("Worker", (), {"pid": int(done.stdout)})
    child_exit(None, ended)
    served = client.get("/metrics").content.decode()
    assert "desk_breakers_open{" not in served
    assert re.search(r'desk_api_call_seconds_count\{endpoint="deals".*\} 1\.0', served)


def test_a_directory_that_only_the_file_of_settings_names_is_written_by_the_site(tmp_path):
    written = tmp_path / "metrics"
    written.mkdir()
    named = {**COMPLETE, "PROMETHEUS_MULTIPROC_DIR": str(written)}
    (tmp_path / ".env").write_text("".join(f"{name}={value}\n" for name, value in named.items()))
    code = (
        "import sys; from environ import Env; read_env = Env.read_env.__func__;"
        "Env.read_env = lambda env, _: read_env(type(env), sys.argv[1]);"
        "import dashboard.core.gunicorn; from dashboard.core import request_log as calls;"
        "calls.observe_call('deals', 'list', 'ok', 0.2)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / ".env")]
    environment = {"PATH": os.environ["PATH"]}
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    assert list(written.iterdir())


def test_without_a_directory_there_are_none(client, db):
    assert client.get("/metrics").status_code == 404
