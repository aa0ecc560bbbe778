"""SINGLE_SIGN_ON_ONLY: passwords, passkeys and links for passwords are for superusers alone."""

import pytest

from dashboard.people import mails as sent_later
from dashboard.people import permissions
from dashboard.people.models import User
from tests.administration.identity_provider import sign_in
from tests.conftest import PASSWORD, person
from tests.helpers import mails, text
from tests.page import InspectingClient as Client
from tests.signing_in import browser_of, is_signed_in

CHANGE = "/accounts/password/change/"
NEW = {"password1": "another horse grazes", "password2": "another horse grazes"}


@pytest.fixture
def root(db, provider, settings) -> User:
    settings.SINGLE_SIGN_ON_ONLY = True
    return person("root", is_superuser=True)


def test_a_password_opens_the_account_of_a_superuser_alone(root, viewer):
    refused = browser_of(viewer)
    assert refused.response.status_code == 403
    assert "Use single sign-on." in text(refused.response)
    assert not is_signed_in(refused)
    assert browser_of(root).response["Location"] == "/"


def test_only_the_named_superusers_keep_their_password(root, settings):
    settings.SINGLE_SIGN_ON_EXCEPT = ["Root"]
    other = person("other", is_superuser=True)
    refused = browser_of(other)
    assert refused.response.status_code == 403
    assert "turned off, also for your account" in text(refused.response)
    assert browser_of(root).response["Location"] == "/"
    for user in (root, other):
        Client().post("/accounts/password/reset/", {"email": user.email})
    assert [message.to for message in mails()] == [[root.email]]


def test_nobody_else_is_offered_to_change_a_password(root, viewer, client_of):
    desk = client_of(viewer)
    assert "Password Change password" not in text(desk.get("/accounts/"))
    for answer in (desk.get(CHANGE, follow=True), desk.post(CHANGE, NEW, follow=True)):
        assert "This account has no password" in text(answer)
    assert "Password Change password" in text(client_of(root).get("/accounts/"))


def test_an_account_that_never_had_a_password_has_no_page_to_change_it(provider, viewer):
    viewer.set_unusable_password()
    viewer.save()
    browser = sign_in(provider)
    assert "Password Change password" not in text(browser.get("/accounts/"))
    page = browser.get(CHANGE, follow=True)
    assert page.redirect_chain[-1][0] == "/accounts/"
    assert "This account has no password. Use single sign-on." in text(page)


def test_single_sign_on_still_lets_people_in(root, provider, viewer):
    assert is_signed_in(sign_in(provider))


def test_the_sign_in_page_begins_with_single_sign_on(root):
    page = Client().get("/accounts/login/").content.decode()
    assert page.index("Sign in with single sign-on") < page.index("Sign in as a superuser")
    assert page.index("<details>") < page.index('name="login"')
    wrong = Client().post("/accounts/login/", {"login": "root", "password": "wrong"})
    assert "<details open>" in wrong.content.decode()


def test_a_link_for_a_new_password_is_mailed_to_superusers_alone(root, viewer):
    for address in ("vera@example.test", "root@example.test"):
        Client().post("/accounts/password/reset/", {"email": address})
    assert [message.to for message in mails()] == [["root@example.test"]]


def test_an_invitation_leads_to_single_sign_on(root, client_of, settings):
    settings.SECOND_FACTOR_ROLES = []
    settings.SITE_URL = "https://desk.example.test"
    desk = client_of(root)
    desk.post("/accounts/reauthenticate/", {"password": PASSWORD})
    desk.post("/staff/invite/", {"addresses": "nina@example.test", "role": permissions.EDITOR})
    [message] = mails()
    assert "https://desk.example.test/accounts/login/" in message.body
    assert "password/reset" not in message.body


def test_a_link_from_before_sets_no_password(root, viewer):
    client = Client()
    link = f"/accounts/password/reset/{sent_later.key_of(viewer)}/"
    form = client.get(link, follow=True).redirect_chain[-1][0]
    page = client.post(form, NEW)
    assert "This account has no password. Use single sign-on." in text(page)
    viewer.refresh_from_db()
    assert viewer.check_password(PASSWORD)


def test_a_passkey_opens_no_account_either(root, viewer, rf):
    from allauth.account.adapter import get_adapter

    details = {"email_verification": None, "email": None, "signup": False, "redirect_url": None}
    answer = get_adapter().pre_login(
        rf.get("/"), viewer, signal_kwargs={"passkey": True}, **details
    )
    assert answer is not None
