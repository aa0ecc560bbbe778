"""Lists and statements on paper: tables with all their columns, and nothing that a screen needs."""

from decimal import Decimal

from playwright.sync_api import expect

from dashboard.gateway import INVOICES

CONTROLS = (".views-line", ".search-line", ".pick", ".list-foot", ".side", ".list-bar .button")
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
    expect(page.locator("tfoot th")).to_be_visible()
    assert Decimal(page.locator("tfoot td.num").last.inner_text().replace(",", "")) > 0
    wide = "[...document.querySelectorAll('td, th')].filter(c => c.scrollWidth > c.clientWidth + 1)"
    assert page.evaluate(f"{wide}.length") == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= A4["width"]


def test_a_statement_prints_as_a_table(page, sign_in, editor, with_keys, gateway):
    sign_in(page, with_keys(editor))
    debtor = next(
        each["customer_id"] for each in gateway.list(INVOICES, filters={"inv_status": 0}).records
    )
    page.goto(f"/contacts/{debtor}/statement/")
    page.emulate_media(media="print")
    page.set_viewport_size(A4)
    head, row = page.locator("thead th").last, page.locator("tbody tr > :last-child").first
    assert head.bounding_box()["x"] == row.bounding_box()["x"], "they stand in one column"
