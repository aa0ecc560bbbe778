"""A long walk: four people in two workspaces do what comes to their minds, in bad weather.

Each action is judged as it ends, and at the end everything that was typed is looked for: it is in
a record, or its owner reaches it under Unfinished or Not sure. Every text of a workspace carries
the workspace's mark (workspaces.py), and no page shows the mark of the other one.
"""

import random
import time
from collections import Counter
from typing import Any

from django.http import HttpResponse

from dashboard.credentials.services import service
from dashboard.standin.faults.kinds import KINDS
from dashboard.standin.keys import PAIRS
from dashboard.standin.resources import RESOURCES

from . import oracles
from .actors import Actor, Tab, form_of, links, look, text_of
from .cases import ARGUMENTS, LATE, LISTS_ONLY, Case, wire
from .house import HASTY, PATIENT, House
from .matrix import verdict
from .oracles import GONE, NOT_SAVED, SAVED, Seen
from .workspaces import MARKS, mark_all

WRITES = {"create", "update", "delete"}
PEOPLE = (("ana", "acme", 0), ("bob", "acme", 1), ("cyd", "globex", 0), ("dee", "globex", 1))
RECENT = 8  # people meet at the records that were made last
SAME_TEXTS = {"reference", "notes", "terms_conditions", "billing_address", "shipping_address"}
NO_NUMBER = "did not say its number"


