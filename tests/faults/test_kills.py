"""A process is killed around each statement of a form's request, of the worker that sends a
deletion, and of the worker of a job; two workers do the same at once.
"""

import pytest

from dashboard.writes.models import Write
from tests import postgres

from . import broken, buttons, kills
from .environment import environment
from .kills import Batch, Button, Deletion
from .options import FULL, OPTIONS
from .samples import SAMPLES

POINTS = 10_000 if FULL else 5  # at which an operation is killed, of all of them
AT_ONCE = 6  # deletions that are due at the same moment
DELETABLE = [
    name
    for name, sample in SAMPLES.items()
    if "delete" in sample.resource.endpoint.operations | sample.resource.endpoint.unpublished
]
FORMS = buttons.chosen(OPTIONS.resources, OPTIONS.steps)
PRESSES = ("stop", "pause", "on")
JOBS = [f"{kind}, {press}" for kind in ("imports", "exports") for press in PRESSES]
JOBS = JOBS if FULL else ["imports, stop", "imports, pause", "exports, on"]
OPERATIONS = [
    *((Button, name) for name in (FORMS if FULL else ["contacts: create", "contacts: update"])),
    *((Deletion, name) for name in (OPTIONS.resources or DELETABLE if FULL else ["contacts"])),
    *((Batch, name) for name in JOBS),
]
# What the service does with the call, and what happens to the process.
WORLDS = {"done": ("", "kill"), "not done": ("reset-before", "kill"), "cut": ("", "cut")}
CASES = [
    (database, operation, world)
    for database in ("sqlite", "postgresql")
    for operation in OPERATIONS
    for world in WORLDS
    if (world != "cut" or operation[0] is Batch)
    and (FULL or (database, world) == ("sqlite", "done") or operation[1] == JOBS[0])
]


@pytest.fixture(scope="module")
def home(request, unblocked, tmp_path_factory):
    """An environment on one of the databases."""
    folder = tmp_path_factory.mktemp("kills")
    if request.param == "sqlite":
        with broken.build(OPTIONS.broken), environment(folder, OPTIONS.profile) as made_home:
            yield made_home
        return
    postgres.need()
    with postgres.cluster() as url, environment(folder, OPTIONS.profile, url=url) as made_home:
        yield made_home


def killed(home, user, operation, world="done", most=POINTS):
    """The breaches of one operation that is killed at each point, and how many there are."""
    kind, name = operation
    breaches, point, last = [], 0, 0  # 0: nobody is killed, and only the answer is lost
    while point <= last:
        attempt = kind(home, user, name)
        fault, strike = WORLDS[world]
        if fault:
            home.standin.fault(fault, operation="[cud]*", times=1)
        last = max(last, kills.start(attempt.act, point, strike).wait())
        home.standin.clear_faults()
        breaches += [f"{words} (killed at {point} of {last})" for words in attempt.breaches()]
        point += max(1, last // most) if point else 1
    return breaches, last


def named(value):
    return value if isinstance(value, str) else f"{value[0].__name__} {value[1]}"


@pytest.mark.parametrize(("home", "operation", "world"), CASES, indirect=["home"], ids=named)
def test_a_kill_loses_nothing_and_sends_nothing_twice(
    home, user, operation, world, record_property
):
    breaches, points = killed(home, user, operation, world)
    record_property("points of a kill", points)
    assert breaches == []
    assert points


@pytest.mark.parametrize("home", ["sqlite", "postgresql"], indirect=True)
def test_two_workers_do_each_thing_once(home, user):
    deletions = Deletion(home, user, "contacts")
    deletions.double(AT_ONCE - 1)
    for worker in [kills.start(deletions.act) for _ in range(2)]:
        worker.wait()
    assert deletions.sent() == AT_ONCE
    assert set(Write.objects.values_list("state", flat=True)) == {Write.State.SAVED}
    batch = Batch(home, user, "imports, on")
    for worker in [kills.start(batch.act) for _ in range(2)]:
        worker.wait()
    assert list(batch.breaches()) == []
    assert len(home.ledger(effect=True, operation="create")) == kills.ROWS


@pytest.mark.short
@pytest.mark.parametrize("build", broken.in_turn("kills"))
def test_a_broken_build_is_found(unblocked, tmp_path, build):
    kind, name, check = broken.BUILDS["kills"][build]
    with broken.build(build), environment(tmp_path) as home:
        breaches, _ = killed(home, home.user("max"), (getattr(kills, kind), name), most=12)
    assert any(words.startswith(f"{check}: ") for words in breaches), breaches
