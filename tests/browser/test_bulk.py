"""Choosing rows of a list and changing them all, by keyboard and with the mouse."""

import pytest
from playwright.sync_api import expect

from dashboard.jobs import rows
from tests.jobs.conftest import run_one, work


@pytest.fixture
def deals(page, sign_in, manager, with_keys, one_thread, lists):
    """The page with the list of deals."""
    sign_in(page, with_keys(manager))
    page.goto("/deals/")
    return page


@pytest.mark.parametrize("width", [1280, 900, 360])
def test_the_bar_stands_at_the_foot_of_the_window_and_covers_nothing_of_a_short_list(deals, width):
    deals.set_viewport_size({"width": width, "height": 900})
    deals.goto("/deals/?size=10&search=a")
    deals.locator("[name=chosen]").first.check()
    bar = deals.locator("#bulk").bounding_box()
    assert 900 - 120 < bar["y"] + bar["height"] <= 900
    assert bar["x"] >= deals.locator("main").bounding_box()["x"]
    assert bar["x"] + bar["width"] <= width
    deals.evaluate("scrollTo(0, document.body.scrollHeight)")
    last = deals.locator("[data-results] tbody tr").last.bounding_box()
    bar = deals.locator("#bulk").bounding_box()
    assert last["y"] + last["height"] <= bar["y"]


def test_two_deals_are_changed_by_keyboard(deals, standin, axe, monkeypatch):
    monkeypatch.setattr(rows, "MAX_ROWS", 1)  # of one turn
    bar = deals.locator("#bulk")
    expect(bar).to_be_hidden()
    for key in ("j", "x", "j", "x"):
        deals.keyboard.press(key)
    expect(bar).to_contain_text("2 selected")
    expect(deals.locator("[data-results] tbody th a").nth(1)).to_be_focused()
    axe(deals)
    deals.keyboard.press("v")
    expect(deals.get_by_role("heading", level=1)).to_have_text("Change 2 deals")
    axe(deals)
    deals.get_by_role("combobox", name="Source").fill("Zebra fair")
    deals.keyboard.press("Control+Enter")
    expect(deals.get_by_role("heading", name="Change", exact=True)).to_be_visible()
    axe(deals)
    deals.wait_for_load_state()  # the scripts take keys from then on
    deals.keyboard.press("Control+Enter")
    deals.wait_for_url("**/jobs/*/")
    expect(deals.locator("#progress")).to_contain_text("0 of 2 done")
    axe(deals)
    second = deals.locator("#job-rows a").nth(1)
    second.focus()
    run_one()
    expect(deals.locator("#job-rows")).to_contain_text("Changed")  # without a reload
    expect(deals.locator("#rows-saved")).to_have_text("Changed 1")
    expect(second).to_be_focused()
    work()
    expect(deals.locator("#progress")).to_contain_text("2 of 2 done 2 changed")  # without a key
    expect(deals.locator("#job-state")).to_have_text("Finished")
    expect(second).to_be_focused()
    axe(deals)
    assert len(standin.ledger(operation="update")) == 2
    deals.get_by_role("button", name="Undo 2 saved rows").click()
    expect(deals.get_by_role("heading", level=1)).to_have_text("Undo the change of 2 deals")
