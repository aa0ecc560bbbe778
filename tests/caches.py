"""The cache of the tests: in this process, with values in JSON as Redis has them (caches.py)."""

from json import dumps, loads
from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.locmem import LocMemCache


class JsonLocMemCache(LocMemCache):
    """Refuses what JSON does not have (TypeError), and returns what JSON makes of the rest."""

    def add(
        self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None
    ) -> bool:
        return super().add(key, loads(dumps(value)), timeout, version)

    def set(
        self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None
    ) -> None:
        super().set(key, loads(dumps(value)), timeout, version)
