"""The Back button shows nothing after signing out, and loses nothing before."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserType, Page, expect

from dashboard.gateway import CONTACTS


@pytest.fixture
def browser(browser_type: BrowserType, browser_type_launch_args: dict[str, Any]) -> Iterator[Any]:
    """Chromium as people have it: Playwright switches its back-forward cache off."""
    off = ["--disable-back-forward-cache"]
    launched = browser_type.launch(**browser_type_launch_args, ignore_default_args=off)
    yield launched
    launched.close()


def test_back_after_signing_out_shows_no_record(at_desk, gateway):
    record = gateway.list(CONTACTS).records[0]
    at_desk.goto(f"/contacts/{record.id}/edit/")
    expect(at_desk.get_by_label("Name", exact=True)).to_have_value(record["cstname"])
    at_desk.get_by_label(re.compile("^Email")).fill("kept@zebra.example")
    at_desk.goto("/accounts/logout/")
    at_desk.get_by_role("button", name="Sign out").click()
    at_desk.wait_for_url(re.compile("/accounts/login/"))
    for _ in range(2):
        at_desk.go_back()
        expect(at_desk).to_have_title(re.compile("^Sign in"))
        assert record["cstname"] not in at_desk.content()


def stored(page: Page) -> dict[str, str]:
    return page.evaluate("Object.fromEntries(Object.entries(sessionStorage))")


def test_the_way_back_to_a_search_holds_no_name_and_ends_with_the_session(at_desk, gateway):
    name = gateway.list(CONTACTS).records[0]["cstname"].split()[0]
    address = re.compile(r"/contacts/\?search=.+&size=10$")
    at_desk.goto("/contacts/?size=10")
    at_desk.locator("#search").press_sequentially(name)
    at_desk.wait_for_url(address)
    assert "search=" not in str(stored(at_desk))
    crumb = at_desk.get_by_role("navigation", name="Breadcrumb").get_by_role("link").first
    for leave in (crumb.click, at_desk.go_back):
        at_desk.locator("[data-results] tbody th a").first.click()
        at_desk.wait_for_url(re.compile(r"/contacts/\d+/$"))
        assert "list:/contacts/" in stored(at_desk)
        assert "search=" not in str(stored(at_desk))
        leave()
        at_desk.wait_for_url(address)
        expect(at_desk.locator("[data-results] tbody th a").first).to_be_focused()
    at_desk.evaluate("localStorage.setItem('kept', '1')")
    at_desk.goto("/accounts/logout/")
    at_desk.get_by_role("button", name="Sign out").click()
    at_desk.wait_for_url(re.compile("/accounts/login/"))
    expect(at_desk.get_by_role("heading", name="Sign in")).to_be_visible()
    assert stored(at_desk) == {}
    assert at_desk.evaluate("localStorage.getItem('kept')") == "1"
