"""A long list is looked through in a browser: what is found is added to its rows."""

import re

import pytest
from playwright.sync_api import expect

from dashboard.lists import fetch
from dashboard.reader import all_rows
from dashboard.schema.money import Currencies

pytestmark = pytest.mark.slow


def test_what_is_found_is_added_to_the_rows_and_can_be_chosen(desk_page, monkeypatch):
    monkeypatch.setattr(all_rows, "MAX_PAGES", 1)
    monkeypatch.setattr(fetch, "PAGES_AT_ONCE", 2)
    monkeypatch.setattr("dashboard.reader.listing.PAGE_SIZE", 5)
    page = desk_page("/deals/?least=1..")
    rows = page.locator("[data-results] tbody tr:not([hidden])")
    before = rows.count()
    page.get_by_role("button", name="Search all").click()
    expect(page.get_by_role("status").filter(has_text="deals checked")).to_contain_text("match.")
    expect(page.locator("tfoot").filter(has_text="All ")).to_have_count(1)
    assert rows.count() > before
    rows.last.get_by_role("checkbox").check()
    expect(page.locator("#bulk")).to_contain_text("1 selected")


def test_rows_that_were_looked_up_are_added_up_in_their_own_currency(desk_page, monkeypatch):
    monkeypatch.setattr(all_rows, "MAX_PAGES", 1)
    monkeypatch.setattr("dashboard.reader.listing.PAGE_SIZE", 5)
    names = iter(("EUR", "JPY"))

    def currencies_of(ctx, endpoint, records):
        name = next(names)
        return Currencies({each.id: name for each in records}, name)

    monkeypatch.setattr("dashboard.lists.views.currencies_of", currencies_of)
    page = desk_page("/deals/?least=1..")
    rows = page.locator("[data-results] tbody tr:not([hidden])")
    before = rows.count()
    page.get_by_role("button", name="Search all").click()
    expect(page.locator("tfoot").filter(has_text="All ")).to_have_count(1)
    rows.nth(before).get_by_role("checkbox").check()
    expect(page.locator("[data-sum]")).to_contain_text(re.compile(r"^Amount [\d,.]+ JPY"))
    rows.first.get_by_role("checkbox").check()
    expect(page.locator("[data-sum]")).to_contain_text(re.compile(r"[\d,.]+ EUR \+ [\d,.]+ JPY"))
