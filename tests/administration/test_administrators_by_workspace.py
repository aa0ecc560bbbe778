"""Administrators change accounts of their own workspace and of none; superusers change all."""

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client
from django.urls import reverse

from dashboard.administration import staff_views
from dashboard.administration.actions import ACTIONS
from dashboard.people import keys, members, permissions
from dashboard.people.models import User
from tests.administration.pages import (
    LIST,
    change,
    deactivate,
    desk_of,
    noted,
    press,
    with_factor,
    with_pair,
)
from tests.conftest import person
from tests.helpers import mails, text
from tests.workspaces import of_name

POSTED = {
    "email": "mine@example.test",
    "username": "mine",
    "role": permissions.VIEWER,
    "first_name": "M",
}
ONLY = "Only a superuser or an administrator of that workspace can change it."


@pytest.fixture
def desk(administrator) -> Client:
    """The client of ada, an administrator of Globex, who has just given the password."""
    return desk_of(with_pair(administrator, "Globex"))


@pytest.fixture
def vera(viewer) -> User:
    """A member of Acme with a second step."""
    return with_factor(with_pair(viewer, "Acme"))


def posts(account: User) -> list[tuple[str, str, dict[str, str]]]:
    """Every post to every address of staff/ about an account: name, address, values."""
    buttons = {"act": ("action", ("invite", *ACTIONS))}
    found = []
    for pattern in staff_views.urlpatterns:
        if "pk" not in pattern.pattern.converters:
            continue
        field, values = buttons.get(pattern.name, ("", ("",)))
        path = reverse(f"staff:{pattern.name}", args=[account.pk])
        found += [(pattern.name, path, {**POSTED, field: value}) for value in values]
    return found


def stored(account: User) -> list[object]:
    tables = (User.objects.filter(pk=account.pk), Authenticator.objects)
    return [list(table.values()) for table in tables]


def test_every_post_about_an_account_of_another_workspace_is_refused_with_words(desk, vera):
    before = stored(vera)
    answers = [(name, desk.post(path, data)) for name, path, data in posts(vera)]
    taken = {name for name, answer in answers if answer.status_code != 405}
    assert taken == {"person", "act", "deactivate"}
    for name, answer in answers:
        if name in taken:
            assert (name, answer.status_code) == (name, 403)
            assert ONLY in text(answer)
    assert stored(vera) == before
    assert not noted()
    assert not mails()


def test_its_pages_say_who_may_change_it_and_show_nothing(desk, vera):
    for page in (desk.get(f"{LIST}{vera.pk}/{name}") for name in ("", "deactivate/")):
        assert page.status_code == 403
        assert ONLY in text(page)


def test_the_list_names_it_without_role_and_second_step(desk, vera):
    page = desk.get(LIST).content.decode()
    row = page.split(f"{LIST}{vera.pk}/")[1].split("</tr>")[0]
    assert "Another workspace" in row
    assert not any(words in row for words in (permissions.VIEWER, "On", "Active"))
    assert "vera@example.test" not in text(desk.get(LIST, {"q": "viewer"}))
    assert "vera@example.test" in text(desk.get(LIST, {"q": "vera"}))


def test_the_list_of_its_own_workspace_shows_all_of_it(client_of, vera):
    bob = with_pair(person("bob", permissions.ADMINISTRATOR), "Acme")
    row = client_of(bob).get(LIST).content.decode().split(f"{LIST}{vera.pk}/")[1]
    assert permissions.VIEWER in row.split("</tr>")[0]


def test_a_superuser_changes_it(vera):
    desk = desk_of(person("root", is_superuser=True))
    change(desk, vera, email="new@example.test", role=permissions.EDITOR)
    press(desk, vera, "second_factor")
    assert vera.email == "new@example.test"
    assert User.objects.get(pk=vera.pk).role == permissions.EDITOR
    assert not Authenticator.objects.exists()


def test_accounts_without_keys_are_changed_by_every_administrator(desk, viewer):
    change(desk, viewer, role=permissions.EDITOR)
    assert User.objects.get(pk=viewer.pk).role == permissions.EDITOR


@pytest.mark.parametrize("state", ["a member", "invited"])
def test_an_account_without_keys_that_could_join_another_workspace_belongs_to_it(
    desk, viewer, state
):
    if state == "invited":
        members.invite(viewer, of_name("Acme"), by=None)
    else:
        keys.remove(with_pair(viewer, "Acme"))
    assert deactivate(desk, viewer).status_code == 403
    assert viewer.is_active


def test_an_administrator_without_keys_changes_no_account_with_keys(administrator, vera):
    desk = desk_of(administrator)
    assert change(desk, vera, role=permissions.EDITOR).status_code == 403
    assert User.objects.get(pk=vera.pk).role == permissions.VIEWER
