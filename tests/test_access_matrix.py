"""Every address by every method for everybody: one table of what is answered.

The addresses come from the resolver, and who may open each from `test_access.EXPECTED`.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dashboard.office.models import ListVersion, RecentRecord, UnnamedReference
from dashboard.people import permissions
from dashboard.people.models import User
from dashboard.standin import StandIn
from tests.conftest import PASSWORD, person
from tests.every_page import paths
from tests.test_access import ADDRESSES, EXPECTED, PUBLIC, SIGNED_IN
from tests.test_headers import pages
from tests.test_workspaces_apart import ann, oscar, samples

__all__ = ["ann", "oscar", "samples"]  # fixtures

OTHER_METHODS = ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND")
NOBODY, DEACTIVATED, ROLELESS, SUPERUSER = "nobody", "deactivated", "without a role", "superuser"
PEOPLE = (NOBODY, DEACTIVATED, ROLELESS, *permissions.ROLES, SUPERUSER)
SIGNED_OUT = (NOBODY, DEACTIVATED)
OPEN, REFUSED, SIGN_IN, NOT_SO = "open", "refused", "sign in", "not by this method"
ENDS_THE_SESSION = "account_logout"
WITHOUT_TOKEN = {"unfinished:keep"}  # checks the signed mark of the form instead
# What pages note by themselves: who looks at what, and references that nobody has named.
OWN_NOTES = {
    "django_session",
    *(each._meta.db_table for each in (ListVersion, RecentRecord, UnnamedReference)),
}

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def client_of(who: str, *, checks: bool = False) -> Client:
    """A signed-in client; that of a deactivated person was signed in before."""
    client = Client(raise_request_exception=False, enforce_csrf_checks=checks)
    if who == NOBODY:
        return client
    details: dict[str, Any] = {"is_superuser": True} if who == SUPERUSER else {}
    user = person("somebody", who if who in permissions.ROLES else "", **details)
    client.force_login(user)
    if who == DEACTIVATED:
        User.objects.filter(pk=user.pk).update(is_active=False)
    return client


def expected(who: str, needs: str) -> str:
    """What a page that needs a permission answers somebody."""
    if needs == PUBLIC:
        return OPEN
    if who in SIGNED_OUT:
        return SIGN_IN
    if needs == SIGNED_IN or who == SUPERUSER:
        return OPEN
    return OPEN if needs in permissions.ROLES.get(who, ()) else REFUSED


def outcome(answer: Any) -> str:
    if answer.status_code == 302 and "/accounts/login/?next=" in answer["Location"]:
        return SIGN_IN
    return {403: REFUSED, 405: NOT_SO}.get(answer.status_code, OPEN)


@pytest.mark.parametrize("who", PEOPLE)
def test_pages_open_for_those_who_may_and_for_nobody_else(who):
    client, wrong = client_of(who), []
    for name, needs in EXPECTED.items():
        if name == ENDS_THE_SESSION:
            continue
        wanted = expected(who, needs)
        head = wanted != OPEN and who in (NOBODY, permissions.VIEWER)
        for method in ("get", "head") if head else ("get",):
            answer = getattr(client, method)(ADDRESSES[name])
            if answer.status_code >= 500 or outcome(answer) not in (wanted, NOT_SO):
                wrong.append((name, method, answer.status_code))
    assert wrong == []


@pytest.mark.parametrize("who", [NOBODY, permissions.VIEWER, permissions.ADMINISTRATOR])
def test_no_address_takes_another_method(who):
    client = client_of(who)
    cells = [(name, method) for name in EXPECTED for method in OTHER_METHODS]
    assert len(cells) > 1_000
    found = {cell: client.generic(cell[1], ADDRESSES[cell[0]]).status_code for cell in cells}
    assert {cell: status for cell, status in found.items() if status != 405} == {}


@pytest.mark.parametrize("who", [NOBODY, permissions.VIEWER, permissions.ADMINISTRATOR])
def test_no_form_is_taken_without_its_token(who):
    client = client_of(who, checks=True)
    found = {name: client.post(ADDRESSES[name], {"csrfmiddlewaretoken": "a" * 64}).status_code
             for name in EXPECTED}  # fmt: skip
    assert {name for name, code in found.items() if code not in (403, 405)} == WITHOUT_TOKEN


def test_no_form_is_taken_from_another_site(db):
    """The right token does not help; without the name of a site, it does."""
    client = client_of(permissions.ADMINISTRATOR, checks=True)
    client.get("/contacts/new/")
    token = {"csrfmiddlewaretoken": client.cookies["csrftoken"].value}
    for origin, code in (("https://evil.invalid", 403), ("null", 403), ("http://testserver", 200)):
        found = client.post("/accounts/", token, headers={"origin": origin})
        assert found.status_code == code, origin


@pytest.mark.parametrize("who", PEOPLE)
def test_forms_are_taken_from_those_who_may(who):
    client, wrong = client_of(who), []
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})  # staff pages ask for it
    for name, needs in EXPECTED.items():
        if name in (ENDS_THE_SESSION, "account_session"):
            continue
        answer = client.post(ADDRESSES[name], {})
        allowed = (expected(who, needs), NOT_SO)  # 405: the page has no form
        if answer.status_code >= 500 or outcome(answer) not in allowed:
            wrong.append((name, answer.status_code))
    assert wrong == []


def test_opening_a_page_writes_nothing(
    administrator, with_keys: Callable, gateway: Any, standin: StandIn
):
    client = Client(raise_request_exception=False)
    client.force_login(with_keys(administrator))
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    opened = pages(gateway)
    with CaptureQueriesContext(connection) as queries:
        found = [client.get(path).status_code for path in opened.values()]
    assert found.count(200) > 80
    assert [one["path"] for one in standin.ledger() if one["method"] != "GET"] == []
    verbs = ("INSERT INTO", "UPDATE", "DELETE FROM")
    written = {one["sql"].split('"')[1] for one in queries if one["sql"].startswith(verbs)}
    assert written - OWN_NOTES == set()


def test_rows_of_another_workspace_are_not_there(samples, ann, oscar):
    client = Client(raise_request_exception=False)
    client.force_login(oscar)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    spaces = ("jobs", "imports", "bulk", "unfinished", "unsure", "catalogue")
    rows = {
        name: path
        for name, path in paths(samples).items()
        if name.split(":")[0] in spaces and re.search("/[0-9]+/", path)
    }
    assert len(rows) > 20
    for method in ("get", "head", "post"):
        found = {name: getattr(client, method)(path).status_code for name, path in rows.items()}
        assert {name: code for name, code in found.items() if code not in (403, 404, 405)} == {}
