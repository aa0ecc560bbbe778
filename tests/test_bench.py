"""The benchmark runs. No test checks a duration."""

import subprocess
import sys

import pytest
from django.conf import settings


@pytest.mark.slow
@pytest.mark.full
def test_the_benchmark_runs_from_end_to_end():
    command = [sys.executable, "-m", "bench", "--smoke"]
    done = subprocess.run(
        command, cwd=settings.BASE_DIR, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    for figure in (
        "p50 / raw call",
        "CPU per page",
        "CPU of /contacts/?size=100 / the floor's",
        "CPU of /contacts/new/ by layer",
        "25 invoices, cold",
        "Today / its calls",
        "pace of import",
        "pace of bulk",
        "beside a job",
        "longest wait of 76 people",
    ):
        assert figure in done.stdout  # fmt: skip
