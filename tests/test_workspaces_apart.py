"""No page, export or cached value of one workspace reaches somebody of another with the same name.

Everything that can be kept for a workspace carries a word. A member meets it all over; an
administrator of the other workspace, who opens the same addresses with the same ids, does not. Nor
does somebody whose keys change while pages are opened.
"""

import os
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from dashboard.gateway import CONTACTS, ENDPOINTS
from dashboard.office.models import ListEntry, SavedView, UnnamedReference
from dashboard.people import members, permissions
from dashboard.people.keys import connect
from dashboard.people.models import KeyPair, Membership, Workspace
from dashboard.search.models import ContactMark
from dashboard.writes.models import Draft
from tests.conftest import PASSWORD, person
from tests.every_page import WORD, kept_for, paths
from tests.jobs.conftest import work

pytestmark = pytest.mark.slow

EVERY_PAGE = os.environ.get("KEYS_CHANGE") == "all"
SHOWN_TO_ALL = 25  # addresses at least that show the word to a member, so that the test can fail


@pytest.fixture
def ann(db, standin) -> Any:
    return member("ann", standin.keys["acme"][0])


@pytest.fixture
def oscar(db, standin) -> Any:
    return member("oscar", standin.keys["globex"][0])


def member(name: str, keys: tuple[str, str]) -> Any:
    """An administrator of a workspace of their own, called Acme."""
    user = person(name, permissions.ADMINISTRATOR)
    connect(user, access=keys[0], secret=keys[1], workspace=members.create_workspace("Acme"))
    return user


@pytest.fixture
def samples(ann, oscar, gateway_to) -> dict[str, dict[str, Any]]:
    """What addresses take, by namespace or name: records of the other workspace, rows of ann's."""
    found: dict[str, dict[str, Any]] = {}
    for endpoint in ENDPOINTS:
        row = gateway_to("globex").list(endpoint, page_size=1).records[0]
        found[endpoint.name] = {"record_id": row.id}
    records = {name: sample["record_id"] for name, sample in found.items()}
    return found | kept_for(ann, ann.key_pair.workspace_id, records)


def showing(client: Any, addresses: dict[str, str]) -> set[str]:
    """The names of those addresses whose answers hold the word."""
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return {name for name, path in addresses.items() if WORD in read(client.get(path))}


def read(response: Any) -> str:
    body = b"".join(response.streaming_content) if response.streaming else response.content
    return f"{response.headers}{body.decode(errors='replace')}"


def test_no_address_shows_what_another_workspace_of_the_same_name_keeps(
    samples, ann, oscar, client_of, gateway_to
):
    body = {"cstname": WORD, "contact_type": Decimal(1)}
    gateway_to("acme").create(CONTACTS, {**body, "contact_type": 1})
    addresses = paths(samples)
    assert len(addresses) > 120
    mine = showing(client_of(ann), addresses)  # fills every cache, too
    assert len(mine) >= SHOWN_TO_ALL, sorted(mine)
    assert {"contacts:list", "history:list", "history csv", "jobs:list", "job csv", "imports:show",
            "catalogue:export", "deals:create", "deals by view"} <= mine  # fmt: skip
    assert showing(client_of(oscar), addresses) == set()


NUMBER = "+493012345678"


def test_who_calls_is_found_in_ones_own_workspace_alone(ann, oscar, client_of, gateway_to):
    body = {"cstname": WORD, "contact_type": 1, "cstmobile": NUMBER}
    gateway_to("acme").create(CONTACTS, body)
    mine, theirs = client_of(ann), client_of(oscar)
    for client in (mine, theirs):
        client.post("/search/", {"q": NUMBER})
    work()
    assert WORD in read(mine.post("/search/", {"q": NUMBER}))
    for typed in (NUMBER, "030 12345678", WORD):
        assert WORD not in read(theirs.post("/search/", {"q": typed, "hits": "1"})).replace(
            f'data-found-for="{WORD}"', ""
        ).replace(f"No results for “{WORD}”", "")
    marks = [
        set(ContactMark.objects.filter(index__workspace=each).values_list("mark", flat=True))
        for each in (ann.key_pair.workspace, oscar.key_pair.workspace)
    ]
    assert all(marks)
    assert marks[0].isdisjoint(marks[1])


def test_no_post_changes_what_another_workspace_keeps(samples, ann, oscar, client_of):
    spaces = ("jobs", "imports", "bulk", "unfinished", "catalogue", "setup", "deals")
    posted = {
        name: path
        for name, path in paths(samples).items()
        if name.partition(":")[0] in spaces and name != "deals:create"
    }
    before = kept(ann.key_pair.workspace_id)
    other = client_of(oscar)
    for path in posted.values():
        other.post(path, {"did": "up", "name": "x", "code": "61"})
    assert kept(ann.key_pair.workspace_id) == before


def kept(workspace: str) -> list[Any]:
    from dashboard.imports.models import Import
    from dashboard.jobs.models import Job

    tables = (ListEntry, UnnamedReference, SavedView, Draft, Job, Import)
    rows = [list(one.objects.filter(workspace=workspace).order_by("pk").values()) for one in tables]
    return [*rows, Workspace.objects.values().get(pk=workspace)]


class Midway:
    """Makes a change in the middle of a request: after one of its database statements."""

    def __init__(self, change: Callable[[], None], *, after: int) -> None:
        self.change = change
        self.left = after

    def __call__(self, execute: Any, *statement: Any) -> Any:
        result = execute(*statement)
        self.left -= 1
        if self.left == 0:
            self.change()
        return result


class Mover:
    """Somebody who has keys of both workspaces, and what can happen to them."""

    def __init__(self, user: Any, ann: Any, oscar: Any, keys: dict[str, Any]) -> None:
        self.user, self.keys = user, keys
        self.first, self.second = ann.key_pair.workspace, oscar.key_pair.workspace

    def begin(self) -> None:
        access, secret = self.keys["acme"][1]
        connect(self.user, access=access, secret=secret, workspace=self.first)

    def connect_others(self) -> None:
        access, secret = self.keys["globex"][1]
        connect(self.user, access=access, secret=secret, workspace=self.second)

    def be_removed(self) -> None:
        members.remove(Membership.objects.get(user=self.user, workspace=self.first))


@pytest.fixture
def mover(ann, oscar, standin) -> Mover:
    return Mover(person("petra", permissions.ADMINISTRATOR), ann, oscar, standin.keys)


CHANGES = ("connect_others", "be_removed")  # what happens to Mover during a request


def test_keys_that_change_during_a_request_take_no_word_along(samples, mover):
    addresses = paths(samples)
    client = Client()
    client.force_login(mover.user)
    mover.begin()
    mine = showing(client, addresses)
    assert len(mine) >= SHOWN_TO_ALL
    chosen = {name for index, name in enumerate(sorted(addresses)) if EVERY_PAGE or index % 9 == 0}
    for change in CHANGES:
        for index, name in enumerate(sorted(chosen | mine)):
            mover.begin()
            midway = Midway(getattr(mover, change), after=2 + index % 6)
            with connection.execute_wrapper(midway):
                assert client.get(addresses[name]).status_code != 500, (change, name)
            if midway.left > 0:  # it asked the database less often
                getattr(mover, change)()
            assert KeyPair.objects.get(user=mover.user).workspace_id != mover.first.pk
            assert WORD not in read(client.get(addresses[name])), (change, name)
