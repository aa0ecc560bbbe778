"""The proofs that need more than one press, or a dashboard that is served: how each is run."""

import argparse
import tempfile
from pathlib import Path

from . import broken, crashes, house, interleavings, parallel, presses, served
from .report import Part
from .rows import ROWS

CALLS = {"leads: replace": 2, "leads: convert": 4}  # writes of one press, where there are several


def prove_parallel(wanted: argparse.Namespace, number: int) -> Part:
    """Every button pressed by many at once, in every weather."""
    part = Part("parallel", facts={"presses of one form": wanted.posts})
    every = presses.every(wanted.resources, wanted.steps)
    chosen = [(case, weather) for case in every for weather in wanted.kinds or parallel.WEATHER]
    with served.opened(wanted.profile, workers=2, broken=wanted.broken) as site:
        runner = parallel.Runner(_hands(site), wanted.posts)
        for (name, opener), weather in chosen[number :: wanted.processes]:
            part.add(name, f"{name}, {weather or 'fair'}", runner.run(opener, weather))
    return part


def prove_crashes(wanted: argparse.Namespace, number: int) -> Part:
    """Every button, with its worker killed at every step."""
    part = Part("crashes")
    with served.opened(wanted.profile, workers=1, broken=wanted.broken) as site:
        hands = _hands(site)
        runner = crashes.Runner(hands)
        chosen = [
            (name, opener, point)
            for name, opener in presses.every(wanted.resources, wanted.steps)
            for point in crashes.points(name, CALLS.get(name, 1))
            if not wanted.kinds or point in wanted.kinds
        ]
        for name, opener, point in chosen[number :: wanted.processes]:
            part.add(name, f"{name}, {point}", runner.run(opener, point))
    return part


def prove_interleavings(wanted: argparse.Namespace, number: int) -> Part:
    """Rounds of two people on one record, for each resource that can be changed."""
    facts = {"rounds for each resource": wanted.rounds, "seed": wanted.seed}
    part, writes = Part("interleavings", facts=facts), 0
    names = wanted.resources or list(ROWS)
    with (
        broken.made(wanted.broken),
        tempfile.TemporaryDirectory() as folder,
        house.database(Path(folder) / "dashboard.sqlite3"),
        house.opened(wanted.profile) as home,
    ):
        people = [home.enter("ann"), home.enter("ben", number=1)]
        runner = interleavings.Runner(home, people)
        for name in names:
            for turn in range(number, wanted.rounds, wanted.processes):
                found, sent = runner.run(name, f"{wanted.seed}/{name}/{turn}")
                part.add(name, f"{name}, round {turn}", found)
                writes += sent
    part.facts[f"updates sent ({number + 1})"] = writes
    return part


def _hands(site: served.Site) -> presses.Hands:
    person = site.home.enter("max")
    return presses.Hands(site, person, site.browser(person))
