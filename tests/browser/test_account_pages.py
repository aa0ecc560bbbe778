"""The pages of keys, sign-in and the own account: accessibility in every state, keyboard use."""

import re
from collections.abc import Callable

import pytest
from allauth.mfa.models import Authenticator
from playwright.sync_api import Page, expect

from dashboard.jobs.models import Job
from tests.conftest import PASSWORD


def type_into(page: Page, **typed: str) -> None:
    for name, words in typed.items():
        page.locator(f"[name={name}]").fill(words)


def test_the_sign_in_pages_are_accessible(new_page, axe_in_looks, viewer, console):
    page = new_page()
    page.goto("/accounts/login/")
    axe_in_looks(page)
    type_into(page, login="vera", password="wrong")
    page.keyboard.press("Enter")
    expect(page.locator("#error-summary")).to_be_focused()
    axe_in_looks(page)
    page.get_by_role("link", name="Forgot your password?").click()
    page.wait_for_url("**/password/reset/")
    axe_in_looks(page)
    type_into(page, email="vera@example.test")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/sent/$"))
    axe_in_looks(page)
    page.goto("/accounts/password/reset/zz-set-password/")
    axe_in_looks(page)
    console.clear()


def test_the_account_pages_are_accessible(new_page, axe_in_looks, sign_in, viewer):
    page = new_page()
    sign_in(page, viewer)
    for address in ("", "two-step/", "password/change/"):
        page.goto(f"/accounts/{address}")
        axe_in_looks(page)
    type_into(page, oldpassword="wrong", password1="short", password2="other")
    page.keyboard.press("Enter")
    expect(page.locator("#error-summary")).to_be_focused()
    axe_in_looks(page)
    new = "a longer horse grazes"
    type_into(page, oldpassword=PASSWORD, password1=new, password2=new)
    page.keyboard.press("Enter")
    expect(page.locator("#messages").get_by_text("Your password was changed.")).to_be_visible()


def test_the_pages_of_keys_are_accessible(
    new_page, axe_in_looks, sign_in, administrator, standin, console
):
    access, secret = standin.keys["solo"][0]
    page = new_page()
    sign_in(page, administrator)
    page.goto("/settings/keys/")
    axe_in_looks(page)
    page.get_by_role("button", name="Test and connect").click()
    expect(page.locator("#error-summary")).to_be_focused()
    axe_in_looks(page)
    type_into(page, access=access, secret=secret)
    page.get_by_role("button", name="Test only").click()
    expect(page.get_by_text("not in your plan").first).to_be_visible()
    axe_in_looks(page)
    page.get_by_role("button", name="Test and connect").click()
    type_into(page, workspace="Solo")
    axe_in_looks(page)
    page.get_by_role("button", name="Test and connect").click()
    expect(page.get_by_role("heading", name="re ready to start")).to_be_visible()
    axe_in_looks(page)
    page.goto("/settings/keys/replace/")
    axe_in_looks(page)
    type_into(page, password=PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/settings/keys/replace/")
    for address in ("replace/", "remove/", "people/", f"people/{administrator.pk}/remove/"):
        page.goto(f"/settings/keys/{address}")
        axe_in_looks(page)
    reason = "The CRM rejected your API keys. Connect a new pair, then resume."
    title = "Change 240 contacts: account manager"
    Job.objects.create(person=administrator, kind="x", title=title, state="paused", reason=reason)
    for address in ("workspace/", "operation/"):
        page.goto(f"/settings/{address}")
        axe_in_looks(page)
    console.clear()  # a form with errors has status 422


def test_the_pages_of_staff_accounts_are_accessible(
    new_page, axe_in_looks, sign_in, administrator, viewer, console
):
    Authenticator.objects.create(user=viewer, type="totp", data={"secret": "x"})
    page = new_page()
    sign_in(page, administrator)
    page.goto("/staff/")
    axe_in_looks(page)
    page.keyboard.type("ca")
    page.wait_for_url("**/staff/invite/")
    axe_in_looks(page)
    addresses = page.get_by_label("Email addresses")
    addresses.fill("Nina <nina@example.test>\nnowhere")
    page.get_by_label("Editor").check()
    page.get_by_role("button", name="Send invitations").press("Enter")
    type_into(page, password=PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("#error-summary")).to_be_focused()
    expect(page.locator("#error-summary")).to_contain_text("Line 2: ")
    axe_in_looks(page)
    addresses.fill("Nina <nina@example.test>")
    page.get_by_role("button", name="Send invitations").click()
    expect(page.locator("#messages")).to_contain_text("1 person is invited")
    page.get_by_role("link", name="Nina", exact=True).click()
    axe_in_looks(page)
    page.get_by_role("link", name="Deactivate").click()
    page.get_by_role("button", name="Deactivate").click()
    expect(page.locator("#messages")).to_contain_text("Nina can no longer sign in.")
    axe_in_looks(page)
    for address in (f"{viewer.pk}/deactivate/", f"{viewer.pk}/", f"{administrator.pk}/"):
        page.goto(f"/staff/{address}")
        axe_in_looks(page)
    console.clear()  # a form with errors has status 422


def test_a_failed_save_focuses_the_error_summary(
    page, sign_in, with_keys, editor, standin, console
):
    sign_in(page, with_keys(editor))
    page.goto("/contacts/new/")
    standin.fault("status-503", operation="list")
    standin.fault("status-429", operation="create")
    page.keyboard.type("Ada Berg")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("group", name="Not saved")).to_be_focused()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Ada Berg")
    console.clear()  # the error status of the page


