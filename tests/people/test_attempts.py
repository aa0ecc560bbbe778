"""Wrong passwords: delays per person, known browsers, equal time and words for every name."""

import ast
import re

import pytest
import time_machine
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.sessions.models import Session
from django.core import signing
from django.utils import timezone
from structlog.testing import capture_logs

from dashboard.people import attempts, permissions
from dashboard.people.models import User
from tests.conftest import PASSWORD, person
from tests.helpers import text
from tests.page import InspectingClient as Client
from tests.signing_in import LOGIN, is_signed_in, sign_in
from tests.test_settings import COMPLETE, load

SPELLINGS = [
    *("testserver", "testserver:80", "testserver:8000", "testserver:00080", "testserver:99999"),
    *("TESTSERVER", "Testserver", "testserver.", "TESTSERVER.", "testserver.:80", "TestServer:81"),
    *("testserver:1", "testserver:443", "testserveR", "testserver:65535"),
]
WAIT = "Too many failed attempts. Try again in 8 seconds"


def guess(name: str, times: int = attempts.MAX_FREE_ATTEMPTS) -> None:
    """Wrong passwords from addresses of their own."""
    for number in range(times):
        sign_in(Client(), name, "wrong", REMOTE_ADDR=f"10.0.{times}.{number}")


def test_five_wrong_passwords_delay_further_attempts(viewer):
    guess("vera")
    client = Client()
    assert WAIT in text(sign_in(client, "vera"))
    assert not is_signed_in(client)


def test_five_wrong_passwords_delay_a_person_under_every_spelling_of_the_host(viewer):
    for number, host in enumerate(SPELLINGS):
        address = f"10.0.0.{number}"
        sign_in(Client(), "vera", "wrong", headers={"host": host}, REMOTE_ADDR=address)
    client = Client()
    sign_in(client, "vera")
    assert not is_signed_in(client)


def test_wrong_passwords_count_for_the_person_and_not_for_the_name_typed(viewer):
    for name in ("vera", "VERA", "vera@example.test", " Vera ", "Vera@Example.Test"):
        guess(name, 1)
    assert WAIT in text(sign_in(Client(), "vera"))


def test_the_delay_grows_and_nobody_is_locked_out(viewer):
    with time_machine.travel(timezone.now(), tick=False) as now:
        guess("vera")
        seen = []
        for _ in range(8):
            lanes = attempts.lanes_of([viewer], ())
            wait = attempts.admit(lanes)
            assert attempts.admit(lanes) == wait  # asking does not prolong it
            seen.append(wait)
            now.shift(wait)
            guess("vera", 1)
        assert seen == [8, 16, 32, 64, 128, 256, 300, 300]
        now.shift(300)
        client = Client()
        sign_in(client, "vera")
        assert is_signed_in(client)


def test_many_attempts_at_once_pass_five_times(viewer):
    lanes = attempts.lanes_of([viewer], ())
    assert sum(attempts.admit(lanes) == 0 for _ in range(50)) == attempts.MAX_FREE_ATTEMPTS


def test_right_passwords_are_not_counted(viewer):
    for number in range(8):
        client = Client(REMOTE_ADDR=f"10.0.0.{number}")
        sign_in(client, "vera")
        assert is_signed_in(client)


def known_browser(name: str = "vera") -> Client:
    client = Client()
    sign_in(client, name)
    client.post("/accounts/logout/")
    assert client.cookies[attempts.COOKIE_NAME]["httponly"]
    return client


def test_a_browser_that_signed_in_before_is_not_delayed_by_strangers(viewer):
    client = known_browser()
    guess("vera", 30)
    sign_in(client, "vera")
    assert is_signed_in(client)


def test_a_known_browser_is_delayed_by_its_own_wrong_passwords(viewer):
    client = known_browser()
    for _ in range(attempts.MAX_FREE_ATTEMPTS):
        sign_in(client, "vera", "wrong")
    assert WAIT in text(sign_in(client, "vera"))
    other = Client()
    sign_in(other, "vera")
    assert is_signed_in(other)


