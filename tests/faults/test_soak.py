"""Walks of four users through the pages, under faults, break no promise."""

from collections import Counter

import pytest

from . import broken, machines, workspaces
from .environment import environment
from .options import OPTIONS
from .soak import Soak
from .visitor import Visitor

STEPS, CHUNK = 50, 500
ENOUGH = 10  # walks, to find a broken build
PEOPLE = (("ana", "acme", 0), ("bob", "acme", 1), ("cyd", "globex", 0), ("dee", "globex", 1))
ONLY, KINDS, _ = broken.BUILDS["soak"].get(OPTIONS.broken, ((), [], ""))


def soak_of(home, only=(), kinds=None, share=0.2):
    """The state machine for this environment, with four new users."""
    records = {name: workspaces.mark_all(home.standin, name) for name in workspaces.MARKS}
    visitors = [
        Visitor(home.user(f"{name}-{workspaces.MARKS[of]}", of, number), records[of]["contacts"][0])
        for name, of, number in PEOPLE
    ]
    more = {"kinds": kinds} if kinds else {}
    of = {"home": home, "visitors": visitors, "records": records, "figures": Counter(), "found": []}
    return type("Walk", (Soak,), of | more | {"only": tuple(only), "share": share})


@pytest.fixture(scope="module")
def soak(home):
    return soak_of(home, ONLY, OPTIONS.kinds or KINDS)


@pytest.mark.parametrize("first", range(0, OPTIONS.actions, CHUNK))
def test_a_walk_breaks_no_promise(soak, first, record_property):
    soak.figures.clear()
    actions = min(CHUNK, OPTIONS.actions - first)
    machines.run(soak, f"{OPTIONS.seed}/{first}", 1 + -(-actions // STEPS), STEPS)
    for name, number in soak.figures.items():
        record_property(name, number)
    assert soak.figures["writes"]


@pytest.mark.short
@pytest.mark.parametrize("build", broken.in_turn("soak"))
def test_a_broken_build_is_found(unblocked, tmp_path, build):
    only, kinds, check = broken.BUILDS["soak"][build]
    with broken.build(build), environment(tmp_path) as home:
        soak = soak_of(home, only, kinds, share=0.6 if kinds else 0)
        breaches = machines.breaches(soak, "1", ENOUGH, STEPS)
    assert any(words.startswith(f"{check}: ") for words in breaches), breaches
