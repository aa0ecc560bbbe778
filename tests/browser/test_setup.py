"""The first day of a workspace: its setup, and the first invoice without typing an id."""

import re

from playwright.sync_api import expect


def test_the_setup_pages_are_accessible(
    new_page, axe_in_looks, sign_in, with_keys, administrator, standin
):
    page = new_page()
    sign_in(page, administrator)
    page.goto("/setup/")
    axe_in_looks(page)
    with_keys(administrator)
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Setup")
    axe_in_looks(page)
    page.get_by_role("button", name="Import from existing records").click()
    expect(page.locator("#messages")).to_contain_text("records were read")
    axe_in_looks(page)
    for address in ("/setup/me/", "/setup/currency/", "/settings/lists/items/", "/invoices/new/"):
        page.goto(address)
        axe_in_looks(page)


def test_the_first_invoice_takes_words_and_quantities_only(
    page, sign_in, with_keys, administrator, standin
):
    sign_in(page, with_keys(administrator))
    page.goto("/")
    page.get_by_role("button", name="Import from existing records").click()
    expect(page.locator("#messages")).to_contain_text("records were read")
    page.goto("/contacts/?type=2")
    customer = page.locator("tbody th a, tbody td a").first.inner_text()
    page.goto("/invoices/new/")
    expect(page.get_by_label("Customer", exact=True)).to_be_focused()
    page.keyboard.type(customer, delay=30)
    expect(page.get_by_role("option").first).to_contain_text(customer)
    page.keyboard.press("Enter")
    page.get_by_label("Document template").select_option(index=1)
    page.get_by_label("Item, line 1", exact=True).click()
    page.keyboard.type("Consulting hour", delay=30)
    page.keyboard.press("Enter")
    page.get_by_label("Quantity, line 1", exact=True).fill("2")
    page.get_by_role("button", name="Save", exact=True).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(r"^INV"))
    (body,) = [entry["body"] for entry in standin.ledger(operation="create")]
    assert body["items"][0]["item_id"] == 501
