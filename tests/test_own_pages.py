"""A list page shows the name, token, role, messages, keys and theme of its own user."""

import pytest

from dashboard.people import permissions
from dashboard.people.keys import store_refusal
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


def test_refused_keys_are_reported_only_to_their_owner(desk, manager, of, editor):
    store_refusal(manager)
    assert "rejected your API keys" in desk.get("/help/").content.decode()
    assert "rejected your API keys" not in of(editor).content.decode()
