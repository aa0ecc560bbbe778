"""A database machine that is gone without a word keeps no thread of the site for long."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import postgres

ROOT = Path(__file__).resolve().parents[2]
APART = ["unshare", "--net"]
PATIENCE = 120  # seconds; the settings take 25, and without them it is two hours


def test_a_query_whose_answer_can_no_longer_come_ends():
    postgres.need()
    if os.getuid() != 0 or subprocess.run([*APART, "ip", "link"], check=False).returncode:
        pytest.skip("a network of its own is for root with leave to make one")
    done = subprocess.run(
        [*APART, sys.executable, "-m", "tests.outages.lost_network"],
        cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "timed out" in done.stdout
