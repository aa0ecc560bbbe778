"""Three sites and two workers behind nginx, one site killed, PostgreSQL and Redis restarted."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests import nginx, postgres, redis_server
from tests.outages.crowd import failures

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def found() -> dict:
    """What a small crowd finds; `python -m tests.outages.crowd` sends a large one."""
    postgres.need()
    redis_server.need()
    nginx.need()
    crowd = [sys.executable, "-m", "tests.outages.crowd", "--people", "12", "--requests", "300"]
    done = subprocess.run(
        crowd, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=500, check=False
    )
    return json.loads(done.stdout)


def test_every_create_ends_in_one_record_or_where_its_person_finds_it(found):
    assert found["said to be saved"] > 10
    assert found["changes"] > 5
    assert found["deletions"] > 5
    assert (found["lost"], found["doubled"], found["in no pile and no list"]) == ([], [], [])


def test_a_killed_site_and_a_killed_worker_do_not_end_it(found):
    assert found["failed"] == []
    assert found["starts of workers"][0] > 1
    assert len(found["memory by quarter"]) == 4


def test_memory_that_grows_fails_a_long_run(found):
    long = {**found, "requests": 12_000, "memory by quarter": [180, 200, 205, 212]}
    assert failures(long) == ["memory grows"]
    assert failures({**long, "memory by quarter": [180, 200, 205, 209]}) == []
