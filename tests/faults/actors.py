"""One of the people of the soak: what they have open, what they typed, what they were told."""

import html
import itertools
import re
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpResponse

from tests.resources.forms import fields

from .house import Person
from .oracles import READ, Seen
from .rows import ROWS, Row
from .workspaces import MARKS, placed

numbers = itertools.count(1)
SIGN_IN = "/accounts/login/"
PASSWORD = "correct horse battery"
CONVERTED = {"cstname": "person", "company_name": "firm", "deal_name": "deal"}


@dataclass(eq=False)
class Entry:
    """What was typed into one form. `kept`: it was sent or autosaved, so it must be found again;
    `most`: how many records there may be of it: one, and one for each time that the service lied
    or the person said "again". `dropped`: the person discarded it.
    """

    row: Row
    mark: str
    path: str
    typed: dict[str, Any]
    kept: bool = False
    dropped: bool = False
    most: int = 1
    story: list[str] = field(default_factory=list)

    @property
    def number(self) -> int:
        """Later ones have higher numbers."""
        return int(self.mark[2:].partition("x")[0])

    @property
    def texts(self) -> list[str]:
        """What must not be lost."""
        return [text for text in self.typed.values() if self.mark in str(text)]


@dataclass(eq=False)
class Tab:
    """An open form: where it goes, all that it sends, and the record as it was when it opened."""

    url: str
    sends: dict[str, Any]
    entry: Entry
    number: int = 0
    opened: dict[str, Any] = field(default_factory=dict)
    calls: int = 1


class Actor:
    """A person with a browser; `seen` holds every page since the last `look_up`."""

    def __init__(self, person: Person, pair: str, customer: int) -> None:
        self.person, self.pair, self.customer = person, pair, customer
        self.workspace = person.workspace
        self.tabs: list[Tab] = []
        self.entries: dict[str, Entry] = {}
        self.sent: dict[str, int] = {}  # calls by token
        self.seen: list[HttpResponse] = []

    def get(self, url: str) -> HttpResponse:
        """A page, as it came."""
        return self._saw(self.person.client.get(url))

    def post(self, url: str, data: dict[str, Any]) -> HttpResponse:
        """The answer to a form."""
        return self._saw(self.person.client.post(url, data))

    def _saw(self, page: HttpResponse) -> HttpResponse:
        self.seen.append(page)
        return page

    def followed(self, page: HttpResponse) -> HttpResponse:
        """Where an answer leads, through a redirect or two."""
        for _ in range(2):
            if page.status_code in (301, 302, 303):
                page = self.get(page["Location"])
        return page

    # forms

    def mark(self) -> str:
        """A word for one entry, with the mark of the workspace in it."""
        return f"zq{next(numbers)}x{MARKS[self.workspace]}"

    def begin(self, row: Row, url: str, *, converts: bool = False) -> Tab | None:
        """Open the form of a new record and fill it in."""
        mark, sends = self.mark(), form_of(self.get(url))
        typed = placed(row.typed(mark), self.workspace, self.customer)
        if converts:
            typed = {name: f"{mark} {part}" for name, part in CONVERTED.items()}
            typed |= {"person": "new", "company": "new", "with_deal": "on"}
        return self._filled(row, url, sends, mark, typed, calls=3 if converts else 1)

    def edit(self, row: Row, number: int, opened: dict[str, Any]) -> Tab | None:
        """Open a record's edit form and change it."""
        mark, url = self.mark(), row.resource.url(number, "edit")
        sends, typed = form_of(self.get(url)), row.changed(mark)
        if sends and not sends.keys() >= typed.keys():
            return None
        return self._filled(row, url, sends, mark, typed, number=number, opened=opened)

    def _filled(
        self, row: Row, url: str, sends: Any, mark: str, typed: dict[str, Any], **more: Any
    ) -> Tab | None:
        if sends is None:
            return None
        values = {name: value for name, value in {**sends, **typed}.items() if value is not None}
        entry = Entry(row, mark, url.partition("?")[0], typed)
        self.entries[mark] = entry
        self.tabs = [*self.tabs[-5:], Tab(url, values, entry, **more)]
        return self.tabs[-1]

    def known_in(self, page: HttpResponse, path: str = "") -> Entry | None:
        """The newest entry (of the form at `path`) of which all words stand on a page."""
        text = text_of(page)
        found = {self.entries.get(mark) for mark in re.findall(r"zq\d+x[a-z]+", text)}
        fitting = [
            entry
            for entry in found
            if entry and path in ("", entry.path) and all(words in text for words in entry.texts)
        ]
        return max(fitting, key=lambda entry: entry.number, default=None)

    # signing in

    def sign_out(self) -> None:
        """By the button."""
        self.post("/accounts/logout/", {})

    def sign_in(self) -> None:
        """By the page; where that asks for a pause, without."""
        self.post(SIGN_IN, {"login": self.person.user.username, "password": PASSWORD})
        if "_auth_user_id" not in self.person.client.session:
            self.person.client.force_login(self.person.user)


def form_of(page: HttpResponse) -> dict[str, Any] | None:
    """What the page's form sends; None if it has none to be filled in."""
    if "data-save-form" not in text_of(page):
        return None
    return fields(page.content.decode())


def token_of(page: HttpResponse) -> str:
    """The one-time token of a page; "" without one."""
    found = re.search(r'name="token" value="([^"]+)"', text_of(page))
    return found[1] if found else ""


def text_of(page: HttpResponse) -> str:
    """What a page says, and what stands in its fields."""
    return html.unescape(page.content.decode("utf-8", "replace"))


def links(page: HttpResponse, pattern: str) -> list[str]:
    """The addresses on a page that match, each once."""
    found = re.findall(r'(?:href|action)="([^"]+)"', page.content.decode())
    return list(dict.fromkeys(html.unescape(url) for url in found if re.fullmatch(pattern, url)))


def look(pages: list[HttpResponse], house: Any) -> Seen:
    """What an action showed, for the oracles that every page must satisfy."""
    return Seen(
        READ,
        pages=pages,
        lines=list(house.lines.kept),
        errors=list(house.lines.errors),
        secrets=house.secrets(),
    )


ALL_ROWS = list(ROWS.values())
