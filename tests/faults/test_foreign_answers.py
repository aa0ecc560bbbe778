"""No page shows an answer to a request of another workspace, and no write that the service refused
is told Saved, though the service sends answers twice, too early, or to the wrong request.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from . import cases, workspaces
from .browser import SAVED, filled, verdict
from .options import FULL, OPTIONS
from .samples import SAMPLES
from .soak_checks import apart
from .visitor import Visitor

KINDS = [kind for kind in OPTIONS.kinds or cases.KINDS if kind.startswith("answer-")]
PAUSE = 0.05  # seconds; longer than the stand-in waits with an answer that comes later
ROUNDS = 3
AT_ONCE = 20
RESOURCES = OPTIONS.resources or (list(SAMPLES) if FULL else ["contacts", "invoices"])


@pytest.fixture(scope="module")
def visitors(home):
    """Users of two workspaces whose texts tell which of the two they are of."""
    visitors_of_each = []
    for name, mark in workspaces.MARKS.items():
        records = workspaces.mark_all(home.standin, name)
        visitors_of_each.append(Visitor(home.user(f"u-{mark}", name), records["contacts"][0]))
    return visitors_of_each


@pytest.fixture
def strike(home, visitors):
    """strike(kind): the fault meets the calls of the first user."""
    home.fresh()
    yield lambda kind, **where: home.standin.fault(kind, pair=visitors[0].user.pair, **where)
    home.fresh()


def foreign(visitors):
    return [words for visitor in visitors for words in apart(visitor, visitor.browser.seen)]


@pytest.mark.parametrize("resource", RESOURCES)
@pytest.mark.parametrize("kind", KINDS)
def test_no_foreign_word_one_after_the_other(visitors, strike, kind, resource):
    url = SAMPLES[resource].url
    for _ in range(ROUNDS):
        strike(kind, operation="list", resource=resource, times=1)
        for visitor in visitors:
            visitor.browser.get(url)
            time.sleep(PAUSE)
            visitor.browser.get(f"{url}?search={workspaces.MARKS[visitor.workspace]}")
    assert foreign(visitors) == []


@pytest.mark.parametrize("resource", RESOURCES)
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != cases.TOO_LATE_TO_TELL])
def test_no_foreign_word_on_many_pages_at_once(visitors, strike, kind, resource):
    url = SAMPLES[resource].url
    strike(kind)
    start = threading.Barrier(AT_ONCE)

    def read(number):
        try:
            start.wait()
            for _ in range(ROUNDS):
                visitors[number % 2].browser.get(url)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(read, range(AT_ONCE)))
    assert foreign(visitors) == []


@pytest.mark.parametrize("resource", RESOURCES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_refused_create_is_not_told_saved(home, visitors, strike, kind, resource):
    """The create of one user is struck, and the next one, of the other workspace, is refused."""
    sample = SAMPLES[resource]
    forms = [form_of(visitor, sample) for visitor in visitors]
    strike(kind, operation="create")
    home.standin.fault("status-422-before", operation="create", pair=visitors[1].user.pair)
    pages = [
        visitor.browser.follow(visitor.browser.post(f"{sample.url}new/", data))
        for visitor, data in zip(visitors, forms, strict=True)
    ]
    refused = [entry for entry in home.writes() if entry["status"] == 422]
    assert verdict(pages[1]) != SAVED or not refused
    assert foreign(visitors) == []


def form_of(visitor, sample):
    typed = workspaces.placed(sample.typed("zf"), visitor.workspace, visitor.customer)
    return filled(visitor.browser.get(f"{sample.url}new/"), typed)
