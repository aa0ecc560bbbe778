"""The worker is killed at each step of each write, and the dashboard starts anew: what was typed is
there, what may have been sent is Not sure, and nothing is sent by itself or twice.
"""

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

import httpx
import pytest
from django.utils import timezone

from dashboard.drafts.models import Draft
from dashboard.ledger.models import RecordLock, Write

from . import broken, buttons, checks
from .browser import NOT_SAVED, NOT_SURE, SAVED, links, text_of, verdict
from .buttons import BUTTONS, CALLS, Calls, Opener, Submit, calls_of
from .environment import served
from .options import FULL, OPTIONS
from .samples import SAMPLES

# Steps inside the worker (see wsgi.py), in their order; in WAITING it waits for the service.
UNSENT = ("lock taken", "no row", "row not committed")
NOTED = ("row committed", "answered", "outcome not committed")  # the last before its commit
WAITING = ("asked and not done", "asked and done")
TOLD = ("outcome noted", "before the page")
STEPS = (*UNSENT, NOTED[0], *WAITING, *NOTED[1:], *TOLD)
UNCLEAR = {*NOTED, *WAITING}
STILL_THERE = "may still be there"  # a lead that was to be deleted in the end
HELD = "not sent yet"
LONG_AGO = timedelta(seconds=60)  # longer than a write takes, and than a lock lasts


def points(button: str) -> Iterator[str]:
    """Where to kill during a submit, for each of its calls: "answered", "answered:2", ..."""
    for step in STEPS:
        if step == "lock taken" and button.partition(": ")[2] not in {"update", "delete"}:
            continue
        once = step in {"before the page", *WAITING}
        for number in range(1, 1 + (1 if once else CALLS.get(button, 1))):
            yield step if number == 1 else f"{step}:{number}"


CASES = [
    (button, point)
    for button in buttons.chosen(
        OPTIONS.resources or ([] if FULL else ["contacts"]),
        OPTIONS.steps or ([] if FULL else ["create", "update"]),
    )
    for point in points(button)
    if not OPTIONS.kinds or point in OPTIONS.kinds
]


@pytest.fixture(scope="module")
def opener(unblocked, tmp_path_factory):
    folder = tmp_path_factory.mktemp("crashes")
    with served(folder, OPTIONS.profile, workers=1, broken=OPTIONS.broken) as home:
        yield Opener(home, home.user("max"))


@pytest.mark.parametrize(("button", "point"), CASES)
def test_a_crash_loses_nothing_and_sends_nothing_twice(opener, button, point):
    assert killed(opener, button, point) == []


@pytest.mark.short
@pytest.mark.parametrize("build", broken.in_turn("crashes"))
def test_a_broken_build_is_found(unblocked, tmp_path, build):
    kinds, check = broken.BUILDS["crashes"][build]
    with served(tmp_path, "verbose", workers=1, broken=build) as home:
        opener = Opener(home, home.user("max"))
        found = [words for point in kinds for words in killed(opener, "contacts: create", point)]
    assert any(words.startswith(f"{check}: ") for words in found), found


@dataclass
class Crash:
    """One crash, once it is over. at_death, looked, at_last: the writes when the worker died, when
    the user had looked round, and when the same form was sent again. again: what that was told.
    """

    point: str
    submit: Submit
    died: bool
    at_death: Calls
    listed: bool
    unfinished: list[str]
    records: int
    looked: Calls
    again: str = ""
    page: str = ""
    at_last: Calls = field(default_factory=Calls)
    done: bool = True


def killed(opener: Opener, button: str, point: str) -> list[str]:
    """The breaches of one submit whose worker is killed at one point."""
    home, browser = opener.home, opener.user.browser
    for model in (Write, Draft, RecordLock):
        model.objects.all().delete()
    home.fresh()
    submit = BUTTONS[button](opener, f"zk{time.time_ns()}x")
    known = {f"/unsure/{pk}/" for pk in Write.objects.values_list("pk", flat=True)}
    home.fresh()
    died, at_death = _kill(opener, submit, point), calls_of(home)
    _let_time_pass()
    unsure = links(browser.get("/unsure/"), r"/unsure/\d+/")
    drafts = links(browser.get("/unfinished/"), r"/.*\?draft=\d+")
    unfinished = [text_of(browser.get(url)) for url in (*unsure, *drafts)]
    kinds = {resource for resource, _ in submit.calls if resource in SAMPLES}
    records = sum(home.count(kind, "body LIKE ?", f"%{submit.mark}%") for kind in kinds)
    listed = bool(set(unsure) - known)
    crash = Crash(point, submit, died, at_death, listed, unfinished, records, calls_of(home))
    pages = browser.follow(browser.post(submit.url, submit.data, **submit.headers))
    crash.again, crash.page = verdict(pages[:1]), text_of(pages[min(1, len(pages) - 1)])
    crash.at_last, crash.done = calls_of(home), all(entry["effect"] for entry in home.writes())
    found = [f"{check.__name__}: {words}" for check in CHECKS for words in check(crash)]
    return found + checks.no_secret(browser.seen, home.log(), home.secrets())


