"""Four users in two workspaces do this and that while the service fails now and then.

What this alone proves: at the end of a walk everything that was typed is in a record, or its owner
reaches it under Unfinished or Not sure, whatever the users did in whatever order; no page shows a
word of the other workspace, whose every text carries a mark (workspaces.py); and what a user is
told of a write is true when a fault meets any of its calls. Deletions, repetitions and two edits of
one record are left to the walk of the ledger, the matrix and the interleavings.
"""

from collections import Counter
from collections.abc import Callable
from functools import wraps
from random import Random
from typing import Any

import httpx
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from dashboard.drafts.models import Draft
from dashboard.ledger.models import Write

from . import checks
from .browser import REDIRECTS, form_of, links, text_of, verdict
from .cases import ARGUMENTS, KINDS, LISTS_ONLY, TOO_LATE_TO_TELL
from .checks import GONE, SAVED, Outcome
from .environment import PASSWORD, Environment
from .machines import CHANCE, Machine
from .samples import SAMPLES
from .soak_checks import apart, found_in, lost, read_failed, wire_of
from .visitor import Form, Visitor

WHO = st.integers(0, 3)
ALL = list(SAMPLES.values())
RECENT = 8  # users meet at the records that were made last
SHARE = 0.2  # of the actions meet a fault
LISTS = ("", "?page=2", "?sort={sort}", "?size=50", "?search={word}", "?search=qq")
OTHER_PAGES = (
    "/unfinished/",
    "/unsure/",
    "/accounts/",
    "/settings/keys/",
    "/accounts/preferences/",
)
NO_NUMBER = "did not say its number"
Do = Callable[["Soak", Visitor, Random], None]


def action(do: Do) -> Any:
    """A rule in which one user acts, perhaps with a fault, and the checks of every page follow."""

    @wraps(do)
    def step(self: "Soak", who: int, chance: Random) -> None:
        visitor = self.visitors[who]
        self.begin(visitor, chance)
        do(self, visitor, chance)
        self.end(visitor)

    step.__name__ = do.__name__
    del step.__wrapped__  # Hypothesis reads the signature of a rule
    is_chosen = precondition(lambda self: not self.only or do.__name__ in self.only)
    return is_chosen(rule(who=WHO, chance=CHANCE)(step))


