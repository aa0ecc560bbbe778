"""The palette in a browser: opened by keys, Enter opens the hit of the text in the field."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import expect

from dashboard.gateway import CONTACTS, INVOICES
from tests.browser.routes import route_open_page


@pytest.fixture
def opened(page, sign_in, with_keys, editor):
    sign_in(page, with_keys(editor))
    page.goto("/settings/keys/")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Search or jump to")).to_be_focused()
    return page


@pytest.mark.everyday
def test_enter_opens_the_first_hit(opened):
    opened.keyboard.type("new invoice", delay=60)
    expect(opened.get_by_role("option").first).to_contain_text("New invoice")
    opened.keyboard.press("Enter")
    opened.wait_for_url("**/invoices/new/")


def test_a_theme_is_chosen(opened):
    opened.keyboard.type("theme dark", delay=20)
    expect(opened.get_by_role("option").first).to_contain_text("Theme: Dark")
    opened.keyboard.press("Enter")
    expect(opened.locator("html")).to_have_attribute("data-theme", "dark")
    expect(opened.get_by_role("dialog", name="Search or jump to")).to_be_hidden()


def test_the_customer_of_the_hit_in_hand_is_shown_beside_it(opened, gateway_to, axe):
    contact = gateway_to("acme").create(CONTACTS, {"cstname": "Zeppelin Works", "contact_type": 2})
    line = {"item_id": 501, "item_name": "Work", "quantity": 1, "price": 100, "type": "item"}
    body = {"customer_id": contact.id, "template_id": 11, "items": [line]}
    gateway_to("acme").create(INVOICES, body)
    opened.keyboard.type("zeppelin", delay=20)
    first = opened.get_by_role("option").first
    expect(first.locator("mark")).to_have_text("Zeppelin")
    preview = opened.locator("#preview")
    expect(preview.get_by_role("heading")).to_have_text("Zeppelin Works")
    expect(preview).to_contain_text("Owes")
    expect(first).to_have_attribute("aria-selected", "true")
    axe(opened)
    opened.keyboard.press("ArrowUp")  # to the last
    expect(opened.get_by_role("option", selected=True)).to_have_text("Invoice for Zeppelin Works")
    expect(preview).to_contain_text("Owes")  # the customer is still the one in hand
    opened.keyboard.press("Enter")
    opened.wait_for_url(f"**/invoices/new/?customer={contact.id}")


def test_the_customers_documents_do_not_take_the_enter_of_the_only_hit(opened, gateway_to):
    contact = gateway_to("acme").create(CONTACTS, {"cstname": "Zeppelin Works", "contact_type": 2})
    opened.keyboard.type("zeppelin works", delay=20)
    expect(opened.locator("#further [role=option]").first).to_be_attached()
    opened.keyboard.press("Enter")
    opened.wait_for_url(f"**/contacts/{contact.id}/")


def press_before_the_hits(page, text, key):
    """Type and press the key; the hits of the whole text come only after that."""
    held = []
    route_open_page(page, re.compile("/search/$"), lambda route: held.append(route))
    with page.expect_request(lambda one: parse_qs(one.post_data or "").get("q") == [text]):
        page.keyboard.type(text, delay=10)
        page.keyboard.press(key)
    expect(page.locator("#palette")).to_have_attribute("aria-busy", "true")
    held[-1].continue_()


def test_enter_waits_for_the_hits_of_the_whole_text(opened):
    press_before_the_hits(opened, "new deal", "Enter")
    opened.wait_for_url("**/deals/new/")


@pytest.mark.parametrize("late", [False, True])
def test_enter_opens_no_hit_of_several_that_nobody_can_have_read(opened, late):
    if late:
        press_before_the_hits(opened, "new", "Enter")
    else:
        opened.clock.install()
        opened.clock.pause_at(datetime.now(UTC) + timedelta(hours=1))
        type_at(opened, "new", pause=200)
    first = opened.get_by_role("option", name=re.compile("^New")).first
    expect(first).to_have_attribute("aria-selected", "true")
    for wait in () if late else (50, 30, 60, 120):
        opened.clock.run_for(wait)
        opened.keyboard.press("Enter")
    expect(first).to_be_visible()
    assert opened.url.endswith("/settings/keys/")
    opened.keyboard.press("ArrowDown")
    opened.keyboard.press("Enter")
    opened.wait_for_url(lambda url: not url.endswith("/settings/keys/"))


def test_escape_closes_and_the_focus_goes_back(opened):
    opened.keyboard.press("Escape")
    expect(opened.locator("#palette")).to_be_hidden()
    expect(opened.locator("#palette :focus")).to_have_count(0)  # it leaves with the next frame
    opened.keyboard.press("/")
    expect(opened.locator("#palette")).to_be_visible()


def test_a_search_that_does_not_answer_is_said_and_enter_opens_its_page(opened, console):
    route_open_page(opened, re.compile("/search/$"), lambda route: route.abort())
    opened.keyboard.insert_text("acorn")  # at once, so that no part of it is looked up
    expect(opened.locator("#palette-hits")).to_contain_text("responding")
    opened.keyboard.press("Enter")
    opened.wait_for_url("**/search/?q=acorn")
    console.clear()  # the aborted requests


def test_a_search_under_way_is_shown_and_a_command_says_what_it_does(opened):
    palette, busy = opened.locator("#palette"), []

    def note_and_go_on(route):
        busy.append(palette.get_attribute("aria-busy"))
        route.continue_()

    route_open_page(opened, re.compile("/search/$"), note_and_go_on)
    opened.keyboard.insert_text("new lead")
    preview = opened.locator("#preview")
    expect(preview.get_by_role("heading")).to_have_text("New lead")
    expect(preview).to_contain_text("Nothing is saved yet.")
    expect(palette).not_to_have_attribute("aria-busy", "true")
    assert busy[-1] == "true"


def test_the_palette_is_accessible(new_page, axe_in_looks, sign_in, with_keys, editor):
    page = new_page()
    sign_in(page, with_keys(editor))
    page.goto("/settings/keys/")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("option").first).to_be_visible()
    axe_in_looks(page)


def searches(page):
    made = []
    page.on("request", lambda one: one.method == "POST" and made.append(one.url))
    return made


def test_typing_fast_makes_one_round_of_calls_per_pause(opened, standin):
    expect(opened.get_by_role("option").first).to_be_visible()
    made, before = searches(opened), len(standin.ledger(operation="list"))
    opened.clock.install()
    opened.clock.pause_at(datetime.now(UTC) + timedelta(hours=1))
    type_at(opened, "zebra", pause=100)
    assert made == []
    opened.clock.run_for(20)
    expect(opened.locator("#palette-hits")).to_contain_text("No results for “zebra”")
    opened.clock.run_for(1000)
    assert len(made) == 1
    assert len(standin.ledger(operation="list")) - before == 6
    type_at(opened, " ltd", pause=100)
    opened.clock.run_for(20)
    expect(opened.locator("#palette-hits")).to_contain_text("No results for “zebra ltd”")
    assert len(made) == 2


def type_at(page, text, pause):
    """Type with so many ms of the page's clock, which stands still, after each key."""
    for sign in text:
        page.keyboard.press("Space" if sign == " " else sign)
        page.clock.run_for(pause)


