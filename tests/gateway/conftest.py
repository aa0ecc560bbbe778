from collections.abc import Callable, Iterator
from typing import Any

import pytest

from dashboard.gateway import Gateway, Keys, Service

KEYS = Keys(access="access-key-of-a-test-1234", secret="secret-key-of-a-test-5678")


@pytest.fixture
def connect(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Gateway]]:
    """Makes a gateway to a base URL; pauses between tries are skipped."""
    services = []

    def make(url: str, *, enabled: frozenset[str] = frozenset(), **kwargs: Any) -> Gateway:
        services.append(Service(url, **kwargs))
        return Gateway(services[-1], KEYS, enabled=enabled)

    monkeypatch.setattr("dashboard.gateway.client.sleep", lambda _seconds: None)
    yield make
    for service in services:
        service.close()
