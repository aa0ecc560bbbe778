"""The worker is killed at each step of each write, and the dashboard starts anew on its database:
what was typed is there, what may have been sent is Not sure, and nothing is sent by itself.
"""

import itertools
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

import httpx
from django.utils import timezone

from dashboard.drafts.models import Draft
from dashboard.outbox.models import RecordLock, Submission
from dashboard.standin.resources import RESOURCES

from .house import wait_for
from .oracles import NOT_SAVED, NOT_SURE, SAVED
from .parallel import calls_of
from .presses import Calls, Hands, Opener, Press, verdict
from .rows import ROWS
from .served import AT_WORK, links, text_of

# Steps inside the worker (see wsgi.py), in their order; then those where it waits for the service.
UNSENT = ("lock acquired", "no row", "row not committed")
NOTED = ("row committed", "answered")
TOLD = ("outcome noted", "in the history", "before the page")
WAITING = ("asked and not done", "asked and done")
STEPS = (*UNSENT, *NOTED[:1], *WAITING, *NOTED[1:], *TOLD)
UNCLEAR = {*NOTED, *WAITING}
WITH_LOCK = {"update", "delete"}
STILL_THERE = "may still be there"  # said of a lead that was to go in the end
HELD = "not sent yet"
LONG_AGO = timedelta(seconds=60)  # longer than a write takes, and than a lock may be held
numbers = itertools.count(1)


def points(name: str, calls: int) -> Iterator[str]:
    """Where to kill during a press that makes so many calls: "answered", "answered:2", ..."""
    for step in STEPS:
        if step == "lock acquired" and name.partition(": ")[2] not in WITH_LOCK:
            continue
        per_press = step in {"before the page", *WAITING}
        yield from (
            step if number == 1 else f"{step}:{number}"
            for number in range(1, 1 + (1 if per_press else calls))
        )


@dataclass
class Seen:
    """One crash, once it is over. `died`: nobody answered. `looked`: writes after a look round,
    which found the pages `unfinished` and so many `records`; then the same form came again.
    """

    point: str
    press: Press
    died: bool
    at_death: Calls
    looked: Calls
    again: str
    status: int
    at_last: Calls
    done: bool
    listed: bool
    unfinished: list[str]
    records: int
    pages: list[str]


class Runner:
    """Kills, looks round, presses again."""

    def __init__(self, hands: Hands) -> None:
        self.hands = hands
        self.home = hands.home
        self.browser = hands.browser

    def run(self, opener: Opener, point: str) -> list[str]:
        """The breaches of one press, killed at one point."""
        for model in (Submission, Draft, RecordLock):
            model.objects.all().delete()
        mark = f"zk{next(numbers)}x{time.time_ns() % 10**9}"
        self.home.fresh()
        press = opener(self.hands, mark)
        before = set(Submission.objects.values_list("pk", flat=True))
        self.home.fresh()
        died = self._killed(press, point)
        at_death = self._calls()
        self._time_passes()
        unfinished, listed = self._look_round(before)
        looked, records = self._calls(), self._records(press)
        answer = self.browser.post(press.url, press.data, **press.headers)
        done = all(entry["effect"] for entry in self._writes())
        pages = [text_of(answer), self._next(answer)]
        seen = Seen(
            point, press, died, at_death, looked, verdict(answer), answer.status_code,
            self._calls(), done, listed, unfinished, records, pages,
        )  # fmt: skip
        return [*judge(seen), *self._secrets(seen)]

    def _killed(self, press: Press, point: str) -> bool:
        """Press, and die there; whether nobody answered."""
        headers = {**press.headers, "X-Kill-At": point}
        with ThreadPoolExecutor(1) as pool:
            if point in WAITING:
                world = "after" if point == "asked and done" else "before"
                for operation in {operation for _, operation in press.calls}:
                    self.home.standin.fault(f"hang-{world}", operation=operation, times=1)
            answer = pool.submit(self.browser.post, press.url, press.data, **headers)
            if point in WAITING:
                wait_for(lambda: self._calls() or answer.done(), 10)
                with suppress(ProcessLookupError):
                    os.kill(int((self.hands.site.folder / AT_WORK).read_text()), signal.SIGKILL)
            died = isinstance(answer.exception(), httpx.TransportError)
        self.home.standin.clear_faults()
        return died

    def _time_passes(self) -> None:
        """What the dead worker held is let go of after a while; that while is over."""
        now = timezone.now()
        sending = Submission.objects.filter(state=Submission.State.SENDING)
        sending.update(started_at=now - LONG_AGO)
        RecordLock.objects.update(until=now - LONG_AGO)

    def _look_round(self, before: set[int]) -> tuple[list[str], bool]:
        """What the person finds after signing in again: every page of what is not finished; and
        whether a write of unknown outcome is among them.
        """
        unsure = links(self.browser.get("/unsure/"), r"/unsure/\d+/")
        new = [url for url in unsure if int(url.split("/")[2]) not in before]
        drafts = links(self.browser.get("/unfinished/"), r"/.*\?draft=\d+")
        pages = [self.browser.get(url) for url in (*unsure, *drafts)]
        self.browser.get("/contacts/")
        return [text_of(page) for page in pages], bool(new)

    def _next(self, answer: httpx.Response) -> str:
        """The page that an answer leads to, the messages on it included."""
        place = answer.headers.get("Location", "")
        return text_of(self.browser.get(place)) if place else ""

    def _writes(self) -> list[dict[str, object]]:
        writes = {"create", "update", "delete"}
        return [entry for entry in self.home.ledger() if entry["operation"] in writes]

    def _calls(self) -> Calls:
        return calls_of(self.home.ledger())

    def _records(self, press: Press) -> int:
        """How many records of the service hold all that was typed, or a part of it."""
        store = self.home.standin.store
        kinds = {resource for resource, _ in press.calls}
        return sum(
            len(store.page(RESOURCES[kind], [("body LIKE ?", f"%{press.mark}%")], "id", 10, 0))
            for kind in kinds
            if kind in ROWS
        )

    def _secrets(self, seen: Seen) -> list[str]:
        texts = [*seen.unfinished, *seen.pages, self.hands.site.log()]
        found = [key for key in self.home.secrets() if any(key in text for text in texts)]
        return [f"no_secret: {len(found)} keys are shown"] if found else []


