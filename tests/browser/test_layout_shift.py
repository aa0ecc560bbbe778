"""What moves on a page while it comes in, as Chromium measures it (layout shift)."""

import pytest
from django.core.cache import cache
from playwright.sync_api import expect

from dashboard.schema import titles
from tests.conftest import FULL

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


@pytest.mark.parametrize("width", [1280, pytest.param(1600, marks=FULL)])
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
