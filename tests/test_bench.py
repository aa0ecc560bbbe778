"""The benchmark runs, and its client counts waits without an answer. No test checks a duration."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

import pytest

from bench import budgets, load, paces, report, rounds, site
from dashboard.standin.seed import counts

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.slow
@pytest.mark.full
def test_the_benchmark_runs_from_end_to_end(tmp_path):
    file = tmp_path / "figures.json"
    command = [sys.executable, "-m", "bench", "--smoke", "--json", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    figures = json.loads(file.read_text())
    assert {case["target"] for case in figures["cases"]} == {"API", "page", "floor", "admin"}
    assert any("CPU per page" in budget["name"] for budget in figures["budgets"])
    assert "p50" in done.stdout
    names = " ".join(budget["name"] for budget in figures["budgets"])
    assert "CPU of /contacts/?size=100 / the floor's" in names
    for page in ("/contacts/", "/", "/contacts/new/"):
        assert f"CPU of {page} by layer" in done.stdout
    jobs = ("25 invoices, cold", "25 invoices, warm", "100 lines, save", "contact picker")
    for job in (*jobs, "palette p95", "Today / its calls"):
        assert job in names
    exports = "export of 20 rows", "XLSX of 20 rows"
    for job in (*exports, "pace of import", "pace of bulk", "beside a job"):
        assert job in names
    for scenario in ("300 lines, edit form", "longest wait of 76 people", "through nginx"):
        assert scenario in names or f"{scenario}: not measured" in done.stdout


def test_without_rounds_no_case_is_judged():
    plan = rounds.Plan(latencies=(50,), rows=(25,), people=(1, 16, 64), rounds=0, seconds=1.0)
    results = rounds.run(cast(site.Site, None), plan)
    assert budgets.of_load(results) == []
    assert report.circumstances(results) == ""
    assert len(report.table(results).splitlines()) == 1  # its head


@pytest.mark.parametrize("rows", [1, 400, 5_000])
def test_the_stand_in_has_as_many_contacts_as_a_pace_is_measured_with(rows):
    assert counts(paces.size_for(rows), "acme")["contacts"] >= rows


@pytest.fixture
def silent() -> Iterator[load.Crowd]:
    """Three connections to a server that accepts them and never answers."""
    with (
        socket.create_server(("127.0.0.1", 0), backlog=10) as listener,
        load.Crowd(listener.getsockname()[1], [load.request("/", {})], 3) as crowd,
    ):
        yield crowd


def test_an_unanswered_request_counts_as_a_wait(silent, monkeypatch):
    monkeypatch.setattr(load, "LONGEST", 0.3)
    done = silent.run()
    assert done.answers == 0
    assert done.longest >= 0.3


def test_an_unanswered_request_counts_as_a_wait_between_pauses(silent, monkeypatch):
    monkeypatch.setattr(load, "LONGEST", 0.5)
    pausing = load.PausingCrowd(silent, (0.0, 0.1))
    load.run_with_pauses([pausing], 0.5)
    assert pausing.done.answers == 0
    assert pausing.done.longest >= 0.3


def test_a_run_with_pauses_has_a_latency_of_each_crowd_however_slow_the_server_is(live_server):
    port = urlsplit(live_server.url).port or 0
    with load.Crowd(port, [load.request("/accounts/login/", {})], 1) as crowd:
        pausing = load.PausingCrowd(crowd, (0.0, 0.0))
        load.run_with_pauses([pausing], 0)
    assert len(pausing.done.latencies) == 1
