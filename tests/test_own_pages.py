"""A list page shows the name, token, role, messages, keys and theme of its own user."""

import re

import pytest
from django.test import Client

from dashboard.people import permissions
from dashboard.people.keys import store_refusal
from dashboard.records.form_drafts import DRAFT_GONE_MESSAGE
from tests.conftest import person

pytestmark = pytest.mark.django_db


@pytest.fixture
def of(client_of, with_keys):
    """of(user, address): the page for a user with keys."""
    return lambda user, address="/contacts/": client_of(with_keys(user)).get(address)


def test_two_users_of_one_role_see_their_own_names(of):
    for name in ("ada", "grace"):
        page = of(person(name, permissions.MANAGER)).content.decode()
        other = "grace" if name == "ada" else "ada"
        assert f"{name}@" in page
        assert f"{other}@" not in page


def test_a_user_who_may_not_create_sees_no_create_links(of, manager, viewer):
    assert 'href="/contacts/new/"' in of(manager).content.decode()
    assert "/new/" not in of(viewer).content.decode()
    nobody = "/tasks/?search=nobody-is-called-this"
    assert 'href="/tasks/new/"' in of(manager, nobody).content.decode()
    assert "/new/" not in of(viewer, nobody).content.decode()
    assert "/new/" not in of(viewer, "/tasks/").content.decode()


def test_every_response_has_a_new_valid_token(of, manager):
    first, second = (token_in(of(manager)) for _ in range(2))
    assert first != second
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(manager)
    token = token_in(browser.get("/contacts/"))
    posted = browser.post("/theme/", {"csrfmiddlewaretoken": token, "theme": "dark"})
    assert posted.status_code == 302


def token_in(page) -> str:
    return re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.content.decode())[1]


def test_a_message_is_shown_only_to_its_user(of, desk, editor):
    assert DRAFT_GONE_MESSAGE in desk.get("/contacts/new/?draft=999").content.decode()
    assert DRAFT_GONE_MESSAGE not in desk.get("/contacts/").content.decode()
    assert DRAFT_GONE_MESSAGE not in of(editor).content.decode()


def test_refused_keys_are_reported_only_to_their_owner(desk, manager, of, editor):
    store_refusal(manager)
    assert "rejected your API keys" in desk.get("/help/").content.decode()
    assert "rejected your API keys" not in of(editor).content.decode()