class Soak:
    """The house, its people, and a book of every write that reached the service."""

    def __init__(self, house: House, seed: str, share: float, kinds: list[str] | None = None):
        """A fault of one of these kinds (all) strikes such a share of the actions."""
        self.house, self.share, self.kinds = house, share, kinds or list(KINDS)
        self.chance = random.Random(seed)
        self.records = {name: mark_all(house.standin, name) for name in MARKS}
        self.actors = [self._enter(*who) for who in PEOPLE]
        self.book: list[dict[str, Any]] = []
        self.fault = ""
        self.told: Counter[str] = Counter()
        self.struck = 0

    def _enter(self, name: str, workspace: str, number: int) -> Actor:
        person = self.house.enter(f"{name}-{MARKS[workspace]}", workspace, number)
        customer = self.records[workspace]["contacts"][0]
        return Actor(person, f"{workspace}/{PAIRS[workspace][number]}", customer)

    # the weather

    def begin(self, actor: Actor) -> None:
        """A fresh sheet, and a fault for this person in one of so many actions."""
        self.house.standin.application.ledger.clear()
        self.house.fresh()
        actor.seen, self.fault = [], ""
        if self.chance.random() < self.share:
            self._strike(actor)

    def _strike(self, actor: Actor) -> None:
        kind = self.chance.choice(self.kinds)
        world = "" if kind in LISTS_ONLY else self.chance.choice(["-before", "-after"])
        argument = f":{ARGUMENTS[kind]}" if kind in ARGUMENTS else ""
        where = self.chance.choice(["*", "[cud]*", "[gl]*"])
        times = self.chance.choice([1, 1, 2, 5])
        self.fault = kind
        self.struck += 1
        service().timeout = HASTY if kind in ARGUMENTS else PATIENT
        what = f"{kind}{world}{argument}"
        self.house.standin.fault(what, operation=where, times=times, pair=actor.pair)

    def settle(self) -> None:
        """The fault is over, also what it does late."""
        self.house.standin.clear_faults()
        if self.fault in LATE:
            time.sleep(float(ARGUMENTS[self.fault]) + 0.1)
        service().timeout = PATIENT
        service().breaker.succeeded()

    def summary(self) -> str:
        """In figures: faults set, writes that reached the service, and what people were told."""
        told = ", ".join(f"{count} {words}" for words, count in self.told.most_common())
        return f"{self.struck} faults set, {len(self.book)} writes, told: {told}"

    # what the service holds

    def writes(self) -> list[dict[str, Any]]:
        """The calls of this action that write, in their order."""
        return [entry for entry in self.house.ledger() if entry["operation"] in WRITES]

    def held(self, resource: str, number: int) -> dict[str, Any]:
        """A record as the service holds it; empty if it is gone."""
        found = self.house.standin.store.get(RESOURCES[resource], number)
        return found[1] if found else {}

    def some_record(self, actor: Actor, resource: str) -> int:
        """Mostly one of those made last, so that people meet."""
        known = self.records[actor.workspace][resource]
        return self.chance.choice(known[-RECENT:] if self.chance.random() < 0.7 else known)

    # judging

    def end(self, actor: Actor) -> list[str]:
        """The breaches of an action that any action could have."""
        self.settle()
        seen = look(actor.seen, self.house)
        found = apart(actor, seen.pages)
        for judge in (oracles.no_crash, oracles.no_secret):
            found += [f"{judge.__name__}: {words}" for words in judge(seen)]
        made = self.writes()
        self.book += made
        for entry in made:
            if entry["operation"] == "create" and entry["effect"] and entry["record"]:
                self.records[entry["workspace"]][entry["resource"]].append(entry["record"])
        return found

    def save(self, actor: Actor, tab: Tab, *, twice: bool) -> list[str]:
        """Send a form, maybe with a second press, and judge what its person is told."""
        before = self.held(tab.entry.row.resource.name, tab.number)
        page = actor.post(tab.url, tab.sends)
        self.settle()
        seen = self.judged(page)
        token = str((tab.sends.get("token") or [""])[-1])
        if seen.writes and twice:
            seen.repeated = [verdict(actor.post(tab.url, tab.sends))]
        calls = [entry for entry in self.writes() if entry["operation"] != "delete"]
        actor.sent[token] = actor.sent.get(token, 0) + len(calls)
        found = (
            [f"once: {actor.sent[token]} calls for one form"]
            if (actor.sent[token] > tab.calls)
            else []
        )
        self._note(tab, seen, page)
        seen.touched = {*tab.entry.typed, *tab.entry.row.always}
        if tab.number and not self.fault:
            seen.rest = rest_of(tab, before)
            seen.overwritten = bool(seen.writes) and overwritten(tab, before)
        judges = [oracles.honest, oracles.nobody_overwritten, shown_again]
        judges += [once] if tab.calls == 1 else []
        if tab.number and not (self.fault and tab.entry.row.whole):
            judges.append(oracles.untouched)
        found += [f"{judge.__name__}: {words}" for judge in judges for words in judge(seen)]
        self._go_on(actor, tab, seen, page)
        return found

    def judged(self, page: HttpResponse, *, deletes: bool = False) -> Seen:
        """What a person was told of a write, beside what became of it."""
        made, said = self.writes(), verdict(page)
        if said == GONE and not deletes:
            said = SAVED  # those words are of something before
        if NO_NUMBER in text_of(page):
            said = SAVED  # it says so, in words
        self.told[said] += 1
        return Seen(said, wire_of(made[-1]) if made else "", pages=[page], writes=made[-1:])

    def _note(self, tab: Tab, seen: Seen, page: HttpResponse) -> None:
        """It is sent, or kept; what the service lied about may be sent again."""
        entry = tab.entry
        entry.kept = True
        place = page.headers.get("Location", str(page.status_code))
        entry.story.append(f"{seen.verdict} ({self.fault or 'no fault'}) {place}")
        lied = seen.wire == "refusal" and seen.applied
        entry.most += int(lied or NO_NUMBER in text_of(page))
        seen.typed = entry.texts

    def _go_on(self, actor: Actor, tab: Tab, seen: Seen, page: HttpResponse) -> None:
        """Where the answer leads: to another page, or the form again with a new token."""
        sends = form_of(page) if page.status_code not in (301, 302, 303) else None
        if sends is None:
            actor.tabs.remove(tab)
            actor.followed(page)
            return
        tab.sends = sends
        tab.opened = self.held(tab.entry.row.resource.name, tab.number)


