"""Staff accounts by keyboard: choosing one, its actions, and what deactivating asks before."""

import pytest
from playwright.sync_api import expect

from tests.conftest import PASSWORD

SENT = "emailed a password link to"


@pytest.fixture
def staff_page(page, sign_in, administrator, editor):
    """The page of an editor's account, reached by keys, after the password was asked for."""
    sign_in(page, administrator)
    page.goto("/staff/")
    page.keyboard.press("j")
    expect(page.locator("table tbody th a").first).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("e")
    expect(page.get_by_role("heading", level=1)).to_have_text("edith")
    page.get_by_role("button", name="Send password link").press("Enter")
    expect(page.get_by_label("Password")).to_be_focused()
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("p", has_text=SENT)).to_be_visible()
    return page


def test_the_focus_stays_at_the_buttons_of_the_account(staff_page):
    button = staff_page.get_by_role("button", name="Send password link")
    button.press("Enter")
    expect(staff_page.locator("p", has_text=SENT)).to_be_visible()
    expect(button).to_be_focused()
