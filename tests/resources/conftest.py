"""Unpublished operations, what the stand-in was sent, and its reference lists."""

from collections.abc import Callable
from typing import Any

import pytest

from dashboard.standin import StandIn
from dashboard.standin.reference_data import reference_data
from tests import workspaces


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


@pytest.fixture
def lists(db: None) -> None:
    """The reference lists of the stand-in's workspace acme."""
    workspaces.fill_lists("Acme", reference_data("acme"))