def apart(actor: Actor, pages: list[HttpResponse]) -> list[str]:
    """Nothing of one workspace on a page of another."""
    others = [mark for name, mark in MARKS.items() if name != actor.workspace]
    return [
        f"apart: {page.wsgi_request.path} shows {mark}"
        for page in pages
        for mark in others
        if mark in page.content.decode("utf-8", "replace") or mark in str(page.headers)
    ]


def once(seen: Seen) -> list[str]:
    """The second press of a form is told the same."""
    wrong = seen.repeated and seen.repeated != [seen.verdict]
    return [f"told {seen.verdict}, and {seen.repeated} when it came again"] if wrong else []


def shown_again(seen: Seen) -> list[str]:
    """A form that comes back has everything in it."""
    page = text_of(seen.pages[0])
    if seen.verdict != NOT_SAVED or "data-save-form" not in page:
        return []
    lost = [text for text in seen.typed if text not in page]
    return [f"not saved, and typed words are gone: {lost}"] if lost else []


def wire_of(entry: dict[str, Any]) -> str:
    """What the answer to one call said: see `cases.wire`."""
    by_status = "success" if entry["status"] == 200 else "refusal"
    kind = kind_of(entry["fault"])
    if not kind:
        return by_status
    said = wire(Case(entry["resource"], entry["operation"], kind, ""))
    return by_status if said == "success" else said


def kind_of(fault: str) -> str:
    """ "reset" of "reset-after:2"."""
    name = fault.partition(":")[0]
    return name if name in KINDS or not name else name.rpartition("-")[0]


def rest_of(tab: Tab, before: dict[str, Any]) -> dict[str, Any]:
    """What an update of the whole must carry."""
    if not tab.entry.row.whole or not before:
        return {}
    texts = {name: before[name] for name in SAME_TEXTS if before.get(name)}
    return {**texts, "items": before.get("items") or []}


def overwritten(tab: Tab, before: dict[str, Any]) -> bool:
    """Whether a value that was not there when the form opened has gone without a word."""
    return any(
        before.get(name) != tab.opened.get(name) and before.get(name) != text
        for name, text in tab.entry.typed.items()
        if name in before
    )


def lost(soak: Soak, actor: Actor) -> list[str]:
    """What a person typed and finds nowhere, and what there is too often."""
    stored = Counter(
        (entry["resource"], text)
        for entry in soak.book
        if entry["effect"] and entry["operation"] == "create"
        for text in _texts(entry["body"])
    )
    sent = {
        text
        for entry in soak.book
        if entry["effect"] or wire_of(entry) == "success"  # a lie that nobody can see through
        for text in _texts(entry["body"])
    }
    within_reach = "\n".join(text_of(page) for page in reachable(actor))
    found = []
    for entry in actor.entries.values():
        gone = [text for text in entry.texts if text not in sent and text not in within_reach]
        if gone and entry.kept and not entry.dropped:
            found.append(
                f"kept: {entry.row.resource.name}: nowhere: {gone}: {entry.path} {entry.story}"
            )
        name = str(entry.typed.get(entry.row.name, ""))
        many = max((stored[kind, text] for kind, text in stored if text == name), default=0)
        if entry.mark in name and many > entry.most:
            found.append(f"once: {many} records of {name}: {entry.path} {entry.story}")
    return found


def reachable(actor: Actor) -> list[HttpResponse]:
    """Every submission and form that the lists of what is not finished lead to. A form of several
    writes is there again once the one that is not sure is settled.
    """
    unsure = links(actor.get("/unsure/"), r"/unsure/\d+/")
    pages = [actor.get(url) for url in unsure]
    for url, page in zip(unsure, pages, strict=True):
        if page.status_code == 200:
            actor.followed(actor.post(f"{url}leave/", {}))
    drafts = links(actor.get("/unfinished/"), r"/.*\?draft=\d+")
    return [*pages, *(actor.get(url) for url in drafts)]


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _texts(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in _texts(inner)]
    return [value] if isinstance(value, str) else []
