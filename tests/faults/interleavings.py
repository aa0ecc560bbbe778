"""Two users and an outsider at one record, in any order: nobody's words are replaced by somebody
who has neither seen them nor was asked.

The rules open, fill in and send forms; the outsider writes without the dashboard. Each update in
the stand-in's ledger is judged against the record as it was and the form behind it. What this alone
proves is the comparison of single fields over several rounds, with two saves at the same moment;
the walk of the ledger knows no fields, and the matrix one change of somebody else.
"""

import html
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pkgutil import resolve_name
from random import Random
from typing import Any

import httpx
from django.db import connections
from hypothesis import strategies as st
from hypothesis.stateful import rule

from dashboard.drafts.models import Draft
from dashboard.ledger.models import Write

from . import internals, values
from .browser import REDIRECTS, filled
from .environment import Environment, User
from .machines import CHANCE, Machine
from .samples import SAMPLES
from .values import FIELDS, plain

USERS, OUTSIDER = ("ann", "ben"), "outsider"
LATENCY = 0.004  # seconds of each call while both save, so that calls come between each other
ASKS, BEING_WRITTEN = "while you were editing", "somebody is saving this record"
WHO = st.sampled_from(USERS)


@dataclass
class Form:
    """An opened form. `data`: what it sends. `seen`: what it shows or asks about, by field.
    `typed`: what the user put there.
    """

    data: dict[str, Any]
    seen: dict[str, Any]
    typed: dict[str, str] = field(default_factory=dict)


