"""Every button of the dashboard that writes, ready to be pressed: over HTTP, as a browser does.

A new page that writes joins by an opener here.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx

from dashboard.gateway import GatewayError

from .house import House, Person
from .oracles import NOT_SAVED, NOT_SURE, SAVED
from .rows import PIPELINE, ROWS, Row
from .served import Browser, Site

Calls = Counter[tuple[str, str]]
NOT_SURE_WORDS = "Not sure whether it was saved"
REDIRECTS = (301, 302, 303)


@dataclass
class Press:
    """A form that is filled in: what its button sends, and what that is to do.

    calls: how many writes of (resource, operation) in the stand-in's ledger.
    words: what was typed and must not be lost; none where nothing is typed, or where the page
    itself stays in the browser. mark: stands in the record that comes of it.
    """

    url: str
    data: dict[str, Any]
    calls: Calls
    mark: str = ""
    words: list[str] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    main: int = 9  # how many of the calls the answer is about; a message tells of the others
    held: bool = False  # a deletion, which goes on waiting under Unfinished until it was sent
    alike: bool = True  # whoever presses at the same time is led to the same page


@dataclass(frozen=True)
class Hands:
    """Who presses, where."""

    site: Site
    person: Person
    browser: Browser

    @property
    def home(self) -> House:
        return self.site.home

    def made(self, row: Row, mark: str) -> int:
        """A record to work on, made past the dashboard."""
        try:
            made = self.home.gateway(self.person).create(row.resource.endpoint, row.record(mark))
        except GatewayError as error:  # the row's own mistake
            raise RuntimeError(f"{error}: {getattr(error, 'fields', '')}") from error
        assert made.id
        return made.id


Opener = Callable[[Hands, str], Press]


def verdict(answer: httpx.Response) -> str:
    """What an answer tells the person."""
    if answer.status_code in REDIRECTS:
        place = answer.headers["Location"]
        kept = NOT_SAVED if place == "/unfinished/" else SAVED
        return NOT_SURE if place.startswith("/unsure/") else kept
    if NOT_SURE_WORDS in answer.text:  # where there is no page of its own to go on to
        return NOT_SURE
    return SAVED if answer.status_code == 201 else NOT_SAVED


def every(resources: list[str], steps: list[str]) -> Iterator[tuple[str, Opener]]:
    """All of them by name, such as "tasks: update"; narrowed if asked."""
    for name, opener in {**_usual(), **ODD}.items():
        resource, _, step = name.partition(": ")
        if (not resources or resource in resources) and (not steps or step in steps):
            yield name, opener


def _usual() -> dict[str, Opener]:
    makers = {"create": _create, "update": _update, "delete": _delete}
    return {
        f"{name}: {step}": make(row) for name, row in ROWS.items() for step, make in makers.items()
    }


def _create(row: Row) -> Opener:
    def opened(hands: Hands, mark: str) -> Press:
        url = row.resource.url(action="new")
        data = hands.browser.form(url, **row.typed(mark))
        return Press(url, data, _calls(row, "create"), mark, _words(row.typed(mark), mark))

    return opened


def _update(row: Row) -> Opener:
    def opened(hands: Hands, mark: str) -> Press:
        url = row.resource.url(hands.made(row, mark), "edit")
        data = hands.browser.form(url, **row.changed(mark))
        return Press(url, data, _calls(row, "update"), mark, _words(row.changed(mark), mark))

    return opened


def _delete(row: Row) -> Opener:
    def opened(hands: Hands, mark: str) -> Press:
        asked = row.resource.url(hands.made(row, mark), "delete")
        data = hands.browser.form(asked)
        url = hands.browser.post(asked, data).headers["Location"]  # held back; sent from here
        data |= {"now": "1", **_hidden(hands.browser.get(url), "token")}
        return Press(url, data, _calls(row, "delete"), mark, held=True)

    return opened


def _quick(hands: Hands, mark: str) -> Press:
    """A contact made inside another form."""
    url = "/contacts/pick/new/?prefix=new"
    page = hands.browser.get(url)
    data = {**_hidden(page, "quick-token"), "new-cstname": mark, "new-contact_type": "1"}
    data |= _hidden(hands.browser.get("/contacts/new/"), "csrfmiddlewaretoken")
    return Press(
        url, data, Counter({("contacts", "create"): 1}), mark, headers={"HX-Request": "true"}
    )


def _replace(hands: Hands, mark: str) -> Press:
    url = f"/leads/{hands.made(ROWS['leads'], mark)}/replace/"
    data = hands.browser.form(url, cstname=mark)
    calls = Counter({("leads", "create"): 1, ("leads", "delete"): 1})
    return Press(url, data, calls, mark, [mark], main=1)


def _convert(hands: Hands, mark: str) -> Press:
    """A contact, a business and a deal made of a lead, which is then deleted."""
    url = f"/leads/{hands.made(ROWS['leads'], mark)}/convert/"
    typed = {
        "person": "new",
        "cstname": mark,
        "company": "new",
        "company_name": f"{mark} Ltd",
        "with_deal": "on",
        "deal_name": f"{mark} deal",
        "pipeline_id": str(PIPELINE),
        "delete_lead": "on",
    }
    data = hands.browser.form(url, **typed)
    calls = Counter({("contacts", "create"): 2, ("deals", "create"): 1, ("leads", "delete"): 1})
    return Press(url, data, calls, mark, _words(typed, mark), main=3)


def _invoice_of_estimate(hands: Hands, mark: str) -> Press:
    row = ROWS["invoices"]
    url = f"/invoices/new/?estimate={hands.made(ROWS['estimates'], mark)}"
    data = hands.browser.form(url, reference=mark)
    return Press(url, data, _calls(row, "create"), mark, [mark])


def _again(hands: Hands, mark: str) -> Press:
    """The button "Send again" of a contact that nobody knows to be saved or not."""
    first = _create(ROWS["contacts"])(hands, mark)
    hands.home.standin.fault("reset-before", operation="create", times=1)
    url = hands.browser.post(first.url, first.data).headers["Location"]
    page = hands.browser.get(url)
    data = {**_hidden(page, "csrfmiddlewaretoken"), **_hidden(page, "token")}
    return Press(f"{url}again/", data, first.calls, mark, first.words, alike=False)


ODD: dict[str, Opener] = {
    "contacts: quick": _quick,
    "leads: replace": _replace,
    "leads: convert": _convert,
    "estimates: invoice": _invoice_of_estimate,
    "contacts: send again": _again,
}


def _hidden(page: httpx.Response, name: str) -> dict[str, str]:
    found = re.search(rf'name="{name}" value="([^"]+)"', page.text)
    assert found, f"{page.url} has no {name}"
    return {name: found[1]}


def _calls(row: Row, operation: str) -> Calls:
    return Counter({(row.resource.name, operation): 1})


def _words(typed: dict[str, Any], mark: str) -> list[str]:
    return [text for text in typed.values() if mark in str(text)]
