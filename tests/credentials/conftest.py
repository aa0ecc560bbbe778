"""The service that keys are for."""

from collections.abc import Iterator

import pytest

from dashboard.standin import StandIn


@pytest.fixture(scope="session")
def running() -> Iterator[StandIn]:
    with StandIn(profile="verbose", size="small", seed=1) as standin:
        yield standin


@pytest.fixture
def api(running: StandIn, settings) -> Iterator[StandIn]:
    """The stand-in, with the dashboard pointed at it."""
    settings.API_BASE_URL = running.url
    settings.API_TIMEOUT = 2.0
    yield running
    running.clear_faults()
