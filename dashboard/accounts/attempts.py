"""Counts wrong passwords per person, so that nobody can guess on under another spelling.

allauth counts them by what was typed and by the Host header, which the sender chooses. Here a
username and an email address of one person share a counter; a name that nobody has gets its own.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from django.core.cache import cache
from django.db.models import Q
from django.utils.crypto import salted_hmac

from dashboard.accounts.models import User

MOST = 5  # wrong passwords in SECONDS
SECONDS = 5 * 60


def counters_for(credentials: Mapping[str, Any]) -> list[str]:
    """The cache keys of the people whom `credentials` (username, email) may mean."""
    typed = {str(credentials[part]) for part in ("username", "email") if credentials.get(part)}
    wanted = Q(pk__in=())
    for name in typed:  # as allauth's backend looks them up
        wanted |= Q(username__iexact=name) | Q(email=name.lower())
    people = User.objects.filter(wanted).values_list("pk", flat=True)
    found = [_counter("person", str(pk)) for pk in people]
    return found or [_counter("name", name) for name in {name.casefold() for name in typed}]


def count(counters: Iterable[str]) -> bool:
    """Count one attempt; False if there were too many."""
    return all(_incremented(counter) for counter in counters)


def uncount(counters: Iterable[str]) -> None:
    """Take one attempt back, as its password was right. Earlier wrong ones stay counted."""
    for counter in counters:
        with suppress(ValueError):  # it has expired
            cache.decr(counter)


def forget(user: User) -> None:
    """Forget the wrong passwords of a person who has a new one."""
    cache.delete(_counter("person", str(user.pk)))


def _incremented(counter: str) -> bool:
    if cache.add(counter, 1, SECONDS):
        return True
    try:
        return cache.incr(counter) <= MOST
    except ValueError:  # expired just now, or a cache that keeps nothing: without a count, no
        return False


def _counter(kind: str, name: str) -> str:
    return f"attempts:{salted_hmac('accounts.attempts', f'{kind} {name}').hexdigest()}"
