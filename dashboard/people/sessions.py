"""Session lifetime: SESSION_COOKIE_AGE seconds without a request, and SESSION_LIFETIME seconds in
total.
"""

import secrets
from datetime import timedelta
from math import ceil
from time import time
from typing import Any

from allauth.account.authentication import get_authentication_records
from allauth.usersessions.adapter import get_adapter
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.http import HttpRequest
from django.utils import timezone

from dashboard.core import after_response
from dashboard.people.models import User

STARTED_KEY, SIGN_IN_ID_KEY = "began", "mark"  # keys of a session
TOUCH_INTERVAL = 60  # seconds between two writes of one session's new end
BACKGROUND = "X-Background"  # the header of what a page asks by itself


def start_session(request: HttpRequest, **kwargs: Any) -> None:
    """Store when a sign-in starts (a receiver of user_logged_in)."""
    request.session[STARTED_KEY] = int(time())
    request.session[SIGN_IN_ID_KEY] = secrets.token_hex(8)
    cache.set(_used_key(request), True, TOUCH_INTERVAL)


def touch_session(request: HttpRequest) -> bool:
    """Extend the idle time after the answer, unless the page made the request by itself. False if
    the session has ended.
    """
    if lasts_for(request) <= 0:
        return False
    if BACKGROUND not in request.headers and cache.get(_used_key(request)) is None:
        after_response.run_after_response(prolong, request=request)
    return True


def prolong(request: HttpRequest) -> None:
    """Restart the idle time. Raises DatabaseError.

    Writes only the expiry date, as the request may not have the session's latest content.
    """
    ends = timezone.now() + timedelta(seconds=settings.SESSION_COOKIE_AGE)
    Session.objects.filter(session_key=request.session.session_key).update(expire_date=ends)
    cache.set(_used_key(request), True, TOUCH_INTERVAL)


def lasts_for(request: HttpRequest) -> int:
    ends: int = request.session[STARTED_KEY] + settings.SESSION_LIFETIME
    return max(0, ceil(ends - time()))


def min_seconds_left(request: HttpRequest) -> int:
    """Seconds after a page for which the sign-in lasts if nothing is done. The session was read for
    the page, and put off then or within TOUCH_INTERVAL seconds before.
    """
    idle: int = settings.SESSION_COOKIE_AGE - TOUCH_INTERVAL
    return max(0, min(idle, lasts_for(request)))


def seconds_left(request: HttpRequest) -> int:
    """Seconds until the sign-in ends if nothing is done; 0 if it has ended.

    `request.session.get_expiry_date()` counts from now, as if the request had saved the session.
    """
    key = request.session.session_key
    stored = Session.objects.filter(session_key=key).values_list("expire_date", flat=True)
    ends = stored.first()
    idle = ceil((ends - timezone.now()).total_seconds()) if ends else 0
    return max(0, min(idle, lasts_for(request)))


def lacks_mfa(request: HttpRequest) -> bool:
    """Return whether a signed-in person has to set up a second step first.

    Not after single sign-on, where the provider asks for one.
    """
    user = request.user
    if not isinstance(user, User) or not user.lacks_mfa:
        return False
    records = get_authentication_records(request, user)
    return all(record.get("method") != "socialaccount" for record in records)


def open_sessions(user: User) -> list[UserSession]:
    """Return where a person is signed in, the oldest first. Rows of ended sessions stay until the
    next sign-in: allauth's `purge_and_list` deletes them while a page is read.
    """
    rows = UserSession.objects.filter(user=user, user__is_active=True).order_by("created_at")
    lasting = Session.objects.filter(expire_date__gt=timezone.now())
    stored = lasting.in_bulk([each.session_key for each in rows])
    current = user.get_session_auth_hash()
    hashes = {key: session.get_decoded().get(HASH_SESSION_KEY) for key, session in stored.items()}
    return [each for each in rows if hashes.get(each.session_key) == current]


def end_others(request: HttpRequest, user: User, **kwargs: Any) -> None:
    """Sign a person out elsewhere, as their second step changed (a receiver of its signals)."""
    others = UserSession.objects.filter(user=user)
    get_adapter().end_sessions(others.exclude(session_key=request.session.session_key))


def _used_key(request: HttpRequest) -> str:
    return f"session-used:{request.session.get(SIGN_IN_ID_KEY, '')}"
