"""One form submitted many times at once makes one call, and everybody is told the same."""

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from . import broken, buttons, checks
from .browser import NOT_SAVED, NOT_SURE, SAVED, verdict
from .buttons import BUTTONS, Opener, calls_of
from .environment import served
from .options import FULL, OPTIONS

# What the service does meanwhile, and what everybody is to be told.
FAULTS = {"": SAVED, "slow:1.5": SAVED, "reset-after": NOT_SURE, "status-422": NOT_SAVED}
UNDER_WAY, STILL = "/unsure/form/", "Still being saved"
AGAIN_AFTER = 0.1  # seconds
CASES = [
    (button, fault)
    for button in buttons.chosen(OPTIONS.resources or [] if FULL else ["contacts"], OPTIONS.steps)
    for fault in OPTIONS.kinds or (FAULTS if FULL else ["", "reset-after"])
]


@pytest.fixture(scope="module")
def opener(unblocked, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parallel")
    with served(folder, OPTIONS.profile, OPTIONS.broken) as home:
        yield Opener(home, home.user("max"))


@pytest.mark.parametrize(("button", "fault"), CASES)
def test_many_submits_at_once_make_one_call(opener, button, fault):
    assert submitted_at_once(opener, button, fault) == []


@pytest.mark.short
@pytest.mark.parametrize("build", broken.in_turn("parallel"))
def test_a_broken_build_is_found(unblocked, tmp_path, build):
    fault, check = broken.BUILDS["parallel"][build]
    with served(tmp_path, "verbose", build) as home:
        breaches = submitted_at_once(Opener(home, home.user("max")), "contacts: create", fault)
    assert any(words.startswith(f"{check}: ") for words in breaches), breaches


def submitted_at_once(opener, button, fault):
    """The breaches of one button under one fault."""
    home, browser, expected = opener.home, opener.user.browser, FAULTS[fault]
    home.fresh()
    submit = BUTTONS[button](opener, f"zp{button.replace(': ', '')}x{len(fault)}".replace(" ", ""))
    home.fresh()
    for operation in {operation for _, operation in submit.calls} if fault else ():
        home.standin.fault(fault, operation="*" if fault == "slow:1.5" else operation)
    start = threading.Barrier(OPTIONS.posts)

    def post(_):
        start.wait()
        return outcome(browser, submit)

    with ThreadPoolExecutor(OPTIONS.posts) as pool:
        answers = list(pool.map(post, range(OPTIONS.posts)))
    home.standin.clear_faults()
    return once(calls_of(home), submit, expected) + same(answers, submit, expected) + secret(home)


def outcome(browser, submit):
    """What one submit is told in the end, after the pages that say "Still being saved"."""
    answer = browser.post(submit.url, submit.data, **submit.headers)
    while STILL in answer.text:  # a dialog: sent again, it gets the outcome of the first submit
        time.sleep(AGAIN_AFTER)
        answer = browser.post(submit.url, submit.data, **submit.headers)
    place = answer.headers.get("Location", "")
    while place.startswith(UNDER_WAY):
        time.sleep(AGAIN_AFTER)
        answer = browser.get(place)
        place = answer.headers.get("Location", place)
    return answer


def once(calls, submit, expected):
    """Exactly the calls of one submit; where the first of several fails, not even those."""
    missing = submit.calls - calls if expected == SAVED else {}
    return [f"once: {n} too many of {name}" for name, n in (calls - submit.calls).items()] + [
        f"once: {n} missing of {name}" for name, n in missing.items()
    ]


def same(answers, submit, expected):
    """Everybody is told what is true, and led to the same page."""
    verdicts = Counter(f"{verdict([answer])} ({answer.status_code})" for answer in answers)
    words = []
    if submit.alike and any(verdict([answer]) != expected for answer in answers):
        words.append(f"same: expected {expected}, told {dict(verdicts)}")
    if expected != NOT_SAVED and any(answer.status_code >= 500 for answer in answers):
        words.append(f"same: {dict(verdicts)}")
    places = {answer.headers.get("Location", "") for answer in answers}
    if submit.alike and expected != NOT_SAVED and len(places) > 1:
        words.append(f"same: led to {sorted(places)}")
    return words


def secret(home):
    """No key on any page or log line."""
    return checks.no_secret(home.users[0].browser.seen, home.log(), home.secrets())
