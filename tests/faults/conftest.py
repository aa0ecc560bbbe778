"""The environment of the proofs that run in this process, and their figures after the run."""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from . import broken, internals
from .environment import Environment, User, environment
from .options import OPTIONS


@pytest.fixture(scope="module")
def unblocked(django_db_blocker: Any) -> Iterator[None]:
    """Leave to use databases: the proofs bring SQLite files of their own."""
    if "sqlite" not in os.environ.get("TEST_DATABASE_URL", "sqlite"):
        pytest.skip("needs SQLite")
    with django_db_blocker.unblock(), internals.short_pauses():
        yield


@pytest.fixture(scope="module")
def home(unblocked: None, tmp_path_factory: Any) -> Iterator[Environment]:
    """An environment for all tests of one module."""
    with ExitStack() as stack:
        stack.enter_context(broken.build(OPTIONS.broken))
        folder = tmp_path_factory.mktemp("proof")
        yield stack.enter_context(environment(folder, OPTIONS.profile, OPTIONS.seed))


@pytest.fixture(scope="module")
def user(home: Environment) -> User:
    """A user of `home` in the workspace acme."""
    return home.user("max")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the sums of what the proofs counted."""
    figures: Counter[str] = Counter()
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        figures.update({key: n for key, n in report.user_properties if isinstance(n, int)})
    for name, number in sorted(figures.items()):
        terminalreporter.write_line(f"{name}: {number:,}")
