"""Two-step sign-in: codes of apps, recovery codes, encryption, roles that require it."""

import base64
import hmac
import re
import time

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from dashboard.core.sealed import unseal
from dashboard.people import mfa, permissions
from dashboard.people.models import User
from dashboard.people.sign_in_forms import WAIT_FOR_NEXT
from dashboard.writes import drafts
from dashboard.writes.models import Draft
from tests.conftest import PASSWORD, person
from tests.helpers import encryption_key, mails, text
from tests.outcomes.test_draft_pages import NEW, opened
from tests.page import InspectingClient as Client
from tests.signing_in import is_signed_in, sign_in
from tests.test_settings import COMPLETE, load

CODES = "/accounts/two-step/recovery-codes/"
GENERATE = f"{CODES}generate/"
NAME = "SECOND_FACTOR_ROLES"
ACTIVATE = "/accounts/two-step/totp/activate/"


def code_of(secret: str, steps: int = 0) -> str:
    """The six digits of RFC 6238 that an authenticator app with this secret shows now, or so many
    codes later.
    """
    counter = (int(time.time() // 30) + steps).to_bytes(8)
    digest = hmac.digest(base64.b32decode(secret), counter, "sha1")
    offset = digest[-1] & 0xF
    number = int.from_bytes(digest[offset : offset + 4]) & 0x7FFF_FFFF
    return f"{number % 1_000_000:06}"


def set_up(client: Client) -> str:
    """Set up an authenticator app through its page; returns the shared secret."""
    page = client.get(ACTIVATE)
    secret = str(page.context["form"].secret)
    done = client.post(ACTIVATE, {"code": code_of(secret)})
    assert done["Location"] in (CODES, "/accounts/two-step/")
    return secret


def with_second_step(client: Client) -> str:
    """The same for a client that has not just signed in on the page."""
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return set_up(client)


def shown_codes(client: Client) -> list[str]:
    found = re.findall(r"<code>(\d+)</code>", client.get(CODES).content.decode())
    assert len(found) == 10
    return found


def give(client: Client, code: str) -> None:
    client.post(reverse("mfa_authenticate"), {"code": code})


@pytest.fixture
def desk(viewer, client_of) -> Client:
    return client_of(viewer)


@pytest.fixture(autouse=True)
def _no_code_ends_meanwhile():
    """Each test begins with a code's 30 seconds."""
    with time_machine.travel(timezone.now().replace(second=0, microsecond=0)):
        yield


@pytest.fixture
def at_half_past():
    """At the beginning of a code's 30 seconds."""
    begins = timezone.now().replace(second=30, microsecond=0)
    with time_machine.travel(begins, tick=False) as traveller:
        yield traveller


def test_two_step_sign_in_requires_a_code(desk):
    secret = with_second_step(desk)
    client = Client()
    cache.clear()
    assert sign_in(client, "vera")["Location"] == reverse("mfa_authenticate")
    page = client.get(reverse("mfa_authenticate")).content.decode()
    assert re.search(r'<input[^>]*name="code"[^>]*autofocus', page)
    assert "passkey" not in page.partition("</head>")[2]  # the head maps all scripts
    assert not is_signed_in(client)
    give(client, code_of(secret))
    assert is_signed_in(client)


def test_a_code_of_the_next_half_minute_is_refused(desk, at_half_past):
    secret = with_second_step(desk)
    client = Client()
    sign_in(client, "vera")
    give(client, code_of(secret, +1))
    assert not is_signed_in(client)


def test_a_code_that_has_just_changed_is_told_to_wait_for_the_next_one(desk, at_half_past):
    secret = with_second_step(desk)
    client = Client()
    sign_in(client, "vera")
    former = code_of(secret, -1)
    for typed in (former, f"{former[:3]} {former[3:]}"):
        page = client.post(reverse("mfa_authenticate"), {"code": typed})
        assert WAIT_FOR_NEXT in text(page)
    page = client.post(reverse("mfa_authenticate"), {"code": "abcd-efgh"})
    assert WAIT_FOR_NEXT not in text(page)
    assert "Incorrect code." in text(page)
    give(client, code_of(secret))
    assert is_signed_in(client)


def test_a_wrong_code_is_in_the_security_log(desk, caplog):
    with_second_step(desk)
    client = Client()
    sign_in(client, "vera")
    caplog.set_level("INFO", "security")
    give(client, "123456")
    assert [line.msg["event"] for line in caplog.records if line.name == "security"] == [
        "code refused"
    ]
    assert "123456" not in caplog.text


def test_recovery_codes_are_shown_once(desk):
    with_second_step(desk)
    shown = shown_codes(desk)
    for path in (CODES, GENERATE, "/accounts/two-step/"):
        page = desk.get(path)
        assert "see these codes again" not in text(page)
        assert not any(code in page.content.decode() for code in shown)
    assert desk.get(f"{CODES}download/").status_code == 403


def test_recovery_codes_are_computed_from_an_encrypted_seed(desk, viewer):
    with_second_step(desk)
    codes = shown_codes(desk)
    row = viewer.authenticator_set.get(type="recovery_codes")
    assert unseal(row.data["seed"], owner=mfa.NOBODY, purpose=mfa.PURPOSE)
    assert row.wrap().get_unused_codes() == codes
    assert all(len(code) == 12 for code in codes)


def test_a_code_confirms_who_is_signed_in(desk, viewer):
    secret = with_second_step(desk)
    viewer.set_unusable_password()
    viewer.save()
    cache.clear()
    client = Client()
    client.force_login(viewer)
    asked = client.post("/accounts/sessions/")["Location"]
    assert asked.startswith("/accounts/two-step/reauthenticate/")
    given = client.post(asked, {"code": code_of(secret), "next": "/accounts/sessions/"})
    assert given["Location"] == "/accounts/sessions/"


def test_two_step_secrets_are_stored_encrypted(desk, viewer):
    secret = with_second_step(desk)
    stored = list(viewer.authenticator_set.values_list("data", flat=True))
    assert secret not in str(stored)
    assert mfa.MFAAdapter().decrypt(stored[0]["secret"]) == secret


def test_two_step_secrets_are_re_encrypted_under_a_new_key(desk, viewer, settings):
    secret = with_second_step(desk)
    [code, *_] = shown_codes(desk)
    new = encryption_key()
    settings.FIELD_ENCRYPTION_KEYS = [new, *settings.FIELD_ENCRYPTION_KEYS]
    assert mfa.rotate().rotated == 2
    assert mfa.rotate().current == 2
    settings.FIELD_ENCRYPTION_KEYS = [new]
    cache.clear()
    assert viewer.authenticator_set.get(type="totp").wrap().validate_code(code_of(secret))
    assert viewer.authenticator_set.get(type="recovery_codes").wrap().validate_code(code)


def test_without_the_encryption_key_no_code_is_accepted(desk, settings):
    secret = with_second_step(desk)
    settings.FIELD_ENCRYPTION_KEYS = [encryption_key()]
    assert mfa.rotate().unreadable
    client = Client()
    sign_in(client, "vera")
    cache.clear()  # allauth caches used codes
    for known in (secret, "", "A" * 32):
        assert client.post(reverse("mfa_authenticate"), {"code": code_of(known)}).status_code == 200
    assert not is_signed_in(client)


def test_setting_one_up_ends_the_other_sessions_and_is_told(
    viewer, django_capture_on_commit_callbacks
):
    here, elsewhere = Client(), Client()
    sign_in(here, "vera")
    sign_in(elsewhere, "vera")
    with django_capture_on_commit_callbacks(execute=True):
        set_up(here)
    assert is_signed_in(here)
    assert not is_signed_in(elsewhere)
    assert mails()[-1].to == ["vera@example.test"]
    assert "An authenticator app was added to your account." in mails()[-1].body


# --- Roles that require a second step ------------------------------------------------------------


@pytest.fixture
def required(settings) -> str:
    settings.SECOND_FACTOR_ROLES = [permissions.MANAGER, permissions.ADMINISTRATOR]
    return "/accounts/two-step/required/"


@pytest.mark.parametrize(("given", "found"), [({}, list(permissions.ROLES)), ({NAME: ""}, [])])
def test_every_role_requires_it_unless_the_setting_says_otherwise(given, found):
    assert load({**COMPLETE, **given}, f"settings.{NAME}").stdout.strip() == str(found)


def test_a_role_that_requires_it_leads_to_setting_it_up_first(manager, required):
    client = Client()
    sign_in(client, "max")
    for path in ("/", "/contacts/", "/accounts/", "/accounts/password/change/", CODES):
        assert client.get(path)["Location"] == required, path
    assert "Set up two-step sign-in" in text(client.get(required))
    for path in (ACTIVATE, "/accounts/two-step/webauthn/add/"):
        page = client.get(path).content.decode()
        assert 'id="menu"' not in page, "its links would lead back here"
        assert f'href="{required}"' in page
    set_up(client)  # without the password once more
    assert len(shown_codes(client)) == 10
    assert is_signed_in(client)
    assert client.get(required)["Location"] == "/accounts/two-step/"


def test_other_roles_need_none(viewer, editor, required):
    for name in ("vera", "edith"):
        client = Client()
        sign_in(client, name)
        assert is_signed_in(client)


def test_superusers_need_it_as_well(required, client_of, db):
    assert client_of(person("root", is_superuser=True)).get("/accounts/")["Location"] == required


def test_a_new_role_requires_it_at_once(viewer, client_of, required):
    client = client_of(viewer)
    assert is_signed_in(client)
    permissions.set_role(viewer, permissions.MANAGER)
    assert client.get("/accounts/")["Location"] == required


def test_recovery_codes_alone_are_no_second_step(manager, client_of, required):
    Authenticator.objects.create(user=manager, type="recovery_codes", data={"migrated_codes": []})
    assert client_of(manager).get("/accounts/")["Location"] == required


@pytest.fixture
def typed(manager, with_keys, client_of, settings):
    """A client and the form of a new contact, filled in before the role required a second step."""
    settings.SECOND_FACTOR_ROLES = []
    desk = client_of(with_keys(manager))
    form = opened(desk, cstname="Zebra")
    settings.SECOND_FACTOR_ROLES = [permissions.MANAGER]
    return desk, form


def test_what_was_typed_before_it_was_required_is_kept(typed, standin):
    desk, form = typed
    answer = desk.post(NEW, form, follow=True)
    assert answer.redirect_chain == [("/accounts/two-step/required/", 302)]
    assert "Nothing was sent. What you typed is kept under Unfinished." in text(answer)
    assert "signed out" not in text(answer), "they are not"
    assert Draft.objects.get().path == NEW
    assert not standin.ledger(operation="create")
    with_second_step(desk)
    assert "Zebra" in text(desk.get("/unfinished/"))


def test_a_form_that_cannot_be_kept_names_the_second_step(typed, monkeypatch):
    desk, form = typed
    monkeypatch.setattr(drafts, "MAX_UNSIGNED", 0)
    answer = desk.post(NEW, form)
    assert answer.status_code == 503
    assert "Set up two-step sign-in in a new tab" in text(answer)
    assert "signed out" not in text(answer)


def test_a_part_of_a_page_names_the_second_step(typed):
    desk, _ = typed
    fragment = desk.get(NEW, headers={"HX-Request": "true"})
    assert fragment.status_code == 401
    assert "Your role requires two-step sign-in." in text(fragment)
    assert 'href="/accounts/two-step/required/"' in fragment.content.decode()


def test_what_has_no_mark_leads_to_the_second_step(typed):
    desk, _ = typed
    assert desk.post(NEW, {"cstname": "Zebra"})["Location"] == "/accounts/two-step/required/"


def test_the_row_of_a_person_says_whether_there_is_a_second_step(manager):
    def has_one():
        return User.objects.get(pk=manager.pk).has_mfa

    Authenticator.objects.create(user=manager, type="recovery_codes", data={})
    assert not has_one()
    passkey = Authenticator.objects.create(user=manager, type="webauthn", data={})
    app = Authenticator.objects.create(user=manager, type="totp", data={})
    passkey.delete()
    assert has_one()
    Authenticator.objects.filter(pk=app.pk).delete()
    assert not has_one()


def test_a_wrong_code_while_an_app_is_added_is_no_event_of_security(desk, caplog):
    desk.post("/accounts/reauthenticate/", {"password": PASSWORD})
    desk.get(ACTIVATE)
    caplog.set_level("INFO", "security")
    assert "Incorrect code." in text(desk.post(ACTIVATE, {"code": "abcd-efgh"}))
    assert not [line for line in caplog.records if line.name == "security"]
