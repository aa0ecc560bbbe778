"""The page Figures in a browser: its key, accessibility, width, tables and the printed page."""

import re

import pytest
from playwright.sync_api import expect


@pytest.fixture
def page_of_figures(page, sign_in, manager, with_keys, lists):
    sign_in(page, with_keys(manager))
    page.goto("/help/")
    page.keyboard.press("g")
    page.keyboard.press("f")
    expect(page.get_by_role("heading", level=1)).to_have_text("Reports")
    return page


def test_figures_are_accessible_and_as_wide_as_the_window(page_of_figures, axe_in_looks):
    axe_in_looks(page_of_figures)
    for summary in page_of_figures.locator("main summary").all():
        summary.click()
    axe_in_looks(page_of_figures)


def test_figures_are_printed_on_one_page(page_of_figures):
    printed = page_of_figures.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
