"""Keeps values of records in Django's cache as encrypted JSON.

A cache server may hold nothing that people can read. Each value repeats its cache key, which holds
an HMAC of the key pair (lookups.py): a value that was stored for other keys is not returned.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from django.core.cache import cache

from dashboard import cipher
from dashboard.outbox.content import as_text, from_text

PURPOSE = "cache"
EVERYBODY = 0  # the key names whose value it is


def read(key: str) -> Any:
    """The value, as JSON has it with exact amounts; None if there is none."""
    return read_many([key]).get(key)


def read_many(keys: Iterable[str]) -> dict[str, Any]:
    """The values that there are, by their keys."""
    sealed: Mapping[str, Any] = cache.get_many(list(keys))
    opened = {key: _opened(key, text) for key, text in sealed.items()}
    return {key: value for key, value in opened.items() if value is not None}


def write(key: str, value: Any, seconds: int) -> None:
    """Keep a value of JSON's types or Decimal."""
    cache.set(key, _sealed(key, value), seconds)


def write_many(values: Mapping[str, Any], seconds: int) -> None:
    """Keep several values."""
    cache.set_many({key: _sealed(key, value) for key, value in values.items()}, seconds)


def add(key: str, value: Any, seconds: int) -> None:
    """Keep a value unless there is one."""
    cache.add(key, _sealed(key, value), seconds)


def _sealed(key: str, value: Any) -> str:
    text = as_text({"key": key, "value": value})
    return cipher.seal(text, owner=EVERYBODY, purpose=PURPOSE)


def _opened(key: str, sealed: Any) -> Any:
    try:
        found = from_text(cipher.unseal(sealed, owner=EVERYBODY, purpose=PURPOSE))
    except (cipher.Unreadable, ArithmeticError, AttributeError):  # of another key or release
        return None
    return found["value"] if found["key"] == key else None
