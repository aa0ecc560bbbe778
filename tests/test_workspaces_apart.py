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
from django.urls import NoReverseMatch, URLResolver, get_resolver, reverse
from django.utils import timezone

from dashboard import resources
from dashboard.accounts import roles
from dashboard.catalogue.kinds import KIND_SPECS, Kind
from dashboard.catalogue.models import ListEntry, UnnamedReference
from dashboard.catalogue.services import fill
from dashboard.credentials import members
from dashboard.credentials.models import KeyPair, Membership, Workspace
from dashboard.credentials.services import connect, gateway_for
from dashboard.drafts.models import Draft
from dashboard.gateway import CONTACTS, ENDPOINTS
from dashboard.imports import file_reading, storage
from dashboard.jobs import services as jobs
from dashboard.ledger import services as ledger
from dashboard.preferences import repeats
from dashboard.preferences import services as preferences
from dashboard.preferences.models import SavedView
from dashboard.preferences.repeats import Plan
from dashboard.reader.sealed_cache import owner_of
from dashboard.scans.models import ContactMark
from dashboard.standin.reference_data import reference_data
from dashboard.text.rhythm import WEEKLY
from tests.conftest import PASSWORD, person
from tests.jobs.conftest import work

pytestmark = pytest.mark.slow

WORD = "Quokka"
LEFT_OUT = {"account_logout", "mfa_view_recovery_codes", "mfa_generate_recovery_codes"}
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
    user = person(name, roles.ADMINISTRATOR)
    connect(user, access=keys[0], secret=keys[1], workspace=members.begin("Acme"))
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


def kept_for(user: Any, workspace: str, records: dict[str, int]) -> dict[str, dict[str, Any]]:
    """Fill every table that a workspace has rows in with the word."""
    for tenant in ("acme", "globex"):
        lists = reference_data(tenant)
        fill(workspace, {name: [row | named(row) for row in lists[name]] for name in lists})
    for kind in Kind:
        UnnamedReference.objects.create(
            workspace=workspace, kind=kind, code="987654", place=f"{WORD} 1", url="/"
        )
    owner = owner_of(gateway_for(user))
    for resource, record in records.items():
        write_history(user, owner, workspace, resource, record)
    place = {"user": user.pk, "workspace": workspace}
    preferences.remember_conversion(**place, source=records["estimates"],
                                    made=records["invoices"], label=WORD)  # fmt: skip
    for _ in range(2):
        preferences.remember_days(
            workspace=workspace, customer=records["contacts"], days=77, usual=30
        )
    today = timezone.localdate()
    plan = Plan(WEEKLY, begins_on=today, next_on=today)
    again = {"resource": "invoices", "record_id": records["invoices"], "plan": plan}
    repeats.store(user.pk, workspace, **again, title=WORD, about=WORD)
    text = {"subject": WORD, "text": WORD}
    preferences.change_reminder_texts(workspace, {"friendly": text})
    view = SavedView(user=user, workspace=workspace, resource="deals", shared=True)
    view.name, view.params = WORD, f"search={WORD}"
    view.save()
    draft = Draft.objects.create(person=user, workspace=workspace, path="/", key="k")
    begun = {"person": user, "owner": owner, "workspace": workspace, "title": WORD}
    job = jobs.create(**begun, kind="create contacts", resource="contacts", rows=[{"label": WORD}])
    table = storage.create(user, workspace, "contacts", f"{WORD}.csv", f"Name\n{WORD}\n")
    file_reading.read_file.call(table.pk, table.asked)
    entry = ListEntry.objects.filter(workspace=workspace, kind=Kind.TAX).first()
    rows = {"jobs": job, "exports": job, "imports": table, "unfinished": draft}
    found = {space: {"pk": row.pk} for space, row in rows.items()}
    found |= {f"{each.name}:edit_view": {"pk": view.pk} for each in resources.ALL}
    return found | {
        "catalogue": {"pk": entry.pk if entry else 0, "slug": KIND_SPECS[Kind.TAX].slug}
    }


def named(row: dict[str, Any]) -> dict[str, Any]:
    return {"name": f"{WORD} {row['name']}"} if "name" in row else {}


def write_history(user: Any, owner: str, workspace: str, resource: str, record: int) -> None:
    row = ledger.begin(ledger.NewWrite(
        person=user, owner=owner, workspace=workspace, resource=resource, record_id=record,
        operation="update", token=ledger.new_token(), label=WORD, changes={"Name": ("old", WORD)},
    ))  # fmt: skip
    ledger.finish(row, "saved", message="")


def paths(samples: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Every address that can be built, by its name; with its table and its spreadsheet."""
    found = {}
    for name, wanted in names(get_resolver(), ""):
        space = name.partition(":")[0]
        given = {"name": "contacts", "pk": 1, **samples.get(space, {}), **samples.get(name, {})}
        try:
            found[name] = reverse(name, kwargs={key: given[key] for key in wanted})
        except (KeyError, NoReverseMatch):
            continue
    view = samples["deals:edit_view"]["pk"]
    extra = {
        "history csv": "/history/?format=csv",
        "deals by view": f"/deals/?view=v{view}",
        "job csv": f"{found['jobs:show']}?format=csv",
    }
    lists = {f"list {kind}": f"/settings/lists/{KIND_SPECS[kind].slug}/" for kind in Kind}
    return {name: path for name, path in found.items() if name not in LEFT_OUT} | extra | lists


def names(resolver: URLResolver, space: str) -> Any:
    """The name of every address, and what it takes."""
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            yield from names(entry, f"{space}{entry.namespace}:" if entry.namespace else space)
        elif entry.name:
            yield f"{space}{entry.name}", entry.pattern.converters
    return


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
        ).replace(f"Nothing matches “{WORD}”", "")
    marks = [
        set(ContactMark.objects.filter(directory__workspace=each).values_list("mark", flat=True))
        for each in (ann.key_pair.workspace, oscar.key_pair.workspace)
    ]
    assert all(marks)
    assert marks[0].isdisjoint(marks[1])


def test_no_post_changes_what_another_workspace_keeps(samples, ann, oscar, client_of):
    spaces = ("jobs", "exports", "imports", "bulk", "unfinished", "catalogue", "setup", "deals")
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
    return Mover(person("petra", roles.ADMINISTRATOR), ann, oscar, standin.keys)


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
