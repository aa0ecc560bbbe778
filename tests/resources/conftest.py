"""The stand-in in the profiles that tests request, and the reference lists."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from dashboard.catalogue import services as catalogue
from dashboard.gateway import CONTACTS, Gateway
from dashboard.standin import StandIn
from dashboard.standin.reference_data import reference_data

# The everyday suite runs the first one.
PROFILES = (
    "verbose",
    pytest.param("terse", marks=pytest.mark.slow),
    pytest.param("hostile", marks=pytest.mark.slow),
)
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
    """The stand-in with its seed data, verbose; for `every_profile` in each profile."""
    running = _standins(getattr(request, "param", "verbose"))
    running.reset()
    settings.API_BASE_URL = running.url
    yield running
    running.application.unpublished = False


@pytest.fixture
def unpublished(standin: StandIn, settings: Any) -> StandIn:
    """The stand-in with the unpublished operations, which are switched on."""
    standin.application.unpublished = True
    settings.API_UNPUBLISHED = frozenset(
        {"tasks.update", "tasks.delete", "leads.get", "leads.update"}
    )
    return standin


@pytest.fixture
def sent(standin: StandIn) -> Callable[..., list[Any]]:
    """sent("create", resource="tasks"): the bodies that the stand-in received, oldest first."""

    def bodies(operation: str, **wanted: str) -> list[Any]:
        return [entry["body"] for entry in standin.ledger(operation=operation, **wanted)]

    return bodies


@pytest.fixture
def lists(db: None) -> None:
    """The reference lists of the stand-in's workspace acme; items refer to taxes."""
    data = {kind: [dict(row) for row in rows] for kind, rows in reference_data("acme").items()}
    for item in data["items"]:
        item["tax"] = data["taxes"][0]["id"]
    catalogue.fill("Acme", data)


@pytest.fixture
def zebra(gateway: Gateway) -> int:
    """The id of a business called Zebra Ltd."""
    return gateway.create(CONTACTS, {"cstname": "Zebra Ltd", "contact_type": 2}).id