class Soak(Machine):
    """A walk. A subclass sets the class attributes: `records` are ids by workspace and resource,
    `kinds` the faults (all), `only` the actions (all).
    """

    home: Environment
    visitors: list[Visitor]
    records: dict[str, dict[str, list[int]]]
    figures: Counter[str]
    kinds: list[str] = [kind for kind in KINDS if kind != TOO_LATE_TO_TELL]
    only: tuple[str, ...] = ()
    share = SHARE

    def __init__(self) -> None:
        super().__init__()
        for model in (Write, Draft):
            model.objects.all().delete()
        for visitor in self.visitors:
            visitor.start()
        self.book: list[dict[str, Any]] = []
        self.fault = ""

    # around every action

    def begin(self, visitor: Visitor, chance: Random) -> None:
        """Set a fault for this user in some of the actions."""
        self.home.standin.application.ledger.clear()
        self.home.fresh()
        self.fault = ""
        self.figures["actions"] += 1
        if chance.random() >= self.share:
            return
        kind = self.fault = chance.choice(self.kinds)
        world = "" if kind in LISTS_ONLY else chance.choice(["-before", "-after"])
        argument = f":{ARGUMENTS[kind]}" if kind in ARGUMENTS else ""
        self.figures["faults"] += 1
        self.home.be_patient(kind)
        self.home.standin.fault(
            f"{kind}{world}{argument}",
            operation=chance.choice(["*", "[cud]*", "[gl]*"]),
            times=chance.choice([1, 1, 2, 5]),
            pair=visitor.user.pair,
        )

    def end(self, visitor: Visitor) -> None:
        """What must hold after every action."""
        self.home.settle(self.fault)
        pages = visitor.browser.seen
        self.report([*checks.of_pages(self.home), *apart(visitor, pages)])
        writes = self.home.writes()
        self.figures["writes"] += len(writes)
        self.book += writes
        for entry in writes:
            if entry["operation"] == "create" and entry["effect"] and entry["record"]:
                self.records[entry["workspace"]][entry["resource"]].append(entry["record"])

    def report(self, breaches: list[str]) -> None:
        """Fail with the first of the breaches."""
        fault, last = self.fault or "no fault", [entry["path"] for entry in self.home.writes()][-1:]
        self.check(not breaches, f"{(breaches or [''])[0]} ({fault}, {last})")

    def some(self, visitor: Visitor, resource: str, chance: Random) -> int:
        """A record, mostly one of those made last, so that users meet."""
        known = self.records[visitor.workspace][resource]
        return chance.choice(known[-RECENT:] if chance.random() < 0.7 else known)

    def teardown(self) -> None:
        """At the end of a walk, look for all that was typed."""
        self.home.fresh()
        if self.found:
            return
        for visitor in self.visitors:
            self.report(list(lost(visitor, self.book)))

    # reading

    @action
    def read_page(self, visitor: Visitor, chance: Random) -> None:
        """A list, the matches of a picker, a record, or a page of no resource."""
        sample = chance.choice(ALL)
        word = chance.choice([*visitor.entries] or ["a"])
        sort = chance.choice([column.name for column in sample.resource.columns])
        record = f"{sample.url}{self.some(visitor, sample.resource.name, chance)}/"
        pages = [sample.url + chance.choice(LISTS).format(sort=sort, word=word)] * 3
        pages += [record, record, f"{record}history/", f"{record}edit/"]
        pages += [f"{sample.url}pick/?q={chance.choice(['qq', 'zq', 'a', '1'])}"]
        visitor.browser.get(chance.choice([*pages, chance.choice(OTHER_PAGES)]))

    @action
    def read_page_of_another(self, visitor: Visitor, chance: Random) -> None:
        """An address that belongs to the other workspace, or to another user."""
        sample = chance.choice(ALL)
        other = next(each for each in self.visitors if each.workspace != visitor.workspace)
        number = self.some(other, sample.resource.name, chance)
        known = ",".join(map(str, self.records[other.workspace][sample.resource.name]))
        url, some = sample.url, chance.randrange(1, 200)
        pages = [f"{url}{number}/{page}" for page in ("", "history/", "edit/")]
        pages += [f"{url}new/?copy={number}", f"{url}new/?draft={some}", f"{url}?search=zq"]
        pages += [f"/titles/?{sample.resource.name}={known}", f"/unsure/{some}/"]
        pages += [f"/unfinished/deletions/{some}/outcome/"]
        visitor.browser.get(chance.choice(pages))

    # writing

    @action
    def begin_form(self, visitor: Visitor, chance: Random) -> None:
        """Open a form and type; often it is stored as a draft before anything is sent."""
        self._begin_form(visitor, chance)

    def _begin_form(self, visitor: Visitor, chance: Random) -> None:
        sample, dice = chance.choice(ALL), chance.random()
        number = self.some(visitor, sample.resource.name, chance)
        if dice < 0.45:
            form = visitor.edit(sample, number)
        elif dice < 0.55:
            form = visitor.convert(self.some(visitor, "leads", chance))
        else:
            form = visitor.create(sample, f"?copy={number}" if dice < 0.65 else "")
        if form and chance.random() < 0.5:
            form.entry.kept = (
                visitor.browser.post("/unfinished/keep/", form.data).status_code == 200
            )
            self.check(form.entry.kept, "kept: a draft was not stored")

    @action
    def save(self, visitor: Visitor, chance: Random) -> None:
        """Send one of the open forms."""
        self._save(visitor, chance)

    @action
    def save_another(self, visitor: Visitor, chance: Random) -> None:
        """The same; Hypothesis runs all rules equally often, and people save more than that."""
        self._save(visitor, chance)

    def _save(self, visitor: Visitor, chance: Random) -> None:
        if not visitor.forms:
            self._begin_form(visitor, chance)
            return
        form = chance.choice(visitor.forms)
        answer = visitor.browser.post(form.url, form.data)
        self.home.settle(self.fault)
        seen = self._outcome(visitor, answer)
        token = str((form.data.get("token") or [""])[-1])
        visitor.sent[token] += sum(call["operation"] != "delete" for call in self.home.writes())
        self.check(visitor.sent[token] <= form.calls, "once: too many calls for one form")
        form.entry.kept = True
        if (seen.wire == "refusal" and seen.applied) or NO_NUMBER in text_of(answer):
            form.entry.most += 1  # the user saves it once more
        self.report(checks.breaches(seen, checks.honest))
        data = form_of(answer) if answer.status_code not in REDIRECTS else None
        if data is None:
            visitor.forms.remove(form)
        else:
            form.data = data

    def _outcome(self, visitor: Visitor, answer: httpx.Response) -> Outcome:
        """What a user was told of a write, beside what became of it."""
        made, pages = self.home.writes(), visitor.browser.follow(answer)
        outcome = verdict(pages)
        if outcome == GONE or NO_NUMBER in text_of(answer):
            outcome = SAVED  # "already gone" is then of another record
        self.figures[f"told {outcome}"] += 1
        wire = wire_of(made[-1]) if made else ""
        if wire == "success" and read_failed(self.home.ledger(), made[-1]):
            wire = "claimed"
        return Outcome(outcome, wire, made[-1:], shown=answer)

    @action
    def finish(self, visitor: Visitor, chance: Random) -> None:
        """Take up something that is not finished, or discard it."""
        drafts = links(visitor.browser.get("/unfinished/"), r"/.*\?draft=\d+")
        if drafts:
            self._take_up(visitor, chance, chance.choice(drafts))

    def _take_up(self, visitor: Visitor, chance: Random, url: str) -> None:
        page = visitor.browser.get(url)
        entry, data = visitor.known_in(page, url.partition("?")[0]), form_of(page)
        if entry is None or data is None:
            return
        visitor.forms = [form for form in visitor.forms if form.entry is not entry][-5:]
        if chance.random() < 0.3:
            visitor.discard(url, entry, put_back=chance.random() < 0.5)
            return
        visitor.forms.append(Form(url, data, entry, calls=3 if "convert" in url else 1))

    @action
    def resolve(self, visitor: Visitor, chance: Random) -> None:
        """Settle a write whose outcome is unknown: found or left."""
        unsure = links(visitor.browser.get("/unsure/"), r"/unsure/\d+/")
        if not unsure:
            return
        url = chance.choice(unsure)
        page = visitor.browser.get(url)
        if page.status_code in REDIRECTS:
            visitor.browser.follow(page)
            return
        entry = visitor.known_in(page)
        for number, text in found_in(page):
            if entry and entry.mark in text:
                data = {"record_id": number}
                visitor.browser.follow(visitor.browser.post(f"{url}found/", data))
                return
        if entry:
            entry.most += 1  # the user has seen that it is there, and saves the form once more
        visitor.browser.follow(visitor.browser.post(f"{url}leave/", {}))

    @action
    def sign_out(self, visitor: Visitor, chance: Random) -> None:
        """Sign out, perhaps send a form that is still open, and sign in again."""
        visitor.browser.post("/accounts/logout/", {})
        if visitor.forms:
            form = chance.choice(visitor.forms)
            answer = visitor.browser.post(form.url, form.data)
            form.entry.kept = True
            visitor.forms.remove(form)
            refused = answer.status_code in REDIRECTS and not self.home.writes()
            self.check(refused, "honest: a form was taken from a user who had signed out")
        visitor.browser.get("/contacts/")
        self.home.settle(self.fault)
        visitor.sign_in(self.home, PASSWORD)
        visitor.browser.get("/contacts/")
