"""Marks a browser in which somebody has signed in, by a signed cookie.

Its wrong passwords are counted apart (attempts.py), so that a stranger who guesses elsewhere does
not delay the person at their own desk.
"""

import secrets

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from dashboard.accounts.models import User

COOKIE = f"{settings.COOKIE_PREFIX}known_browser"
SALT = "accounts.known_browsers"
AGE = 90 * 24 * 60 * 60  # seconds
MOST = 5  # people who share a browser


def marks(request: HttpRequest) -> dict[str, str]:
    """User id -> the random mark of this browser; empty for an unknown, old or forged cookie."""
    try:
        found = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=AGE)
    except signing.BadSignature:
        return {}
    return {str(pk): str(mark) for pk, mark in found}


def remember(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """Set the cookie, with a new mark for this person."""
    others = [pair for pair in marks(request).items() if pair[0] != str(user.pk)]
    pairs = [*others, (str(user.pk), secrets.token_urlsafe(16))][-MOST:]
    response.set_cookie(
        COOKIE, signing.dumps(pairs, salt=SALT), max_age=AGE, httponly=True, samesite="Lax",
        secure=settings.HTTPS_ONLY,
    )  # fmt: skip
