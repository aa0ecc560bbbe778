"""Servers whose clocks differ agree on record locks, on which writes are under way, and on when a
deletion is sent.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
CLOCKS = [(65, -9)]  # of a site and of a worker, in seconds ahead of the database's
if os.environ.get("CLOCKS") == "all":
    apart = [seconds * sign for seconds in (9, 65, 3600) for sign in (1, -1)]
    CLOCKS = [(clock, other) for clock in apart for other in (0, clock, -clock)]
# With SQLite the clocks are those of one machine.
DATABASES = ["postgresql", "sqlite"] if len(CLOCKS) > 1 else ["postgresql"]


@pytest.mark.parametrize("own_database", DATABASES, indirect=True)
@pytest.mark.parametrize(("site", "worker"), CLOCKS)
def test_servers_with_clocks_apart_lose_no_edit_and_send_no_deletion_early_or_unasked(
    own_database: str, tmp_path: Path, site: int, worker: int
) -> None:
    command = [sys.executable, "-m", "tests.writes.two_dashboards", str(tmp_path / "cache")]
    done = subprocess.run(
        [*command, str(site), str(worker)],
        env=os.environ | {"TEST_DATABASE_URL": own_database},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        timeout=240,
        check=True,
    )
    result = json.loads(done.stdout)
    assert result.pop("rounds") == result.pop("saved") == 5
    assert result == {
        "lost": 0,
        "wrong": 0,
        "offered": False,
        "told": True,
        "counted": True,
        "early": 0,
        "sent": 1,
        "told_late": True,
        "after_told": 0,
        "after_undo": 0,
    }
