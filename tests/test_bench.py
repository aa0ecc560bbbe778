"""The benchmark runs. What it measures is for people to read: no test holds it to a time."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.slow
def test_the_benchmark_runs_from_end_to_end(tmp_path):
    file = tmp_path / "figures.json"
    command = [sys.executable, "-m", "tests.bench", "--smoke", "--json", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    figures = json.loads(file.read_text())
    assert {case["target"] for case in figures["cases"]} == {"API", "page", "admin"}
    assert any("CPU per page" in budget["name"] for budget in figures["budgets"])
    assert "p50" in done.stdout
    names = " ".join(budget["name"] for budget in figures["budgets"])
    for job in ("25 invoices, cold", "25 invoices, warm", "100 lines, save", "contact picker"):
        assert job in names
