"""What stands around a list is drawn once for all who see the same, and shows nobody else's."""

import re

import pytest
from django.test import Client

from dashboard.accounts import roles
from dashboard.credentials.services import note_refusal
from dashboard.records.lists import sorting, table
from dashboard.records.lists.query import ListQuery
from dashboard.records.pages.form_drafts import GONE
from dashboard.resources.contacts import CONTACTS
from dashboard.shell import frame_html
from tests.conftest import person

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_frame_drawn():
    frame_html.cache_clear()
    table.around.cache_clear()


@pytest.fixture
def of(client_of, with_keys):
    """The page of an address for somebody whose keys are connected."""
    return lambda user, address="/contacts/": client_of(with_keys(user)).get(address)


def drawn() -> int:
    """How many frames have been rendered."""
    return frame_html.cache_info().misses


def test_two_people_of_one_role_share_a_frame_and_keep_their_names(of):
    for name in ("ada", "grace"):
        page = of(person(name, roles.MANAGER)).content.decode()
        other = "grace" if name == "ada" else "ada"
        assert f"{name}@" in page
        assert f"{other}@" not in page
    assert drawn() == 1
    assert table.around.cache_info().misses == 1


def test_what_stands_around_the_rows_is_of_this_very_list(of, manager):
    """Of its search, its order, its size, its page, and of what the service sorts by by now."""
    for address in ("", "?sort=cstname", "?sort=cstname&order=desc", "?size=10", "?size=10&page=2"):
        of(manager, f"/contacts/{address}")
    assert table.around.cache_info().misses == 5
    assert "sort=cstemail" in of(manager).content.decode()
    sorting.remember(ListQuery(CONTACTS, sort="cstemail"))
    assert "sort=cstemail" not in of(manager).content.decode()


def test_who_may_not_create_is_offered_nothing_to_create(of, manager, viewer):
    assert 'href="/contacts/new/"' in of(manager).content.decode()
    assert "/new/" not in of(viewer).content.decode()
    nobody = "/tasks/?search=nobody-is-called-this"
    assert 'href="/tasks/new/"' in of(manager, nobody).content.decode()
    assert "/new/" not in of(viewer, nobody).content.decode()
    assert "/new/" not in of(viewer, "/tasks/").content.decode()


def test_every_answer_has_a_token_of_its_own_that_counts(of, client_of, manager):
    first, second = (token_in(of(manager)) for _ in range(2))
    assert first != second
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(manager)
    token = token_in(browser.get("/contacts/"))
    posted = browser.post("/theme/", {"csrfmiddlewaretoken": token, "theme": "dark"})
    assert posted.status_code == 302


def token_in(page) -> str:
    """The hidden token of the form in the bar."""
    return re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.content.decode())[1]


def test_the_search_typed_and_the_theme_chosen_are_on_the_page(of, client_of, manager):
    assert (
        'value="zebra &amp; co"' in of(manager, "/contacts/?search=zebra %26 co").content.decode()
    )
    assert 'value="zebra' not in of(manager).content.decode()
    browser = client_of(manager)
    browser.cookies["theme"] = "dark"
    assert 'data-bs-theme="dark"' in browser.get("/contacts/").content.decode()
    assert "data-bs-theme" not in of(manager).content.decode()


def test_a_message_is_shown_to_its_own_person_alone(of, desk, editor):
    assert GONE in desk.get("/contacts/?draft=999").content.decode()
    assert GONE not in desk.get("/contacts/").content.decode()
    assert GONE not in of(editor).content.decode()


def test_refused_keys_are_said_on_the_list_of_their_owner_alone(desk, manager, of, editor):
    note_refusal(manager)
    assert "refuses your API keys" in desk.get("/contacts/").content.decode()
    assert "refuses your API keys" not in of(editor).content.decode()


def test_nothing_that_is_typed_can_stand_for_what_is_put_in(of, manager):
    page = of(manager, "/contacts/?search=</form>{{ content }}").content.decode()
    assert page.count('class="bar"') == page.count('class="list-bar"') == 1
