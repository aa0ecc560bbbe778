"""Walks of four people through the pages, under faults and deaths, break no promise."""

import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.conftest import PROFILES

from . import broken, workspaces
from .environment import environment
from .machine import People

WALKS, CHUNK, STEPS = int(os.environ.get("WALKS", "30")), 30, 20
LONGEST = 600  # walks until a broken build is found; most are in the first few
PEOPLE = (("ana", "acme", 0), ("bob", "acme", 1), ("cyd", "globex", 0), ("dee", "globex", 1))


def people_of(home):
    records = {name: workspaces.mark_all(home.standin, name) for name in workspaces.MARKS}
    users = [home.user(f"{name}-{workspaces.MARKS[of]}", of, number) for name, of, number in PEOPLE]
    store = home.standin.store
    of = {"home": home, "users": users, "records": records, "copy": store.copy(store.version)}
    of |= {"figures": Counter(), "found": []}
    return type("Walk", (People,), of)


def run(machine, of, walks):
    """Run so many walks; raises with the steps of a breach. As a walk takes long, nothing is shrunk
    and no example is kept.
    """
    run_state_machine_as_test(
        seed(of)(machine),
        settings=settings(
            max_examples=walks,
            stateful_step_count=STEPS,
            phases=[Phase.generate],
            database=None,
            deadline=None,
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.fixture(scope="module", params=PROFILES)
def people(request, unblocked, tmp_path_factory):
    with environment(tmp_path_factory.mktemp("walks"), request.param) as home:
        yield people_of(home)


@pytest.mark.parametrize("first", range(0, WALKS, CHUNK))
def test_a_walk_breaks_no_promise(people, first, record_property):
    people.figures.clear()
    run(people, f"1/{first}", min(CHUNK, WALKS - first))
    for name, number in people.figures.items():
        record_property(name, number)
    assert people.figures["writes"]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("build", broken.in_turn())
def test_a_broken_build_is_found(unblocked, tmp_path, build):
    with broken.build(build), environment(tmp_path) as home:
        people = people_of(home)
        try:
            run(people, "1", LONGEST)
        except Exception:
            if not people.found:
                raise
    promises = {words.partition(": ")[0] for words in people.found}
    assert promises & broken.BUILDS[build], people.found
