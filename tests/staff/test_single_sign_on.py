"""Single sign-on against a small provider: who is let in, with which role, and who is not."""

import json

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount, SocialToken

from dashboard.accounts import roles
from dashboard.accounts.models import User
from dashboard.audit import services as audit
from dashboard.audit.models import Entry
from tests.conftest import PASSWORD, person
from tests.helpers import mails, text
from tests.page import InspectingClient as Client
from tests.staff.identity_provider import CLIENT, SECRET, IdentityProvider, running
from tests.test_settings import COMPLETE, load

LOGIN = "/accounts/oidc/office/login/"
ROLES = {"desk-admins": roles.ADMINISTRATOR, "desk": roles.EDITOR}
OTHERS = {"email": "somebody@example.test", "sub": "2"}


@pytest.fixture(scope="module")
def _provider():
    with running() as provider:
        yield provider


def providers(issuer: str) -> dict:
    app = {
        "provider_id": "office",
        "name": "Acorn ID",
        "client_id": CLIENT,
        "secret": SECRET,
        "settings": {"server_url": issuer},
    }
    return {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}}


@pytest.fixture
def provider(_provider, settings) -> IdentityProvider:
    settings.SOCIALACCOUNT_PROVIDERS = providers(_provider.url)
    settings.OIDC_ROLES = ROLES
    _provider.claims = {
        "sub": "1",
        "email": "vera@example.test",
        "email_verified": True,
        "groups": ["desk", "canteen"],
    }
    _provider.token, _provider.refuses = {}, False
    return _provider


def sign_in(provider: IdentityProvider, client: Client | None = None, query: str = ""):
    browser = client or Client()
    location = browser.get(f"{LOGIN}{query}")["Location"]
    browser.response = browser.get(provider.authorize(location))
    return browser


def events(caplog) -> list[str]:
    """The lines of the security log."""
    return [line.msg["event"] for line in caplog.records if line.name == "security"]


def is_signed_in(client: Client) -> bool:
    return client.get("/accounts/").status_code == 200


def test_the_settings_come_from_the_environment():
    given = {"OIDC_ISSUER": "https://id.test", "OIDC_NAME": "Acorn ID", "OIDC_CLIENT_ID": CLIENT}
    given |= {"OIDC_CLIENT_SECRET": SECRET, "OIDC_ROLES": "desk=Editor,desk-admins=Administrator"}
    words = "__import__('json').dumps([settings.SOCIALACCOUNT_PROVIDERS, settings.OIDC_ROLES])"
    found = json.loads(load({**COMPLETE, **given}, words).stdout)
    assert found == [providers("https://id.test"), ROLES]
    assert json.loads(load(COMPLETE, words).stdout) == [{}, {}]


def test_the_sign_in_page_offers_it_where_it_is_set_up(provider, settings, db):
    page = Client().get("/accounts/login/?next=/contacts/").content.decode()
    assert f'href="{LOGIN}?next=%2Fcontacts%2F"' in page
    assert "Sign in with Acorn ID" in page
    settings.SOCIALACCOUNT_PROVIDERS = {}
    assert LOGIN not in Client().get("/accounts/login/").content.decode()
    assert Client().get(LOGIN).status_code == 404


def test_an_invited_person_is_let_in_with_the_role_of_their_groups(provider, viewer):
    client = sign_in(provider, query="?next=/accounts/preferences/")
    assert client.response["Location"] == "/accounts/preferences/"
    assert is_signed_in(client)
    assert roles.role_of(User.objects.get(pk=viewer.pk)) == roles.EDITOR
    viewer.refresh_from_db()
    assert viewer.check_password(PASSWORD)  # the other way stays
    assert not EmailAddress.objects.exists()
    assert not SocialToken.objects.exists()


