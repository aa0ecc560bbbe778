"""Fixtures that tests of other rooms have, too."""

from tests.resources.conftest import lists

__all__ = ["lists"]
