"""Fields of a form that are drawn when they are opened."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from dashboard.gateway import CONTACTS
from dashboard.writes.models import Draft
from tests.browser.routes import route_open_page
from tests.waits import wait_until

pytestmark = pytest.mark.slow


@pytest.fixture
def edited(desk_page, gateway) -> Page:
    """The edit form of a contact with an address."""
    body = {"cstname": "Zoe", "cstaddress": "1 High Street", "contact_type": 1}
    return desk_page(f"/contacts/{gateway.create(CONTACTS, body).id}/edit/")


def hold_fields(page: Page) -> list[Route]:
    """Let the request for the fields wait until it is continued."""
    held: list[Route] = []
    route_open_page(page, "**/edit/", lambda route: held.append(route))
    page.get_by_text("More fields").focus()
    page.keyboard.press("Enter")
    # Routes are called while Playwright waits, not while another function does.
    wait_until(lambda: page.evaluate("true") and held)
    return held


def test_what_is_typed_while_they_come_reaches_them(edited):
    held = hold_fields(edited)
    edited.keyboard.type("33\tZebra")
    held[0].continue_()
    expect(edited.get_by_label("Phone country")).to_have_value("33")
    expect(edited.get_by_label("Belongs to business")).to_have_value("Zebra")
    expect(edited.get_by_label("Belongs to business")).to_be_focused()
    expect(edited.get_by_label("Address")).to_have_value("1 High Street")


def test_the_first_tab_leads_to_the_first_of_them(edited):
    held = hold_fields(edited)
    edited.keyboard.type("\t33")
    held[0].continue_()
    expect(edited.get_by_label("Phone country")).to_have_value("33")


def test_an_unreachable_server_leaves_them_closed_and_the_form_as_it_is(edited, console):
    held = hold_fields(edited)
    held[0].abort()
    expect(edited.get_by_text("More fields")).to_be_focused()
    expect(edited.get_by_role("alert").first).to_be_visible()
    edited.unroute("**/edit/")
    edited.keyboard.press("Enter")
    expect(edited.get_by_label("Phone country")).to_be_focused()
    console.clear()  # of the request that got no answer


def test_opening_them_is_no_change(edited, all_answered):
    edited.get_by_label("Email", exact=True).focus()
    edited.get_by_text("More fields").click()
    expect(edited.get_by_label("Address")).to_have_value("1 High Street")
    edited.goto("/contacts/")
    all_answered()
    assert not Draft.objects.exists()


def test_a_form_is_saved_with_what_was_typed_before_and_into_them(edited, standin):
    edited.get_by_label("Email", exact=True).fill("zoe@zebra.example")
    edited.get_by_text("More fields").click()
    edited.get_by_label("Address").fill("2 High Street")
    edited.keyboard.press("Control+s")
    edited.wait_for_url(re.compile(r"/contacts/\d+/$"))
    body = standin.ledger(operation="update")[-1]["body"]
    assert body == {"cstemail": "zoe@zebra.example", "cstaddress": "2 High Street"}
