"""Single sign-on against a small provider: who is let in, with which role, and who is not."""

import json
from urllib.parse import parse_qsl, urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount, SocialToken

from dashboard.people import members, permissions
from dashboard.people.models import Membership, User
from dashboard.writes import history
from dashboard.writes.models import Event
from tests.administration.conftest import ROLES, providers
from tests.administration.identity_provider import CLIENT, LOGIN, SECRET, sign_in
from tests.conftest import PASSWORD, person
from tests.helpers import mails, text
from tests.page import InspectingClient as Client
from tests.signing_in import browser_of, is_signed_in
from tests.test_settings import COMPLETE, load

OTHERS = {"email": "somebody@example.test", "sub": "2"}


def test_the_settings_come_from_the_environment():
    given = {"OIDC_ISSUER": "https://id.test", "OIDC_CLIENT_ID": CLIENT}
    given |= {"OIDC_CLIENT_SECRET": SECRET, "OIDC_ROLES": "desk=Editor,desk-admins=Administrator"}
    words = "__import__('json').dumps([settings.SOCIALACCOUNT_PROVIDERS, settings.OIDC_ROLES])"
    found = json.loads(load({**COMPLETE, **given}, words).stdout)
    assert found == [providers("https://id.test"), ROLES]
    assert json.loads(load(COMPLETE, words).stdout) == [{}, {}]


def test_the_sign_in_page_offers_it_where_it_is_set_up(provider, settings, db):
    page = Client().get("/accounts/login/?next=/contacts/").content.decode()
    assert f'href="{LOGIN}?next=%2Fcontacts%2F"' in page
    assert "Sign in with single sign-on" in page
    settings.SOCIALACCOUNT_PROVIDERS = {}
    assert LOGIN not in Client().get("/accounts/login/").content.decode()
    assert Client().get(LOGIN).status_code == 404


def test_an_invited_person_is_let_in_with_the_role_of_their_groups(provider, viewer):
    client = sign_in(provider, query="?next=/accounts/")
    assert client.response["Location"] == "/accounts/"
    assert is_signed_in(client)
    assert User.objects.get(pk=viewer.pk).role == permissions.EDITOR
    viewer.refresh_from_db()
    assert viewer.check_password(PASSWORD)  # the other way stays
    assert not EmailAddress.objects.exists()
    assert not SocialToken.objects.exists()


def test_what_the_provider_is_asked_for_is_a_setting(provider, settings, db):
    settings.OIDC_SCOPES = ["openid", "groups"]
    asked = dict(parse_qsl(urlsplit(Client().get(LOGIN)["Location"]).query))
    assert set(asked["scope"].split()) == {"openid", "groups"}


def test_the_provider_sends_people_back_to_the_address_of_the_site(provider, settings, viewer):
    settings.SITE_URL = "https://desk.example.test"
    client = Client()
    asked = client.get(LOGIN)["Location"]
    back = dict(parse_qsl(urlsplit(asked).query))["redirect_uri"]
    assert back == "https://desk.example.test/accounts/oidc/office/login/callback/"
    client.get(provider.authorize(asked))
    assert is_signed_in(client)


@pytest.fixture
def newcomer(provider, settings) -> None:
    settings.OIDC_NEW_ACCOUNTS = True
    names = {"given_name": "Nina", "family_name": "New"}
    provider.claims |= {"sub": "7", "email": "Nina@example.test", **names}


def test_whoever_has_a_group_with_a_role_gets_an_account(
    provider, newcomer, administrator, security_log
):
    client = sign_in(provider)
    assert is_signed_in(client)
    nina = User.objects.get(username="nina")
    assert (nina.email, nina.get_full_name(), nina.role) == (
        "nina@example.test", "Nina New", permissions.EDITOR,
    )  # fmt: skip
    assert not nina.has_usable_password()
    entry = Event.objects.filter(resource=history.STAFF).earliest("pk")
    assert (entry.who, entry.operation) == ("single sign-on", "create")
    assert history.details(entry).changes["Role"] == ("", permissions.EDITOR)
    assert security_log()[0]["event"] == "create"
    assert is_signed_in(sign_in(provider))
    assert User.objects.count() == 2
    assert not members.invitations(nina)


def test_a_new_account_is_invited_to_the_only_workspace_until_somebody_removes_it(
    provider, newcomer, db
):
    acme = members.create_workspace("Acme")
    sign_in(provider)
    nina = User.objects.get(username="nina")
    assert members.invitations(nina) == [acme]
    members.remove(Membership.objects.get(user=nina))
    assert is_signed_in(sign_in(provider))
    assert members.invitations(nina) == []


