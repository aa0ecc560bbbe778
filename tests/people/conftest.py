"""The stand-in of the API for tests of key pairs."""

from collections.abc import Iterator

import pytest

from dashboard.standin import StandIn


@pytest.fixture(scope="session")
def running() -> Iterator[StandIn]:
    with StandIn(profile="verbose", size="small", seed=1) as standin:
        yield standin


@pytest.fixture
def api(running: StandIn, settings) -> Iterator[StandIn]:
    """The stand-in; the dashboard's settings refer to it."""
    settings.API_BASE_URL = running.url
    settings.API_TIMEOUT = 2.0
    yield running
    running.clear_faults()
