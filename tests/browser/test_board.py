"""Cards of the board are moved by keys and with the pointer, where the service takes that."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from dashboard.gateway import CONTACTS, DEALS


@pytest.fixture
def board(desk_page, gateway, lists, switch_on):
    switch_on("deals.deal_current_stage")
    zebra = gateway.create(CONTACTS, {"cstname": "Zebra Trading", "contact_type": 2}).id
    body = {"deal_name": "Stripes", "pipeline_id": 1, "cstid": zebra, "deal_amount": 136794.03}
    next_year = timezone.localdate() + timedelta(days=370)
    gateway.create(DEALS, {**body, "deal_expected_close_date": next_year})
    return desk_page("/deals/board/?pipeline=1")


def stage(page, name):
    return page.get_by_role("region", name=name, exact=True)


def test_a_card_is_moved_by_a_key_and_by_dragging(board, axe_in_looks):
    axe_in_looks(board)
    card = board.get_by_role("link", name="Stripes")
    card.focus()
    board.keyboard.press(">")
    expect(board.locator("#messages")).to_contain_text("Stripes moved to Meeting.")
    expect(stage(board, "Meeting").get_by_role("link", name="Stripes")).to_be_focused()
    axe_in_looks(board)
    board.keyboard.press("z")
    expect(board.locator("#messages")).to_contain_text("Stripes moved to Enquiry.")
    expect(stage(board, "Enquiry").get_by_role("link", name="Stripes")).to_be_focused()
    board.locator(".card", has_text="Stripes").drag_to(stage(board, "Proposal"))
    expect(board.locator("#messages")).to_contain_text("Stripes moved to Proposal.")
    expect(stage(board, "Proposal").get_by_role("link", name="Stripes")).to_be_focused()


def test_a_card_that_is_not_moved_stands_where_it_was(board, standin):
    standin.fault("status-409", operation="update")
    board.get_by_role("link", name="Stripes").focus()
    board.keyboard.press(">")
    expect(board.locator("#alerts")).to_contain_text("The deal was not changed.")
    expect(stage(board, "Enquiry").get_by_role("link", name="Stripes")).to_be_focused()