class Interleavings(Machine):
    """One record of `resource` (set by a subclass); `now` is the record as the judge knows it."""

    home: Environment
    users: dict[str, User]
    resource: str
    rounds = updates = 0

    def __init__(self) -> None:
        super().__init__()
        for model in (Write, Draft):
            model.objects.all().delete()
        self.home.standin.application.ledger.clear()
        self.sample, self.fields = SAMPLES[self.resource], FIELDS[self.resource]
        type(self).rounds += 1
        someone = self.users[USERS[0]]
        self.number = self.home.create(someone, self.sample, f"zi{self.rounds}")
        self.url = f"{self.sample.url}{self.number}/edit/"
        self.forms: dict[str, Form] = {}
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.words = 0
        self.now = self._record()
        self.home.fresh()

    # what users do

    @rule(who=WHO, chance=CHANCE)
    def go_on(self, who: str, chance: Random) -> None:
        """Open a form, type in it or send it, whatever comes next."""
        if who not in self.forms:
            self._open(who)
        elif not self.forms[who].typed or chance.random() < 0.3:
            self._type(who, chance)
        else:
            before = dict(self.now)
            page = self._post(who)
            self._judge()
            self._answered(who, page, before, chance)

    @rule(chance=CHANCE)
    def both_save(self, chance: Random) -> None:
        """At the same moment, each in a thread."""
        if len([form for form in self.forms.values() if form.typed]) < len(USERS):
            return
        before = dict(self.now)
        self.home.standin.latency = LATENCY
        with ThreadPoolExecutor(len(USERS)) as pool:
            pages = list(pool.map(self._post_in_thread, USERS))
        self.home.standin.latency = 0
        self._judge()
        for who, page in zip(USERS, pages, strict=True):
            self._answered(who, page, before, chance, both=True)

    @rule(who=WHO, chance=CHANCE)
    def give_up(self, who: str, chance: Random) -> None:
        """Close a form (not each time)."""
        if chance.random() < 0.1:
            self.forms.pop(who, None)

    @rule(chance=CHANCE)
    def outsider_writes(self, chance: Random) -> None:
        """Somebody writes one field without the dashboard (not each time)."""
        if chance.random() < 0.8:
            return
        name = chance.choice(list(self.fields))
        self.words += 1
        value = self.fields[name].new(OUTSIDER, self.words)
        record = self.home.stored(self.resource, self.number)
        self.home.change(self.resource, self.number, values.stored(name, value, record))
        self.now = self._record()

    # how

    def _open(self, who: str) -> None:
        form = self.forms[who] = self._form(self.users[who].browser.get(self.url))
        for name in self.fields.keys() & form.data.keys():
            value = form.data[name]
            value = plain(value[0] if isinstance(value, list) else value)
            now = self.now[name]
            self.check(value == now, f"shown: {name} is {now!r}, the form has {value!r}")

    def _type(self, who: str, chance: Random) -> None:
        """New words mostly; sometimes none, what is there already, or what the other types."""
        form, name = self.forms[who], chance.choice(list(self.fields))
        self.words += 1
        value = self.fields[name].new(who, self.words)
        others = [each.typed for each in self.forms.values() if each is not form]
        odd = [typed[name] for typed in others if name in typed]
        odd += [values.as_typed(name, self.now), ""] if self.fields[name].optional else []
        self._put(form, name, chance.choice(odd) if odd and chance.random() < 0.2 else value)

    def _put(self, form: Form, name: str, value: str) -> None:
        form.data |= values.entries(name, value)
        form.typed[name] = value

    def _post(self, who: str) -> httpx.Response:
        return self.users[who].browser.post(self.url, self.forms[who].data)

    def _post_in_thread(self, who: str) -> httpx.Response:
        try:
            return self._post(who)
        finally:
            connections.close_all()

    def _form(self, page: httpx.Response, typed: dict[str, str] | None = None) -> Form:
        data, of = filled(page, {}), f"{self.resource}/{self.number}"
        seen = resolve_name(internals.SNAPSHOT_OF_FORM)(data["snapshot"][0], of=of)
        return Form(data, dict(seen or {}), dict(typed or {}))

    def _record(self) -> dict[str, Any]:
        record = self.home.stored(self.resource, self.number)
        names = [item.name for item in self.sample.resource.endpoint.update]
        return {name: plain(record.get(name)) for name in names}

    def _updates(self) -> list[dict[str, Any]]:
        return [entry for entry in self.home.ledger(operation="update") if entry["effect"]]

    # the judge

    def _judge(self) -> None:
        """Every update of this step, in the order in which the service took them."""
        self.sent = []
        for entry in self._updates():
            who = next(name for name, user in self.users.items() if user.pair == entry["pair"])
            after = values.after(self.now, entry["body"], whole=self.sample.whole)
            self._check_update(who, {name for name in after if after[name] != self.now.get(name)})
            self.sent.append((who, entry["body"]))
            self.now = after
            type(self).updates += 1
        record = self._record()
        self.check(all(record[name] == self.now[name] for name in self.fields), "proof: misjudged")
        self.now = record
        self.home.fresh()

    def _check_update(self, who: str, changed: set[str]) -> None:
        form = self.forms[who]
        for name in sorted(changed):
            self.check(name in form.typed, f"untouched: {who} changed {name} without touching it")
            known, now = values.known(name, form.seen), values.known(name, self.now)
            self.check(known == now, f"overwritten: {who} replaced {now!r}, and knew {known!r}")

    def _answered(
        self, who: str, page: Any, before: dict[str, Any], chance: Random, *, both: bool = False
    ) -> None:
        if page.status_code == 503 and BEING_WRITTEN in page.text:
            self.check(both, f"told: {who} is told that another saves, and nobody does")
            self.forms[who] = self._form(page, self.forms[who].typed)
            return None
        self.check(page.status_code in {*REDIRECTS, 409}, f"told: status {page.status_code}")
        if page.status_code == 409:
            return self._asked(who, page, chance)
        form = self.forms.pop(who)
        bodies = [body for name, body in self.sent if name == who]
        for name, value in form.typed.items():
            want = values.wanted(name, value, form.seen)
            held = [body for body in bodies if name in body or self.sample.whole]
            there = [values.known(name, held_by) for held_by in (*held, before, form.seen)]
            self.check(want in there, f"told: {who} saved {name}, and it was not sent")
        return None

    def _asked(self, who: str, page: httpx.Response, chance: Random) -> None:
        """What the page says of others counts as seen; often theirs is then taken."""
        old, fresh, text = (
            self.forms[who],
            self._form(page, self.forms[who].typed),
            html.unescape(page.text),
        )
        changed = [name for name, value in fresh.seen.items() if value != old.seen.get(name)]
        self.check(changed, "told: asked about nothing")
        for name in changed:
            words = (ASKS, *values.visible(name, fresh.seen[name]))
            is_named = all(word in text for word in words)
            self.check(is_named, f"asked: {name} is taken for seen, and the page does not tell")
        for name, value in old.typed.items():
            for key, entry in values.entries(name, value).items():
                back = fresh.data.get(key)
                self.check(
                    back in (entry, [entry]),
                    f"kept: {name} came back without {value!r}",
                )
        self.forms[who] = fresh
        if chance.random() < 0.3:
            for name in sorted(set(changed) & fresh.typed.keys()):
                self._put(fresh, name, values.as_typed(name, fresh.seen))