def test_a_change_of_role_stands_in_the_history_and_is_told(provider, viewer, administrator):
    sign_in(provider)
    [entry] = Entry.objects.filter(resource=audit.STAFF)
    assert (entry.who, audit.details(entry).changes) == (
        "single sign-on",
        {"Role": (roles.VIEWER, roles.EDITOR)},
    )
    told = [message for message in mails() if "Role: Viewer is now Editor" in message.body]
    assert [message.to for message in told] == [["vera@example.test"]]
    assert "single sign-on has changed your account" in told[0].body
    provider.claims["groups"] = "desk-admins"
    sign_in(provider)
    told = [message.to for message in mails() if "is now Administrator" in message.body]
    assert sorted(told) == [["ada@example.test"], ["vera@example.test"]]


def test_groups_are_looked_at_on_each_sign_in(provider, viewer, administrator):
    for groups, role in (
        (["desk-admins", "desk"], roles.ADMINISTRATOR),
        (["desk"], roles.EDITOR),
    ):
        provider.claims["groups"] = groups
        assert is_signed_in(sign_in(provider))
        assert roles.role_of(User.objects.get(pk=viewer.pk)) == role


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
        (OTHERS, "There is no account here"),
        ({"email_verified": False}, "There is no account here"),
        ({"groups": ["canteen"]}, "None of your groups has a role here"),
        ({"groups": []}, "None of your groups has a role here"),
        ({"email": "root@example.test"}, "this account has no single sign-on"),
    ],
)
def test_others_are_not_let_in(provider, viewer, change, words, caplog):
    caplog.set_level("INFO", "security")
    person("root", is_superuser=True)
    provider.claims |= change
    client = sign_in(provider)
    assert events(caplog) == ["single sign-on refused"]
    assert client.response.status_code == 403
    assert words in text(client.response)
    assert not is_signed_in(client)
    assert User.objects.count() == 2
    assert not SocialAccount.objects.exists()
    assert roles.role_of(User.objects.get(pk=viewer.pk)) == roles.VIEWER


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
    assert roles.role_of(User.objects.get(pk=viewer.pk)) == roles.VIEWER


def test_the_last_administrator_keeps_the_role(provider, administrator):
    provider.claims["email"] = administrator.email
    assert is_signed_in(sign_in(provider))
    assert roles.role_of(User.objects.get(pk=administrator.pk)) == roles.ADMINISTRATOR


@pytest.mark.parametrize("wrong", [{"aud": "other"}, {"iss": "https://evil.test"}, {"exp": 1}])
def test_a_token_for_somebody_else_or_too_old_is_refused(provider, viewer, wrong, caplog):
    caplog.set_level("INFO", "security")
    provider.token = wrong
    client = sign_in(provider)
    assert "single sign-on failed" in events(caplog)
    assert "Single sign-on failed" in text(client.response)
    assert not is_signed_in(client)


def test_an_answer_that_was_not_asked_for_is_refused(provider, viewer):
    asked = Client().get(LOGIN)["Location"]
    thief = Client()
    answer = thief.get(provider.authorize(asked))
    assert "Single sign-on failed" in text(answer)
    assert not is_signed_in(thief)


def test_one_may_give_up(provider, viewer):
    provider.refuses = True
    client = sign_in(provider)
    assert "You did not sign in" in text(client.get(client.response["Location"]))


def test_nobody_connects_an_identity_to_the_account_they_are_signed_in_to(
    provider, administrator, client_of
):
    provider.claims |= {"email": administrator.email, "groups": ["desk-admins"]}
    client = sign_in(provider, client_of(administrator), "?process=connect")
    assert client.response.status_code == 403
    assert not SocialAccount.objects.exists()


def test_no_second_step_of_our_own_is_asked_for_after_it(provider, viewer, settings):
    settings.SECOND_FACTOR_ROLES = list(roles.ROLES)
    assert is_signed_in(sign_in(provider))


def test_an_administrator_with_nothing_to_confirm_with_changes_no_account(
    provider, viewer, administrator
):
    administrator.set_unusable_password()
    administrator.save()
    provider.claims |= {"email": administrator.email, "groups": ["desk-admins"]}
    client = sign_in(provider)
    answer = client.post(f"/staff/{viewer.pk}/act/", {"action": "deactivate"})
    assert answer["Location"] == "/accounts/two-step/"
    viewer.refresh_from_db()
    assert viewer.is_active
