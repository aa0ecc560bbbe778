"""Unpublished operations, and what the stand-in was sent."""

from collections.abc import Callable
from typing import Any

import pytest

from dashboard.standin import StandIn


@pytest.fixture
def unpublished(standin: StandIn, switch_on: Callable[..., None]) -> StandIn:
    """The stand-in with the unpublished operations, which are switched on."""
    switch_on("tasks.update", "tasks.delete", "leads.get", "leads.update")
    return standin


@pytest.fixture
def sent(standin: StandIn) -> Callable[..., list[Any]]:
    """sent("create", resource="tasks"): the bodies that the stand-in received, oldest first."""

    def bodies(operation: str, **wanted: str) -> list[Any]:
        return [entry["body"] for entry in standin.ledger(operation=operation, **wanted)]

    return bodies
