"""Estimates and invoices in a browser: keyboard only, accessibility."""

import re

import pytest
from playwright.sync_api import expect

from dashboard.gateway import ESTIMATES, INVOICES
from dashboard.office import choices as preferences

LINE = {"item_id": 501, "item_name": "Consulting hour", "quantity": 2, "price": 95, "type": "item"}
SAVED = re.compile(r"/invoices/[0-9]+/$")
ITEMS = ("con", "des", "web", "on-", "kaf")  # each the beginning of one item alone


@pytest.fixture
def at_desk(lists, sign_in, manager, with_keys):
    """at_desk(page): signs in a manager who has chosen a template before."""

    def signed_in(page):
        sign_in(page, with_keys(manager))
        preferences.remember_choices(
            user=manager,
            workspace="Acme",
            values={"invoices.template_id": "11", "estimates.template_id": "11"},
        )

    return signed_in


COUNTERS = """
const count = (name) => (event) => {
  if (event.isTrusted) sessionStorage[name] = Number(sessionStorage[name] ?? 0) + 1;
};
addEventListener("keydown", count("keys"), true);
addEventListener("pointerdown", count("presses"), true);
"""


def keys_used(page) -> int:
    assert page.evaluate("sessionStorage.presses ?? 0") == 0
    return int(page.evaluate("sessionStorage.keys"))


def settled(page, place: str) -> str:
    """The text of an element that the server updates, once it no longer changes."""
    text, before = page.locator(place).inner_text(), ""
    while text != before:
        page.wait_for_timeout(1500)
        text, before = page.locator(place).inner_text(), text
    return text


@pytest.mark.parametrize("first", [False, True], ids=["again", "first"])
def test_an_invoice_of_five_lines_is_created_by_keyboard(
    page, at_desk, zebra, gateway, first, manager
):
    at_desk(page)
    if first:  # nothing is remembered of this person
        manager.choices.delete()
    page.add_init_script(COUNTERS)
    page.goto("/invoices/")
    page.keyboard.type("ci")
    page.wait_for_url("**/invoices/new/")
    expect(page.get_by_role("combobox", name="Customer")).to_be_focused()
    page.keyboard.type("zeb")
    expect(page.get_by_role("option", name="Zebra Ltd").first).to_be_visible()
    page.keyboard.press("Enter")
    for number, item in enumerate(ITEMS, 1):
        expect(page.get_by_label(f"Item, line {number}", exact=True)).to_be_focused()
        page.keyboard.type(item)
        page.keyboard.press("Enter")
        expect(page.get_by_label(f"Quantity, line {number}", exact=True)).to_be_focused()
        page.keyboard.type("12")
        if number < len(ITEMS):
            page.keyboard.press("Enter")
    total = settled(page, "#bar-total")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(SAVED)
    assert keys_used(page) <= 42
    record = gateway.get(INVOICES, int(page.url.rstrip("/").split("/")[-1]))
    assert [line["quantity"] for line in record.lines] == [12] * 5
    assert record["customer_id"] == zebra
    assert f"{record['total']:,.2f}" == total


def paste(page, text: str, line: int = 1) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.get_by_label(f"Item, line {line}", exact=True).focus()
    page.keyboard.press("Control+v")


@pytest.mark.everyday
def test_a_pasted_invoice_is_saved_with_eleven_keys(page, at_desk, zebra, gateway):
    at_desk(page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.add_init_script(COUNTERS)
    page.goto("/invoices/")
    page.evaluate("navigator.clipboard.writeText('Consulting hour\\t2\\nDesign day\\t1\\n')")
    page.keyboard.type("ci")
    page.wait_for_url("**/invoices/new/")
    expect(page.get_by_role("combobox", name="Customer")).to_be_focused()
    page.keyboard.type("zeb")
    expect(page.get_by_role("option", name="Zebra Ltd").first).to_be_visible()
    page.keyboard.press("Enter")
    page.keyboard.press("Control+v")
    expect(page.get_by_label("Item, line 3", exact=True)).to_be_focused()
    page.keyboard.press("Control+Enter")
    page.wait_for_url(SAVED)
    assert keys_used(page) <= 11
    record = gateway.get(INVOICES, int(page.url.rstrip("/").split("/")[-1]))
    assert [line["item_name"] for line in record.lines] == ["Consulting hour", "Design day"]


def test_an_estimate_is_converted_to_an_invoice_in_three_keys(page, at_desk, gateway):
    at_desk(page)
    body = {"customer_id": 1001, "template_id": 11, "items": [LINE]}
    number = gateway.create(ESTIMATES, body).id
    page.add_init_script(COUNTERS)
    page.goto(f"/estimates/{number}/")
    page.keyboard.press("i")
    page.wait_for_url("**/invoices/new/*")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(SAVED)
    assert keys_used(page) <= 3


def test_a_known_customer_fills_in_all_fields_but_the_lines(page, at_desk, zebra):
    at_desk(page)
    page.goto(f"/invoices/new/?customer={zebra}")
    first = page.get_by_label("Item, line 1", exact=True)
    expect(first).to_be_focused()
    expect(first).to_have_attribute("role", "combobox")
    page.keyboard.type("des")
    expect(page.get_by_role("option", name="Design day")).to_be_visible()
    page.keyboard.press("Tab")
    expect(first).to_have_value("Design day")
    expect(page.get_by_label("Quantity, line 1", exact=True)).to_be_focused()


def pages_of(endpoint, number) -> list[str]:
    return [f"/{endpoint.name}/{number}/{action}" for action in ("", "edit/")]


def test_every_state_is_accessible(new_page, at_desk, axe_in_looks, gateway, console):
    page = new_page()
    at_desk(page)
    header = {**LINE, "type": "header", "item_name": "Phase 1"}
    body = {"customer_id": 1001, "template_id": 11, "items": [header, LINE]}
    number = gateway.create(ESTIMATES, body).id
    for address in ("/estimates/", "/invoices/", *pages_of(ESTIMATES, number)):
        page.goto(address)
        # axe takes the lines of a long name that are cut off for links above the foot.
        page.evaluate("document.querySelector('a[href=\"/contacts/1005/\"]')?.remove()")
        axe_in_looks(page)
    for address in pages_of(
        INVOICES, gateway.list(INVOICES, filters={"inv_status": 1}).records[0].id
    ):
        page.goto(address)
        axe_in_looks(page)
    page.goto("/invoices/new/")
    page.get_by_label("Item, line 1", exact=True).press_sequentially("con")
    axe_in_looks(page)
    page.keyboard.press("Escape")
    page.get_by_label("Price, line 1", exact=True).fill("1,5")
    page.get_by_text("Paste from a spreadsheet").click()
    page.locator(".line-keys summary").click()
    page.get_by_label("More, line 1", exact=True).click()
    axe_in_looks(page)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#error-summary")).to_be_focused()
    axe_in_looks(page)
    console.clear()  # Chromium reports the refused form as an error
