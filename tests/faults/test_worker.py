"""The worker that sends deletions is killed at each of its steps, and is not alone: what was undone
is never sent, nothing is sent twice, and the pages tell what became of each deletion.
"""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from dashboard.ledger.models import RecordLock, Write
from dashboard.resources.deletions import send_deletion
from tests.helpers import age_deletions, run_worker

from . import broken
from .browser import links
from .environment import Environment, User, environment, variables_of
from .matrix import pending_deletion
from .options import FULL, OPTIONS
from .samples import SAMPLES

ROOT = Path(__file__).resolve().parents[2]
# Steps inside the worker (see wsgi.py), in their order; in WAITING it waits for the service.
UNSENT = ("task claimed", "lock taken", "taken", "no row", "row not committed")
WAITING = ("asked and not done", "asked and done")
STEPS = (*UNSENT, "row committed", *WAITING, "answered", "outcome not committed", "outcome noted")
DELETABLE = [
    name
    for name, sample in SAMPLES.items()
    if "delete" in sample.resource.endpoint.operations | sample.resource.endpoint.unpublished
]
CASES = [
    (name, step)
    for name in (OPTIONS.resources or (DELETABLE if FULL else ["contacts"]))
    for step in (OPTIONS.kinds or STEPS)
    if name in DELETABLE
]
BATCH = ("--batch", "--no-startup-delay", "--interval", "0.05")
COUNTDOWN = timedelta(seconds=9)
LONG_AGO = timedelta(seconds=60)  # longer than a write takes, and than a lock lasts
AT_ONCE = 6  # deletions that are due at the same moment


@dataclass(frozen=True)
class Office:
    """A person whose deletions are sent by worker processes of this build."""

    home: Environment
    user: User
    build: str = ""

    def ask(self, name: str = "contacts") -> Write:
        """A new record that the person has just asked to delete."""
        sample = SAMPLES[name]
        number = self.home.create(self.user, sample, f"zw{time.time_ns()}x")
        pending_deletion(self.user, f"{sample.url}{number}/delete/")
        return Write.objects.get(Write.COUNTED_DOWN, resource=name, record_id=number)

    def start(self, step: str = "") -> subprocess.Popen[bytes]:
        """A worker that carries out what is due, and kills itself at this step."""
        return subprocess.Popen(
            [sys.executable, "-m", "tests.faults.worker", step, *BATCH],
            cwd=ROOT,
            env=variables_of(self.home, self.build),
        )

    def work(self) -> None:
        """Carry out all that is due, as another worker, in this process."""
        with broken.build(self.build):
            run_worker()

    def sent(self) -> int:
        """How many deletions have reached the service."""
        return sum(1 for entry in self.home.writes() if entry["operation"] == "delete")


@contextmanager
def office(folder: Path, build: str = "") -> Iterator[Office]:
    with environment(folder, OPTIONS.profile) as home:
        yield Office(home, home.user("max"), build)


@pytest.fixture(scope="module")
def desk(unblocked, tmp_path_factory):
    with office(tmp_path_factory.mktemp("worker"), OPTIONS.broken) as opened:
        yield opened


@pytest.mark.parametrize(("name", "step"), CASES)
def test_a_killed_worker_sends_nothing_twice_and_the_pages_tell_what_it_did(desk, name, step):
    assert killed(desk, name, step) == []


@pytest.mark.parametrize("when", ["before the end", "after it"])
def test_an_undone_deletion_is_never_sent(desk, when):
    assert undone(desk, when) == []


def test_two_workers_send_each_deletion_once(desk):
    assert side_by_side(desk) == []


@pytest.mark.short
@pytest.mark.parametrize("build", broken.in_turn("worker"))
def test_a_broken_build_is_found(unblocked, tmp_path, build):
    where, check = broken.BUILDS["worker"][build]
    with office(tmp_path, build) as found:
        words = undone(found, "after it") if where == "undone" else killed(found, "contacts", where)
    assert any(word.startswith(f"{check}: ") for word in words), words


