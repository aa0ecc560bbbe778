"""Notices about an account go to its former address as well, for a week after it was replaced."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from dashboard.accounts import roles
from dashboard.accounts.models import FormerAddress, User
from dashboard.operations import tidying
from tests.conftest import PASSWORD, person
from tests.helpers import mails, text
from tests.staff.pages import change, desk_of, links, mailed, press, with_factor

NEW, OLD = "new@example.test", "vera@example.test"
ROOT = "root@example.test"


@pytest.fixture
def root(db) -> Client:
    """The client of a superuser, whose changes of an account need no second person."""
    return desk_of(person("root", is_superuser=True))


def told_since(count: int) -> dict[str, str]:
    """The texts of the mails after so many, by their address."""
    return {message.to[0]: message.body for message in mails()[count:]}


@pytest.mark.parametrize("what", ["name", "role", "second_factor", "deactivate", "invite"])
def test_each_change_is_told_at_the_former_address(root, viewer, what):
    with_factor(viewer)
    change(root, viewer, email=NEW)
    count = len(mails())
    if what == "name":
        change(root, viewer, first_name="Vera")
    elif what == "role":
        change(root, viewer, role=roles.EDITOR)
    else:
        press(root, viewer, what)
    told = told_since(count)
    assert set(told) == {NEW, OLD}
    assert "has changed your Entry Desk account" in told[OLD]
    assert not links(told[OLD])


@pytest.mark.parametrize(("days", "told"), [(6, {NEW, OLD}), (8, {NEW})])
def test_it_is_told_for_a_week_and_then_forgotten(root, viewer, days, told):
    change(root, viewer, email=NEW)
    count = len(mails())
    with time_machine.travel(timezone.now() + timedelta(days=days)):
        desk = desk_of(User.objects.get(username="root"))
        change(desk, viewer, first_name="Vera")
        assert set(told_since(count)) == told
    FormerAddress.objects.update(replaced_at=timezone.now() - timedelta(days=days))
    assert tidying.tidy()["former addresses"] == 2 - len(told)
    assert FormerAddress.objects.count() == len(told) - 1


def test_every_address_of_the_week_is_told(root, viewer):
    change(root, viewer, email="between@example.test")
    change(root, viewer, email=NEW)
    press(root, viewer, "deactivate")
    assert "Active: yes is now no" in mailed()[OLD]
    assert "Active: yes is now no" in mailed()["between@example.test"]


def test_a_link_that_somebody_asks_for_is_told_at_the_former_address_without_the_link(root, viewer):
    change(root, viewer, email=NEW)
    count = len(mails())
    Client().post("/accounts/password/reset/", {"email": NEW})
    told = told_since(count)
    assert links(told[NEW])
    assert not links(told[OLD])
    assert "Somebody asked for a link" in told[OLD]


def test_what_somebody_changes_after_signing_in_is_told_at_the_former_address(root, viewer):
    change(root, viewer, email=NEW)
    browser = Client()
    browser.post("/accounts/login/", {"login": "vera", "password": PASSWORD})
    count = len(mails())
    values = {
        "oldpassword": PASSWORD,
        "password1": "a grazing horse",
        "password2": "a grazing horse",
    }
    page = browser.post("/accounts/password/change/", values, follow=True)
    assert page.status_code == 200, text(page)
    assert set(told_since(count)) == {NEW, OLD}
