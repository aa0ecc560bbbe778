"""The page frame: menu, theme, messages; and pages without it."""

import re
from itertools import chain
from unittest.mock import Mock

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from dashboard.people.permissions import EDIT_RECORDS, VIEW_RECORDS
from dashboard.schema.menu import OTHERS, SETTINGS, menu_groups, permitted
from dashboard.site.shell import MAX_BADGE, Shell

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(client):
    user = get_user_model().objects.create_user("ada", "ada@example.org", "ada-types-fast")
    client.force_login(user)
    return user


def test_sign_in_asks_for_name_and_password(client):
    page = client.get(reverse("account_login")).content.decode()
    assert "<h1>Sign in</h1>" in page
    assert 'name="login"' in page
    assert re.search(r'<input type="password"[^>]* autocomplete="current-password"', page)
    assert "onpaste" not in page


def test_a_body_in_another_encoding_gets_a_400_page(client):
    kind = "application/x-www-form-urlencoded; charset=utf-16"
    browser = Client(enforce_csrf_checks=True)
    browser.get(reverse("account_login"))
    response = browser.post(reverse("account_login"), b"login=ada", content_type=kind)
    assert response.status_code == 400
    assert "Entry Desk could not read this" in response.content.decode()


def test_only_the_pages_are_needed_that_a_first_visit_can_afford(client, ada):
    page = client.get(reverse("account_change_password")).content.decode()
    assert page.count("<script") + page.count("stylesheet") <= 6


@pytest.mark.parametrize(("chosen", "kept"), [("dark", "dark"), ("light", "light"), ("", None)])
def test_the_theme_is_stored_in_a_cookie(client, chosen, kept):
    client.cookies["theme"] = "light"
    answer = client.post(
        reverse("theme"),
        {"theme": chosen},
        headers={"referer": "http://testserver/accounts/login/"},
    )
    assert answer["Location"] == "http://testserver/accounts/login/"
    page = client.get(reverse("account_login")).content.decode()
    assert ('data-theme="' in page) == bool(kept)
    assert (f'data-theme="{kept}"' in page) == bool(kept)


def test_an_unknown_theme_cookie_is_ignored(client):
    client.cookies["theme"] = '"><script>'
    assert "data-theme=" not in client.get(reverse("account_login")).content.decode()


def test_changing_the_theme_redirects_to_this_site_only(client):
    answer = client.post(
        reverse("theme"), {"theme": "dark"}, headers={"referer": "https://elsewhere.example/"}
    )
    assert answer["Location"] == "/"


def test_a_failed_csrf_check_gets_an_explanation(ada):
    from tests.page import InspectingClient

    strict = InspectingClient(enforce_csrf_checks=True)
    answer = strict.post(reverse("theme"), {"theme": "dark"})
    assert answer.status_code == 403
    assert "This page has expired" in answer.content.decode()


def test_the_500_page_renders_without_context(rf):
    from django.views.defaults import server_error

    from tests.page import inspect

    html = server_error(rf.get("/")).content.decode()
    assert "Something went wrong" in html
    assert 'class="brand"' in html
    assert inspect(html) == []


def in_menu(*permissions: str) -> list[str]:
    return [page.label for page in permitted(chain(*menu_groups()), permissions)]


def test_the_menu_has_the_permitted_pages():
    assert "Contacts" in in_menu(VIEW_RECORDS)
    assert in_menu(EDIT_RECORDS) == ["Unfinished", "Not sure", "Imports and jobs"]
    assert in_menu() == []


def test_the_menu_marks_the_current_page_and_offers_new_records_to_editors(desk, client_of, viewer):
    for client, offers in ((desk, True), (client_of(viewer), False)):
        side = client.get("/contacts/").content.decode().partition("</aside>")[0]
        assert re.findall(r'href="([^"]*)"[^>]* aria-current="page"', side) == ["/contacts/"]
        assert ("/contacts/new/" in side) == offers


def test_the_menu_shows_counts(rf, editor):
    request = rf.get("/")
    request.user, request.sidebar = editor, Mock(forms=MAX_BADGE + 5, unresolved=3)
    assert Shell(request).waiting == {"unfinished": f"{MAX_BADGE}+", "unsure": "3"}


def test_shortcuts_are_unique():
    keys = [page.key for page in chain(*menu_groups(), OTHERS) if page.key]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("role", ["viewer", "editor", "manager", "administrator"])
def test_the_settings_lead_to_every_page_that_one_may_open(client_of, request, role):
    client = client_of(request.getfixturevalue(role))
    page = client.get("/settings/").content.decode().partition("<main")[2]
    offered = set(re.findall(r'<li>.*?<a href="([^"]+)">', page))
    for each in (page for group in SETTINGS.values() for page in group):
        allowed = client.get(each.url).status_code != 403
        assert (each.url in offered) == allowed, each.label


def test_the_settings_are_marked_in_the_side_on_their_pages(client_of, administrator):
    client = client_of(administrator)
    for address in ("/settings/", "/settings/keys/", "/history/", "/accounts/two-step/"):
        side = client.get(address).content.decode().partition("</aside>")[0]
        assert re.search(r'href="/settings/" aria-current="page"', side), address


@pytest.mark.parametrize(
    ("address", "label"),
    [
        ("/accounts/", "Your account"),
        ("/settings/lists/items/", "Names and codes"),
        ("/staff/invite/", "Staff"),
        ("/accounts/two-step/", "Your account"),
    ],
)
def test_the_pages_of_the_settings_stand_beside_each_of_them(
    client_of, administrator, address, label
):
    page = client_of(administrator).get(address).content.decode()
    [column] = re.findall(r'<nav class="settings-nav".*?</nav>', page, re.DOTALL)
    assert re.findall(r'aria-current="page">([^<]+)', column) == [label]
    assert 'href="/settings/"' in column
    for group in SETTINGS.values():
        assert all(f">{each.label}</a>" in column for each in group)