def _kill(opener: Opener, submit: Submit, point: str) -> bool:
    """Submit, and kill the worker there; whether nobody answered."""
    home, headers = opener.home, {**submit.headers, "X-Kill-At": point}
    with ThreadPoolExecutor(1) as pool:
        world = "after" if point == "asked and done" else "before"
        for operation in {operation for _, operation in submit.calls} if point in WAITING else ():
            home.standin.fault(f"hang-{world}", operation=operation, times=1)
        answer = pool.submit(opener.user.browser.post, submit.url, submit.data, **headers)
        if point in WAITING:
            end = time.monotonic() + 10
            while not (calls_of(home) or answer.done()) and time.monotonic() < end:
                time.sleep(0.01)
            with suppress(ProcessLookupError):
                os.kill(int((home.folder / "at-work").read_text()), signal.SIGKILL)
        died = isinstance(answer.exception(), httpx.TransportError)
    home.standin.clear_faults()
    return died


def _let_time_pass() -> None:
    """End the locks of the dead worker, and the time in which its write may still be answered."""
    then = timezone.now() - LONG_AGO
    Write.objects.filter(state=Write.State.SENDING).update(sent_at=then)
    RecordLock.objects.update(until=then)


def reached(crash: Crash) -> list[str]:
    """The proof itself: there was a crash."""
    return [] if crash.died else ["the step was never reached"]


def once(crash: Crash) -> list[str]:
    """Nothing is sent by starting anew, and nothing twice by sending the form again."""
    words = []
    if crash.looked != crash.at_death:
        words.append(f"sent by itself: {dict(crash.looked - crash.at_death)}")
    if too_many := crash.at_last - crash.submit.calls:
        words.append(f"sent again: {dict(too_many)}")
    if crash.point in UNSENT and crash.at_death:
        words.append(f"sent before it was noted: {dict(crash.at_death)}")
    return words


def told(crash: Crash) -> list[str]:
    """The same form again is told the truth; what may have been sent is listed as Not sure. An
    update is Saved once its page was opened and has found it.
    """
    step, _, number = crash.point.partition(":")
    unclear, submit = step in UNCLEAR, crash.submit
    if int(number or 1) > submit.main and STILL_THERE in crash.page:
        return [] if crash.again == SAVED and unclear else [f"{step}: {crash.again}"]
    words = []
    is_update = {operation for _, operation in submit.calls} == {"update"}
    found = is_update and crash.listed and crash.again == SAVED
    if unclear and crash.again != NOT_SURE and not found:
        words.append(f"nobody can know, and the page says {crash.again}")
    # A deletion that was not sent is held again under a new token, and the old page says so.
    held_again = submit.deletes and HELD in crash.page and not crash.at_last
    if not unclear and crash.again != SAVED and not held_again:
        words.append(f"it can be known, and the page says {crash.again}")
    if unclear and not crash.listed:
        words.append("what may have been sent is not listed as not sure")
    if crash.again == SAVED and (submit.calls - crash.at_last or not crash.done):
        words.append(f"said to be saved: {dict(crash.at_last)}")
    if crash.again == NOT_SAVED and crash.at_last:
        words.append("said not to be saved, and was sent")
    return words


def kept(crash: Crash) -> list[str]:
    """What was typed is on a page that the user is led to, or in a record."""
    lost = [
        text for text in crash.submit.words if not any(text in page for page in crash.unfinished)
    ]
    return [f"typed, and gone: {lost}"] if lost and not crash.records else []


CHECKS = (reached, once, told, kept)
