"""Three sites and two workers behind nginx, one site killed, PostgreSQL and Redis restarted."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests import nginx, postgres, redis_server

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def found() -> dict:
    """What a small crowd finds; `python -m tests.outages.crowd` sends a large one."""
    postgres.need()
    redis_server.need()
    nginx.need()
    crowd = [sys.executable, "-m", "tests.outages.crowd", "--people", "12", "--requests", "600"]
    done = subprocess.run(
        crowd, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=500, check=True
    )
    return json.loads(done.stdout)


def test_every_create_ends_in_one_record_or_where_its_person_finds_it(found):
    assert found["said to be saved"] > 10
    assert (found["lost"], found["doubled"], found["in no pile and no list"]) == ([], [], [])


def test_nobody_sees_rows_of_the_other_workspace(found):
    assert found["foreign rows"] == 0


def test_no_page_is_an_error_of_ours(found):
    assert "500" not in found["statuses"]
    assert "400" not in found["statuses"]
    assert "403" not in found["statuses"]
