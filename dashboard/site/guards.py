"""Middleware that refuses malformed requests, and tells browsers to whom pages belong."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.core.exceptions import BadRequest, DisallowedHost
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, QueryDict

# As browsers write it: lower case, no dot at the end. Django accepts other spellings of a host of
# ALLOWED_HOSTS, and links in mails would repeat them.
HOST = re.compile(r"(?:[a-z0-9.-]*[a-z0-9-]|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?")
LAST_PORT = 65_535
LARGEST_ID = 2**63 - 1  # of a database column
NUL = "\0"  # PostgreSQL cannot store or compare it

METHODS = ("GET", "HEAD", "POST")

# What no page of ours asks a browser for.
UNUSED = (
    "accelerometer", "autoplay", "browsing-topics", "camera", "display-capture",
    "geolocation", "gyroscope", "hid", "magnetometer", "microphone", "midi", "payment", "serial",
    "usb", "xr-spatial-tracking",
)  # fmt: skip
ALWAYS = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": ", ".join(f"{name}=()" for name in UNUSED),
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class SoundRequestMiddleware:
    """Answers 400 to another spelling of the host and to NUL characters, 405 to a method that no
    page has, and 404 to a number in the path that no database column can hold.

    Not to NUL characters in a posted form: its fields refuse them, and keep what was typed.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        _refuse_other_spellings(request.META.get("HTTP_HOST", ""))
        request.get_host()  # raises DisallowedHost, also for static files
        if request.method not in METHODS:
            return HttpResponseNotAllowed(METHODS)
        _refuse_nul((request.path_info, *request.COOKIES.values(), *_texts(request.GET)))
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Mapping[str, Any]
    ) -> None:
        """Check the parts of the path that the address has found."""
        if any(isinstance(value, int) and value > LARGEST_ID for value in kwargs.values()):
            raise Http404


def _refuse_other_spellings(host: str) -> None:
    found = HOST.fullmatch(host)
    if host and (found is None or int(found[1] or 0) > LAST_PORT):
        raise DisallowedHost("The Host header is spelt in another way than in ALLOWED_HOSTS.")


def _texts(given: QueryDict) -> Iterable[str]:
    for name, values in given.lists():
        yield name
        yield from map(str, values)


def _refuse_nul(texts: Iterable[str]) -> None:
    if any(NUL in text for text in texts):
        raise BadRequest("A NUL character was sent.")


def unstored_pages(get_response: Callable[[HttpRequest], HttpResponse]) -> Any:
    """Middleware: no browser or proxy stores a page, unless its view sets Cache-Control."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    return middleware


def closed_to_other_sites(get_response: Callable[[HttpRequest], HttpResponse]) -> Any:
    """Middleware: the headers of ALWAYS on every answer, static files and refusals too."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        for name, value in ALWAYS.items():
            response.headers.setdefault(name, value)
        return response

    return middleware
