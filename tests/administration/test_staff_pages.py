"""The pages of staff accounts, and that administrators cannot extend their own permissions."""

import re

import pytest
from allauth.mfa.models import Authenticator
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dashboard.administration.staff_forms import StaffForm
from dashboard.people import permissions
from dashboard.people.models import KeyPair, User
from dashboard.writes import history
from dashboard.writes.models import Draft, Event
from tests.administration.pages import LIST, change, deactivate, desk_of, noted, press, with_factor
from tests.conftest import PASSWORD, person
from tests.helpers import mails, text
from tests.page import InspectingClient as Client
from tests.signing_in import browser_of
from tests.workspaces import connect

WORDS = [  # of the mails about each change
    "Email address: bob@example.test is now mine",
    "Two-step sign-in: on is now off",
    "Password link: mine@example.test",
    "Active: yes is now no",
]
NEWCOMER = {"addresses": "Nina New <Nina@Example.test>", "role": permissions.EDITOR}


@pytest.fixture
def desk(administrator) -> Client:
    return desk_of(administrator)


def test_the_list_says_who_has_which_role_and_how_they_sign_in(desk, viewer, editor):
    browser_of(viewer)
    with_factor(viewer)
    User.objects.filter(pk=editor.pk).update(is_active=False, first_name="Edith", last_name="O.")
    page = desk.get(LIST)
    rows = re.findall(r"<tr>.*?</tr>", page.content.decode(), re.DOTALL)[1:]
    said = [re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", row)).strip() for row in rows]
    assert re.fullmatch(r"vera vera@example.test Viewer Active \d+ \w+ \d+, [\d:]+ On", said[1])
    assert said[2] == "Edith O. edith@example.test Editor Deactivated Never Off"


def test_the_list_takes_no_more_queries_for_people_with_sessions(desk, viewer, editor):
    with CaptureQueriesContext(connection) as before:
        desk.get(LIST)
    browser_of(viewer)
    browser_of(editor)
    with CaptureQueriesContext(connection) as after:
        desk.get(LIST)
    assert len(after) == len(before)
    assert re.search("Active sessions 1", text(desk.get(f"{LIST}{viewer.pk}/")))


def test_the_list_is_searched_by_name_address_and_role(desk, viewer, editor):
    for query in ("ver", "vera@ex", "viewer"):
        page = text(desk.get(LIST, {"q": query}))
        assert "vera@example.test" in page, query
        assert "edith@example.test" not in page, query


def test_each_role_is_offered_with_what_only_it_and_higher_ones_may_do(desk):
    page = text(desk.get(f"{LIST}invite/"))
    assert "Viewer: can see business records" in page
    manager = page.partition("Manager: ")[2].partition("Administrator: ")[0]
    assert "delete business records and export or import business records" in manager
    assert all(words in page for words in permissions.WORDS.values())


def test_a_new_user_gets_a_role_and_a_link_to_choose_a_password(desk):
    desk.post(f"{LIST}invite/", NEWCOMER)
    nina = User.objects.get(username="nina")
    assert User.objects.get(pk=nina.pk).role == permissions.EDITOR
    assert not nina.has_usable_password()
    assert mails()[0].to == ["nina@example.test"]
    link = re.search(r"http://testserver(\S+)", mails()[0].body)
    client = Client()
    form = client.get(link.group(1), follow=True).redirect_chain[-1][0]
    client.post(form, {"password1": "another horse grazes", "password2": "another horse grazes"})
    client.post("/accounts/login/", {"login": "nina", "password": "another horse grazes"})
    assert client.get("/accounts/").status_code == 200


@pytest.mark.parametrize(
    ("field", "taken"), [("username", "VERA"), ("email", "vera@EXAMPLE.test"), ("email", "")]
)
def test_username_and_email_are_required_and_unique(desk, viewer, editor, field, taken):
    page = change(desk, editor, **{field: taken})
    assert page.status_code == 422


def test_an_address_taken_at_the_same_moment_is_told_beside_its_field(desk, viewer, monkeypatch):
    is_valid = StaffForm.is_valid

    def check_before_the_other_saves(form):
        valid = is_valid(form)
        User.objects.get_or_create(username="other", email="new@example.test")
        return valid

    monkeypatch.setattr(StaffForm, "is_valid", check_before_the_other_saves)
    response = change(desk, viewer, email="new@example.test")
    assert response.status_code == 422
    assert "email" in response.context["form"].errors
    assert not mails()


def test_deactivating_a_user_ends_their_sessions(desk, viewer):
    browser = browser_of(viewer)
    assert "vera can no longer sign in." in text(deactivate(desk, viewer))
    assert browser.get("/accounts/").status_code == 302
    press(desk, viewer, "activate")
    assert viewer.is_active
    assert browser.get("/accounts/").status_code == 302
    assert [changes for _, changes in noted()] == [
        {"Active": ("yes", "no")},
        {"Active": ("no", "yes")},
    ]
    assert "Active: yes is now no" in mails()[0].body


def test_all_sessions_of_a_person_are_ended(desk, viewer):
    browsers = [browser_of(viewer), browser_of(viewer)]
    assert "vera is signed out everywhere." in text(press(desk, viewer, "end_sessions"))
    assert all(browser.get("/accounts/").status_code == 302 for browser in browsers)
    assert desk.get(LIST).status_code == 200
    assert noted() == [("ada", {"Active sessions": ("2", "0")})]
    assert mails()[0].to == ["vera@example.test"]


def test_a_replaced_email_gets_no_password_reset(desk, viewer):
    Client().post("/accounts/password/reset/", {"email": "vera@example.test"})
    change(desk, viewer, email="vera.new@example.test")
    mails()
    mail.outbox.clear()
    Client().post("/accounts/password/reset/", {"email": "vera@example.test"})
    assert not mails()


def test_administrators_cannot_demote_or_deactivate_themselves(desk, administrator):
    person("bob", permissions.ADMINISTRATOR)
    change(desk, administrator, role=permissions.VIEWER)
    for action in ("end_sessions", "second_factor", "invite"):
        assert "Ask another administrator" in text(press(desk, administrator, action))
    assert "Ask another administrator" in text(deactivate(desk, administrator))
    assert administrator.is_active
    assert User.objects.get(pk=administrator.pk).role == permissions.ADMINISTRATOR
    assert desk.get(LIST).status_code == 200
    assert not noted()


def test_the_last_administrator_stays(administrator):
    desk = desk_of(person("root", is_superuser=True))
    person("gone", permissions.ADMINISTRATOR, is_active=False)
    assert "This is the only administrator" in text(
        change(desk, administrator, role=permissions.VIEWER)
    )
    assert "This is the only administrator" in text(deactivate(desk, administrator))
    assert administrator.is_active
    assert User.objects.get(pk=administrator.pk).role == permissions.ADMINISTRATOR
    person("bob", permissions.ADMINISTRATOR)
    change(desk, administrator, role=permissions.VIEWER)
    assert User.objects.get(pk=administrator.pk).role == permissions.VIEWER


def test_an_administrator_cannot_grant_extra_permissions(desk, administrator, viewer):
    extras = {"is_superuser": "on", "is_staff": "on", "user_permissions": "1", "groups": "1"}
    for user in (administrator, viewer):
        change(desk, user, **extras)
        assert not user.is_superuser
        assert not user.user_permissions.exists()
    assert User.objects.get(pk=viewer.pk).role == permissions.VIEWER


def test_administrators_cannot_see_or_change_superusers(desk):
    root = person("root", is_superuser=True)
    assert "root@example.test" not in desk.get(LIST).content.decode()
    assert desk.get(f"{LIST}{root.pk}/").status_code == 404
    assert desk.post(f"{LIST}{root.pk}/", {"email": "mine@example.test"}).status_code == 404
    assert deactivate(desk, root).status_code == 404
    root.refresh_from_db()
    assert root.email == "root@example.test"


def test_a_superuser_may_change_another_superuser(db):
    desk, other = desk_of(person("root", is_superuser=True)), person("two", is_superuser=True)
    change(desk, other, email="new@example.test")
    assert other.email == "new@example.test"


@pytest.mark.parametrize("path", [LIST, f"{LIST}invite/", f"{LIST}1/"])
def test_the_pages_show_no_password_hashes_or_api_keys(desk, administrator, path):
    pair = connect(
        administrator, access="access0123456789", secret="hidden9876543210", workspace="Acme"
    )
    response = desk.get(path.replace("/1/", f"/{administrator.pk}/"))
    page = response.content.decode()
    assert response.status_code == 200
    assert not any(part in page for part in (pair.keys_sealed, "hidden987", "access012", "md5$"))


@pytest.mark.parametrize("what", ["address", "second factor"])
def test_a_change_that_could_let_somebody_else_sign_in_removes_keys_and_sessions(
    desk, administrator, viewer, what
):
    connect(administrator, access="ak", secret="sk", workspace="Acme")
    pair = connect(viewer, access="ak", secret="sk", workspace="Acme")
    browser = browser_of(viewer)
    with_factor(viewer)
    if what == "address":
        change(desk, viewer, email="new@example.test")
    else:
        press(desk, viewer, "second_factor")
    assert not KeyPair.objects.filter(user=viewer).exists()
    assert browser.get("/accounts/").status_code == 302
    lost = {"API keys": ("connected", "removed"), "Active sessions": ("1", "0")}
    assert lost.items() <= noted()[-1][1].items()
    assert Event.objects.latest("pk").workspace == pair.workspace_id
    told = {address for message in mails() for address in message.to}
    assert told == {"vera@example.test"} | ({"new@example.test"} if what == "address" else set())
    assert all("API keys: connected is now removed" in message.body for message in mails())


def test_an_administrator_keeps_their_keys_when_they_change_their_own_address(desk, administrator):
    connect(administrator, access="ak", secret="sk", workspace="Acme")
    change(desk, administrator, email="new@example.test")
    assert KeyPair.objects.filter(user=administrator).exists()
    assert desk.get(LIST).status_code == 200


def test_people_without_two_step_sign_in_are_not_told_that_it_is_off(desk, viewer):
    press(desk, viewer, "second_factor")
    assert not mails()
    assert not noted()


def test_a_change_of_an_account_is_noted_and_told_at_the_old_and_new_address(desk, viewer):
    change(desk, viewer, email="new@example.test", role=permissions.MANAGER)
    changes = {
        "Email address": ("vera@example.test", "new@example.test"),
        "Role": (permissions.VIEWER, permissions.MANAGER),
    }
    assert noted() == [("ada", changes)]
    assert [message.to for message in mails()] == [["new@example.test"], ["vera@example.test"]]
    for message in mails():
        assert "The administrator ada has changed" in message.body
        lines = message.body.splitlines()
        assert "- Email address: vera@example.test is now new@example.test" in lines
        assert "- Role: Viewer is now Manager" in lines


def test_changes_of_an_administrator_are_told_to_all_administrators(desk, administrator):
    """So that no one of them takes over another unseen: new address, factor off, new password."""
    bob, carl = person("bob", permissions.ADMINISTRATOR), person("carl", permissions.ADMINISTRATOR)
    with_factor(bob)
    everybody = {"ada@example.test", "carl@example.test", "bob@example.test"}
    change(desk, bob, email="mine@example.test")
    for action in ("second_factor", "invite", "end_sessions"):
        press(desk, bob, action)
    deactivate(desk, bob)
    told: dict[str, set[str]] = {}
    for message in mails():
        found = [part for part in WORDS if part in message.body]
        told.setdefault("".join(found), set()).update(message.to)
    assert told["Email address: bob@example.test is now mine"] == {*everybody, "mine@example.test"}
    others = {"ada@example.test", "carl@example.test"}
    for part in WORDS[1:]:
        assert told[part] >= others, part
    assert carl.email in told[WORDS[-1]]


def test_saving_an_unchanged_account_tells_nobody(desk, viewer):
    change(desk, viewer)
    assert not mails()
    assert not noted()


def test_a_change_waits_until_the_password_was_given(administrator, viewer, client_of):
    with_factor(viewer)
    desk = client_of(administrator)
    for attempt in (
        lambda: change(desk, viewer, email="mine@example.test"),
        lambda: change(desk, viewer, role=permissions.ADMINISTRATOR),
        lambda: desk.post(f"{LIST}{viewer.pk}/act/", {"action": "second_factor"}),
        lambda: desk.post(f"{LIST}{viewer.pk}/deactivate/"),
        lambda: desk.post(f"{LIST}invite/", NEWCOMER),
    ):
        assert attempt()["Location"].startswith("/accounts/reauthenticate/?next=%2Fstaff%2F")
    viewer.refresh_from_db()
    assert (viewer.email, User.objects.get(pk=viewer.pk).role) == (
        "vera@example.test",
        permissions.VIEWER,
    )
    assert viewer.is_active
    assert Authenticator.objects.exists()
    assert not mails()
    assert not noted()


def test_what_was_typed_is_saved_once_the_password_was_given(administrator, viewer, client_of):
    desk = client_of(administrator)
    asked = change(desk, viewer, email="new@example.test")["Location"]
    page = desk.get(asked).content.decode()
    given = dict(re.findall(r'name="(next)" value="([^"]+)"', page))
    desk.post("/accounts/reauthenticate/", {"password": PASSWORD, **given})
    viewer.refresh_from_db()
    assert viewer.email == "new@example.test"


def test_what_is_wrong_is_corrected_after_the_password_was_given(administrator, client_of):
    desk = client_of(administrator)
    asked = desk.post(f"{LIST}invite/", {**NEWCOMER, "addresses": "nowhere"})["Location"]
    given = {"password": PASSWORD, "next": f"{LIST}invite/"}
    page = desk.post("/accounts/reauthenticate/", given)
    assert asked.startswith("/accounts/reauthenticate/")
    assert "Enter a valid email address" in text(page)
    assert page.context["form"]["addresses"].value() == "nowhere"
    [action] = re.findall(
        r'<form class="form" method="post" action="([^"]+)"', page.content.decode()
    )
    desk.post(action, NEWCOMER)
    assert User.objects.filter(username="nina").exists()


def test_administrators_find_changes_of_accounts_in_the_history(desk, viewer, manager, client_of):
    change(desk, viewer, role=permissions.MANAGER)
    page = desk.get("/history/?resource=staff").content.decode()
    assert "account of vera" in page
    assert "account of vera" not in desk.get("/history/?resource=contacts").content.decode()
    assert client_of(manager).get("/history/").status_code == 403
    assert not history.of_workspace("").events.exists()


def test_an_administrator_sends_an_invitation_again(desk, viewer):
    page = press(desk, viewer, "invite").content.decode()
    assert mails()[0].to == ["vera@example.test"]
    assert PASSWORD not in mails()[0].body
    assert "/password/reset/" in mails()[0].body
    assert "/password/reset/" not in page
    assert "Then sign in as vera." in mails()[0].body


def test_a_deactivated_person_gets_no_link_for_a_password(desk, viewer):
    deactivate(desk, viewer)
    mails()
    mail.outbox.clear()
    assert "to active accounts with an email address" in text(press(desk, viewer, "invite"))
    assert not mails()


def test_the_page_of_a_person_shows_what_they_have_open(desk, administrator, viewer):
    connect(administrator, access="ak", secret="sk", workspace="Acme")
    connect(viewer, access="ak", secret="sk", workspace="Acme")
    Draft.objects.create(person=viewer, workspace="Acme", token="k" * 8)
    page = text(desk.get(f"{LIST}{viewer.pk}/"))
    assert "Unfinished 1 Not sure 0" in page


def test_an_administrator_sees_who_has_keys_but_not_the_keys_and_removes_them(
    desk, administrator, viewer
):
    for user in (administrator, viewer):
        connect(user, access="access0123456789", secret="hidden9876543210", workspace="Acme")
    page = desk.get(f"{LIST}{viewer.pk}/")
    assert "API keys connected to Acme" in text(page)
    secrets = ("6789", "3210", viewer.key_pair.keys_sealed)
    assert not any(part in page.content.decode() for part in secrets)
    assert "The API keys of vera were removed." in text(press(desk, viewer, "remove_keys"))
    assert not KeyPair.objects.filter(user=viewer).exists()
    assert noted()[-1][1] == {"API keys": ("connected", "removed")}


@pytest.mark.parametrize("name", ["first_name", "last_name"])
def test_a_name_is_one_line_without_control_characters(desk, viewer, name):
    page = change(desk, viewer, **{name: "Vera\nRole: Administrator"})
    assert page.status_code == 422
    assert "Use one line without control characters." in text(page)
    for between in "\r\x0b\x1b\x7f\x85\u2028":  # some no page can show
        form = StaffForm({name: f"Vera{between}Role"}, instance=viewer, acting=viewer)
        assert name in form.errors, between
    viewer.refresh_from_db()
    assert (viewer.first_name, viewer.last_name) == ("", "")
    persian = "\u0645\u06cc\u200c\u062e"  # joiners belong to some names
    change(desk, viewer, **{name: f" Ve\u0301ra {persian} O'Neill-\u0416 "})
    assert getattr(viewer, name) == f"Ve\u0301ra {persian} O'Neill-\u0416"


def test_a_second_press_on_the_page_of_the_password_repeats_nothing(
    administrator, viewer, client_of
):
    desk = client_of(administrator)
    asked = desk.post(f"{LIST}{viewer.pk}/deactivate/")["Location"]
    first, second = (desk.post(asked, {"password": PASSWORD}, follow=True) for _ in range(2))
    assert "vera can no longer sign in." in text(first)
    assert "This account is already deactivated." in text(second)
    assert [changes for _, changes in noted()] == [{"Active": ("yes", "no")}]


@pytest.mark.django_db
def test_a_notice_to_administrators_costs_few_statements_for_each(client_of):
    ada = person("ada", permissions.ADMINISTRATOR)
    User.objects.filter(pk=ada.pk).update(is_superuser=True)
    mark = person("mark", permissions.ADMINISTRATOR)
    client = client_of(ada)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})

    def statements():
        Authenticator.objects.create(user=mark, type=Authenticator.Type.TOTP, data={})
        with CaptureQueriesContext(connection) as queries:
            client.post(f"/staff/{mark.pk}/act/", {"action": "second_factor"})
        return len(queries)

    before = statements()
    for number in range(5):
        colleague = person(f"colleague{number}", permissions.ADMINISTRATOR)
        User.objects.filter(pk=colleague.pk).update(email=f"c{number}@x.example")
    assert statements() - before == 5  # the task of each mail
