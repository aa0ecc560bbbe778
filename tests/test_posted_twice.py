"""Every form of every page posted twice: one row and one effect in the service.

The same form is sent by two threads at the same moment, as from two tabs, on a database of its own.
.ci/run sends the forms of some pages; POSTED_TWICE=0,0.2,2 sends every form, the second
time after so many seconds.
"""

import os
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client

from dashboard.people import permissions
from tests.conftest import PASSWORD
from tests.every_page import Forms, every_path
from tests.faults.environment import Environment, environment
from tests.page_forms import PageForm

pytestmark = pytest.mark.slow

CHOSEN = os.environ.get("POSTED_TWICE", "")
APART, STEP = ([float(each) for each in CHOSEN.split(",")], 1) if CHOSEN else ([0.0], 16)
ALWAYS = ("/leads/import/", "/leads/new/", "/deals/views/save/")  # the ends of addresses
COUNTED = ("jobs.Job", "office.SavedView", "imports.Import", "people.User",
           "office.ListEntry", "writes.Write", "jobs.Export")  # fmt: skip
"""What a form creates at most one row of."""
SEVERAL = {
    "/replace/": "a write that creates, and one that deletes",
    "/pick-up/": "an entry for each name that records have",
    "/not-named-yet/": "an entry for each name that was typed",
}
"""By the end of the address: why a form adds more than one row of a kind."""


@pytest.fixture
def home(tmp_path: Any, django_db_blocker: Any) -> Iterator[Environment]:
    if connection.vendor != "sqlite":
        pytest.skip("the database of this proof is an SQLite file")
    with django_db_blocker.unblock(), environment(tmp_path) as found:
        yield found


@pytest.fixture
def client(home: Environment) -> Client:
    account = home.user("ada").account
    permissions.set_role(account, permissions.ADMINISTRATOR)
    client = Client(raise_request_exception=False)
    client.force_login(account)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


def all_forms(home: Environment, client: Client) -> list[PageForm]:
    """The forms of the chosen pages, with rows of every table behind them."""
    pages, forms = list(every_path(home.users[0].account).values()), Forms(client)
    chosen = dict.fromkeys([*(page for page in pages if page.endswith(ALWAYS)), *pages[::STEP]])
    return [form for page in chosen for form in forms.of(page) if form.method == "post"]


def filled(form: PageForm) -> dict[str, list[str]]:
    """What the form sends, with something in each empty text."""
    return {
        name: [value or _word(name) for value in values] for name, values in form.data().items()
    }


def _word(name: str) -> str:
    if "email" in name:
        return "zed@zed.example"
    return "Zed" if name.endswith(("name", "title", "text")) else ""


def rows() -> Counter[str]:
    return Counter({name: apps.get_model(name).objects.count() for name in COUNTED})


def post_twice(client: Client, form: PageForm, data: dict[str, Any], apart: float) -> list[int]:
    """The statuses of two posts: at the same moment, or `apart` seconds after one another."""
    start = Barrier(2)

    def post(number: int) -> int:
        own = Client(raise_request_exception=False)
        own.cookies = client.cookies
        start.wait()
        time.sleep(apart * number)
        try:
            return own.post(form.action, data).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(post, range(2)))


@pytest.mark.parametrize("apart", APART)
def test_a_form_that_is_posted_twice_has_one_effect(home, client, apart):
    wrong, sent, forms = [], 0, all_forms(home, client)
    assert len(forms) > 60 / STEP
    for form in forms:
        button = dict(form.buttons[:1])
        data = filled(form) | {name: [value] for name, value in button.items()}
        before = rows()
        home.fresh()
        statuses = post_twice(client, form, data, apart)
        sent += 1
        calls = Counter((one["resource"], one["operation"]) for one in home.writes())
        added = rows() - before
        is_several = form.action.endswith(tuple(SEVERAL))
        more = {name: n for name, n in added.items() if n > 1 and not is_several}
        twice = {call: n for call, n in calls.items() if n > 1}
        if more or twice or (max(statuses) >= 500 and form.action != "/readyz"):
            wrong.append((form.action, statuses, more, twice))
    assert wrong == []
    print(f"{sent} of {len(forms)} forms")
