"""Two people and an outsider at one record, in any order: nobody's words are replaced by somebody
who has neither seen them nor was asked.

Each round is drawn from a seed: forms are opened, typed in, saved, saved by both at once, sent once
more, answered where they ask, and given up; in between somebody writes past the dashboard. What is
judged is the stand-in's ledger: each update against the record as it was and the form behind it.
"""

import html
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from django.db import connections
from django.http import HttpResponse

from dashboard.drafts.models import Draft
from dashboard.outbox.models import Submission
from dashboard.records.forms.record_form import open_snapshot
from dashboard.standin.resources import RESOURCES
from tests.resources.forms import submitted

from . import words as said
from .house import House, Person
from .matrix import REDIRECTS
from .oracles import SAVED
from .rows import ROWS, Row
from .words import FIELDS, plain

OUTSIDER, BOTH = "outsider", "both"
STEPS = 12  # of one round
LATENCY = 0.004  # seconds of each call while both save, so that one may come between the other's
ASKS = "Somebody else changed"
BEING_WRITTEN = "somebody is saving this record"
GONE_ON = "the same form again"


@dataclass
class Sheet:
    """One opened form. `data`: what it would send. `seen`: what it shows or has asked about, by
    field. `typed`: what the person put there.
    """

    data: dict[str, Any]
    seen: dict[str, Any]
    typed: dict[str, str] = field(default_factory=dict)


@dataclass
class Round:
    """One record and who is at it. `now`: the record as the judge knows it."""

    row: Row
    number: int
    chance: random.Random
    now: dict[str, Any] = field(default_factory=dict)
    sheets: dict[str, Sheet] = field(default_factory=dict)
    last: dict[str, tuple[dict[str, Any], str]] = field(default_factory=dict)
    sent: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    breaches: list[str] = field(default_factory=list)
    story: list[str] = field(default_factory=list)
    words: int = 0
    together: bool = False  # both are saving at this moment

    @property
    def url(self) -> str:
        return self.row.resource.url(self.number, "edit")


