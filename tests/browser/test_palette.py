"""The palette in a browser: opened by keys, Enter opens the hit of the text in the field."""

import re

import pytest
from playwright.sync_api import expect


@pytest.fixture
def opened(page, sign_in, with_keys, editor):
    sign_in(page, with_keys(editor))
    page.goto("/settings/keys/")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Find or do")).to_be_focused()
    return page


def test_enter_opens_the_first_hit(opened):
    opened.keyboard.type("new invoice", delay=60)
    expect(opened.get_by_role("option").first).to_contain_text("New invoice")
    opened.keyboard.press("Enter")
    opened.wait_for_url("**/invoices/new/")


@pytest.mark.parametrize("wait", [0, 300, 1500])
def test_enter_at_once_waits_for_the_hits_of_the_whole_text(opened, wait):
    def answer_late(route):
        opened.wait_for_timeout(wait)
        route.continue_()

    opened.route(re.compile("/search/.*hits=1"), answer_late)
    opened.keyboard.type("new deal", delay=40)
    opened.keyboard.press("Enter")
    opened.wait_for_url("**/deals/new/", timeout=15_000)


def test_escape_closes_and_the_focus_goes_back(opened):
    opened.keyboard.press("Escape")
    expect(opened.locator("#palette")).to_be_hidden()
    opened.keyboard.press("/")
    expect(opened.locator("#palette")).to_be_visible()


def test_a_search_that_does_not_answer_is_said_and_enter_opens_its_page(opened, console):
    opened.route(re.compile("/search/.*hits=1"), lambda route: route.abort())
    opened.keyboard.type("acorn", delay=40)
    expect(opened.locator("#palette-hits")).to_contain_text("did not answer")
    opened.keyboard.press("Enter")
    opened.wait_for_url("**/search/?q=acorn")
    console.clear()  # the aborted requests


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 320)])
def test_the_palette_is_accessible(new_page, axe, sign_in, with_keys, editor, theme, width):
    page = new_page(width, color_scheme=theme)
    sign_in(page, with_keys(editor))
    page.goto("/settings/keys/")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("option").first).to_be_visible()
    axe(page)


def searches(page):
    """The searches that the page makes from now on."""
    made = []
    page.on("request", lambda one: "hits=1" in one.url and made.append(one.url))
    return made


def test_typing_fast_makes_one_round_of_calls_per_pause(opened, standin):
    expect(opened.get_by_role("option").first).to_be_visible()
    made, before = searches(opened), len(standin.ledger(operation="list"))
    opened.keyboard.type("zebra", delay=30)
    expect(opened.locator("#palette-hits")).to_contain_text("Nothing matches “zebra”")
    opened.wait_for_timeout(500)
    assert len(made) == 1
    assert len(standin.ledger(operation="list")) - before == 6
    opened.keyboard.type(" ltd", delay=30)
    expect(opened.locator("#palette-hits")).to_contain_text("Nothing matches “zebra ltd”")
    assert len(made) == 2


@pytest.mark.parametrize("wait", [0, 1000])
def test_ctrl_enter_saves_a_line_where_nothing_is_missing(opened, standin, wait):
    def answer_late(route):
        opened.wait_for_timeout(wait)
        route.continue_()

    opened.route(re.compile("/search/.*hits=1"), answer_late)
    opened.keyboard.type("+lead Zoe zoe@zebra.example", delay=10)
    opened.keyboard.press("Control+Enter")
    opened.wait_for_url(re.compile(r"/leads/\d+/$"), timeout=15_000)
    expect(opened.locator("#messages")).to_contain_text("Lead Zoe was created")
    assert len(standin.ledger(operation="create", resource="leads")) == 1


def test_ctrl_enter_opens_the_form_where_something_is_missing(opened, standin, axe, console):
    opened.keyboard.type("+lead zoe@zebra.example", delay=10)
    opened.keyboard.press("Control+Enter")
    expect(opened.locator(".summary")).to_be_visible()
    expect(opened.get_by_label("Email")).to_have_value("zoe@zebra.example")
    assert not standin.ledger(operation="create", resource="leads")
    axe(opened)
    console.clear()  # the answer 422


def test_ctrl_enter_in_the_palette_does_not_save_the_form_behind_it(opened, standin):
    opened.goto("/leads/new/")
    opened.get_by_label("Name", exact=True).fill("Not yet")
    opened.keyboard.press("Control+k")
    opened.keyboard.type("help", delay=10)
    opened.keyboard.press("Control+Enter")
    opened.wait_for_timeout(500)
    assert not standin.ledger(operation="create", resource="leads")
