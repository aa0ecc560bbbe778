"""The gateway itself: one call, one answer or one error."""

from collections.abc import Mapping
from typing import Any, Literal

from .fields import Endpoint
from .keys import Keys
from .records import Created, Done, Page, Record


class Service:
    """One external service, as this process talks to it."""

    def __init__(
        self,
        base_url: str,
        *,
        access_header: str = "x-service-access-key",
        secret_header: str = "x-service-secret-key",  # noqa: S107 - a header's name
        timeout: float = 10.0,
        connect_timeout: float = 3.0,
    ) -> None:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


class Gateway:
    """The service as one person's keys see it."""

    def __init__(
        self, service: Service, keys: Keys, *, offered: frozenset[str] = frozenset()
    ) -> None:
        raise NotImplementedError

    def list(
        self,
        endpoint: Endpoint,
        *,
        search: str = "",
        page_index: int = 0,
        page_size: int = 10,
        sort_by: str = "",
        sort_order: Literal["", "asc", "desc"] = "",
        filters: Mapping[str, Any] | None = None,
    ) -> Page:
        raise NotImplementedError

    def get(self, endpoint: Endpoint, record_id: int) -> Record:
        raise NotImplementedError

    def create(self, endpoint: Endpoint, body: Mapping[str, Any]) -> Created:
        raise NotImplementedError

    def update(self, endpoint: Endpoint, record_id: int, body: Mapping[str, Any]) -> Done:
        raise NotImplementedError

    def delete(self, endpoint: Endpoint, record_id: int) -> Done:
        raise NotImplementedError
