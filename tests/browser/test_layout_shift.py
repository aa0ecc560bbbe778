"""What moves on a page while it comes in, as Chromium measures it (layout shift)."""

import re

import pytest
from django.core.cache import cache
from playwright.sync_api import expect

from dashboard.display import titles

LIMIT = 0.01
WATCH = """new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries())
    if (!hadRecentInput) window.shifted = (window.shifted ?? 0) + value;
}).observe({ type: "layout-shift", buffered: true });"""
WATCHES = "PerformanceObserver.supportedEntryTypes.includes('layout-shift')"


def test_nothing_moves_while_a_page_comes_in(page, sign_in, manager, with_keys):
    sign_in(page, with_keys(manager))
    page.goto("/invoices/")  # a list whose names are known, as most are
    expect(page.locator("[data-title] > span")).to_have_count(0)
    page.add_init_script(WATCH)
    for path in ("/", "/invoices/", "/contacts/1001/", "/invoices/new/"):
        page.goto(path, wait_until="networkidle")
        assert page.evaluate(WATCHES)
        assert page.evaluate("window.shifted ?? 0") < LIMIT, path


@pytest.fixture
def names_late(monkeypatch, standin):
    """Lists do not wait for names, as outside of the tests."""
    monkeypatch.setattr(titles, "PAGE_WAIT", 0.0)
    standin.latency = 0.2
    yield
    standin.latency = 0


@pytest.mark.parametrize("width", [1280, 1600])
def test_nothing_moves_when_the_names_of_a_cold_list_come(
    new_page, sign_in, manager, with_keys, names_late, width
):
    page = new_page(width=width)
    sign_in(page, with_keys(manager))
    page.add_init_script(WATCH)
    for path in ("/invoices/", "/estimates/", "/deals/", "/tasks/?view=all"):
        cache.clear()
        assert "data-title=" in page.goto(path).text()
        expect(page.locator("[data-title] > span, [data-cell]")).to_have_count(0)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("window.shifted ?? 0") < LIMIT, path


def test_a_name_that_is_looked_up_is_a_bar_and_its_number_where_it_is_not_found(
    page, sign_in, manager, with_keys, names_late
):
    asked = []
    page.route("**/titles/**", lambda route: asked.append(route))
    sign_in(page, with_keys(manager))
    page.goto("/invoices/")
    name = page.locator("[data-title] > span").first
    expect(name).to_have_css("font-size", "0px")
    assert name.bounding_box()["width"] > 80
    asked[0].fulfill(body="")
    expect(name).to_have_css("font-size", "14px")
    expect(name).to_have_text(re.compile(r"^Contact \d+$"))


def test_the_day_that_is_understood_takes_the_place_of_the_examples(
    page, sign_in, manager, with_keys
):
    sign_in(page, with_keys(manager))
    page.goto("/deals/new/")
    below = "document.querySelector('label[for=id_deal_contact_id_0], [for^=id_deal_contact_id]')"
    before = page.evaluate(f"{below}.getBoundingClientRect().top")
    day = page.get_by_label("Expected close", exact=False).first
    day.focus()
    page.keyboard.type("fri")
    page.keyboard.press("Tab")
    expect(page.locator("[data-day-echo]").first).to_have_text(re.compile("^Fri "))
    assert page.evaluate(f"{below}.getBoundingClientRect().top") == before
    assert not page.get_by_text("e.g. 15/3").is_visible()
