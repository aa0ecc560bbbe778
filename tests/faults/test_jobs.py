"""Workers killed during jobs, two workers at once, PostgreSQL restarted in between, and faults of
the service: each row ends exactly once in the service, or in a pile that is named.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import postgres

from .options import OPTIONS

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow


def proof(kind: str, kills: int, broken: str = "", jobs: str = "") -> dict[str, Any]:
    """What the proof prints."""
    variables = {"FAULTS_KILLS": str(kills), "FAULTS_SEED": str(OPTIONS.seed)}
    variables["FAULTS_JOBS"] = jobs or ",".join(OPTIONS.jobs)
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.jobs_proof", kind],
        env=os.environ | variables | {"FAULTS_BROKEN": broken},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        timeout=1200,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_each_row_ends_once_in_the_service_or_in_a_named_pile(kind, record_property):
    if kind == "postgres":
        postgres.need()
    found = proof(kind, OPTIONS.kills, OPTIONS.broken)
    for name, number in (found["ends"] | {"killed": found["killed"]}).items():
        record_property(name, number)
    assert found["breaches"] == []
    assert any(end.endswith((": saved", ": finished")) for end in found["ends"])


@pytest.mark.short
@pytest.mark.parametrize(
    ("broken", "jobs"), [("forgets the token", "imports"), ("stores a piece twice", "exports")]
)
def test_a_broken_worker_is_found(broken, jobs):
    assert proof("sqlite", 4, broken, jobs)["breaches"]
