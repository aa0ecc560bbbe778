"""One form, pressed many times at the same moment: one call, and everybody told the same."""

import itertools
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from . import served
from .oracles import NOT_SAVED, NOT_SURE, SAVED
from .presses import Calls, Hands, Opener, Press, verdict
from .served import Browser

# What the service does meanwhile, and what everybody is to be told.
WEATHER = {
    "": SAVED,
    "slow:0.3": SAVED,
    "reset-after": NOT_SURE,
    "status-422": NOT_SAVED,
}
UNDER_WAY, STILL = "/unsure/form/", "Still being saved"
AGAIN_AFTER = 0.1  # seconds
numbers = itertools.count(1)


class Runner:
    """Presses one button after the other, each from many threads."""

    def __init__(self, hands: Hands, posts: int) -> None:
        self.hands = hands
        self.home = hands.home
        self.posts = posts

    def run(self, opener: Opener, weather: str) -> list[str]:
        """The breaches of one button in one weather."""
        mark = f"zp{next(numbers)}x{time.time_ns() % 10**9}"
        self.home.fresh()
        press = opener(self.hands, mark)
        self.home.fresh()
        if weather:
            operations = {operation for _, operation in press.calls}
            for operation in operations if weather != "slow:0.3" else {"*"}:
                self.home.standin.fault(weather, operation=operation)
        answers = self._pressed(press)
        self.home.standin.clear_faults()
        return [
            *once(self._calls(), press, WEATHER[weather]),
            *same(answers, press, WEATHER[weather]),
            *no_secret(self.hands.site, answers),
        ]

    def _pressed(self, press: Press) -> list[httpx.Response]:
        """All of them at once."""
        line = threading.Barrier(self.posts)

        def one(_: int) -> httpx.Response:
            line.wait()
            return outcome(self.hands.browser, press)

        with ThreadPoolExecutor(self.posts) as pool:
            return list(pool.map(one, range(self.posts)))

    def _calls(self) -> Calls:
        return calls_of(self.home.ledger())


def outcome(browser: Browser, press: Press) -> httpx.Response:
    """What one press is told in the end, after the pages that say "Still being saved"."""
    answer = browser.post(press.url, press.data, **press.headers)
    while STILL in answer.text:  # a dialog: pressed again, it gets the outcome of the first press
        time.sleep(AGAIN_AFTER)
        answer = browser.post(press.url, press.data, **press.headers)
    place = answer.headers.get("Location", "")
    while place.startswith(UNDER_WAY):
        time.sleep(AGAIN_AFTER)
        answer = browser.get(place)
        place = answer.headers.get("Location", place)
    return answer


def calls_of(ledger: list[dict[str, Any]]) -> Calls:
    """How many writes of (resource, operation)."""
    writes = {"create", "update", "delete"}
    return Counter(
        (entry["resource"], entry["operation"]) for entry in ledger if entry["operation"] in writes
    )


def once(calls: Calls, press: Press, expected: str) -> list[str]:
    """Exactly the calls of one press; where the first of several fails, not even those."""
    too_many = calls - press.calls
    missing = press.calls - calls if expected == SAVED else Counter()
    return [f"once: {count} too many of {name}" for name, count in too_many.items()] + [
        f"once: {count} missing of {name}" for name, count in missing.items()
    ]


def same(answers: list[httpx.Response], press: Press, expected: str) -> list[str]:
    """Everybody is told what is true, and led to the same page."""
    told = Counter(f"{verdict(answer)} ({answer.status_code})" for answer in answers)
    words = []
    if any(verdict(answer) != expected for answer in answers) and press.alike:
        words.append(f"same: expected {expected}, told {dict(told)}")
    if any(answer.status_code >= 500 for answer in answers) and expected != NOT_SAVED:
        words.append(f"same: {dict(told)}")
    places = {answer.headers.get("Location", "") for answer in answers}
    if len(places) > 1 and press.alike and expected != NOT_SAVED:
        words.append(f"same: led to {sorted(places)}")
    return words


def no_secret(site: served.Site, answers: list[httpx.Response]) -> list[str]:
    """No key on any page."""
    texts = [answer.text for answer in answers] + [site.log()]
    return [
        "no_secret: a page or log line shows a key"
        for secret in site.home.secrets()
        if any(secret in text for text in texts)
    ]
