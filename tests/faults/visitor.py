"""One user of the soak: the open forms, what was typed, and where it can be found again."""

import itertools
from collections import Counter
from dataclasses import dataclass
from typing import Any

import httpx

from .browser import filled, form_of, links, text_of, words_of
from .environment import Environment, User
from .samples import SAMPLES, Sample, conversion
from .workspaces import MARKS, placed

numbers = itertools.count(1)
MOST_FORMS = 6


@dataclass(eq=False)
class Entry:
    """What was typed into one form. kept: it was sent or stored, so it must be found again. most:
    how many records there may be of it: one, and one for each time that the service lied or the
    user had it sent again. dropped: the user discarded it.
    """

    sample: Sample
    mark: str
    path: str
    typed: dict[str, Any]
    kept: bool = False
    dropped: bool = False
    most: int = 1

    @property
    def words(self) -> list[str]:
        """What must not be lost."""
        return words_of(self.typed, self.mark)


@dataclass(eq=False)
class Form:
    """An open form: where it goes, all that it sends, and how many calls that makes."""

    url: str
    data: dict[str, Any]
    entry: Entry
    calls: int = 1


class Visitor:
    """A user with open forms; `customer` is a contact of the workspace."""

    def __init__(self, user: User, customer: int) -> None:
        self.user, self.customer = user, customer
        self.workspace, self.browser = user.workspace, user.browser
        self.start()

    def start(self) -> None:
        """Nothing is open, nothing was typed."""
        self.forms: list[Form] = []
        self.entries: dict[str, Entry] = {}
        self.sent: Counter[str] = Counter()  # calls by token

    def create(self, sample: Sample, query: str = "") -> Form | None:
        """Open the form of a new record and fill it in."""
        mark = self._mark()
        typed = placed(sample.typed(mark), self.workspace, self.customer)
        return self._fill(sample, f"{sample.url}new/{query}", mark, typed)

    def convert(self, lead: int) -> Form | None:
        """Open the form that makes a contact, a company and a deal of a lead."""
        mark = self._mark()
        typed = placed(conversion(mark), self.workspace, self.customer)
        return self._fill(SAMPLES["leads"], f"/leads/{lead}/convert/", mark, typed, calls=3)

    def edit(self, sample: Sample, number: int) -> Form | None:
        """Open a record's form and change it; None if the service left a field unreadable."""
        mark = self._mark()
        url, typed = f"{sample.url}{number}/edit/", sample.changed(mark)
        return self._fill(sample, url, mark, typed, needed=set(typed))

    def _mark(self) -> str:
        """A word for one entry, with the mark of the workspace in it."""
        return f"zq{next(numbers)}x{MARKS[self.workspace]}"

    def _fill(
        self, sample: Sample, url: str, mark: str, typed: dict[str, Any], *,
        needed: set[str] = frozenset(), **more: Any,
    ) -> Form | None:  # fmt: skip
        page = self.browser.get(url)
        data = form_of(page)
        if data is None or not data.keys() >= needed:
            return None
        entry = self.entries[mark] = Entry(sample, mark, url.partition("?")[0], typed)
        self.forms = [*self.forms[1 - MOST_FORMS :], Form(url, filled(page, typed), entry, **more)]
        return self.forms[-1]

    def known_in(self, page: httpx.Response, path: str = "") -> Entry | None:
        """The newest entry (of the form at `path`) all words of which are on a page."""
        text = text_of(page)
        for entry in reversed(self.entries.values()):
            fits = entry.mark in text and path in ("", entry.path)
            if fits and all(words in text for words in entry.words):
                return entry
        return None

    def discard(self, url: str, entry: Entry, *, put_back: bool) -> None:
        """Discard a draft, and perhaps put it back."""
        number = url.rpartition("=")[2]
        self.browser.post(f"/unfinished/{number}/discard/", {})
        if put_back:
            self.browser.post("/unfinished/put-back/", {"listed": number})
        entry.dropped = not put_back

    def reachable(self) -> list[httpx.Response]:
        """Every write and form that the lists of what is not finished lead to. A form of
        several writes is there again once the unresolved one is settled.
        """
        unsure = links(self.browser.get("/unsure/"), r"/unsure/\d+/")
        pages = [self.browser.get(url) for url in unsure]
        for url, page in zip(unsure, pages, strict=True):
            if page.status_code == 200:
                self.browser.follow(self.browser.post(f"{url}leave/", {}))
        drafts = links(self.browser.get("/unfinished/"), r"/.*\?draft=\d+")
        return [*pages, *(self.browser.get(url) for url in drafts)]

    def sign_in(self, home: Environment, password: str) -> None:
        """By the page; where that asks for a pause, without."""
        login = {"login": self.user.account.username, "password": password}
        answer = self.browser.post("/accounts/login/", login)
        if answer.status_code != 302:
            self.browser = self.user.browser = home.browser(self.user.account)
