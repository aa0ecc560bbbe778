"""The admin of staff accounts, and that administrators cannot extend their own permissions."""

import re

import pytest
from allauth.mfa.models import Authenticator
from django.core import mail

from dashboard.accounts import roles
from dashboard.accounts.models import User
from dashboard.audit import services as audit
from dashboard.audit.models import Entry
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
    client = client_of(administrator)
    confirm(client)
    return client


def confirm(client: Client):
    return client.post("/accounts/reauthenticate/", {"password": PASSWORD})


def change(desk: Client, user: User, **values: str):
    old = {"username": user.username, "email": user.email, "role": roles.role_of(user)}
    response = desk.post(f"{LIST}{user.pk}/change/", {**old, "is_active": "on", **values})
    user.refresh_from_db()
    return response


def test_the_list_of_accounts_has_plain_headings(desk):
    page = desk.get("/admin/accounts/user/").content.decode()
    assert "Get full name" not in page
    assert ">Name<" in page


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
    confirm(desk)
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


def switch_off_second_factor(client: Client, user: User):
    action = {"action": "switch_off_second_factor", "_selected_action": [user.pk]}
    return client.post(LIST, action)


@pytest.fixture
def two_step(viewer) -> Authenticator:
    return Authenticator.objects.create(user=viewer, type="totp", data={"secret": "x"})


def noted() -> list[tuple[str, str, dict]]:
    """(who, label, changes) of the entries about accounts, the oldest first."""
    entries = Entry.objects.filter(resource=audit.STAFF).order_by("pk")
    return [(e.who, audit.details(e).label, audit.details(e).changes) for e in entries]


def test_switching_off_two_step_sign_in_is_noted_and_told(desk, viewer, two_step):
    switch_off_second_factor(desk, viewer)
    assert not Authenticator.objects.exists()
    assert noted() == [("ada", "account of vera", {"Two-step sign-in": ("on", "off")})]
    assert mail.outbox[0].to == ["vera@example.test"]
    assert "Two-step sign-in: on is now off" in mail.outbox[0].body


def test_people_without_two_step_sign_in_are_not_told_that_it_is_off(desk, viewer):
    switch_off_second_factor(desk, viewer)
    assert not mail.outbox
    assert not noted()


def test_a_change_of_an_account_is_noted_and_told_at_the_old_and_new_address(desk, viewer):
    change(desk, viewer, email="new@example.test", role=roles.MANAGER)
    changes = {
        "Email address": ("vera@example.test", "new@example.test"),
        "Role": (roles.VIEWER, roles.MANAGER),
    }
    assert noted() == [("ada", "account of vera", changes)]
    assert [message.to for message in mail.outbox] == [["new@example.test"], ["vera@example.test"]]
    for message in mail.outbox:
        assert "the administrator ada has changed" in message.body
        assert "Email address: vera@example.test is now new@example.test" in message.body
        assert "Role: Viewer is now Manager" in message.body


def test_saving_an_unchanged_account_tells_nobody(desk, viewer):
    change(desk, viewer)
    assert not mail.outbox
    assert not noted()


def test_a_person_who_could_not_be_told_is_named(desk, viewer, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    change(desk, viewer, role=roles.MANAGER)
    assert (
        "No mail about this could be sent to vera@example.test" in desk.get(LIST).content.decode()
    )


def test_new_accounts_and_links_for_passwords_are_noted(desk):
    desk.post(f"{LIST}add/", NEWCOMER)
    made, link = noted()
    assert made[2]["Role"] == ("", roles.EDITOR)
    assert link[2] == {"Link for choosing a password": ("", "nina@example.test")}


def test_a_change_waits_until_the_password_was_given(administrator, viewer, two_step, client_of):
    desk = client_of(administrator)
    for attempt in (
        lambda: change(desk, viewer, email="mine@example.test"),
        lambda: change(desk, viewer, role=roles.ADMINISTRATOR),
        lambda: switch_off_second_factor(desk, viewer),
        lambda: desk.post(f"{LIST}add/", NEWCOMER),
    ):
        assert attempt()["Location"].startswith("/accounts/reauthenticate/?next=%2Fadmin%2F")
    viewer.refresh_from_db()
    assert (viewer.email, roles.role_of(viewer)) == ("vera@example.test", roles.VIEWER)
    assert Authenticator.objects.exists()
    assert not mail.outbox
    assert not noted()


def test_what_was_typed_is_saved_once_the_password_was_given(administrator, viewer, client_of):
    desk = client_of(administrator)
    asked = change(desk, viewer, email="new@example.test")["Location"]
    page = desk.get(asked).content.decode()
    given = dict(re.findall(r'name="(next)" value="([^"]+)"', page))
    desk.post("/accounts/reauthenticate/", {"password": PASSWORD, **given})
    viewer.refresh_from_db()
    assert viewer.email == "new@example.test"


def test_administrators_find_changes_of_accounts_in_the_history(desk, viewer, manager, client_of):
    change(desk, viewer, role=roles.MANAGER)
    page = desk.get("/history/?resource=staff").content.decode()
    assert "account of vera" in page
    assert "account of vera" not in desk.get("/history/?resource=contacts").content.decode()
    assert client_of(manager).get("/history/").status_code == 403
    assert not audit.of_workspace("").exists()


def test_an_administrator_sends_an_invitation_again(desk, viewer):
    desk.post(LIST, {"action": "send_invitation", "_selected_action": [viewer.pk]})
    assert mail.outbox[0].to == ["vera@example.test"]
    assert PASSWORD not in mail.outbox[0].body
    assert "Then sign in as vera." in mail.outbox[0].body
