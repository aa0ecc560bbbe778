"""The bare Debian that the tests of this folder copy."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy import bare


@pytest.fixture(scope="session")
def bare_debian() -> Iterator[Path]:
    bare.need()
    with tempfile.TemporaryDirectory(prefix="bare-") as folder:
        yield bare.made(Path(folder))


@pytest.fixture
def root(bare_debian: Path) -> Iterator[Path]:
    """A copy that is removed at once, as each takes a gigabyte."""
    with tempfile.TemporaryDirectory(prefix="installed-") as folder:
        yield bare.copied(bare_debian, Path(folder, "root"))
