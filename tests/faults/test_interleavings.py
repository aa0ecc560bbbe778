"""Rounds of two users at one record replace nobody's words unseen."""

import traceback

import pytest

from . import broken, machines
from .environment import environment
from .interleavings import USERS, Interleavings
from .options import FULL, OPTIONS
from .samples import SAMPLES

STEPS, CHUNK = 14, 50
ENOUGH = 40  # rounds, to find a broken build
RESOURCES = OPTIONS.resources or (list(SAMPLES) if FULL else ["contacts", "invoices"])
CHUNKS = range(0, OPTIONS.rounds, CHUNK)


def play(home, users, resource, rounds, seed):
    """Rounds on records of one resource; how many, and the updates that were sent."""
    people = dict(zip(USERS, users, strict=True))
    game = type(resource, (Interleavings,), {"home": home, "users": people, "resource": resource})
    machines.run(game, seed, rounds, STEPS)
    return game


@pytest.fixture(scope="module")
def users(home):
    return [home.user(who, number=number) for number, who in enumerate(USERS)]


@pytest.mark.parametrize("first", CHUNKS)
@pytest.mark.parametrize("resource", RESOURCES)
def test_nobody_is_overwritten_unseen(home, users, resource, first, record_property):
    rounds = min(CHUNK, OPTIONS.rounds - first)
    game = play(home, users, resource, rounds, f"{OPTIONS.seed}/{resource}/{first}")
    record_property("rounds", game.rounds)
    record_property("updates sent", game.updates)
    assert game.updates


@pytest.mark.short
@pytest.mark.parametrize("build", broken.BUILDS["interleavings"])
def test_a_broken_build_is_found(unblocked, tmp_path, build):
    resource, check = broken.BUILDS["interleavings"][build]
    with broken.build(build), environment(tmp_path) as home:
        users = [home.user(who, number=number) for number, who in enumerate(USERS)]
        with pytest.raises((AssertionError, ExceptionGroup)) as found:
            play(home, users, resource, ENOUGH, "1")
    assert f"{check}: " in "".join(traceback.format_exception(found.value))
