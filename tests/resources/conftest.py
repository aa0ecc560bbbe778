"""Unpublished operations."""

from collections.abc import Callable

import pytest

from dashboard.standin import StandIn


@pytest.fixture
def unpublished(standin: StandIn, switch_on: Callable[..., None]) -> StandIn:
    """The stand-in with the unpublished operations, which are switched on."""
    switch_on("tasks.update", "tasks.delete", "leads.get", "leads.update")
    return standin
