"""PostgreSQL, Redis, the service, the mail server and a worker stopped, and started again: no 500,
nothing saved twice or forgotten, a log that a program can read and that gives nothing away.
"""

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
POOL_TIMEOUT = 5  # seconds
AT_ONCE = 4  # seconds; two and the time of a busy machine, less than the five of the pool


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
    first, later = part["seconds"]
    assert first < POOL_TIMEOUT + 1
    assert later < 1
    assert (part["again"], part["creates"]) == (302, 1)


def test_a_create_is_saved_while_the_database_stops(found):
    part = found["stopped_during_a_write"]
    assert part["told"] == [200, True]
    assert part["found"]
    assert not part["unfinished"]
    assert part["opens"]
    assert part["creates"] == 1


def test_the_dashboard_works_without_redis(found):
    part = found["redis_away"]
    assert (part["crowd"], part["saved"]) == ({"200": 32}, 302)
    assert part["sign-in"] == 429  # as nobody could count the attempts


@pytest.mark.parametrize(
    ("away", "part"),
    [
        (["database_away", "readiness"], "database"),
        (["hanging", "database"], "database"),
        (["redis_away", "readiness"], "cache"),
        (["hanging", "cache"], "cache"),
    ],
)
def test_readyz_names_what_is_away_at_once(found, away, part):
    said = found[away[0]][away[1]]
    assert not said[part]
    assert said["static files"]
    assert said["seconds"] < AT_ONCE


def test_without_the_service_pages_say_so_and_a_form_keeps_what_was_typed(found):
    part = found["service_away"]
    assert part["statuses"] == [503, 503]
    assert part["words"] == [True, True]
    assert part["form"] == [503, True]
    assert part["crowd"] == {"503": 32}
    assert (part["readiness"]["database"], part["readiness"]["service"]) == (True, "paused")
    assert part["readiness"]["seconds"] < AT_ONCE
    assert part["creates"] == 1


def test_without_a_worker_a_mail_waits_and_readyz_tells_those_who_ask(found):
    part = found["worker_away"]
    assert part["posted"] == 302
    assert part["workers"][:2] == [False, True]


def test_without_the_mail_server_a_mail_is_tried_again_and_told_in_one_line(found):
    [line] = found["worker_away"]["mail"]
    assert json.loads(line)["again"]


def test_a_worker_whose_database_stops_ends_and_says_why_once(found):
    part = found["worker_away"]
    assert not part["workers"][2]  # with a row the site would report it as well
    assert part["ended"] == 1
    [line] = part["ends"]
    assert "OperationalError" in json.loads(line)["exception"]


def test_every_line_of_the_log_is_json_and_none_has_what_was_typed_or_a_secret(found):
    assert found["not json"] == []
    assert found["told"] == []


def test_nothing_but_200_and_503_while_both_are_restarted_under_load(found):
    assert found["both_restarted_under_load"] == {}
