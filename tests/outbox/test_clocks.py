"""Servers whose clocks differ agree on record locks and on which writes are under way."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_no_edit_is_lost_and_no_running_write_is_offered_again_with_clocks_60_s_apart(
    own_database: str, tmp_path: Path
) -> None:
    found = subprocess.run(
        [sys.executable, "-m", "tests.outbox.two_dashboards", str(tmp_path / "cache")],
        env=os.environ | {"TEST_DATABASE_URL": own_database},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        timeout=120,
        check=True,
    )
    result = json.loads(found.stdout)
    assert result.pop("rounds") == result.pop("saved") == 8
    assert result == {"lost": 0, "wrong": 0, "offered": False, "told": True}
