"""A long list is looked through in a browser: what is found is added to its rows."""

import pytest
from playwright.sync_api import expect

from dashboard.lists import fetch
from dashboard.reader import all_rows

pytestmark = pytest.mark.slow


def test_what_is_found_is_added_to_the_rows_and_can_be_chosen(desk_page, monkeypatch):
    monkeypatch.setattr(all_rows, "MAX_PAGES", 1)
    monkeypatch.setattr(fetch, "PAGES_AT_ONCE", 2)
    monkeypatch.setattr("dashboard.reader.listing.PAGE_SIZE", 5)
    page = desk_page("/deals/?least=1..")
    rows = page.locator("[data-results] tbody tr:not([hidden])")
    before = rows.count()
    page.get_by_role("button", name="Look through all").click()
    expect(page.get_by_role("status").filter(has_text="deals checked")).to_contain_text("match.")
    expect(page.locator("tfoot").filter(has_text="All ")).to_have_count(1)
    assert rows.count() > before
    rows.last.get_by_role("checkbox").check()
    expect(page.locator("#bulk")).to_contain_text("1 selected")
