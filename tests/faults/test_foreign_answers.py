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
from .judge import apart
from .options import FULL, OPTIONS
from .samples import SAMPLES

KINDS = [kind for kind in OPTIONS.kinds or cases.KINDS if kind.startswith("answer-")]
PAUSE = 0.05  # seconds; longer than the stand-in waits with an answer that comes later
ROUNDS = 3
AT_ONCE = 20
RESOURCES = OPTIONS.resources or (list(SAMPLES) if FULL else ["contacts", "invoices"])


@pytest.fixture(scope="module")
def records(home):
    """The records of two workspaces, whose texts tell which of the two they are of."""
    return {name: workspaces.mark_all(home.standin, name) for name in workspaces.MARKS}


@pytest.fixture(scope="module")
def users(home, records):
    return [home.user(f"u-{mark}", name) for name, mark in workspaces.MARKS.items()]


@pytest.fixture
def strike(home, users):
    """strike(kind): the fault meets the calls of the first user."""
    home.fresh()
    yield lambda kind, **where: home.standin.fault(kind, pair=users[0].pair, **where)
    home.fresh()


@pytest.mark.parametrize("resource", RESOURCES)
@pytest.mark.parametrize("kind", KINDS)
def test_no_foreign_word_one_after_the_other(users, strike, kind, resource):
    url = SAMPLES[resource].url
    for _ in range(ROUNDS):
        strike(kind, operation="list", resource=resource, times=1)
        for user in users:
            user.browser.get(url)
            time.sleep(PAUSE)
            user.browser.get(f"{url}?search={workspaces.MARKS[user.workspace]}")
    assert [*apart(users)] == []


@pytest.mark.parametrize("resource", RESOURCES)
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != cases.TOO_LATE_TO_TELL])
def test_no_foreign_word_on_many_pages_at_once(users, strike, kind, resource):
    url = SAMPLES[resource].url
    strike(kind)
    start = threading.Barrier(AT_ONCE)

    def read(number):
        try:
            start.wait()
            for _ in range(ROUNDS):
                users[number % 2].browser.get(url)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(read, range(AT_ONCE)))
    assert [*apart(users)] == []


@pytest.mark.parametrize("resource", RESOURCES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_refused_create_is_not_told_saved(home, users, records, strike, kind, resource):
    """The create of one user is struck, and the next one, of the other workspace, is refused."""
    sample = SAMPLES[resource]
    forms = [form_of(user, sample, records[user.workspace]["contacts"][0]) for user in users]
    strike(kind, operation="create")
    home.standin.fault("status-422-before", operation="create", pair=users[1].pair)
    pages = [
        user.browser.follow(user.browser.post(f"{sample.url}new/", data))
        for user, data in zip(users, forms, strict=True)
    ]
    refused = [entry for entry in home.writes() if entry["status"] == 422]
    assert verdict(pages[1]) != SAVED or not refused
    assert [*apart(users)] == []


def form_of(user, sample, customer):
    typed = workspaces.placed(sample.typed("zf"), user.workspace, customer)
    return filled(user.browser.get(f"{sample.url}new/"), typed)
