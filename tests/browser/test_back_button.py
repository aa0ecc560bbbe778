"""The Back button shows nothing after signing out, and loses nothing before."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserType, Page, expect

from dashboard.gateway import CONTACTS

TIMEOUT = 15_000  # ms; long, as the machine may be busy


@pytest.fixture
def browser(browser_type: BrowserType, browser_type_launch_args: dict[str, Any]) -> Iterator[Any]:
    """Chromium as people have it: Playwright switches its back-forward cache off."""
    off = ["--disable-back-forward-cache"]
    launched = browser_type.launch(**browser_type_launch_args, ignore_default_args=off)
    yield launched
    launched.close()


@pytest.fixture
def at_desk(page, sign_in, manager, with_keys) -> Page:
    sign_in(page, with_keys(manager))
    return page


def test_back_after_signing_out_shows_no_record(at_desk, gateway):
    record = gateway.list(CONTACTS).records[0]
    at_desk.goto(f"/contacts/{record.id}/edit/")
    expect(at_desk.get_by_label("Name", exact=True)).to_have_value(record["cstname"])
    at_desk.get_by_label("Email (optional)").fill("kept@zebra.example")
    at_desk.goto("/accounts/logout/")
    at_desk.get_by_role("button", name="Sign out").click()
    at_desk.wait_for_url(re.compile("/accounts/login/"))
    for _ in range(2):
        at_desk.go_back()
        expect(at_desk).to_have_title(re.compile("^Sign in"), timeout=TIMEOUT)
        assert record["cstname"] not in at_desk.content()


def test_back_within_a_session_offers_what_was_typed(at_desk):
    at_desk.goto("/contacts/new/")
    at_desk.get_by_label("Name", exact=True).press_sequentially("Zebra Ltd")
    at_desk.goto("/contacts/")
    at_desk.go_back()
    at_desk.locator(".draft-offer").get_by_role("link").first.click()
    expect(at_desk.get_by_label("Name", exact=True)).to_have_value("Zebra Ltd")