@pytest.fixture
def key_at():
    """key_at(page): plugs a security key with a fingerprint reader into the browser."""

    def plugged(page: Page) -> None:
        session = page.context.new_cdp_session(page)
        session.send("WebAuthn.enable")
        options = {
            "protocol": "ctap2",
            "transport": "internal",
            "hasResidentKey": True,
            "hasUserVerification": True,
            "isUserVerified": True,
            "automaticPresenceSimulation": True,
        }
        session.send("WebAuthn.addVirtualAuthenticator", {"options": options})

    return plugged


@pytest.fixture
def named_host(live_server, settings):
    """The live server by a name, as passkeys do not work for addresses of numbers."""
    settings.ALLOWED_HOSTS = ["localhost"]
    return live_server.url.replace("127.0.0.1", "localhost")


def add_passkey(page: Page, host: str, axe: Callable[[Page], None]) -> None:
    page.goto(f"{host}/accounts/login/")
    type_into(page, login="vera", password=PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Set up two-step sign-in")).to_be_visible()
    axe(page)
    page.get_by_role("link", name="Use a passkey").click()
    page.wait_for_url("**/webauthn/add/")  # with its script, which asks for the passkey
    page.get_by_role("button", name="Add passkey").click()
    expect(page.get_by_text("see these codes again")).to_be_visible()


def test_a_passkey_is_required_added_and_signs_in_alone(
    new_page, axe_in_looks, key_at, named_host, settings, viewer
):
    settings.SECOND_FACTOR_ROLES = ["Viewer"]
    page = new_page()
    key_at(page)
    add_passkey(page, named_host, axe_in_looks)
    axe_in_looks(page)
    for path in ("", "webauthn/", "webauthn/add/", "recovery-codes/", "recovery-codes/generate/"):
        page.goto(f"{named_host}/accounts/two-step/{path}")
        axe_in_looks(page)
    page.goto(f"{named_host}/accounts/two-step/")
    expect(page.get_by_text("You have 1 passkey.")).to_be_visible()
    page.goto(f"{named_host}/accounts/two-step/webauthn/")
    page.get_by_role("link", name="Rename Passkey 1").click()
    type_into(page, name="Office laptop")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Remove Office laptop").click()
    page.wait_for_url("**/remove/")
    axe_in_looks(page)
    page.context.clear_cookies(name="sessionid")
    page.goto(f"{named_host}/accounts/login/?next=/accounts/")
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page).to_have_url(re.compile("/accounts/$"))


def test_a_passkey_is_the_second_step_and_confirms(
    new_page, axe, key_at, named_host, settings, viewer
):
    settings.SECOND_FACTOR_ROLES = ["Viewer"]
    page = new_page()
    key_at(page)
    add_passkey(page, named_host, axe)
    viewer.authenticator_set.filter(type="recovery_codes").delete()
    page.context.clear_cookies(name="sessionid")
    page.goto(f"{named_host}/accounts/login/?next=/accounts/")
    type_into(page, login="vera", password=PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Two-step sign-in")).to_be_visible()
    axe(page)
    page.get_by_role("button", name="Use your passkey").click()
    expect(page).to_have_url(f"{named_host}/accounts/")
    page.goto(f"{named_host}/accounts/two-step/webauthn/reauthenticate/?next=/accounts/")
    axe(page)
    page.get_by_role("button", name="Use your passkey").click()
    expect(page).to_have_url(f"{named_host}/accounts/")


def test_a_passkey_that_is_refused_is_told(new_page, axe, named_host, viewer):
    page = new_page()
    page.goto(f"{named_host}/accounts/login/")
    page.evaluate("() => { navigator.credentials.get = () => Promise.reject(new Error()) }")
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_text("No passkey was used")).to_be_visible()
    axe(page)
