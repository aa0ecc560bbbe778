"""The people that tests are about, and their browsers."""

from collections.abc import Callable, Iterator
from typing import Any

import hypothesis
import pytest
from django.core.cache import cache
from django.test import Client

from dashboard.accounts import roles
from dashboard.accounts.models import User
from dashboard.catalogue import snapshot
from dashboard.credentials.services import connect
from dashboard.gateway import Gateway, Keys, Service
from dashboard.records.references import titles
from dashboard.standin import StandIn
from tests.page import InspectingClient

PASSWORD = "correct horse battery"
PATIENCE = 20  # seconds that a page waits for names: long on purpose, as no test means to miss one

# No test is judged by the time it takes: the machine may be busy with something else.
hypothesis.settings.register_profile(
    "unhurried", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("unhurried")


@pytest.fixture(autouse=True)
def _nothing_left_from_other_tests() -> None:
    cache.clear()
    snapshot.forget()


def person(name: str, role: str = "", **details: object) -> User:
    """A staff account with PASSWORD, and with one role if given."""
    user = User.objects.create_user(name, f"{name}@example.test", PASSWORD, **details)
    if role:
        roles.set_role(user, role)
    return user


@pytest.fixture
def viewer(db: None) -> User:
    return person("vera", roles.VIEWER)


@pytest.fixture
def editor(db: None) -> User:
    return person("edith", roles.EDITOR)


@pytest.fixture
def manager(db: None) -> User:
    return person("max", roles.MANAGER)


@pytest.fixture
def administrator(db: None) -> User:
    return person("ada", roles.ADMINISTRATOR)


@pytest.fixture(scope="session")
def _standin() -> Iterator[StandIn]:
    with StandIn(profile="verbose", size="small", seed=1) as running:
        yield running


@pytest.fixture
def standin(_standin: StandIn, settings: Any) -> StandIn:
    """The API's stand-in as freshly seeded, and the dashboard set to use it."""
    _standin.reset()
    settings.API_BASE_URL = _standin.url
    return _standin


@pytest.fixture
def with_keys(standin: StandIn, monkeypatch: pytest.MonkeyPatch) -> Callable[[User], User]:
    """with_keys(user): that person, connected to the stand-in's workspace acme; in no hurry."""
    monkeypatch.setattr(titles, "LEAST_WAIT", PATIENCE)
    monkeypatch.setattr(titles, "LONGEST_WAIT", PATIENCE)

    def connected(user: User) -> User:
        access, secret = standin.keys["acme"][0]
        connect(user, access=access, secret=secret, workspace="Acme")
        return user

    return connected


@pytest.fixture
def client() -> Client:
    """A browser in which nobody is signed in; every HTML page that it gets is inspected."""
    return InspectingClient()


@pytest.fixture
def client_of() -> Callable[[User], Client]:
    """client_of(user): a browser in which that person is signed in."""

    def signed_in(user: User) -> Client:
        client = InspectingClient()
        client.force_login(user)
        return client

    return signed_in


@pytest.fixture
def desk(client_of: Callable, with_keys: Callable, manager: User) -> Client:
    """The browser of a manager with keys."""
    return client_of(with_keys(manager))


@pytest.fixture
def gateway_to(standin: StandIn) -> Iterator[Callable[[str], Gateway]]:
    """gateway_to(workspace): straight to the stand-in, past the dashboard."""
    service = Service(standin.url)

    def gateway(workspace: str) -> Gateway:
        access, secret = standin.keys[workspace][0]
        return Gateway(service, Keys(access=access, secret=secret))

    yield gateway
    service.close()


@pytest.fixture
def gateway(gateway_to: Callable[[str], Gateway]) -> Gateway:
    """Straight to the workspace that `desk` is connected to."""
    return gateway_to("acme")
