"""The stand-in in whichever profile a test asks for."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from dashboard.catalogue import services as catalogue
from dashboard.standin import StandIn
from dashboard.standin.reference_data import reference_data

PROFILES = ("terse", "verbose", "hostile")
every_profile = pytest.mark.parametrize("standin", PROFILES, indirect=True)


@pytest.fixture(scope="session")
def _standins() -> Iterator[Callable[[str], StandIn]]:
    running: dict[str, StandIn] = {}
    with ExitStack() as stack:

        def get(profile: str) -> StandIn:
            if profile not in running:
                new = StandIn(profile=profile, size="small", seed=1)
                running[profile] = stack.enter_context(new)
            return running[profile]

        yield get


@pytest.fixture
def standin(
    request: pytest.FixtureRequest, _standins: Callable[[str], StandIn], settings: Any
) -> Iterator[StandIn]:
    """Freshly seeded, verbose unless the test says `every_profile`, and the dashboard's service."""
    running = _standins(getattr(request, "param", "verbose"))
    running.reset()
    settings.API_BASE_URL = running.url
    yield running
    running.application.unpublished = False


@pytest.fixture
def unpublished(standin: StandIn, settings: Any) -> StandIn:
    """The service has the unpublished operations, and they are switched on here."""
    standin.application.unpublished = True
    settings.API_UNPUBLISHED = frozenset(
        {"tasks.update", "tasks.delete", "leads.get", "leads.update"}
    )
    return standin


@pytest.fixture
def sent(standin: StandIn) -> Callable[..., list[Any]]:
    """sent("create", resource="tasks"): the bodies that the service got, oldest first."""

    def bodies(operation: str, **wanted: str) -> list[Any]:
        return [entry["body"] for entry in standin.ledger(operation=operation, **wanted)]

    return bodies


@pytest.fixture
def lists(db: None) -> None:
    """The reference lists of the stand-in's workspace acme; taxes hang on the items."""
    data = {kind: [dict(row) for row in rows] for kind, rows in reference_data("acme").items()}
    for item in data["items"]:
        item["tax"] = data["taxes"][0]["id"]
    catalogue.fill("Acme", data)
