"""Rounds of two users at one record replace nobody's words unseen."""

import pytest

from . import broken, machines
from .environment import environment
from .interleavings import USERS, Interleavings
from .options import FULL, OPTIONS
from .samples import SAMPLES

STEPS, CHUNK = 80, 50
ENOUGH = 60  # rounds, to find a broken build
RESOURCES = OPTIONS.resources or (list(SAMPLES) if FULL else ["contacts", "invoices"])
CHUNKS = range(0, OPTIONS.rounds, CHUNK)


def game_of(home, users, resource):
    """The state machine for records of one resource."""
    people = dict(zip(USERS, users, strict=True))
    of = {"home": home, "users": people, "resource": resource, "found": []}
    return type(resource, (Interleavings,), of)


@pytest.fixture(scope="module")
def users(home):
    return [home.user(who, number=number) for number, who in enumerate(USERS)]


@pytest.mark.parametrize("first", CHUNKS)
@pytest.mark.parametrize("resource", RESOURCES)
def test_nobody_is_overwritten_unseen(home, users, resource, first, record_property):
    rounds = min(CHUNK, OPTIONS.rounds - first)
    game = game_of(home, users, resource)
    machines.run(game, f"{OPTIONS.seed}/{resource}/{first}", rounds, STEPS)
    record_property("rounds", game.rounds)
    record_property("updates sent", game.updates)
    assert game.updates


@pytest.mark.short
@pytest.mark.parametrize("build", broken.in_turn("interleavings"))
def test_a_broken_build_is_found(unblocked, tmp_path, build):
    resource, checks = broken.BUILDS["interleavings"][build]
    with broken.build(build), environment(tmp_path) as home:
        users = [home.user(who, number=number) for number, who in enumerate(USERS)]
        breaches = machines.breaches(game_of(home, users, resource), "2", ENOUGH, STEPS)
    assert any(words.partition(": ")[0] in checks for words in breaches), breaches
