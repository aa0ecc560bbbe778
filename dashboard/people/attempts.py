"""Counts wrong passwords per person, and delays further attempts more and more.

allauth counts them by the typed name and by the Host header, which the sender chooses. Here the
username and email address of a person share a counter, whatever the host; an unknown name has its
own. A browser in which the person signed in before is marked by a signed cookie and has its own
counter, so that guesses elsewhere do not delay it. Nobody is locked out: the delay grows to
MAX_DELAY and stays there.
"""

import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from math import ceil
from time import time
from typing import Any

from django.conf import settings
from django.core import signing
from django.core.cache import cache
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from dashboard.people.models import User

MAX_FREE_ATTEMPTS = 5  # attempts before the first delay
MIN_DELAY, MAX_DELAY = 8, 5 * 60  # seconds of delay
COUNT_TTL = 24 * 60 * 60  # seconds that wrong passwords are counted for


def names_in(credentials: Mapping[str, Any]) -> set[str]:
    return {str(credentials[part]) for part in ("username", "email") if credentials.get(part)}


def people_called(names: Iterable[str]) -> list[User]:
    """Return the people whom the names may mean, as allauth's backend looks them up."""
    matches = Q(pk__in=())
    for name in names:
        matches |= Q(username__iexact=name) | Q(email=name.lower())
    return list(User.objects.filter(matches))


def lanes_of(
    people: Iterable[User], names: Iterable[str], marks: Mapping[str, str] | None = None
) -> list[str]:
    """Return the cache keys that count for these people; without people, for what was typed.

    marks: user id -> mark of a browser that the person knows (`browser_marks`).
    """
    known = marks or {}
    keys = [_key("person", f"{user.pk} {known.get(str(user.pk), '')}") for user in people]
    return keys or [_key("name", name) for name in {name.casefold() for name in names}]


def admit(lanes: Iterable[str]) -> int:
    """Count one attempt. Return 0 if it may continue, else the seconds to wait; then it is not
    counted.
    """
    return max((_admit(lane) for lane in lanes), default=0)


def _admit(lane: str) -> int:
    count = _counted(lane)
    if count < MAX_FREE_ATTEMPTS:
        return 0
    delay = min(MIN_DELAY * 2 ** min(count - MAX_FREE_ATTEMPTS, 10), MAX_DELAY)
    if cache.add(_gate(lane), time() + delay, delay):  # the only one until the delay is over
        return 0
    _uncount(lane)
    ends: float = cache.get(_gate(lane), 0)
    return max(1, ceil(ends - time()))


def succeeded(lanes: Iterable[str]) -> None:
    """Subtract one attempt, whose password was right. Earlier wrong ones stay counted."""
    for lane in lanes:
        _uncount(lane)
        cache.delete(_gate(lane))


def forget(user: User) -> None:
    for lane in lanes_of([user], ()):
        cache.delete_many([lane, _gate(lane)])


def _counted(lane: str) -> int:
    """Return the number of this attempt, counted from 1. A cache that keeps nothing counts
    as many.
    """
    if cache.add(lane, 1, COUNT_TTL):
        return 1
    with suppress(ValueError):  # it has expired
        return cache.incr(lane) or MAX_FREE_ATTEMPTS  # None while the cache is away
    return MAX_FREE_ATTEMPTS


def _uncount(lane: str) -> None:
    with suppress(ValueError):  # it has expired
        cache.decr(lane)


def _gate(lane: str) -> str:
    return f"{lane}:gate"


def _key(kind: str, name: str) -> str:
    return f"attempts:{salted_hmac('people.attempts', f'{kind} {name}').hexdigest()}"


COOKIE_NAME = f"{settings.COOKIE_PREFIX}known_browser"
SALT = "accounts.known_browsers"
COOKIE_TTL = 90 * 24 * 60 * 60  # seconds
MAX_ACCOUNTS = 5  # people who share a browser


def browser_marks(request: HttpRequest) -> dict[str, str]:
    """Return the random mark of this browser by user id; empty for an unknown, old or forged
    cookie.
    """
    try:
        remembered = signing.loads(
            request.COOKIES.get(COOKIE_NAME, ""), salt=SALT, max_age=COOKIE_TTL
        )
    except signing.BadSignature:
        return {}
    return {str(pk): str(mark) for pk, mark in remembered}


def last_name(request: HttpRequest) -> str:
    """Return the user name of who signed in with this browser last; "" if that is not known."""
    last = [*browser_marks(request)][-1:]
    names = User.objects.filter(pk__in=last, is_active=True).values_list("username", flat=True)
    return names.first() or ""


def remember_browser(request: HttpRequest, response: HttpResponse, user: User) -> None:
    others = [pair for pair in browser_marks(request).items() if pair[0] != str(user.pk)]
    pairs = [*others, (str(user.pk), secrets.token_urlsafe(16))][-MAX_ACCOUNTS:]
    response.set_cookie(
        COOKIE_NAME,
        signing.dumps(pairs, salt=SALT),
        max_age=COOKIE_TTL,
        httponly=True,
        samesite="Lax",
        secure=settings.HTTPS_ONLY,
    )
