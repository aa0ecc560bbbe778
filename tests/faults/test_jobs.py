"""Workers killed during jobs, also before each statement of the database while a job is being
stopped; two workers at once, PostgreSQL restarted in between, and faults of the service: each row
ends exactly once in the service, or in a pile that is named.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import postgres

from . import job_statements
from .options import FULL, OPTIONS

ROOT = Path(__file__).resolve().parents[2]
SAMPLED = 3  # statements before which a worker is killed; all of them in the whole proof


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


@pytest.mark.parametrize("press", ["stop", "pause"])
@pytest.mark.parametrize("kind", ["imports", "exports"] if FULL else ["imports"])
def test_a_worker_killed_while_its_job_is_stopped_leaves_no_row_unnamed(
    home, user, tmp_path, record_property, kind, press
):
    job = job_statements.begin(user, kind)
    number = job_statements.carry_out(job, press, 0, tmp_path)
    found = job_statements.breaches(home, user, job, press)
    for kill_before in range(1, number + 1, 1 if FULL else number // SAMPLED):
        job = job_statements.begin(user, kind)
        assert job_statements.carry_out(job, press, kill_before, tmp_path) == kill_before
        told = job_statements.breaches(home, user, job, press)
        if kind == "exports" and press == "pause":
            told += job_statements.wrong_in_export(home, job)
        found += [f"killed before statement {kill_before}: {words}" for words in told]
    record_property(f"statements of {kind}, {press}", number)
    assert number > 2 * SAMPLED
    assert found == []


@pytest.mark.short
@pytest.mark.parametrize(
    ("broken", "jobs"), [("forgets the token", "imports"), ("stores a piece twice", "exports")]
)
def test_a_broken_worker_is_found(broken, jobs):
    assert proof("sqlite", 4, broken, jobs)["breaches"]