def test_a_new_account_is_invited_to_none_of_two_workspaces(provider, newcomer, db):
    members.create_workspace("Acme")
    members.create_workspace("Globex")
    sign_in(provider)
    assert members.invitations(User.objects.get(username="nina")) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"groups": ["canteen"]}, "Your groups don't give you access to Entry Desk."),
        ({"email_verified": False}, "No Entry Desk account uses"),
        ({"email": "nína@example.test"}, "No Entry Desk account uses"),
    ],
)
def test_others_get_no_account(provider, newcomer, db, change, words):
    provider.claims |= change
    client = sign_in(provider)
    assert client.response.status_code == 403
    assert words in text(client.response)
    assert not User.objects.exists()


@pytest.mark.parametrize("name", [7, "Ni\nna", "N" * 151, ["Nina"], "\u202eNina"])
def test_a_name_that_is_none_is_left_out(provider, newcomer, db, name):
    provider.claims |= {"given_name": name}
    sign_in(provider)
    assert User.objects.get().get_full_name() == "New"


def test_a_new_account_whose_name_is_taken_signs_in_by_its_address(provider, newcomer, db):
    User.objects.create_user("nina", "other@example.test")
    sign_in(provider)
    assert User.objects.get(username="nina@example.test").role == permissions.EDITOR


def test_an_account_made_at_the_same_moment_is_told(provider, newcomer, db, monkeypatch):
    monkeypatch.setattr(
        "dashboard.administration.single_sign_on.free_username",
        lambda address: person("nina").username,
    )
    assert "Sign in again." in text(sign_in(provider).response)


def test_a_change_of_role_stands_in_the_history_and_is_told(provider, viewer, administrator):
    sign_in(provider)
    [entry] = Event.objects.filter(resource=history.STAFF)
    assert (entry.who, history.details(entry).changes) == (
        "single sign-on",
        {"Role": (permissions.VIEWER, permissions.EDITOR)},
    )
    told = [message for message in mails() if "Role: Viewer is now Editor" in message.body]
    assert [message.to for message in told] == [["vera@example.test"]]
    assert "Single sign-on has changed your Entry Desk account" in told[0].body
    provider.claims["groups"] = "desk-admins"
    sign_in(provider)
    told = [message.to for message in mails() if "is now Administrator" in message.body]
    assert sorted(told) == [["ada@example.test"], ["vera@example.test"]]


def test_the_account_is_found_by_the_id_of_the_provider_later_on(provider, viewer, editor):
    sign_in(provider)
    User.objects.filter(pk=viewer.pk).update(email="new@example.test")
    provider.claims["email"] = "edith@example.test"
    client = sign_in(provider)
    assert "vera" in text(client.get("/accounts/"))
    assert SocialAccount.objects.count() == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (OTHERS, "No Entry Desk account uses"),
        ({"email_verified": False}, "No Entry Desk account uses"),
        ({"email": "root@example.test"}, "use single sign-on."),
    ],
)
def test_others_are_not_let_in(provider, viewer, change, words, security_log):
    person("root", is_superuser=True)
    provider.claims |= change
    client = sign_in(provider)
    assert [line["event"] for line in security_log()] == ["single sign-on refused"]
    assert client.response.status_code == 403
    assert words in text(client.response)
    assert not is_signed_in(client)
    assert User.objects.count() == 2
    assert not SocialAccount.objects.exists()
    assert User.objects.get(pk=viewer.pk).role == permissions.VIEWER


@pytest.mark.parametrize("groups", [["canteen"], [], None])
def test_whoever_leaves_all_groups_loses_the_role_and_every_session(
    provider, viewer, groups, administrator
):
    first = sign_in(provider)
    other = browser_of(viewer)
    assert is_signed_in(first)
    assert is_signed_in(other)
    provider.claims["groups"] = groups
    refused = sign_in(provider)
    assert refused.response.status_code == 403
    assert "give you access to Entry Desk" in text(refused.response)
    assert User.objects.get(pk=viewer.pk).role == ""
    for browser in (first, other, refused):
        assert not is_signed_in(browser)
    changes = {"Active sessions": ("2", "0"), "Role": (permissions.EDITOR, "")}
    assert (
        history.details(Event.objects.filter(resource=history.STAFF).latest("pk")).changes
        == changes
    )
    [told] = [message for message in mails() if "Role: Editor is now (empty)" in message.body]
    assert told.to == ["vera@example.test"]


