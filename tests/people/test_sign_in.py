"""Sign-in and sign-out, password resets, the list of sessions."""

import re

import pytest
from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.urls import reverse

from dashboard.people import permissions
from dashboard.people.models import User
from tests.conftest import PASSWORD
from tests.helpers import mails, text
from tests.page import InspectingClient as Client
from tests.signing_in import LOGIN, is_signed_in, sign_in

NEW_PASSWORD = "another horse battery"


@pytest.mark.parametrize("login", ["vera", "VERA", "vera@example.test", "Vera@Example.test"])
def test_sign_in_accepts_username_or_email_in_any_case(viewer, login):
    client = Client()
    assert sign_in(client, login).status_code == 302
    assert is_signed_in(client)


def test_an_email_stored_from_capitals_signs_in(db):
    cara = User.objects.create_user("cara", "Cara.Lee@Example.TEST", PASSWORD)
    permissions.set_role(cara, permissions.VIEWER)
    client = Client()
    sign_in(client, "cara.lee@example.test")
    assert is_signed_in(client)


def test_too_many_password_resets_get_a_429_page(viewer, client, security_log):
    for _ in range(6):
        response = client.post("/accounts/password/reset/", {"email": "vera@example.test"})
    assert response.status_code == 429
    assert "Too many attempts" in response.content.decode()
    assert len(mails()) == 5
    [line] = security_log()
    assert (line["event"], line["view"]) == ("attempts limited", "account_reset_password")
    assert line["address"] == "127.0.0.1"


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


def link_in_mail() -> str:
    found = re.search(r"http://testserver(\S+)", mails()[-1].body)
    assert found
    return found.group(1)


def choose_password(client: Client, link: str):
    form = client.get(link, follow=True)
    assert re.search(r'<input[^>]*name="password1"[^>]*autofocus', form.content.decode())
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


def test_sessions_are_listed_and_the_others_can_be_ended(viewer):
    here, elsewhere = Client(), Client()
    for client in (here, elsewhere):
        sign_in(client, "vera")
    page = here.get("/accounts/", headers={"User-Agent": "Mozilla/5.0"})
    assert text(page).count("Unknown browser · 127.0.0.1") == 2
    assert "Mozilla" not in page.content.decode()
    assert here.post("/accounts/sessions/")["Location"].startswith("/accounts/reauthenticate/")
    assert is_signed_in(elsewhere)
    here.post("/accounts/reauthenticate/", {"password": PASSWORD, "next": "/accounts/sessions/"})
    assert is_signed_in(here)
    assert not is_signed_in(elsewhere)


def test_one_session_is_ended_but_nobody_elses(viewer, editor):
    here, there, stays, strange = Client(), Client(), Client(), Client()
    for client in (here, there, stays):
        sign_in(client, "vera")
    sign_in(strange, "edith")
    here.post("/accounts/reauthenticate/", {"password": PASSWORD})
    for client in (there, strange):
        row = UserSession.objects.get(session_key=client.session.session_key)
        here.post("/accounts/sessions/", {"session": row.pk})
    assert not is_signed_in(there)
    assert all(is_signed_in(client) for client in (here, stays, strange))


def test_a_username_that_differs_only_in_case_is_refused(viewer):
    from django.db import IntegrityError

    with pytest.raises(IntegrityError):
        User.objects.create_user("VERA", "other@example.test")