class Runner:
    """Plays rounds with two people."""

    def __init__(self, home: House, people: list[Person]) -> None:
        self.home = home
        self.people = {person.user.username: person for person in people}
        self.pairs = {f"acme/{name}": who for name, who in zip(PAIRS, self.people, strict=True)}

    def run(self, name: str, seed: str) -> tuple[list[str], int]:
        """The breaches of one round, each with how it came to that, and how many writes it had."""
        row, chance = ROWS[name], random.Random(seed)
        for model in (Submission, Draft):
            model.objects.all().delete()
        self.home.standin.application.ledger.clear()
        self.home.fresh()
        someone = next(iter(self.people.values()))
        made = self.home.gateway(someone).create(row.resource.endpoint, row.record(f"zi {seed}"))
        assert made.id
        game = Round(row, made.id, chance)
        game.now = self._record(game)
        writes = 0
        self.home.fresh()
        for _ in range(STEPS):
            self._step(game)
            writes += len(self._new_writes())
            self.home.fresh()
        told = " > ".join(game.story)
        return [f"{words}; {told}" for words in game.breaches], writes

    def _step(self, game: Round) -> None:
        who = game.chance.choice([*self.people, *self.people, OUTSIDER])
        if who == OUTSIDER:
            return self._meddle(game)
        ready = [name for name, sheet in game.sheets.items() if sheet.typed]
        if len(ready) == len(self.people) and game.chance.random() < 0.5:
            return self._both_save(game)
        if who not in game.sheets:
            again = game.last.get(who, ({}, ""))[1] == SAVED and game.chance.random() < 0.25
            return self._repeat(game, who) if again else self._open(game, who)
        if not game.sheets[who].typed or game.chance.random() < 0.3:
            return self._type(game, who)
        if game.chance.random() < 0.12:
            del game.sheets[who]
            game.story.append(f"{who} gives up")
            return None
        return self._save(game, who)

    # what people do

    def _open(self, game: Round, who: str) -> None:
        page = self.people[who].client.get(game.url)
        game.story.append(f"{who} opens")
        sheet = game.sheets[who] = self._sheet(game, page)
        shown = [name for name in FIELDS[game.row.resource.name] if name in sheet.data]
        for name in shown:
            if plain(_first(sheet.data[name])) != game.now[name]:
                game.breaches.append(f"shown: {name} is {game.now[name]}, not as the form shows it")

    def _type(self, game: Round, who: str) -> None:
        sheet = game.sheets[who]
        name = game.chance.choice(list(FIELDS[game.row.resource.name]))
        game.words += 1
        value = self._value(game, who, name)
        sheet.data |= said.entries(name, value)
        sheet.typed[name] = value
        game.story.append(f"{who} types {value!r} in {name}")

    def _value(self, game: Round, who: str, name: str) -> str:
        """New words mostly; sometimes none, what is there already, or what another types."""
        others = [s.typed[name] for n, s in game.sheets.items() if n != who and name in s.typed]
        there = said.as_typed(name, game.now)
        odd = [*others, there, ""] if FIELDS[game.row.resource.name][name].optional else others
        if odd and game.chance.random() < 0.2:
            return game.chance.choice(odd)
        return FIELDS[game.row.resource.name][name].new(who, game.words)

    def _save(self, game: Round, who: str) -> None:
        before = dict(game.now)
        page = self._post(game, who)
        self._judge(game)
        self._answered(game, who, page, before)

    def _both_save(self, game: Round) -> None:
        """At the same moment, each from a thread."""
        game.story.append("both at once")
        game.together = True
        before = dict(game.now)
        self.home.standin.latency = LATENCY
        with ThreadPoolExecutor(len(self.people)) as pool:
            given = pool.map(lambda who: self._alone(game, who), self.people)
            pages = dict(zip(self.people, given, strict=True))
        self.home.standin.latency = 0
        self._judge(game)
        for who, page in pages.items():
            self._answered(game, who, page, before)
        game.together = False

    def _alone(self, game: Round, who: str) -> HttpResponse:
        try:
            return self._post(game, who)
        finally:
            connections.close_all()

    def _post(self, game: Round, who: str) -> HttpResponse:
        return self.people[who].client.post(game.url, game.sheets[who].data)

    def _answered(self, game: Round, who: str, page: HttpResponse, before: dict[str, Any]) -> None:
        sheet = game.sheets[who]
        game.last[who] = (sheet.data, _told(page))
        if page.status_code in REDIRECTS:
            game.story.append(f"{who} saves")
            self._check_saved(game, who, before)
            del game.sheets[who]
        elif page.status_code == 409:
            game.story.append(f"{who} is asked")
            self._asked(game, who, page)
        elif page.status_code == 503 and BEING_WRITTEN in page.content.decode():
            if not game.together:
                game.breaches.append(f"told: {who} is told that another saves, and nobody does")
            game.story.append(f"{who} is told to save again")
            game.sheets[who] = self._sheet(game, page)
            game.sheets[who].typed = dict(sheet.typed)
        else:
            game.breaches.append(f"told: status {page.status_code} for a save of {who}")
            del game.sheets[who]

    def _check_saved(self, game: Round, who: str, before: dict[str, Any]) -> None:
        """Saved means that each typed word is in the record, or was in one of this very step."""
        sheet, sent = game.sheets[who], [body for name, body in game.sent if name == who]
        for name, value in sheet.typed.items():
            want, shown = said.wanted(name, value, sheet.seen), (before, sheet.seen)
            bodies = [body for body in sent if name in body or game.row.whole]
            if want not in [said.seen(name, values) for values in (*bodies, *shown)]:
                game.breaches.append(f"told: {who} saved {name}, and it was not sent")

    def _asked(self, game: Round, who: str, page: HttpResponse) -> None:
        """What the page says of others counts as seen; often theirs is then taken."""
        old, text = game.sheets[who], html.unescape(page.content.decode())
        fresh = self._sheet(game, page)
        fresh.typed = dict(old.typed)
        changed = [name for name, value in fresh.seen.items() if value != old.seen.get(name)]
        if not changed:
            game.breaches.append("told: asked about nothing")
        for name in changed:
            if ASKS not in text or not all(
                word in text for word in said.visible(name, fresh.seen[name])
            ):
                game.breaches.append(f"asked: {name} is taken for seen, and the page does not tell")
        for name, value in old.typed.items():
            if any(fresh.data.get(key) not in (one, [one])
                   for key, one in said.entries(name, value).items()):  # fmt: skip
                game.breaches.append(f"kept: {name} came back without {value!r}")
        game.sheets[who] = fresh
        if game.chance.random() < 0.3:
            self._take_theirs(game, who, changed)

    def _take_theirs(self, game: Round, who: str, changed: list[str]) -> None:
        sheet = game.sheets[who]
        for name in changed:
            if name in sheet.typed:
                value = said.as_typed(name, sheet.seen)
                sheet.data |= said.entries(name, value)
                sheet.typed[name] = value
                game.story.append(f"{who} takes theirs in {name}")

    def _repeat(self, game: Round, who: str) -> None:
        """The button of a form that was sent before, pressed once more."""
        page = self.people[who].client.post(game.url, game.last[who][0])
        game.story.append(f"{who} sends {GONE_ON}")
        if self._new_writes() or _told(page) != SAVED:
            game.breaches.append(f"once: {GONE_ON} is told {_told(page)}, or was sent again")

    def _meddle(self, game: Round) -> None:
        """Somebody who knows nothing of the dashboard writes one field."""
        name = game.chance.choice(list(FIELDS[game.row.resource.name]))
        game.words += 1
        value = FIELDS[game.row.resource.name][name].new(OUTSIDER, game.words)
        store, kind = self.home.standin.store, RESOURCES[game.row.resource.name]
        found = store.get(kind, game.number)
        record = {key: one for key, one in found[1].items() if key != kind.id_field}
        with store.transaction():
            store.replace(kind, game.number, {**record, **said.stored(name, value, record)})
        game.now = self._record(game)
        game.story.append(f"{OUTSIDER} writes {value!r} in {name}")

    # the judge

    def _judge(self, game: Round) -> None:
        """Every update of this step, in the order in which the service took them."""
        game.sent = []
        for entry in self._new_writes():
            who, body = self.pairs[entry["pair"]], entry["body"]
            game.sent.append((who, body))
            after = said.after(game.now, body, whole=game.row.whole)
            changed = {name for name in after if after[name] != game.now.get(name)}
            game.breaches += overwritten(who, game.sheets[who], game.now, changed)
            game.now = after
        held = self._record(game)
        if any(held[name] != game.now[name] for name in FIELDS[game.row.resource.name]):
            game.breaches.append("proof: the record is not what its writes make of it")
        game.now = held

    def _new_writes(self) -> list[dict[str, Any]]:
        return [entry for entry in self.home.ledger(operation="update") if entry["effect"]]

    def _record(self, game: Round) -> dict[str, Any]:
        found = self.home.standin.store.get(RESOURCES[game.row.resource.name], game.number)
        names = [item.name for item in game.row.resource.endpoint.update]
        return {name: plain(found[1].get(name)) for name in names}

    def _sheet(self, game: Round, page: HttpResponse) -> Sheet:
        data = submitted(page)
        sealed = _first(data["snapshot"])
        seen = open_snapshot(sealed, of=f"{game.row.resource.name}/{game.number}")
        return Sheet(data, dict(seen or {}))


def overwritten(who: str, sheet: Sheet, now: dict[str, Any], changed: set[str]) -> list[str]:
    """What one update did to words that its writer neither saw nor was asked about."""
    words = []
    for name in sorted(changed):
        if name not in sheet.typed:
            words.append(f"untouched: {who} changed {name} without touching it")
        elif said.seen(name, sheet.seen) != said.seen(name, now):
            words.append(
                f"overwritten: {who} replaced {now[name]!r} in {name}, and knew only "
                f"{sheet.seen.get(name)!r}"
            )
    return words


PAIRS = ("office", "sales")


def _told(page: HttpResponse) -> str:
    return SAVED if page.status_code in REDIRECTS else str(page.status_code)


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) else value