def killed(desk: Office, name: str, step: str) -> list[str]:
    """The breaches of one deletion whose worker dies at this step."""
    deletion = _due(desk, name)
    died = _kill(desk, step)
    at_death = desk.sent()
    found = [] if died else ["reached: the worker has not died"]
    desk.work()  # another worker finds the task that is under way
    if desk.sent() != at_death:
        found.append("once: the task of the dead worker was carried out again")
    send_deletion.enqueue(deletion.pk)  # as if it had been put back
    desk.work()
    if desk.sent() > 1 or (step in UNSENT and at_death):
        found.append(f"once: sent {desk.sent()} times, {at_death} times before the worker died")
    _let_time_pass()
    return found + _untrue(desk, deletion)


def _kill(desk: Office, step: str) -> bool:
    """Start a worker that dies at this step; whether it was killed."""
    if step not in WAITING:
        return desk.start(step).wait(timeout=60) == -signal.SIGKILL
    world = "after" if step == "asked and done" else "before"
    desk.home.standin.fault(f"hang-{world}", operation="delete", times=1)
    process, end = desk.start(), time.monotonic() + 30
    while not desk.sent() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    with suppress(ProcessLookupError):
        process.kill()
    died = process.wait() == -signal.SIGKILL
    desk.home.standin.clear_faults()
    return died


def _untrue(desk: Office, deletion: Write) -> list[str]:
    """What the pages say of a deletion, compared with the service."""
    browser, there = (
        desk.user.browser,
        bool(desk.home.stored(deletion.resource, deletion.record_id or 0)),
    )
    unsure = links(browser.get("/unsure/"), r"/unsure/\d+/")
    page = browser.get("/unfinished/")
    waits = links(page, rf"/unfinished/deletions/{deletion.pk}/keep/")
    gone = links(page, rf"/\w+/new/\?again={deletion.pk}")
    if [bool(unsure), bool(waits), bool(gone)].count(True) != 1:
        return [f"told: {len(unsure)} times as not sure, {len(waits)} waiting, {len(gone)} deleted"]
    if (waits and not there) or (gone and there):
        return ["told: the opposite of what the service has"]
    return []


def undone(desk: Office, when: str) -> list[str]:
    """The breaches of a deletion that is undone before or after the end of its countdown."""
    _clean(desk)
    deletion = desk.ask()
    if when == "after it":
        _end_countdowns()
    desk.user.browser.post(f"/unfinished/deletions/{deletion.pk}/keep/", {})
    _end_countdowns()
    desk.work()
    return [f"never: sent {desk.sent()} times"] if desk.sent() else []


def side_by_side(desk: Office) -> list[str]:
    """The breaches of two workers that find the same deletions, each twice."""
    _clean(desk)
    deletions = [desk.ask() for _ in range(AT_ONCE)]
    for deletion in deletions:
        send_deletion.enqueue(deletion.pk)
    _end_countdowns()
    desk.home.fresh()
    workers = [desk.start() for _ in range(2)]
    ended = [worker.wait(timeout=120) for worker in workers]
    found = [f"reached: a worker ended with {status}" for status in ended if status]
    if desk.sent() != AT_ONCE:
        found.append(f"once: {AT_ONCE} deletions were sent {desk.sent()} times")
    left = [one for one in deletions if desk.home.stored(one.resource, one.record_id or 0)]
    return found + [f"told: {one.record_id} is still there" for one in left]


def _due(desk: Office, name: str) -> Write:
    _clean(desk)
    deletion = desk.ask(name)
    _end_countdowns()
    desk.home.fresh()
    return deletion


def _clean(desk: Office) -> None:
    for model in (DBTaskResult, Write, RecordLock):
        model.objects.all().delete()
    desk.home.fresh()


def _end_countdowns() -> None:
    age_deletions(COUNTDOWN)
    DBTaskResult.objects.update(run_after=timezone.now() - COUNTDOWN)


def _let_time_pass() -> None:
    """End the locks of the dead worker, and the time in which its write may still be answered."""
    then = timezone.now() - LONG_AGO
    Write.objects.filter(state=Write.State.SENDING, sent_at__isnull=False).update(sent_at=then)
    RecordLock.objects.update(until=then)