@pytest.mark.parametrize("kind", ["other person", "forged", "nonsense"])
def test_only_a_signed_mark_of_the_same_person_helps(viewer, editor, kind):
    client = known_browser("edith")
    if kind == "forged":
        pairs = [(str(viewer.pk), "mark")]
        client.cookies[attempts.COOKIE_NAME] = signing.dumps(pairs, key="x", salt="x")
    elif kind == "nonsense":
        client.cookies[attempts.COOKIE_NAME] = "eyJ.x.y"
    guess("vera")
    sign_in(client, "vera")
    assert not is_signed_in(client)


def test_a_browser_is_remembered_for_its_last_five_people(db):
    names = [f"p{number}" for number in range(6)]
    people = [person(name, permissions.VIEWER) for name in names]
    client = Client()
    for number, name in enumerate(names):
        sign_in(client, name, REMOTE_ADDR=f"10.0.0.{number}")
        client.post("/accounts/logout/")
    marks = signing.loads(client.cookies[attempts.COOKIE_NAME].value, salt=attempts.SALT)
    assert [pk for pk, _ in marks] == [str(each.pk) for each in people[1:]]


def test_the_name_of_who_was_here_last_stands_in_the_form_where_a_session_has_ended(viewer, editor):
    client = known_browser("edith")
    sign_in(client, "vera")
    Session.objects.all().delete()
    ended = client.get("/contacts/", follow=True).context["form"]
    assert (ended["login"].value(), ended["password"].value()) == ("vera", None)
    assert not client.get("/accounts/login/").context["form"]["login"].value()
    asked = Client().get("/contacts/", follow=True).context["form"]
    assert not asked["login"].value()


@pytest.fixture
def hashes(monkeypatch) -> list[str]:
    """One entry for each password that is hashed."""
    made: list[str] = []
    encode = MD5PasswordHasher.encode

    def counted(self, password, salt):
        made.append(salt)
        return encode(self, password, salt)

    monkeypatch.setattr(MD5PasswordHasher, "encode", counted)
    return made


@pytest.mark.parametrize(
    "name", ["vera", "vera@example.test", "VERA@example.test", "nobody", "nobody@example.test"]
)
def test_every_attempt_hashes_one_password(viewer, hashes, name):
    page = Client()
    page.get(LOGIN)
    hashes.clear()
    sign_in(page, name, "wrong")
    assert len(hashes) == 1


@pytest.mark.parametrize("state", ["invited", "deactivated"])
def test_accounts_that_cannot_sign_in_take_as_long(viewer, hashes, state):
    if state == "invited":
        viewer.set_unusable_password()
    viewer.is_active = state != "deactivated"
    viewer.save()
    hashes.clear()
    sign_in(Client(), "vera@example.test", "wrong")
    assert len(hashes) == 1


def test_without_redis_thirty_wrong_passwords_compare_none(viewer, hashes, settings):
    pytest.importorskip("django_redis")
    read = load({**COMPLETE, "CACHE_URL": "redis://127.0.0.1:9/0"}, "settings.CACHES")
    settings.CACHES = ast.literal_eval(read.stdout)  # nothing listens there
    settings.ACCOUNT_RATE_LIMITS = False  # allauth's own, which waits a second for the cache
    hashes.clear()
    guess("vera", 30)
    client = Client()
    sign_in(client, "vera")
    assert not is_signed_in(client)
    assert hashes == []


def test_a_delayed_attempt_is_logged_without_what_was_typed(viewer):
    guess("vera")
    with capture_logs() as logged:
        sign_in(Client(), "vera")
    [line] = [line for line in logged if line["event"] == "sign-in delayed"]
    assert (line["person"], line["seconds"]) == (viewer.pk, attempts.MIN_DELAY)
    assert PASSWORD not in str(line)


@pytest.mark.parametrize("times", [1, attempts.MAX_FREE_ATTEMPTS + 1])
def test_known_and_unknown_names_get_the_same_words(viewer, times):
    def error_page(login: str) -> str:
        guess(login, times - 1)
        page = sign_in(Client(), login, "wrong").content.decode()
        page = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page)
        return page.replace(login, "")

    with time_machine.travel(timezone.now(), tick=False):
        assert error_page("vera") == error_page("hera")
        assert error_page("vera@example.test") == error_page("hera@example.test")


def test_a_forgotten_count_ends_the_delay(viewer):
    guess("vera")
    attempts.forget(User.objects.get(pk=viewer.pk))
    client = Client()
    sign_in(client, "vera")
    assert is_signed_in(client)