def judge(seen: Seen) -> list[str]:
    """Every breach, as "oracle: words"."""
    oracles = (killed, once, told, kept)
    return [f"{oracle.__name__}: {words}" for oracle in oracles for words in oracle(seen)]


def killed(seen: Seen) -> list[str]:
    """The proof itself: there was a crash."""
    return [] if seen.died else ["the step was never reached"]


def once(seen: Seen) -> list[str]:
    """Nothing is sent by starting anew, and nothing twice by pressing again."""
    words = []
    if seen.looked != seen.at_death:
        words.append(f"sent by itself: {dict(seen.looked - seen.at_death)}")
    if too_many := seen.at_last - seen.press.calls:
        words.append(f"sent again: {dict(too_many)}")
    if seen.point in UNSENT and seen.at_death:
        words.append(f"sent before it was noted: {dict(seen.at_death)}")
    return words


def told(seen: Seen) -> list[str]:
    """The same form again is told the truth; what may have been sent is listed as Not sure."""
    words = []
    step, _, number = seen.point.partition(":")
    if int(number or 1) > seen.press.main and STILL_THERE in seen.pages[-1]:
        return [] if seen.again == SAVED and step in UNCLEAR else [f"{step}: {seen.again}"]
    if step in UNCLEAR and seen.again != NOT_SURE:
        words.append(f"nobody can know, and the page says {seen.again} ({seen.status})")
    if step not in UNCLEAR and seen.again != SAVED and not _asks(seen):
        words.append(f"it can be known, and the page says {seen.again} ({seen.status})")
    if step in UNCLEAR and not seen.listed:
        words.append("what may have been sent is not listed as not sure")
    if seen.again == SAVED and (seen.press.calls - seen.at_last or not seen.done):
        words.append(f"said to be saved: {dict(seen.at_last)}")
    if seen.again == NOT_SAVED and seen.at_last:
        words.append("said not to be saved, and was sent")
    return words


def _asks(seen: Seen) -> bool:
    """A deletion that never left is held again, under a token of its own: the old page says so."""
    held = seen.press.held and seen.status == 409 and HELD in "".join(seen.pages)
    return held and not seen.at_last


def kept(seen: Seen) -> list[str]:
    """What was typed is on a page that the person is led to, or in a record."""
    lost = [text for text in seen.press.words if not any(text in page for page in seen.unfinished)]
    return [f"typed, and gone: {lost}"] if lost and not seen.records else []
