"""Rate limits per person, counted in the shared cache by window of time."""

from time import time

from django.core.cache import cache

from dashboard.core import security_log

MINUTE = 60  # seconds


def exceeded(what: str, person: int, *, most: int, seconds: int = MINUTE) -> bool:
    """Count once; return whether it is more than `most` in this window of so many seconds.

    The first excess is in the security log. Without a cache nobody is limited.
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
