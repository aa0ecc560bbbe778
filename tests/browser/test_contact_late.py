"""A contact that the service is slow to tell: its name stands at once, and the page follows."""

import re

import pytest
from playwright.sync_api import expect

from dashboard.gateway import CONTACTS
from dashboard.pages import blocks
from tests.browser.routes import route_open_page


@pytest.fixture
def slow_contact(page, sign_in, manager, with_keys, gateway, monkeypatch):
    """The address of a contact whose name a list has told; pages wait for no answer."""
    body = {"cstname": "Zzyzx", "contact_type": 1, "cstmobile": "0100"}
    number = gateway.create(CONTACTS, body).id
    sign_in(page, with_keys(manager))
    page.goto("/contacts/?search=Zzyzx")
    monkeypatch.setattr(blocks, "PATIENCE", 0)
    return f"/contacts/{number}/"


def test_the_page_takes_the_place_of_the_name_and_is_used_like_any_other(
    page, slow_contact, axe_in_looks
):
    held = []
    route_open_page(page, "**/contacts/*/?block=record", lambda route: held.append(route))
    page.get_by_role("link", name="Zzyzx", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Zzyzx")
    expect(page.locator("#main[aria-busy=true]")).to_have_count(1)
    axe_in_looks(page)
    held.pop().continue_()
    expect(page.get_by_text("No activity yet.")).to_be_visible()
    expect(page.locator("[aria-busy]")).to_have_count(0)
    expect(page).to_have_title("Zzyzx · Entry Desk")
    expect(page.locator(".crumb a")).to_have_attribute("href", re.compile("sealed="))  # the list
    page.get_by_role("button", name="More").click()
    expect(page.get_by_role("button", name="Delete")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_label("Change phone", exact=True).click()
    page.locator("[name=cstmobile]").fill("0200")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="0200")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("link", name="Zzyzx", exact=True)).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("link", name="0200")).to_be_visible()


def test_a_contact_that_is_gone_gets_its_page_in_the_same_place(
    page, slow_contact, standin, console
):
    standin.fault("status-404", operation="get", resource="contacts")
    page.get_by_role("link", name="Zzyzx", exact=True).click()
    expect(page.get_by_role("heading", level=1)).not_to_have_text("Zzyzx")
    expect(page.get_by_role("link", name="Go to Today")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Contacts")
    console.clear()  # the browser reports the status 404


def test_without_javascript_the_whole_page_comes_by_itself(
    new_page, sign_in, slow_contact, manager
):
    plain = new_page(java_script_enabled=False)
    sign_in(plain, manager)
    plain.goto(slow_contact)
    expect(plain.get_by_text("No activity yet.")).to_be_visible()
    plain.wait_for_url(f"**{slow_contact}?fill=1")
