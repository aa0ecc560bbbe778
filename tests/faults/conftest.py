"""Leave for the machine to bring databases of its own, and its figures after the run."""

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from . import internals


@pytest.fixture(scope="module")
def unblocked(django_db_blocker: Any) -> Iterator[None]:
    """Leave to use databases: the machine brings SQLite files of its own."""
    if "sqlite" not in os.environ.get("TEST_DATABASE_URL", "sqlite"):
        pytest.skip("needs SQLite")
    with django_db_blocker.unblock(), internals.short_pauses():
        yield


def pytest_terminal_summary(terminalreporter: Any) -> None:
    figures: Counter[str] = Counter()
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        figures.update({key: n for key, n in report.user_properties if isinstance(n, int)})
    for name, number in sorted(figures.items()):
        terminalreporter.write_line(f"{name}: {number:,}")
