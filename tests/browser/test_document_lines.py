"""The lines of an estimate or invoice in a browser: moved, pasted, mended; days, the save bar."""

from itertools import product
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from dashboard.documents.line_table import UNREADABLE
from dashboard.gateway import INVOICES
from dashboard.office import editing, reference_lists
from dashboard.office.kinds import Kind
from dashboard.office.models import ListEntry, UnnamedReference
from tests.browser.routes import route_open_page
from tests.browser.test_documents import LINE, SAVED, at_desk, paste

__all__ = ["at_desk"]  # a fixture


@pytest.mark.parametrize("undo", ["Alt+z", "Control+z"])
def test_lines_are_moved_duplicated_removed_and_restored_by_keyboard(page, at_desk, undo):
    at_desk(page)
    page.goto("/estimates/new/")
    first = page.get_by_label("Item, line 1", exact=True)
    first.fill("A")
    page.get_by_label("Item, line 2", exact=True).fill("B")

    def names():
        boxes = page.locator('[data-line-table] [name$="-item_name"]')
        return [
            value for value in boxes.evaluate_all("all => all.map((one) => one.value)") if value
        ]

    page.keyboard.press("Alt+ArrowUp")
    assert names() == ["B", "A"]
    page.keyboard.press("Alt+Shift+ArrowDown")
    assert names() == ["B", "B", "A"]
    expect(page.get_by_label("Item, line 2", exact=True)).to_be_focused()
    page.keyboard.press("Alt+Delete")
    assert names() == ["B", "A"]
    page.keyboard.press(undo)
    assert names() == ["B", "B", "A"]
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Item, line 2", exact=True)).to_be_focused()
    page.keyboard.press("Alt+Shift+Enter")
    expect(page.get_by_label("Header, line 3", exact=True)).to_be_focused()


def test_ctrl_z_behind_typed_text_undoes_the_text_alone(page, at_desk):
    at_desk(page)
    page.goto("/estimates/new/")
    page.get_by_label("Item, line 1", exact=True).fill("A")
    page.keyboard.press("Alt+Shift+ArrowDown")
    second = page.get_by_label("Item, line 2", exact=True)
    expect(second).to_have_value("A")
    second.press("End")
    page.keyboard.press("b")  # one letter, as browsers undo slow ones one by one
    expect(second).to_have_value("Ab")
    page.keyboard.press("Control+z")
    expect(second).to_have_value("A")
    assert page.get_by_label("Item, line 1", exact=True).input_value() == "A"


