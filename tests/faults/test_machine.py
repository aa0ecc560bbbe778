"""Walks of four people through the pages, under faults, break no promise."""

from collections import Counter

import pytest

from . import broken, machines, workspaces
from .environment import environment
from .machine import People
from .options import OPTIONS

STEPS, CHUNK = 20, 30
LONGEST = 300  # walks until a broken build is found; some thirty suffice, but which ones is chance
PEOPLE = (("ana", "acme", 0), ("bob", "acme", 1), ("cyd", "globex", 0), ("dee", "globex", 1))


def people_of(home):
    """The state machine for this environment, with four new users."""
    records = {name: workspaces.mark_all(home.standin, name) for name in workspaces.MARKS}
    users = [home.user(f"{name}-{workspaces.MARKS[of]}", of, number) for name, of, number in PEOPLE]
    store = home.standin.store
    of = {"home": home, "users": users, "records": records, "copy": store.copy(store.version)}
    of |= {"figures": Counter(), "found": []}
    return type("Walk", (People,), of)


@pytest.fixture(scope="module")
def people(home):
    return people_of(home)


@pytest.mark.parametrize("first", range(0, OPTIONS.walks, CHUNK))
def test_a_walk_breaks_no_promise(people, first, record_property):
    people.figures.clear()
    walks = min(CHUNK, OPTIONS.walks - first)
    machines.run(people, f"{OPTIONS.seed}/{first}", walks, STEPS)
    for name, number in people.figures.items():
        record_property(name, number)
    assert people.figures["writes"]


@pytest.mark.short
@pytest.mark.parametrize("build", broken.in_turn("machine"))
def test_a_broken_build_is_found(unblocked, tmp_path, build):
    with broken.build(build), environment(tmp_path) as home:
        breaches = machines.breaches(people_of(home), "1", LONGEST, STEPS)
    checks = broken.BUILDS["machine"][build]
    assert any(words.partition(": ")[0] in checks for words in breaches), breaches