@pytest.mark.parametrize("late", [False, True])
def test_ctrl_enter_saves_a_line_where_nothing_is_missing(opened, standin, late):
    line = "+lead Zoe zoe@zebra.example"
    if late:
        press_before_the_hits(opened, line, "Control+Enter")
    else:
        opened.keyboard.type(line, delay=10)
        opened.keyboard.press("Control+Enter")
    opened.wait_for_url(re.compile(r"/leads/\d+/$"))
    expect(opened.locator("#messages")).to_contain_text("Lead Zoe was created")
    assert len(standin.ledger(operation="create", resource="leads")) == 1


def test_ctrl_enter_in_the_palette_does_not_save_the_form_behind_it(opened, standin):
    opened.goto("/leads/new/")
    opened.get_by_label("Name", exact=True).fill("Not yet")
    opened.keyboard.press("Control+k")
    opened.keyboard.type("help", delay=10)
    opened.keyboard.press("Control+Enter")
    opened.wait_for_url("**/help/")
    assert not standin.ledger(operation="create", resource="leads")


def test_the_page_below_is_not_made_inert_but_takes_no_click_and_no_tab(opened):
    """Inert, each of its elements would be styled anew, before the first key is shown."""
    assert opened.locator("dialog:modal").count() == 0
    field = opened.get_by_role("combobox", name="Search or jump to")
    for key in ("Tab", "Shift+Tab"):
        opened.keyboard.press(key)
        expect(field).to_be_focused()
    opened.mouse.click(5, 5)
    expect(opened.locator("#palette")).to_be_hidden()
    expect(opened.locator(".veil")).to_be_hidden()
    assert opened.url.endswith("/settings/keys/")


def test_the_palette_opens_over_a_dialog_that_is_modal(opened):
    opened.keyboard.press("Escape")
    expect(opened.locator("#palette :focus")).to_have_count(0)
    opened.keyboard.press("?")
    expect(opened.locator("#keys")).to_be_visible()
    opened.keyboard.press("Control+k")
    opened.keyboard.type("new invoice", delay=60)
    expect(opened.get_by_role("option").first).to_contain_text("New invoice")
    opened.keyboard.press("Escape")
    expect(opened.locator("#palette")).to_be_hidden()
    expect(opened.locator("#keys")).to_be_visible()


def test_the_menu_of_a_phone_closes_under_the_palette(new_page, sign_in, with_keys, editor):
    page = new_page(width=360, height=740)
    sign_in(page, with_keys(editor))
    page.goto("/settings/keys/")
    page.get_by_role("button", name="Menu", exact=True).click()
    page.locator("#site-search").click()
    expect(page.get_by_role("combobox", name="Search or jump to")).to_be_focused()
    expect(page.locator("#menu")).to_be_hidden()
