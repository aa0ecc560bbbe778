"""Pages on paper: one sheet of A4 or Letter, with all columns and nothing that a screen needs."""

import re

import pytest
from playwright.sync_api import expect

from dashboard.gateway import INVOICES
from dashboard.people.models import Workspace

CONTROLS = (".views-line", ".search-line", ".pick", ".pager", ".side", ".list-bar .button")
A4 = {"width": 718, "height": 1000}  # without its margins, at 96 pixels an inch


def test_a_list_prints_as_a_table_without_controls(desk_page):
    page = desk_page("/invoices/?inv_status=0&size=100")
    page.emulate_media(media="print")
    page.set_viewport_size(A4)
    for each in CONTROLS:
        assert not page.locator(f"{each} >> visible=true").count(), each
    heads = page.locator("thead th:visible").all_inner_texts()
    assert heads == ["Number", "Customer", "Status", "Date", "Due", "Total", "Balance due"]
    assert page.locator(".chips li:visible").all_inner_texts() == ["Status: Open"]
    expect(page.locator(".foot-line")).to_contain_text("balance due")
    wide = "[...document.querySelectorAll('td, th')].filter(c => c.scrollWidth > c.clientWidth + 1)"
    assert page.evaluate(f"{wide}.length") == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= A4["width"]


@pytest.fixture
def debtor(gateway):
    """The customer of an open invoice."""
    filters = {"inv_status": 0}
    return gateway.list(INVOICES, filters=filters).records[0]["customer_id"]


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_a_page_is_printed_on_one_sheet(desk_page, debtor, paper):
    for url in (
        f"/contacts/{debtor}/statement/",
        "/invoices/7001/",
        "/invoices/?inv_status=0&size=25",
        "/figures/",
    ):
        page = desk_page(url)
        page.wait_for_load_state("networkidle")
        printed = page.pdf(format=paper)
        assert len(re.findall(rb"/Type */Page\b", printed)) == 1, url


def test_a_document_has_the_letterhead_and_the_account(desk_page, debtor):
    letterhead = {"name": "Alder Signs", "town": "Galway", "account": "IE29 AIBK 9311 5212 3456 78"}
    Workspace.objects.update(letterhead=letterhead)
    page = desk_page(f"/contacts/{debtor}/statement/")
    expect(page.get_by_text("Galway").first).not_to_be_visible()
    page.emulate_media(media="print")
    expect(page.locator(".letter-head")).to_contain_text("Alder Signs Galway")
    expect(page.locator(".letter-foot")).to_contain_text("IE29 AIBK 9311 5212 3456 78")
