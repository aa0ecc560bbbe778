"""Sign-in and sign-out, passwords, two-step sign-in, sessions."""

import base64
import hmac
import re
import socket
import time

import pytest
from allauth.account.models import EmailAddress
from cryptography.fernet import Fernet
from django.core import mail
from django.core.cache import cache
from django.urls import NoReverseMatch, reverse

from dashboard.accounts import second_step
from dashboard.accounts.models import User
from tests.conftest import PASSWORD, person
from tests.page import InspectingClient as Client

LOGIN = "/accounts/login/"
NEW_PASSWORD = "another horse battery"


def sign_in(client: Client, name: str, password: str = PASSWORD):
    return client.post(LOGIN, {"login": name, "password": password})


def is_signed_in(client: Client) -> bool:
    return client.get("/accounts/").status_code == 200


@pytest.mark.parametrize("login", ["vera", "VERA", "vera@example.test", "Vera@Example.test"])
def test_sign_in_accepts_username_or_email_in_any_case(viewer, login):
    client = Client()
    assert sign_in(client, login).status_code == 302
    assert is_signed_in(client)


def test_an_email_stored_from_capitals_signs_in(db):
    User.objects.create_user("cara", "Cara.Lee@Example.TEST", PASSWORD)
    client = Client()
    sign_in(client, "cara.lee@example.test")
    assert is_signed_in(client)


def test_a_wrong_password_and_an_unknown_user_get_the_same_error(viewer):
    def error_page(login: str) -> str:
        page = sign_in(Client(), login, "wrong").content.decode()
        page = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page)
        return page.replace(login, "")

    assert error_page("vera") == error_page("hera")


def test_five_wrong_passwords_block_further_attempts(viewer):
    client = Client()
    for _ in range(5):
        sign_in(client, "vera", "wrong")
    sign_in(client, "vera")
    assert not is_signed_in(client)


SPELLINGS = [
    *("testserver", "testserver:80", "testserver:8000", "testserver:00080", "testserver:99999"),
    *("TESTSERVER", "Testserver", "testserver.", "TESTSERVER.", "testserver.:80", "TestServer:81"),
    *("testserver:1", "testserver:443", "testserveR", "testserver:65535"),
]


def test_five_wrong_passwords_block_a_person_under_every_spelling_of_the_host(viewer):
    client = Client()
    for number, host in enumerate(SPELLINGS):
        client.post(
            LOGIN,
            {"login": "vera", "password": "wrong"},
            headers={"host": host},
            REMOTE_ADDR=f"10.0.0.{number}",
        )
    sign_in(client, "vera")
    assert not is_signed_in(client)


def test_wrong_passwords_count_for_the_person_and_not_for_the_name_typed(viewer, settings):
    names = ("vera", "VERA", "vera@example.test", " Vera ", "Vera@Example.Test", "vera")
    for number, name in enumerate(names):
        data = {"login": name, "password": "wrong"}
        page = Client().post(LOGIN, data, REMOTE_ADDR=f"10.0.0.{number}").content.decode()
    assert "Too many failed login attempts" in page
    client = Client()
    sign_in(client, "vera")
    assert not is_signed_in(client)


def test_right_passwords_are_not_counted(viewer):
    for number in range(8):
        client = Client(REMOTE_ADDR=f"10.0.0.{number}")
        sign_in(client, "vera")
        assert is_signed_in(client)


def test_a_new_password_ends_the_block(viewer):
    for number in range(6):
        sign_in(Client(REMOTE_ADDR=f"10.0.0.{number}"), "vera@example.test", "wrong")
    client = Client(REMOTE_ADDR="10.0.1.1")
    client.post("/accounts/password/reset/", {"email": "vera@example.test"})
    choose_password(client, link_in_mail())
    sign_in(client, "vera", NEW_PASSWORD)
    assert is_signed_in(client)


def test_too_many_password_resets_get_a_429_page(viewer, client):
    for _ in range(6):
        response = client.post("/accounts/password/reset/", {"email": "vera@example.test"})
    assert response.status_code == 429
    assert "Too many attempts" in response.content.decode()
    assert len(mail.outbox) == 5


def test_a_deactivated_user_cannot_sign_in(viewer):
    User.objects.filter(pk=viewer.pk).update(is_active=False)
    client = Client()
    assert sign_in(client, "vera")["Location"] == reverse("account_inactive")
    assert not is_signed_in(client)


def test_signing_out_requires_a_post_and_ends_the_session(viewer, client_of):
    client = client_of(viewer)
    stolen = client.cookies["sessionid"].value
    client.get("/accounts/logout/")
    assert is_signed_in(client)
    response = client.post("/accounts/logout/")
    assert response["Location"] == LOGIN
    assert response["Clear-Site-Data"] == '"cache"'
    thief = Client()
    thief.cookies["sessionid"] = stolen
    assert not is_signed_in(thief)


