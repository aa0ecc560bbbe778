"""The score that Mozilla's HTTP Observatory gives a page, by its published tests and modifiers.

Ported are the tests that one answer decides. Not counted: the bonus for being on the browsers' list
of preloaded hosts, which only a public domain can be on.
"""

import re

from django.http import HttpResponse

HALF_A_YEAR = 15_768_000  # seconds
PRIVATE = {"no-referrer", "same-origin", "strict-origin", "strict-origin-when-cross-origin"}
BONUS_FROM = 90  # extra credit is given to pages that lose less than ten points


def score(response: HttpResponse) -> int:
    """100, less for what is missing, more for what goes beyond."""
    html = response.content.decode()
    given = [
        _policy(response), _cookies(response), _origins(response), _transport(response),
        _referrer(response), _scripts(html), _sniffing(response), _frames(response),
        _resources(response),
    ]  # fmt: skip
    plain = 100 + sum(points for points in given if points < 0)
    return plain + sum(points for points in given if points > 0) * (plain >= BONUS_FROM)


def _policy(response: HttpResponse) -> int:
    policy = directives(response)
    if not policy:
        return -25
    scripts = policy.get("script-src", policy.get("default-src", ["*"]))
    styles = policy.get("style-src", policy.get("default-src", ["*"]))
    if {"'unsafe-inline'", "*", "https:", "data:"} & set(scripts):
        return -20
    if "'unsafe-eval'" in scripts:
        return -10
    if "'unsafe-inline'" in styles:
        return 0
    return 10 if policy.get("default-src") == ["'none'"] else 5


def directives(response: HttpResponse) -> dict[str, list[str]]:
    """The content security policy: sources by directive."""
    parts = [part.split() for part in response.get("Content-Security-Policy", "").split(";")]
    return {part[0]: part[1:] for part in parts if part}


def _cookies(response: HttpResponse) -> int:
    cookies = response.client.cookies.values()
    if any(not one["secure"] for one in cookies):
        return -20
    if any("sess" in one.key.lower() and not one["httponly"] for one in cookies):
        return -30
    if any("csrf" in one.key.lower() and not one["samesite"] for one in cookies):
        return -20
    return 5 if cookies and all(one["samesite"] in ("Lax", "Strict") for one in cookies) else 0


def _origins(response: HttpResponse) -> int:
    return -50 if response.get("Access-Control-Allow-Origin") == "*" else 0


def _transport(response: HttpResponse) -> int:
    found = re.search(r"max-age=(\d+)", response.get("Strict-Transport-Security", ""))
    if found is None:
        return -20
    return 0 if int(found[1]) >= HALF_A_YEAR else -10


def _referrer(response: HttpResponse) -> int:
    given = response.get("Referrer-Policy")
    if given is None:
        return 0
    return 5 if given in PRIVATE else -5


def _scripts(html: str) -> int:
    scripts = re.findall(r"<script\b[^>]*\ssrc=[^>]*>", html)
    if any(re.search(r'src="(?!/)', script) or 'src="//' in script for script in scripts):
        return -50  # from elsewhere
    return 5 if scripts and all('integrity="sha' in script for script in scripts) else 0


def _sniffing(response: HttpResponse) -> int:
    return 0 if response.get("X-Content-Type-Options") == "nosniff" else -5


def _frames(response: HttpResponse) -> int:
    if directives(response).get("frame-ancestors"):
        return 5
    return 5 if response.get("X-Frame-Options") in ("DENY", "SAMEORIGIN") else -20


def _resources(response: HttpResponse) -> int:
    given = response.get("Cross-Origin-Resource-Policy")
    return 10 if given in ("same-origin", "same-site") else 0
