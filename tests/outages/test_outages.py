"""PostgreSQL and Redis stopped and started under load: no 500, nothing saved twice or forgotten."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import postgres, redis_server

ROOT = Path(__file__).resolve().parents[2]
ALLOWED = {"200", "503"}  # 503: no connection was free in time


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """What the proof prints."""
    postgres.need()
    redis_server.need()
    proof = subprocess.run(
        [sys.executable, "-m", "tests.outages.proof"],
        env=os.environ,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        timeout=300,
        check=True,
    )
    result: dict[str, Any] = json.loads(proof.stdout)
    return result


def test_two_dashboards_stay_below_the_connections_of_postgresql(found):
    part = found["most_connections"]
    assert part["most"] < 97  # PostgreSQL reserves 3 of its 100
    assert set(part["answers"]) <= ALLOWED
    assert part["answers"]["200"] > 200


def test_connections_that_a_restart_has_cut_are_not_used(found):
    assert set(found["restarted"]) <= ALLOWED
    assert found["restarted"]["200"] > 40


def test_without_the_database_pages_are_503_and_a_form_keeps_what_was_typed(found):
    part = found["database_away"]
    assert part["page"] == [503, "5"]
    assert part["form"] == [503, True, True]
    assert part["crowd"] == {"503": 128}
    assert (part["again"], part["creates"]) == (302, 1)


def test_an_outage_is_a_line_of_the_log_and_no_traceback(found):
    asked = sum(found["database_away"]["crowd"].values())
    assert 0 < found["database_away"]["lines"] <= asked / 4  # a worker repeats it after a while
    assert found["tracebacks"] == 0


def test_a_create_is_saved_while_the_database_stops(found):
    part = found["stopped_during_a_write"]
    assert part["told"] == [200, True]
    assert part["found"]
    assert not part["unfinished"]
    assert part["opens"]
    assert part["creates"] == 1


def test_the_dashboard_works_without_redis(found):
    assert found["redis_away"] == {"crowd": {"200": 128}, "saved": 302}


def test_nothing_but_200_and_503_while_both_are_restarted_under_load(found):
    assert found["both_restarted_under_load"] == {}
