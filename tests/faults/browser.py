"""A browser without JavaScript: pages and forms over HTTP, and what an answer says."""

import html
import re
from typing import Any

import httpx
from django.conf import settings

from tests.page_forms import fields

SAVED, NOT_SAVED, NOT_SURE, GONE = "saved", "not saved", "not sure", "gone"
GONE_WORDS, NOT_SURE_WORDS = "already gone", "Not sure whether it was saved"
REDIRECTS = (301, 302, 303)
HOST = "127.0.0.1"


class Browser:
    """Cookies of one user, whose requests stay in this process. `seen` holds the pages since it was
    last cleared.
    """

    def __init__(self, session: str, url: str, application: Any) -> None:
        transport = httpx.WSGITransport(application)
        self.http = httpx.Client(base_url=url, transport=transport)
        self.http.cookies.set(settings.SESSION_COOKIE_NAME, session, domain=HOST)
        self.seen: list[httpx.Response] = []

    def get(self, path: str) -> httpx.Response:
        """A page, without following a redirect."""
        return self._saw(self.http.get(path))

    def post(self, path: str, data: dict[str, Any], **headers: str) -> httpx.Response:
        if settings.CSRF_COOKIE_NAME not in self.http.cookies:
            self.get("/contacts/new/")
        token = self.http.cookies.get(settings.CSRF_COOKIE_NAME, "")
        sent = {**data, "csrfmiddlewaretoken": token}
        return self._saw(self.http.post(path, data=sent, headers=headers))

    def _saw(self, page: httpx.Response) -> httpx.Response:
        self.seen.append(page)
        return page

    def follow(self, answer: httpx.Response) -> list[httpx.Response]:
        """The answer, and the pages that it leads to through at most two redirects."""
        pages = [answer]
        while pages[-1].status_code in REDIRECTS and len(pages) < 3:
            pages.append(self.get(pages[-1].headers["Location"]))
        return pages


def filled(page: httpx.Response, typed: dict[str, Any]) -> dict[str, Any]:
    """What the form of a page sends once `typed` is filled in."""
    sent = {**fields(page.text), **typed}
    return {name: value for name, value in sent.items() if value is not None}


def form_of(page: httpx.Response) -> dict[str, Any] | None:
    """What the form of a page sends; None if it has no form of a record."""
    return fields(page.text) if re.search(r"<form[^>]* data-save-form", page.text) else None


def verdict(pages: list[httpx.Response]) -> str:
    """What a user is told by the answer to a form and the pages it leads to."""
    answer = pages[0]
    if answer.status_code in REDIRECTS:
        place = answer.headers["Location"]
        if place == "/unfinished/" or place.startswith("/unsure/"):
            return NOT_SAVED if place == "/unfinished/" else NOT_SURE
        return GONE if GONE_WORDS in text_of(pages[-1]) else SAVED
    if NOT_SURE_WORDS in answer.text:  # a fragment has no page of its own to lead to
        return NOT_SURE
    return SAVED if answer.status_code == 201 else NOT_SAVED


def text_of(page: httpx.Response) -> str:
    """What a page says, and what its fields hold."""
    return html.unescape(page.text)


def token_of(page: httpx.Response, name: str = "token") -> str:
    """The one-time token of a page; "" without one."""
    field = re.search(rf'name="{name}" value="([^"]+)"', page.text)
    return html.unescape(field[1]) if field else ""


def links(page: httpx.Response, pattern: str) -> list[str]:
    """The addresses on a page that match, each once."""
    addresses = re.findall(r'(?:href|action|hx-post)="([^"]+)"', page.text)
    return list(
        dict.fromkeys(html.unescape(url) for url in addresses if re.fullmatch(pattern, url))
    )
