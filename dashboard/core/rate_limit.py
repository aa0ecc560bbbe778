"""Counts in the shared cache how often a person does something in a window of time."""

from time import time

from django.core.cache import cache

from dashboard.core import security_log

MINUTE = 60  # seconds


def exceeded(what: str, person: int, *, most: int, seconds: int = MINUTE) -> bool:
    """Count once; whether it is more than `most` in this window of so many seconds.

    The first time beyond is in the security log. A cache that is away bounds nobody.
    """
    key = f"ratelimit:{what}:{person}:{int(time() / seconds)}"
    try:
        count = cache.incr(key)
    except ValueError:  # the first in this window
        count = cache.add(key, 1, 2 * seconds)
    count = int(count or 0)  # None while the cache is away
    if count == most + 1:
        security_log.record_event("rate_limited", person=person, what=what, most=most)
    return count > most


def seconds_left() -> int:
    return MINUTE - int(time()) % MINUTE
