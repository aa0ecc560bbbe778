"""Inspects the HTML pages that tests fetch for mistakes that no page may have."""

import os
import re
from collections import Counter
from collections.abc import Callable
from typing import Any
from xml.etree.ElementTree import Element

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.test.client import ClientHandler
from django.urls import Resolver404

from tests.markup import parse

THOROUGH = bool(os.environ.get("THOROUGH"))  # also of examples of Hypothesis; .ci/run sets it
OFTEN = 3  # times that a view's page is inspected in one process otherwise
UNLABELLED_TYPES = {"hidden", "submit", "button", "reset", "image"}


READING = ("SELECT", "WITH", "EXPLAIN")
# Signing in, out and confirming it is, store a session, a code that was used or a challenge.
WRITING = re.compile(r"/accounts/(?!sessions)|/jobs/[0-9]+/file")


inspected: Counter[tuple[object, ...]] = Counter()


class ReadingHandler(ClientHandler):
    """Notes what a request writes before it is answered, or locks."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.written: list[str] = []

    def get_response(self, request: HttpRequest) -> HttpResponse:
        self.written = []
        with connection.execute_wrapper(self._note):
            return super().get_response(request)

    def _note(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        if not sql.lstrip().startswith(READING) or " FOR " in sql:
            self.written.append(sql)
        return execute(sql, params, many, context)


class InspectingClient(Client):
    """Django's test client; it raises AssertionError for an HTML page with problems, and for a GET
    that writes. It looks at the first pages of each view, status and template, or at all.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.handler = ReadingHandler(self.handler.enforce_csrf_checks)

    def request(self, **request: Any) -> HttpResponse:
        response = super().request(**request)
        is_html = response.headers.get("Content-Type", "").startswith("text/html")
        path = request.get("PATH_INFO", "")
        if request["REQUEST_METHOD"] == "GET" and not WRITING.match(path):
            written = self.handler.written
            assert not written, f"a GET of {path} writes: {written}"
        if is_html and not response.streaming and not _seen_often(response):
            html = response.content.decode()
            problems = inspect(html) if html.strip() else []
            assert not problems, f"{path}: " + "; ".join(problems)
        return response


def _seen_often(response: HttpResponse) -> bool:
    templates = response.templates
    try:
        view = response.resolver_match.view_name
    except Resolver404:
        view = ""
    kind = (view, response.status_code, templates[0].name if templates else "")
    inspected[kind] += 1
    return inspected[kind] > OFTEN and not THOROUGH


def inspect(html: str) -> list[str]:
    """The problems of a page, or of a fragment, which has no title or h1."""
    tree, errors = parse(html)
    whole = tree.find("html") is not None
    elements = list(tree.iter())
    problems = [f"invalid HTML: {error}" for error in errors]
    problems += repeated_ids(elements)
    problems += inline_code(elements)
    problems += unlabelled_controls(elements)
    problems += escaped_markup(tree)
    problems += dangling_references(elements) if whole else []
    return problems + (wrong_headings(elements) if whole else [])


def text(element: Element) -> str:
    return re.sub(r"\s+", " ", "".join(element.itertext())).strip()


def named(elements: list[Element], *names: str) -> list[Element]:
    return [element for element in elements if element.tag in names]


def escaped_markup(tree: Element) -> list[str]:
    """Markup or a method shown as text: escaped twice, or not called."""
    shown = "".join(tree.itertext())
    return [
        f"{found!r} is shown as text"
        for found in re.findall(r"<(?:ul>|li>|a href|span class|svg |bound method)", shown)
    ]


def wrong_headings(elements: list[Element]) -> list[str]:
    headings = named(elements, "h1")
    if len(headings) != 1:
        return [f"{len(headings)} h1 elements"]
    titles = named(elements, "title")
    title = text(titles[0]).removeprefix("Error: ") if titles else ""
    if not text(headings[0]):
        return ["an empty h1"]
    if not title.startswith(text(headings[0])):
        return [f"the title {title!r} does not start with the h1 {text(headings[0])!r}"]
    return []


def repeated_ids(elements: list[Element]) -> list[str]:
    counts = Counter(element.get("id") for element in elements if element.get("id"))
    return [f"id {name!r} is used {count} times" for name, count in counts.items() if count > 1]


def inline_code(elements: list[Element]) -> list[str]:
    """Inline styles and scripts, which the CSP blocks."""
    found = [
        f"<{element.tag}> has a style attribute" for element in elements if element.get("style")
    ]
    found += [
        f"<{element.tag} {name}>"
        for element in elements
        for name in element.attrib
        if re.match(r"on[a-z]+$|hx-on", name)
    ]
    found += ["an inline <style>" for _ in named(elements, "style")]
    found += [
        "an inline <script>"
        for script in named(elements, "script")
        if not script.get("src") and script.get("type") != "importmap"
    ]
    return found


def unlabelled_controls(elements: list[Element]) -> list[str]:
    labels = {label.get("for"): text(label) for label in named(elements, "label")}
    inside = {id(part): text(label) for label in named(elements, "label") for part in label.iter()}
    return [
        f"<{control.tag} name={control.get('name')!r}> has no label"
        for control in named(elements, "input", "select", "textarea")
        if control.get("type") not in UNLABELLED_TYPES
        and not (
            labels.get(control.get("id"))
            or inside.get(id(control))
            or control.get("aria-label")
            or control.get("aria-labelledby")
        )
    ] + [
        f"<{element.tag} class={element.get('class')!r}> says nothing"
        for element in named(elements, "button", "a")
        if not text(element) and not element.get("aria-label")
    ]


def dangling_references(elements: list[Element]) -> list[str]:
    """References to ids that are not on the page."""
    ids = {element.get("id") for element in elements}
    return [
        f"{name}={target!r} leads nowhere"
        for element in elements
        for name in ("for", "aria-labelledby", "aria-describedby", "aria-controls", "popovertarget")
        for target in (element.get(name) or "").split()
        if target not in ids
    ]
