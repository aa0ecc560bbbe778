"""Caches answers of the service to a key pair in Django's cache, as encrypted JSON.

A cache server may hold nothing that people can read, and no value may reach other keys: a cache key
holds an HMAC of the key pair, and each value is encrypted for its cache key.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.core.cache import cache

from dashboard.core.sealed import DecryptionError, as_text, from_text, seal, unseal
from dashboard.gateway import Endpoint, Gateway
from dashboard.people.keys import owner_of

PURPOSE = "cache"
EVERYBODY = 0  # the key names whose value it is


def keys_of(gateway: Gateway) -> Callable[[str, Endpoint, object], str]:
    """Return a function that builds cache keys of a key pair from the kind of a value, the endpoint
    and a part, such as ("title", CONTACTS, 17).
    """
    owner = owner_of(gateway)
    return lambda kind, endpoint, part: f"{kind}:{owner}:{endpoint.name}:{part}"


def read(key: str) -> Any:
    """Return the value, from JSON with exact amounts; None if there is none."""
    return read_many([key]).get(key)


def read_many(keys: Iterable[str]) -> dict[str, Any]:
    sealed: Mapping[str, Any] = cache.get_many(list(keys))
    opened = {key: _opened(key, text) for key, text in sealed.items()}
    return {key: value for key, value in opened.items() if value is not None}


def write(key: str, value: Any, seconds: int) -> None:
    """Store a value of JSON's types or Decimal."""
    cache.set(key, _sealed(key, value), seconds)


def write_many(values: Mapping[str, Any], seconds: int) -> None:
    cache.set_many({key: _sealed(key, value) for key, value in values.items()}, seconds)


def add(key: str, value: Any, seconds: int) -> None:
    cache.add(key, _sealed(key, value), seconds)


def delete(keys: Iterable[str]) -> None:
    cache.delete_many(list(keys))


def _sealed(key: str, value: Any) -> str:
    return seal(as_text(value), owner=EVERYBODY, purpose=PURPOSE, context=key)


def _opened(key: str, sealed: Any) -> Any:
    try:
        return from_text(unseal(sealed, owner=EVERYBODY, purpose=PURPOSE, context=key))
    except (DecryptionError, ArithmeticError, TypeError):  # of another key or release
        return None
