"""The admin of staff accounts, and that administrators cannot extend their own permissions."""

import re

import pytest
from django.core import mail

from dashboard.accounts import roles
from dashboard.accounts.models import User
from dashboard.credentials import services
from tests.conftest import PASSWORD, person
from tests.page import InspectingClient as Client

LIST = "/admin/accounts/user/"
NEWCOMER = {
    "username": "nina",
    "first_name": "Nina",
    "last_name": "New",
    "email": "Nina@Example.test",
    "role": roles.EDITOR,
    "is_active": "on",
}


@pytest.fixture
def desk(administrator, client_of) -> Client:
    return client_of(administrator)


def change(desk: Client, user: User, **values: str):
    old = {"username": user.username, "email": user.email, "role": roles.role_of(user)}
    response = desk.post(f"{LIST}{user.pk}/change/", {**old, "is_active": "on", **values})
    user.refresh_from_db()
    return response


def test_a_new_user_gets_a_role_and_a_link_to_choose_a_password(desk):
    desk.post(f"{LIST}add/", NEWCOMER)
    nina = User.objects.get(username="nina")
    assert roles.role_of(nina) == roles.EDITOR
    assert not nina.has_usable_password()
    assert mail.outbox[0].to == ["nina@example.test"]
    link = re.search(r"http://testserver(\S+)", mail.outbox[0].body)
    client = Client()
    form = client.get(link.group(1), follow=True).redirect_chain[-1][0]
    client.post(form, {"password1": "another horse", "password2": "another horse"})
    client.post("/accounts/login/", {"login": "nina", "password": "another horse"})
    assert client.get("/accounts/").status_code == 200


def test_a_failed_invitation_keeps_the_account_and_shows_a_message(desk, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    page = desk.post(f"{LIST}add/", NEWCOMER, follow=True).content.decode()
    assert "could not be sent" in page
    assert User.objects.filter(username="nina").exists()


@pytest.mark.parametrize(
    ("field", "taken"), [("username", "VERA"), ("email", "vera@EXAMPLE.test"), ("email", "")]
)
def test_username_and_email_are_required_and_unique(desk, viewer, field, taken):
    assert desk.post(f"{LIST}add/", {**NEWCOMER, field: taken}).status_code == 200
    assert not User.objects.filter(first_name="Nina").exists()


def test_an_administrator_changes_a_role(desk, viewer):
    change(desk, viewer, role=roles.MANAGER)
    assert roles.role_of(viewer) == roles.MANAGER


def test_deactivating_a_user_ends_their_sessions(desk, viewer, client_of):
    browser = client_of(viewer)
    change(desk, viewer, is_active="")
    assert browser.get("/accounts/").status_code == 302


def test_a_replaced_email_gets_no_password_reset(desk, viewer):
    Client().post("/accounts/password/reset/", {"email": "vera@example.test"})
    change(desk, viewer, email="vera.new@example.test")
    mail.outbox.clear()
    Client().post("/accounts/password/reset/", {"email": "vera@example.test"})
    assert not mail.outbox


@pytest.mark.parametrize("values", [{"role": roles.VIEWER}, {"is_active": ""}])
def test_administrators_cannot_demote_or_deactivate_themselves(desk, administrator, values):
    assert change(desk, administrator, **values).status_code == 200
    assert administrator.is_active
    assert roles.role_of(administrator) == roles.ADMINISTRATOR


def test_an_administrator_cannot_grant_extra_permissions(desk, administrator, viewer):
    extras = {"is_superuser": "on", "is_staff": "on", "user_permissions": "1", "groups": "1"}
    for user in (administrator, viewer):
        change(desk, user, **extras)
        assert not user.is_superuser
        assert not user.user_permissions.exists()
    assert roles.role_of(viewer) == roles.VIEWER


def test_administrators_cannot_see_or_change_superusers(desk):
    root = person("root", is_superuser=True)
    assert "root@example.test" not in desk.get(LIST).content.decode()
    assert desk.get(f"{LIST}{root.pk}/change/").status_code == 302
    assert desk.post(f"{LIST}{root.pk}/change/", {"email": "mine@example.test"}).status_code == 302
    root.refresh_from_db()
    assert root.email == "root@example.test"


def test_a_superuser_may_change_another_superuser(client_of, db):
    desk, other = client_of(person("root", is_superuser=True)), person("two", is_superuser=True)
    change(desk, other, email="new@example.test")
    assert other.email == "new@example.test"


@pytest.mark.parametrize("path", ["", LIST, f"{LIST}add/", f"{LIST}1/change/", f"{LIST}1/history/"])
def test_the_admin_shows_no_password_hashes_or_api_keys(desk, administrator, path):
    pair = services.connect(
        administrator, access="access0123456789", secret="hidden9876543210", workspace="Acme"
    )
    url = path.replace("/1/", f"/{administrator.pk}/") or "/admin/"
    response = desk.get(url)
    page = response.content.decode()
    assert response.status_code == 200
    assert not any(part in page for part in (pair.ciphertext, "hidden987", "access012", "md5$"))


def test_the_admin_has_no_inline_scripts_or_styles(desk, administrator):
    for url in ("/admin/", LIST, f"{LIST}add/", f"{LIST}{administrator.pk}/change/"):
        page = desk.get(url).content.decode()
        assert not re.search(r"<script>|<style|\sstyle=|\son\w+=", page), url


def test_an_administrator_switches_off_two_step_sign_in(desk, viewer):
    from allauth.mfa.models import Authenticator

    Authenticator.objects.create(user=viewer, type="totp", data={"secret": "x"})
    action = {"action": "switch_off_second_factor", "_selected_action": [viewer.pk]}
    desk.post(LIST, action)
    assert not Authenticator.objects.exists()


def test_an_administrator_sends_an_invitation_again(desk, viewer):
    desk.post(LIST, {"action": "send_invitation", "_selected_action": [viewer.pk]})
    assert mail.outbox[0].to == ["vera@example.test"]
    assert PASSWORD not in mail.outbox[0].body
    assert "Then sign in as vera." in mail.outbox[0].body
