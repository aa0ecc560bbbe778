"""A stand-in over real HTTP, and a caller that uses only http.client."""

import http.client
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest

from dashboard.standin import StandIn
from tests.conftest import PROFILES

TODAY = date(2026, 3, 2)
LINE = {"item_id": 501, "item_name": "Hour", "quantity": 2, "price": 95.5, "type": "item"}


@dataclass
class Reply:
    status: int
    text: str
    headers: dict[str, str]

    @property
    def json(self) -> Any:
        return json.loads(self.text)


class Caller:
    """Calls one stand-in as one key pair; `admin` calls the admin port."""

    def __init__(self, standin: StandIn, workspace: str = "acme", number: int = 0) -> None:
        self.standin = standin
        self.pair = standin.keys[workspace][number]

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        access, secret = self.pair
        sent = {"x-service-access-key": access, "x-service-secret-key": secret}
        sent.update({name.replace("_", "-"): value for name, value in headers.items()})
        return exchange(self.standin.server.port, method, path, body, sent)

    def admin(self, method: str, path: str, body: Any = None) -> Reply:
        return exchange(self.standin.admin_server.port, method, path, body, {})


def exchange(port: int, method: str, path: str, body: Any, headers: dict[str, str]) -> Reply:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    if body is not None:
        headers = {"content-type": "application/json", **headers}
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return Reply(answer.status, answer.read().decode(), dict(answer.getheaders()))
    finally:
        connection.close()


def make(profile: str, **options: Any) -> StandIn:
    return StandIn(profile=profile, size="small", seed=1, today=TODAY, **options)


@pytest.fixture
def verbose() -> Iterator[Caller]:
    with make("verbose") as standin:
        yield Caller(standin)


@pytest.fixture
def terse() -> Iterator[Caller]:
    with make("terse") as standin:
        yield Caller(standin)


@pytest.fixture
def hostile() -> Iterator[Caller]:
    with make("hostile") as standin:
        yield Caller(standin)


@pytest.fixture
def unpublished() -> Iterator[Caller]:
    """A terse service that offers the unpublished operations."""
    with make("terse", unpublished=True) as standin:
        yield Caller(standin)


@pytest.fixture
def caller(request: pytest.FixtureRequest) -> Iterator[Caller]:
    """A caller of each profile, if parametrized with `every_profile`."""
    with make(request.param) as standin:
        yield Caller(standin)


every_profile = pytest.mark.parametrize("caller", PROFILES, indirect=True)