def test_the_session_cookie_is_http_only_and_same_site(viewer):
    client = Client()
    sign_in(client, "vera")
    cookie = client.cookies["sessionid"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"


def test_there_is_no_sign_up_page():
    with pytest.raises(NoReverseMatch):
        reverse("account_signup")


def test_changing_the_password_ends_the_other_sessions(viewer, client_of):
    here, elsewhere = client_of(viewer), client_of(viewer)
    change = {"oldpassword": PASSWORD, "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    here.post("/accounts/password/change/", change)
    assert is_signed_in(here)
    assert not is_signed_in(elsewhere)


def link_in_mail() -> str:
    found = re.search(r"http://testserver(\S+)", mail.outbox[-1].body)
    assert found
    return found.group(1)


def choose_password(client: Client, link: str):
    form = client.get(link, follow=True)
    path = form.redirect_chain[-1][0]
    return client.post(path, {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD}, follow=True)


def test_a_password_reset_link_works_once(viewer):
    client = Client()
    client.post("/accounts/password/reset/", {"email": "vera@example.test"})
    link = link_in_mail()
    choose_password(client, link)
    sign_in(client, "vera", NEW_PASSWORD)
    assert is_signed_in(client)
    used = Client()
    assert "password1" not in used.get(link, follow=True).content.decode()
    # With rows here a replaced address would still get password resets.
    assert not EmailAddress.objects.exists()


def test_a_password_reset_does_not_reveal_who_has_an_account(viewer):
    known, unknown = (
        Client().post("/accounts/password/reset/", {"email": email})
        for email in ("vera@example.test", "nobody@example.test")
    )
    assert known["Location"] == unknown["Location"]
    assert [message.to for message in mail.outbox] == [["vera@example.test"]]


def test_a_password_reset_without_a_mail_server_still_redirects(viewer, monkeypatch, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    response = Client().post("/accounts/password/reset/", {"email": "vera@example.test"})
    assert response.status_code == 302


def test_a_mail_server_that_does_not_answer_holds_no_request(viewer, settings):
    assert 0 < settings.EMAIL_TIMEOUT <= 10  # seconds
    settings.EMAIL_TIMEOUT = 0.3
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings.EMAIL_HOST, settings.EMAIL_PORT = silent.getsockname()
        begun = time.monotonic()
        response = Client().post("/accounts/password/reset/", {"email": "vera@example.test"})
    assert response.status_code == 302
    assert 0.3 <= time.monotonic() - begun < 10


def with_second_step(client: Client) -> str:
    """Switch two-step sign-in on through its page; returns the shared secret."""
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    page = client.get("/accounts/two-step/totp/activate/")
    secret = str(page.context["form"].secret)
    typed = {"code": code_of(secret)}
    assert client.post("/accounts/two-step/totp/activate/", typed).status_code == 302
    return secret


def code_of(secret: str) -> str:
    """The six digits of RFC 6238 that an authenticator app with this secret shows now."""
    counter = int(time.time() // 30).to_bytes(8)
    digest = hmac.digest(base64.b32decode(secret), counter, "sha1")
    offset = digest[-1] & 0xF
    number = int.from_bytes(digest[offset : offset + 4]) & 0x7FFF_FFFF
    return f"{number % 1_000_000:06}"


def test_two_step_sign_in_requires_a_code(viewer, client_of):
    with_second_step(client_of(viewer))
    client = Client()
    assert sign_in(client, "vera")["Location"] == reverse("mfa_authenticate")
    page = client.get(reverse("mfa_authenticate")).content.decode()
    assert re.search(r'<input[^>]*name="code"[^>]*autofocus', page)
    assert not is_signed_in(client)
    code = client.get(reverse("mfa_authenticate")).context["form"].fields["code"]
    assert code.widget.attrs["autofocus"]
    codes = viewer.authenticator_set.get(type="recovery_codes").wrap().get_unused_codes()
    client.post(reverse("mfa_authenticate"), {"code": codes[0]})
    assert is_signed_in(client)


def test_two_step_secrets_are_stored_encrypted(viewer, client_of):
    secret = with_second_step(client_of(viewer))
    stored = str(list(viewer.authenticator_set.values_list("data", flat=True)))
    assert secret not in stored
    assert "gAAAA" in stored


def test_two_step_secrets_are_re_encrypted_under_a_new_key(viewer, client_of, settings):
    with_second_step(client_of(viewer))
    codes = viewer.authenticator_set.get(type="recovery_codes").wrap().get_unused_codes()
    new = Fernet.generate_key().decode()
    settings.FIELD_ENCRYPTION_KEYS = [new, *settings.FIELD_ENCRYPTION_KEYS]
    assert second_step.rotate().rotated == 2
    assert second_step.rotate().current == 2
    settings.FIELD_ENCRYPTION_KEYS = [new]
    assert viewer.authenticator_set.get(type="recovery_codes").wrap().get_unused_codes() == codes


def test_without_the_encryption_key_no_code_is_accepted(viewer, client_of, settings):
    secret = with_second_step(client_of(viewer))
    settings.FIELD_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]
    assert second_step.rotate().unreadable
    client = Client()
    sign_in(client, "vera")
    cache.clear()  # allauth caches used codes
    for known in (secret, "", "A" * 32):
        assert client.post(reverse("mfa_authenticate"), {"code": code_of(known)}).status_code == 200
    assert not is_signed_in(client)


def test_sessions_are_listed_and_the_others_can_be_ended(viewer):
    here, elsewhere = Client(), Client()
    for client in (here, elsewhere):
        sign_in(client, "vera")
    page = here.get("/accounts/sessions/", headers={"User-Agent": "Mozilla/5.0"})
    assert page.content.decode().count("127.0.0.1") == 2
    assert page.content.decode().count("Unknown browser") == 2
    assert "Mozilla" not in page.content.decode()
    here.post("/accounts/sessions/")
    assert is_signed_in(here)
    assert not is_signed_in(elsewhere)


@pytest.mark.parametrize(
    "path",
    ["", "password/change/", "two-step/", "two-step/recovery-codes/generate/", "sessions/"],
)
def test_account_pages_open(viewer, client_of, path):
    client = client_of(viewer)
    with_second_step(client)
    assert client.get(f"/accounts/{path}").status_code == 200


def test_a_username_that_differs_only_in_case_is_refused(viewer):
    from django.db import IntegrityError

    with pytest.raises(IntegrityError):
        User.objects.create_user("VERA", "other@example.test")


def test_several_users_may_have_no_email(db):
    person("a")
    User.objects.create_user("b", "")
    User.objects.create_user("c", "")
