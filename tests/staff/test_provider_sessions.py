"""Sessions that single sign-on has begun: groups that are lost meanwhile, and signing out there."""

from urllib.parse import parse_qs, urlsplit

import pytest
import time_machine
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.utils import timezone

from dashboard.accounts import provider_sessions, roles
from dashboard.accounts.models import User
from dashboard.ledger import history
from dashboard.ledger.models import Event
from tests.conftest import PASSWORD
from tests.helpers import mails, text
from tests.page import InspectingClient as Client
from tests.staff.identity_provider import CLIENT, MISSING, is_signed_in, sign_in

MINUTE = 60
IDLE = 45 * MINUTE
SIGN_OUT = "/accounts/logout/"


@pytest.fixture
def now():
    with time_machine.travel(timezone.now(), tick=False) as traveller:
        yield traveller


@pytest.fixture
def browser(provider, now, viewer, administrator) -> Client:
    return sign_in(provider)


def role_of(user: User) -> str:
    return User.objects.get(pk=user.pk).role


def in_use(browser: Client, now, minutes: int) -> bool:
    """Whether the browser is still signed in after so many minutes of use."""
    for _ in range(minutes // 5):
        now.shift(5 * MINUTE)
        if not is_signed_in(browser):
            return False
    return True


@pytest.mark.parametrize("groups", [["canteen"], [], None])
def test_whoever_loses_all_groups_loses_role_and_sessions_within_ten_minutes(
    browser, provider, now, viewer, groups
):
    other = Client()
    other.post("/accounts/login/", {"login": "vera", "password": PASSWORD})
    assert is_signed_in(other)
    provider.claims["groups"] = groups
    now.shift(9 * MINUTE)
    assert is_signed_in(browser)
    now.shift(2 * MINUTE)
    asked = browser.get("/contacts/")
    assert asked["Location"].startswith("/accounts/login/?next=")
    assert not is_signed_in(other)
    assert role_of(viewer) == ""
    entry = Event.objects.filter(resource=history.STAFF).latest("pk")
    assert (entry.who, entry.person) == ("single sign-on", None)
    assert history.details(entry).changes == {
        "Open sessions": ("2", "0"),
        "Role": (roles.EDITOR, ""),
    }
    told = [message for message in mails() if "Role: Editor is now (empty)" in message.body]
    assert "Single sign-on has changed your Entry Desk account" in told[0].body


def test_another_group_gives_its_role_during_the_session(browser, provider, now, viewer):
    provider.claims["groups"] = ["desk-admins"]
    now.shift(11 * MINUTE)
    assert is_signed_in(browser)
    assert role_of(viewer) == roles.ADMINISTRATOR
    entry = Event.objects.filter(resource=history.STAFF).latest("pk")
    assert entry.who == "single sign-on"


def test_whoever_keeps_the_groups_works_on(browser, now, viewer):
    assert in_use(browser, now, 120)
    assert role_of(viewer) == roles.EDITOR


@pytest.mark.parametrize(
    ("userinfo", "answers"),
    [
        ({}, {"/userinfo": b"busy"}),
        ({}, {"/userinfo": []}),
        ({}, {"/.well-known/openid-configuration": b"busy"}),
        ({"groups": MISSING}, {}),
        ({"sub": "2"}, {}),
    ],
)
def test_without_an_answer_a_session_ends_after_the_idle_time(
    browser, provider, now, viewer, userinfo, answers
):
    provider.userinfo, provider.answers = userinfo, answers
    assert in_use(browser, now, 40)
    assert not in_use(browser, now, 10)
    assert role_of(viewer) == roles.EDITOR
    provider.userinfo, provider.answers = {}, {}
    assert is_signed_in(sign_in(provider))


def test_a_token_that_ends_leads_to_the_sign_in_after_the_idle_time_also_at_work(
    browser, provider, now, viewer
):
    """No other token is asked for in between (docs/configuration.md, "Single sign-on")."""
    assert in_use(browser, now, 30)
    provider.tokens_end = True
    assert in_use(browser, now, 35)
    assert not in_use(browser, now, 15)
    provider.tokens_end = False
    again = sign_in(provider)
    assert in_use(again, now, 60)
    assert role_of(viewer) == roles.EDITOR


def test_an_answer_lets_the_idle_time_begin_anew(browser, provider, now):
    provider.answers = {"/userinfo": b"busy"}
    assert in_use(browser, now, 40)
    provider.answers = {}
    assert in_use(browser, now, 5)
    provider.answers = {"/userinfo": b"busy"}
    assert in_use(browser, now, 40)
    assert not in_use(browser, now, 10)


def test_a_request_beside_the_one_that_asks_goes_on(browser, provider, now, monkeypatch):
    beside = []

    def asks(request):
        beside.append(is_signed_in(browser))
        return []

    monkeypatch.setattr(provider_sessions, "_present_groups", asks)
    now.shift(IDLE - 1)
    assert not is_signed_in(browser)
    assert beside == [True]


def test_the_provider_is_not_asked_of_other_sessions_or_without_roles(
    browser, provider, now, viewer, settings, monkeypatch
):
    monkeypatch.setattr(provider_sessions, "_present_groups", lambda request: pytest.fail("asked"))
    other = Client()
    other.post("/accounts/login/", {"login": "vera", "password": PASSWORD})
    settings.OIDC_ROLES = {}
    assert in_use(browser, now, 60)
    settings.OIDC_ROLES = {"desk": roles.EDITOR}
    other.post("/accounts/login/", {"login": "vera", "password": PASSWORD})
    assert in_use(other, now, 60)


def test_a_cache_that_forgets_asks_once_more(browser, now):
    assert in_use(browser, now, 30)
    cache.clear()
    assert in_use(browser, now, 30)


def test_the_token_is_sealed_in_the_session(browser):
    [stored] = [row.get_decoded() for row in Session.objects.all()]
    assert stored[provider_sessions.TOKEN]
    assert "access" not in str(stored[provider_sessions.TOKEN])


@pytest.fixture
def leads_on(provider, settings) -> None:
    settings.OIDC_SIGN_OUT = True
    settings.SITE_URL = "https://desk.example.test"


def with_end(provider, address: object) -> None:
    """Let the provider name where its session ends."""
    _, described = provider.answer("/.well-known/openid-configuration", {})
    provider.answers["/.well-known/openid-configuration"] = {
        **described,
        "end_session_endpoint": address,
    }


@pytest.mark.parametrize("path", ["/end", "/end?tenant=1"])
def test_signing_out_leads_on_to_the_provider(browser, provider, leads_on, path):
    with_end(provider, f"{provider.url}{path}")
    page = browser.post(SIGN_OUT)
    assert page.status_code == 200
    assert "You are signed out of Entry Desk, but not yet of single sign-on." in text(page)
    seconds, _, url = page.headers["Refresh"].partition("; url=")
    assert (seconds, url.partition("?")[0]) == ("0", f"{provider.url}/end")
    query = parse_qs(urlsplit(url).query)
    assert query["client_id"] == [CLIENT]
    assert query["post_logout_redirect_uri"] == ["https://desk.example.test/accounts/login/"]
    assert ("tenant" in query) == ("tenant" in path)
    assert page.headers["Clear-Site-Data"] == '"cache"'
    assert not is_signed_in(browser)


@pytest.mark.parametrize("address", [None, 7, "", "javascript:alert(1)", "https://x.test/\r\nX: 1"])
def test_a_provider_that_names_no_address_for_it_is_left_alone(
    browser, provider, leads_on, address
):
    with_end(provider, address)
    assert browser.post(SIGN_OUT)["Location"] == "/accounts/login/"
    assert not is_signed_in(browser)


def test_one_signs_out_here_while_the_provider_is_away(browser, provider, leads_on):
    provider.answers["/.well-known/openid-configuration"] = b"busy"
    assert browser.post(SIGN_OUT)["Location"] == "/accounts/login/"


def test_without_the_setting_or_single_sign_on_signing_out_ends_here(
    browser, provider, leads_on, settings, viewer
):
    with_end(provider, f"{provider.url}/end")
    other = Client()
    other.post("/accounts/login/", {"login": "vera", "password": PASSWORD})
    assert other.post(SIGN_OUT)["Location"] == "/accounts/login/"
    settings.OIDC_SIGN_OUT = False
    assert browser.post(SIGN_OUT)["Location"] == "/accounts/login/"