def test_whoever_has_lost_the_role_gets_in_by_no_other_way(provider, viewer):
    provider.claims["groups"] = ["desk"]
    sign_in(provider)
    provider.claims["groups"] = []
    sign_in(provider)
    browser = browser_of(viewer)
    assert browser.response.status_code == 403
    assert "Your account has no role in Entry Desk." in text(browser.response)
    assert not is_signed_in(browser)
    provider.claims["groups"] = ["desk"]
    assert is_signed_in(sign_in(provider))
    assert is_signed_in(browser_of(viewer))


def test_the_last_administrator_in_no_group_loses_the_sessions_alone(provider, administrator):
    browser = browser_of(administrator)
    provider.claims |= {"email": administrator.email, "groups": ["desk"]}
    sign_in(provider)
    provider.claims["groups"] = []
    assert sign_in(provider).response.status_code == 403
    assert not is_signed_in(browser)
    assert User.objects.get(pk=administrator.pk).role == permissions.ADMINISTRATOR
    [entry] = Event.objects.filter(resource=history.STAFF)
    assert history.details(entry).changes == {"Active sessions": ("2", "0")}


def test_whoever_was_never_linked_keeps_the_role_that_an_administrator_gave(provider, viewer):
    provider.claims["groups"] = []
    assert sign_in(provider).response.status_code == 403
    assert is_signed_in(browser_of(viewer))


def test_a_deactivated_person_is_not_let_in(provider, viewer):
    sign_in(provider)
    User.objects.filter(pk=viewer.pk).update(is_active=False)
    client = sign_in(provider)
    assert client.response["Location"] == "/accounts/inactive/"
    assert not is_signed_in(client)


def test_without_a_mapping_roles_stay(provider, viewer, settings):
    settings.OIDC_ROLES = {}
    provider.claims["groups"] = ["desk-admins"]
    assert is_signed_in(sign_in(provider))
    assert User.objects.get(pk=viewer.pk).role == permissions.VIEWER


def test_the_last_administrator_keeps_the_role(provider, administrator):
    provider.claims["email"] = administrator.email
    assert is_signed_in(sign_in(provider))
    assert User.objects.get(pk=administrator.pk).role == permissions.ADMINISTRATOR


def test_an_answer_that_was_not_asked_for_is_refused(provider, viewer):
    asked = Client().get(LOGIN)["Location"]
    thief = Client()
    answer = thief.get(provider.authorize(asked))
    assert "Single sign-on failed" in text(answer)
    assert not is_signed_in(thief)


def test_one_may_give_up(provider, viewer):
    provider.refuses = True
    client = sign_in(provider)
    assert "Sign-in cancelled" in text(client.get(client.response["Location"]))


def test_nobody_connects_an_identity_to_the_account_they_are_signed_in_to(
    provider, administrator, client_of
):
    provider.claims |= {"email": administrator.email, "groups": ["desk-admins"]}
    client = sign_in(provider, client_of(administrator), "?process=connect")
    assert client.response.status_code == 403
    assert not SocialAccount.objects.exists()


def test_no_second_step_of_our_own_is_asked_for_after_it(provider, viewer, settings):
    settings.SECOND_FACTOR_ROLES = list(permissions.ROLES)
    assert is_signed_in(sign_in(provider))


def test_an_administrator_with_nothing_to_confirm_with_changes_no_account(
    provider, viewer, administrator
):
    administrator.set_unusable_password()
    administrator.save()
    provider.claims |= {"email": administrator.email, "groups": ["desk-admins"]}
    client = sign_in(provider)
    answer = client.post(f"/staff/{viewer.pk}/deactivate/")
    assert answer["Location"] == "/accounts/two-step/"
    viewer.refresh_from_db()
    assert viewer.is_active


def test_an_administrator_unlinks_an_identity_so_that_a_new_one_is_linked(
    provider, viewer, administrator, client_of
):
    browser = sign_in(provider)
    desk = client_of(administrator)
    page = f"/staff/{viewer.pk}/"
    assert "Single sign-on linked" in text(desk.get(page))
    asked = desk.post(f"{page}act/", {"action": "unlink"})
    assert "/accounts/reauthenticate/" in asked["Location"]
    answer = desk.post(asked["Location"], {"password": PASSWORD}, follow=True)
    assert "Single sign-on is unlinked for vera." in text(answer)
    assert "Unlink single sign-on" not in text(answer)
    assert not is_signed_in(browser)
    newest = Event.objects.filter(resource=history.STAFF).latest("pk")
    assert (newest.who, history.details(newest).changes) == (
        "ada",
        {"Single sign-on": ("linked", "not linked")},
    )
    told = [message.to for message in mails() if "linked is now not linked" in message.body]
    assert told == [["vera@example.test"]]
    provider.claims["sub"] = "2"
    assert is_signed_in(sign_in(provider))
    assert [row.uid for row in SocialAccount.objects.all()] == ["2"]