def test_a_description_a_number_and_a_rate_open_where_they_are_needed(page, at_desk):
    at_desk(page)
    page.goto("/estimates/new/")
    number = page.get_by_label("Item number, line 1", exact=True)
    expect(number).to_be_hidden()
    page.get_by_label("Item, line 1", exact=True).press_sequentially("Nobody sells this")
    page.keyboard.press("Tab")
    expect(number).to_be_focused()
    page.get_by_label("Item, line 1", exact=True).fill("")
    page.keyboard.type("des")
    page.keyboard.press("Enter")
    expect(number).to_be_hidden()
    page.keyboard.press("Alt+i")
    expect(number).to_be_focused()
    expect(number).to_have_value("502")
    page.keyboard.press("Shift+Enter")
    expect(page.get_by_label("Description, line 1", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Quantity, line 1", exact=True)).to_be_focused()
    rate = page.get_by_label("Tax rate, line 1", exact=True)
    expect(rate).to_be_hidden()
    page.get_by_label("Tax, line 1", exact=True).select_option("Other rate…")
    rate.fill("7.5")
    expect(page.get_by_text("Tax 7.5%")).to_be_hidden()  # there is no quantity yet
    page.get_by_label("Quantity, line 1", exact=True).fill("2")
    expect(page.get_by_text("Tax 7.5%")).to_be_visible()


FORM_DATA = (
    "new URLSearchParams(new FormData(document.querySelector('[data-document]'))).toString()"
)


@pytest.fixture
def edited(page, at_desk, gateway):
    """The edit form of an invoice of three lines, a header and an item with tax and discount."""
    at_desk(page)
    taxed = {**LINE, "item_name": "Travel", "tax_id": "62", "tax_rate": 10, "description": "Taxi"}
    header = {**LINE, "type": "header", "item_name": "Phase 1"}
    body = {"customer_id": 1001, "template_id": 11, "items": [LINE, header, taxed]}
    page.goto(f"/invoices/{gateway.create(INVOICES, body).id}/edit/")
    return page


def test_a_line_gets_its_other_fields_when_somebody_goes_to_it(edited, axe):
    tax = edited.get_by_label("Tax, line 3", exact=True)
    expect(tax.locator("option")).to_have_text(["VAT 10%"])
    expect(edited.get_by_label("Item number, line 1", exact=True)).to_have_count(0)
    edited.get_by_label("Quantity, line 3", exact=True).focus()
    offered = ["No tax", "VAT 20%", "VAT 10%", "VAT 5.5%", "Zero rated", "Other rate…"]
    expect(tax.locator("option")).to_have_text(offered)
    expect(tax).to_have_value("62|10")
    edited.keyboard.press("Tab")
    edited.keyboard.press("Tab")
    edited.keyboard.press("Tab")
    expect(tax).to_be_focused()
    edited.keyboard.press("Tab")
    expect(edited.get_by_label("More, line 3", exact=True)).to_be_focused()
    edited.keyboard.press("Enter")
    expect(edited.get_by_role("button", name="Move up")).to_be_visible()
    expect(edited.get_by_label("More, line 3", exact=True)).to_be_focused()
    axe(edited)
    edited.keyboard.press("Escape")
    expect(edited.get_by_role("button", name="Move up")).to_be_hidden()
    edited.get_by_label("Item, line 1", exact=True).press("Alt+i")
    expect(edited.get_by_label("Item number, line 1", exact=True)).to_have_value("501")
    edited.keyboard.press("Shift+Enter")
    expect(edited.get_by_label("Description, line 1", exact=True)).to_be_focused()
    edited.get_by_label("Header, line 2", exact=True).press("Shift+Enter")
    expect(edited.get_by_label("Description, line 2", exact=True)).to_be_focused()


def test_going_to_a_line_changes_nothing_in_what_the_form_sends(edited):
    before = edited.evaluate(FORM_DATA)
    for label in ("Item, line 1", "Header, line 2", "Price, line 3"):
        edited.get_by_label(label, exact=True).focus()
        assert edited.evaluate(FORM_DATA) == before
    edited.get_by_label("More, line 1", exact=True).click()
    assert edited.evaluate(FORM_DATA) == before


def test_undo_brings_back_a_line_that_was_opened_since(edited):
    header = edited.get_by_label("Header, line 2", exact=True)
    header.press("Alt+Delete")
    expect(header).to_have_count(0)
    edited.get_by_label("Item, line 1", exact=True).press("Shift+Enter")
    edited.get_by_label("Description, line 1", exact=True).fill("typed since")
    edited.get_by_label("Item, line 2", exact=True).press("Alt+z")
    expect(header).to_have_value("Phase 1")
    expect(edited.get_by_label("Description, line 1", exact=True)).to_have_value("")
    expect(edited.get_by_label("Tax, line 3", exact=True)).to_have_value("62|10")
    expect(edited.get_by_label("Description, line 3", exact=True)).to_have_value("Taxi")


def test_lines_out_of_sight_are_shown_where_they_are_gone_to(page, at_desk, gateway):
    at_desk(page)
    body = {"customer_id": 1001, "template_id": 11, "items": [LINE] * 120}
    page.goto(f"/invoices/{gateway.create(INVOICES, body).id}/edit/")
    last = page.get_by_label("Item, line 120", exact=True)
    last.focus()
    expect(last).to_be_in_viewport()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_label("Item, line 119", exact=True)).to_be_focused()
    page.keyboard.type("con")
    expect(page.get_by_role("option", name="Consulting hour")).to_be_in_viewport()
    expect(page.locator("#item-list")).to_be_visible()


def test_the_list_of_items_ends_with_an_offer_to_create_one(page, at_desk, axe):
    ListEntry.objects.filter(kind=Kind.ITEM, code="504").delete()
    UnnamedReference.objects.create(workspace="Acme", kind=Kind.ITEM, code="504")  # a record has it
    reference_lists.begin_version("Acme")
    at_desk(page)
    page.goto("/invoices/new/?customer=1001")
    expect(page.get_by_label("Item, line 1", exact=True)).to_be_focused()
    page.keyboard.type("con")
    options = page.locator("#item-list [role=option]")
    expect(options.first).to_contain_text("Consulting hour")
    expect(options.last).to_contain_text("Add “con”")
    page.keyboard.press("ArrowUp")
    expect(options.last).to_have_attribute("aria-selected", "true")
    axe(page)
    page.keyboard.press("Enter")
    expect(page.get_by_label("Item number, line 1", exact=True)).to_be_focused()
    expect(page.get_by_label("Item, line 1", exact=True)).to_have_value("con")
    expect(page.get_by_text("“con” isn't in your item list.")).to_be_visible()
    axe(page)
    page.keyboard.type("59")
    expect(page.get_by_text("59 isn't in your item list.")).to_be_visible()
    page.keyboard.press("Control+a")
    page.keyboard.type("502")
    expect(page.get_by_role("status").get_by_text("Design day")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Item 502 is Design day.")).to_be_visible()
    page.get_by_label("Price, line 1", exact=True).fill("")
    page.keyboard.press("Alt+i")
    page.keyboard.type("504")
    page.keyboard.press("Enter")
    page.keyboard.type("2")
    page.keyboard.press("Enter")
    page.keyboard.type("30")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(SAVED)
    page.goto("/invoices/new/?customer=1001")  # the list has learned it from the saved invoice
    page.keyboard.type("con")
    expect(page.get_by_role("option", name="con 30.00")).to_be_visible()


def test_items_of_a_long_price_list_are_found_while_typing(page, at_desk):
    chairs = [{"code": str(9000 + each), "name": f"Chair {each}"} for each in range(250)]
    editing.save_entries("Acme", Kind.ITEM, chairs)
    at_desk(page)
    page.goto("/invoices/new/?customer=1001")
    item = page.get_by_label("Item, line 1", exact=True)
    expect(item).to_be_focused()
    page.keyboard.type("chair 17")
    expect(page.locator("#item-list [role=option]").nth(1)).to_contain_text("Chair 170")
    page.keyboard.press("Enter")
    expect(item).to_have_value("Chair 17")
    page.keyboard.press("Alt+i")
    expect(page.get_by_label("Item number, line 1", exact=True)).to_have_value("9017")
    second = page.get_by_label("Item number, line 2", exact=True)
    page.get_by_label("Item, line 2", exact=True).press("Alt+i")
    second.fill("9249")
    second.press("Enter")
    expect(page.get_by_label("Item, line 2", exact=True)).to_have_value("Chair 249")


def test_a_tax_of_a_long_list_is_found_while_typing_and_brings_its_rate(page, at_desk):
    taxes = [{"code": f"t{each}", "name": f"Levy {each}", "rate": each % 50} for each in range(250)]
    editing.save_entries("Acme", Kind.TAX, taxes)
    at_desk(page)
    page.goto("/invoices/new/?customer=1001")
    page.keyboard.type("cable")
    page.keyboard.press("Enter")
    tax = page.get_by_label("Tax, line 1", exact=True)
    tax.fill("levy 24")
    expect(page.locator("#taxes option").nth(10)).to_have_attribute("value", "Levy 249")
    tax.fill("Levy 24")
    tax.press("Tab")
    expect(page.get_by_label("Tax rate, line 1", exact=True)).to_have_value("24")
    expect(page.locator("#sums")).to_contain_text("Tax 24%")


def test_a_line_that_cannot_be_read_is_left_out_of_the_total_by_name(page, at_desk, axe):
    at_desk(page)
    page.goto("/invoices/new/")
    for number, quantity in ((1, "2"), (2, "1,5")):
        page.get_by_label(f"Price, line {number}", exact=True).fill("10")
        page.get_by_label(f"Quantity, line {number}", exact=True).fill(quantity)
    expect(page.locator("#sums")).to_contain_text("Total without line 2")
    expect(page.locator(".savebar .end")).to_contain_text("Total without line 2")
    expect(page.locator("#bar-total")).to_have_text("20.00")
    expect(page.locator("tbody[data-line] output").nth(1)).to_have_text(UNREADABLE)
    expect(page.locator(".why")).to_have_count(0)  # while it is typed
    page.keyboard.press("Tab")
    expect(page.locator(".why")).to_have_text("Quantity: “1,5”: did you mean 1.5? Use 1.5")
    expect(page.get_by_label("Quantity, line 2", exact=True)).to_have_attribute(
        "aria-invalid", "true"
    )
    axe(page)
    page.get_by_role("button", name="Use 1.5").click()
    expect(page.get_by_label("Quantity, line 2", exact=True)).to_have_value("1.5")
    expect(page.locator(".why")).to_have_count(0)
    expect(page.locator("#bar-total")).to_have_text("35.00")
    expect(page.locator("#bar-total")).to_have_text("35.00")
    expect(page.locator(".savebar .end")).not_to_contain_text("without")


@pytest.mark.parametrize(
    ("button", "label"),
    [
        ("Insert a line above", "Item, line 1"),
        ("Insert a header above", "Header, line 1"),
        ("Duplicate", "Item, line 2"),
        ("Move down", "Item, line 2"),
        ("Remove", "Item, line 1"),
        ("Add lines", "Item, line 4"),
    ],
)
def test_the_focus_is_in_the_lines_after_each_button(page, at_desk, button, label):
    at_desk(page)
    page.goto("/estimates/new/")
    page.get_by_label("Item, line 1", exact=True).fill("A")
    page.keyboard.press("Escape")
    if button != "Add lines":
        page.get_by_label("More, line 1", exact=True).click()
    page.get_by_role("button", name=button).first.click()
    expect(page.get_by_label(label, exact=True)).to_be_focused()


def test_a_phone_shows_one_empty_line_with_its_tax(page, at_desk, axe):
    at_desk(page)
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/invoices/new/")
    items = page.locator("[data-line-table] [name$=-item_name]")
    expect(items.filter(visible=True)).to_have_count(1)
    items.first.fill("Zebra")
    expect(items.filter(visible=True)).to_have_count(2)
    expect(page.get_by_label("Tax, line 2", exact=True)).to_be_visible()
    axe(page)


def test_an_entered_line_folds_on_a_phone_and_opens_at_a_touch(edited, axe):
    edited.set_viewport_size({"width": 360, "height": 740})
    line = edited.locator("[data-line]").first
    folded = line.bounding_box()["height"]
    assert folded <= 60
    axe(edited)
    line.click()
    edited.wait_for_function(
        "([line, folded]) => line.offsetHeight > folded", arg=[line.element_handle(), folded]
    )
    edited.locator("[data-line]").nth(2).click()
    edited.wait_for_function(
        "([line, folded]) => line.offsetHeight <= folded", arg=[line.element_handle(), folded]
    )


WINDOWS = [(360, 640), (360, 1400), (1280, 800), (1280, 2000)]


@pytest.mark.parametrize("address", ["/invoices/new/", "/contacts/new/"])
def test_the_save_bar_stays_at_the_edge_of_the_window(page, at_desk, address):
    at_desk(page)
    page.goto(address)
    places = ("0", "document.body.scrollHeight / 2", "document.body.scrollHeight")
    for (width, height), place in product(WINDOWS, places):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(f"scrollTo(0, {place})")
        box = page.locator(".savebar").bounding_box()
        assert round(box["y"] + box["height"]) == height, (width, height, place)
        top = page.locator(".top" if width < 1024 else ".side").bounding_box()
        assert top["y"] == 0  # the bar at the top, and the menu, do not leave either


def test_a_line_can_be_removed_before_its_amount_arrives(page, at_desk):
    at_desk(page)
    page.goto("/estimates/new/")
    page.get_by_label("Item, line 2", exact=True).fill("Zebra")
    page.get_by_label("Price, line 2", exact=True).fill("3")
    page.get_by_label("Item, line 1", exact=True).fill("Gnu")
    page.get_by_label("Price, line 1", exact=True).fill("5")
    asked = []
    route_open_page(page, "**/estimates/totals/", lambda route: asked.append(route))
    page.get_by_label("Quantity, line 1", exact=True).fill("4")
    with page.expect_request(lambda one: "2\t3" in (one.post_data or "")):
        page.get_by_label("Quantity, line 2", exact=True).fill("2")
    page.evaluate("document.querySelectorAll('[data-line-table] tbody')[0].remove()")
    asked[-1].continue_()
    expect(page.locator("[data-line-table] tbody").first.locator("output")).to_have_text("6.00")
    expect(page.locator("#bar-total")).to_have_text("26.00")


def wait_for(page, routes: list, count: int) -> None:
    """Wait until this many requests are intercepted, which is later than they are seen."""
    for _ in range(1000):
        if len(routes) >= count:
            return
        page.wait_for_timeout(20)


def test_pasted_lines_do_not_overwrite_what_was_typed_in_the_meantime(page, at_desk):
    at_desk(page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/invoices/new/")
    page.evaluate("navigator.clipboard.writeText('Consulting hour\\t2\\nDesign day\\t1\\n')")
    asked = []
    route_open_page(page, "**/invoices/lines/**", lambda route: asked.append(route))
    page.get_by_label("Item, line 1", exact=True).focus()
    with page.expect_request("**/invoices/lines/**"):
        page.keyboard.press("Control+v")
    page.keyboard.type("Gnu")
    wait_for(page, asked, 1)
    asked[0].continue_()
    expect(page.get_by_text("The lines have changed.")).to_be_visible()
    expect(page.get_by_label("Item, line 1", exact=True)).to_have_value("Gnu")


def test_a_late_due_date_of_an_earlier_date_is_ignored(page, at_desk):
    at_desk(page)
    page.goto("/invoices/new/")
    asked = []
    route_open_page(page, "**/invoices/due/**", lambda route: asked.append(route))
    for day in ("2026-03-02", "2026-04-02"):
        with page.expect_request("**/invoices/due/**"):
            page.locator("[name=transaction_date]").fill(day)
            page.keyboard.press("Tab")
    wait_for(page, asked, 2)
    asked[1].fulfill(json={"text": "2026-05-02"})
    expect(page.locator("[name=due_date]")).to_have_value("2026-05-02")
    with page.expect_response("**/invoices/due/**"):
        asked[0].fulfill(json={"text": "2026-04-01"})
    page.wait_for_timeout(100)
    expect(page.locator("[name=due_date]")).to_have_value("2026-05-02")


def test_a_due_date_that_was_typed_or_cleared_stays(page, at_desk):
    at_desk(page)
    page.goto("/invoices/new/")

    def offer_that_day(route):
        asked = parse_qs(urlsplit(route.request.url).query)
        route.fulfill(json={"text": asked["date"][0]})

    route_open_page(page, "**/invoices/due/**", offer_that_day)
    day, due = page.locator("[name=transaction_date]"), page.locator("[name=due_date]")
    day.fill("2026-03-02")
    page.keyboard.press("Tab")
    expect(due).to_have_value("2026-03-02")
    for typed, other_day in (("2026-07-01", "2026-04-02"), ("", "2026-04-03")):
        due.fill(typed)
        day.fill(other_day)
        page.keyboard.press("Tab")
        page.wait_for_timeout(100)
        expect(due).to_have_value(typed)


def test_a_table_of_300_lines_takes_no_more(page, at_desk):
    at_desk(page)
    page.goto("/invoices/new/")
    page.evaluate("""
        const table = document.querySelector("[data-line-table]");
        while (table.tBodies.length < 300) table.append(table.tBodies[0].cloneNode(true));
    """)
    lines = page.locator("[data-line-table] tbody")
    for keys in ("Alt+Enter", "Alt+Shift+Enter", "Alt+Shift+ArrowDown"):
        page.locator("[data-lines-said]").evaluate("said => (said.textContent = '')")
        lines.first.get_by_label("Item, line 1", exact=True).press(keys)
        expect(page.locator("[data-lines-said]")).to_have_text("300 lines is the maximum.")
    lines.last.locator("[name$=-item_name]").fill("Typed in the last line")
    page.locator("[data-lines] [value=add]").click()
    assert lines.count() == 300


def test_pasted_cells_are_undone_at_once(page, at_desk):
    at_desk(page)
    page.goto("/invoices/new/")
    tools = page.locator(".line-tools > :visible")
    before = tools.all_inner_texts()
    paste(page, "Consulting hour\t2\nDesign day\t1\n")
    expect(page.locator("[data-lines-said]")).to_have_text("2 lines were pasted.")
    expect(page.get_by_label("Item, line 3", exact=True)).to_be_focused()
    expect(page.get_by_label("Price, line 2", exact=True)).to_have_value("640.00")
    expect(page.locator("#bar-total")).not_to_have_text("0.00")
    after = tools.all_inner_texts()
    assert [words for words in after if words not in ("Undo", "2 lines were pasted.")] == before
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("Item, line 1", exact=True)).to_have_value("")
    expect(page.get_by_label("Item, line 1", exact=True)).to_be_focused()


def test_pasted_cells_that_were_mended_are_undone_at_once(page, at_desk):
    at_desk(page)
    page.goto("/invoices/new/")
    paste(page, "Nobody sells this\t2\t9\n")
    expect(page.get_by_label("Item number, line 1", exact=True)).to_be_focused()
    page.keyboard.press("Alt+ArrowDown")
    page.get_by_label("Item number, line 2", exact=True).fill("504")
    page.get_by_role("button", name="Add pasted line", exact=True).first.click()
    expect(page.locator("[data-lines-said]")).to_have_text("The pasted lines were added.")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("Item, line 1", exact=True)).to_have_value("")
    expect(page.get_by_label("Item, line 2", exact=True)).to_have_value("")
    expect(page.get_by_role("button", name="Undo")).to_be_hidden()


def test_pasted_cells_that_do_not_match_are_mended_in_the_lines(page, at_desk, axe):
    at_desk(page)
    page.goto("/invoices/new/")
    paste(page, "Nobody sells this\t2\t9\nDesign day\t1,5\n")
    expect(page.get_by_text("2 lines pasted, 2 need a fix.").last).to_be_visible()
    expect(page.get_by_label("Item number, line 1", exact=True)).to_be_focused()
    axe(page)
    page.keyboard.type("504")
    page.get_by_label("Quantity, line 2", exact=True).fill("1.5")
    page.get_by_role("button", name="Add pasted lines").click()
    expect(page.get_by_label("Item, line 3", exact=True)).to_be_focused()
    expect(page.locator("[data-line-table] .why")).to_have_count(0)
    expect(page.get_by_label("Quantity, line 2", exact=True)).to_have_value("1.5")
    paste(page, "Nobody sells this\t2\t9\n", line=1)
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_label("Item, line 1", exact=True)).to_be_focused()
    expect(page.get_by_label("Item number, line 1", exact=True)).to_have_value("504")
