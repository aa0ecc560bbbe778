"""A signed-in person with keys, in each role that matters to records."""

import html
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from dashboard.accounts.models import User
from dashboard.gateway import Gateway, Keys, Service
from dashboard.standin import StandIn


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


def text(response: HttpResponse) -> str:
    """What the page says, without its markup."""
    body = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", html.unescape(body))


def fields(response: HttpResponse) -> dict[str, Any]:
    """What a browser would send if the page's record form were submitted as it is."""
    form = response.context["form"]
    data: dict[str, Any] = {"snapshot": response.context.get("snapshot", "")}
    for bound in form:
        value = bound.value()
        if isinstance(value, dict):
            data[f"{bound.html_name}-name"] = list(value)
            data[f"{bound.html_name}-value"] = [str(item) for item in value.values()]
        elif value not in (None, False):
            data[bound.html_name] = "on" if value is True else value
    return data
