"""The shell: menu, theme, messages, and pages outside it."""

import re
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from dashboard.shell import CREATE, MANY, SETTINGS, VIEW, WAITING, WORK, MenuEntry, menu
from dashboard.templating import icon

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
    assert 'type="password"' in page


def test_a_body_in_another_encoding_is_a_bad_request_and_no_more(client):
    kind = "application/x-www-form-urlencoded; charset=utf-16"
    browser = Client(enforce_csrf_checks=True)
    browser.get(reverse("account_login"))
    response = browser.post(reverse("account_login"), b"login=ada", content_type=kind)
    assert response.status_code == 400
    assert "This request makes no sense here" in response.content.decode()


def test_a_failed_sign_in_says_so_on_top_and_beside_the_field(client):
    page = client.post(reverse("account_login"), {"login": "ada"}).content.decode()
    assert "<title>Error: Sign in" in page
    assert 'href="#id_password"' in page
    assert 'id="id_password_error"' in page
    assert 'aria-invalid="true"' in page


def test_the_shell_shows_whose_page_it_is(client, ada):
    page = client.get(reverse("account_change_password")).content.decode()
    assert "ada@example.org" in page
    assert 'id="announcer"' in page


def test_what_django_asks_of_a_password_is_a_list(client, ada):
    page = client.get(reverse("account_change_password")).content.decode()
    assert "<ul><li>Your password" in page
    assert "&lt;" not in page


def test_only_the_pages_are_needed_that_a_first_visit_can_afford(client, ada):
    page = client.get(reverse("account_change_password")).content.decode()
    assert page.count("<script") + page.count("stylesheet") <= 6


@pytest.mark.parametrize(("chosen", "kept"), [("dark", "dark"), ("light", "light"), ("", None)])
def test_the_theme_is_remembered_by_the_browser(client, chosen, kept):
    client.cookies["theme"] = "light"
    answer = client.post(
        reverse("theme"),
        {"theme": chosen},
        headers={"referer": "http://testserver/accounts/login/"},
    )
    assert answer["Location"] == "http://testserver/accounts/login/"
    page = client.get(reverse("account_login")).content.decode()
    assert ('data-bs-theme="' in page) == bool(kept)
    assert (f'data-bs-theme="{kept}"' in page) == bool(kept)


def test_an_unknown_theme_cookie_is_ignored(client):
    client.cookies["theme"] = '"><script>'
    assert "data-bs-theme" not in client.get(reverse("account_login")).content.decode()


def test_changing_the_theme_leads_nowhere_else(client):
    answer = client.post(
        reverse("theme"), {"theme": "dark"}, headers={"referer": "https://elsewhere.example/"}
    )
    assert answer["Location"] == "/"


def test_a_missing_page_says_so(client, ada):
    answer = client.get("/nothing-here/")
    assert answer.status_code == 404
    assert "There is nothing at this address" in answer.content.decode()


def test_a_stale_form_is_explained(ada):
    from tests.page import InspectingClient

    strict = InspectingClient(enforce_csrf_checks=True)
    answer = strict.post(reverse("theme"), {"theme": "dark"})
    assert answer.status_code == 403
    assert "This page was open for too long" in answer.content.decode()


def test_a_fault_of_ours_has_a_page_that_needs_nothing(rf):
    from django.views.defaults import server_error

    from tests.page import inspect

    html = server_error(rf.get("/")).content.decode()
    assert "Something went wrong here" in html
    assert inspect(html) == []


def entries(*permissions: str, section: str = "", **waiting: int) -> list[MenuEntry]:
    """What the menu offers to somebody with these permissions."""
    return [entry for group in menu({"", *permissions}, section, waiting) for entry in group]


def test_the_menu_shows_what_is_allowed_and_where_one_is():
    allowed = entries(VIEW, CREATE, section="contacts")
    assert [entry.item.label for entry in allowed if entry.current] == ["Contacts"]
    assert "/contacts/new/" in [entry.create_url for entry in allowed]
    assert not any(entry.create_url for entry in entries(VIEW))


def test_the_menu_counts_what_waits():
    counts = {entry.item.label: entry.count for entry in entries(CREATE, unsure=3)}
    assert counts == {"Unfinished": "", "Not sure": "3", "Your keys": ""}
    assert f"{MANY}+" in [entry.count for entry in entries(CREATE, unfinished=MANY + 5)]


def test_the_menu_is_drawn_with_keys_and_the_current_page_marked(client_of, editor):
    page = client_of(editor).get("/settings/keys/").content.decode()
    assert page.count('aria-current="page"') == 1
    assert 'data-key="g c"' in page
    assert "New contact" in page


def test_no_key_is_given_twice():
    keys = [item.key for item in (*WORK, *WAITING, *SETTINGS)]
    assert len(keys) == len(set(keys))


def test_the_menu_leaves_out_what_is_not_allowed():
    assert "Contacts" not in [entry.item.label for entry in entries()]


def test_every_icon_that_is_named_exists():
    templates = Path(__file__).parent.parent / "templates"
    named = {item.icon for item in (*WORK, *WAITING, *SETTINGS)}
    for path in templates.rglob("*.html"):
        named.update(re.findall(r'icon\("([\w-]+)"', path.read_text(encoding="utf-8")))
    assert all(icon(name).startswith("<svg") for name in named)


def test_the_bar_is_each_persons_own_and_its_form_works(client_of, viewer, editor):
    tokens = []
    for person, other in ((viewer, editor), (editor, viewer), (viewer, editor)):
        page = client_of(person).get("/settings/keys/").content.decode()
        assert person.email in page
        assert other.email not in page
        tokens += re.findall(r'name="csrfmiddlewaretoken" value="([^"]{64})"', page)[:1]
    assert len(set(tokens)) == 3


def test_the_form_of_the_bar_carries_a_token_that_is_accepted(viewer):
    client = Client(enforce_csrf_checks=True)
    client.force_login(viewer)
    page = client.get("/settings/keys/").content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[1]
    assert client.post("/theme/", {"theme": "dark", "csrfmiddlewaretoken": token}).status_code < 400
    assert client.post("/theme/", {"theme": "dark"}).status_code == 403


@pytest.mark.parametrize(
    ("address", "action", "words"),
    [
        ("/invoices/", "/invoices/", "Search invoices"),
        ("/leads/", "/leads/", "Search leads"),
        ("/settings/keys/", "/contacts/", "Search contacts"),
    ],
)
def test_the_search_on_top_looks_where_one_is(client_of, viewer, address, action, words):
    page = client_of(viewer).get(address).content.decode()
    form = re.search(r'<form class="bar-search"[^>]*>.*?</form>', page, re.DOTALL)[0]
    assert f'action="{action}"' in form
    assert f'aria-label="{words}"' in form
