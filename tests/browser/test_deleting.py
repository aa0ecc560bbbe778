"""A pending deletion in a browser: countdown, undo by keyboard, leaving the page."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from dashboard.drafts.models import Deletion
from dashboard.gateway import CONTACTS

LOOKS = [(theme, width) for theme in ("light", "dark") for width in (360, 1280)]
HELD = re.compile(r"/unfinished/deletions/\d+/$")


@pytest.fixture
def contact(gateway) -> int:
    body = {"cstname": "Zebra Ltd", "contact_type": 2, "cstemail": "zoe@zebra.example"}
    return gateway.create(CONTACTS, body).id


@pytest.fixture
def ask(sign_in, with_keys, manager, contact):
    """ask(page): opens the page of a pending deletion; the test controls the page's clock."""

    def asked(page):
        page.clock.install()
        sign_in(page, with_keys(manager))
        page.goto(f"/contacts/{contact}/delete/")
        page.get_by_role("button", name="Delete this contact").click()
        expect(page).to_have_url(HELD)
        return page

    return asked


def advance_server_clock(seconds: int) -> None:
    """Advance the age of the pending deletion on the server as well."""
    Deletion.objects.update(since=timezone.now() - timedelta(seconds=seconds))


def deletes(standin) -> int:
    return len(standin.ledger(operation="delete"))


def test_the_page_counts_down_and_then_deletes(page, ask, standin):
    ask(page)
    line = page.locator("[data-countdown]")
    expect(line).to_have_text(re.compile("It is deleted in [78] s"))
    page.clock.run_for(3_000)
    expect(line).to_have_text(re.compile("It is deleted in [45] s"))
    assert deletes(standin) == 0
    advance_server_clock(9)
    page.clock.run_for(6_000)
    expect(page.get_by_text("Contact Zebra Ltd was deleted.").first).to_be_visible()
    assert deletes(standin) == 1
    page.get_by_role("link", name="Create it again from the copy").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Zebra Ltd")


def test_undo_by_one_key_sends_nothing(page, ask, standin, contact):
    ask(page)
    expect(page.get_by_role("button", name="Undo, keep it")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Zebra Ltd was kept.").first).to_be_visible()
    expect(page).to_have_url(re.compile(f"/contacts/{contact}/$"))
    advance_server_clock(9)
    page.clock.run_for(20_000)
    assert deletes(standin) == 0


def test_leaving_and_reopening_the_page_sends_nothing(page, ask, standin):
    ask(page)
    page.clock.run_for(2_000)
    page.goto("/contacts/")
    advance_server_clock(9)
    page.clock.run_for(20_000)
    for back in (page.go_back, page.reload):
        back()
        expect(page.get_by_text("Nothing has been sent yet")).to_be_visible()
        expect(page.locator("[data-countdown]")).not_to_be_visible()
        page.clock.run_for(20_000)
    page.goto("/unfinished/")
    expect(page.get_by_role("button", name="Delete now Contact Zebra Ltd")).to_be_visible()
    assert deletes(standin) == 0


def test_leaving_stops_the_countdown_before_the_next_page_loads(page, ask, standin):
    ask(page)
    page.evaluate("dispatchEvent(new Event('beforeunload'))")  # the next page has not loaded yet
    advance_server_clock(9)
    page.clock.run_for(20_000)
    expect(page.get_by_text("Nothing has been sent yet")).to_be_visible()
    expect(page).to_have_url(HELD)
    assert deletes(standin) == 0


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_every_page_of_a_deletion_is_accessible(
    new_page, ask, axe, standin, console, contact, theme, width
):
    page = new_page(width, color_scheme=theme)
    ask(page)
    axe(page)
    held = page.url
    for address in (held, "/unfinished/", f"/contacts/{contact}/"):
        page.goto(address)
        axe(page)
    page.goto(held)
    standin.fault("status-422", operation="delete", times=1)
    page.get_by_role("button", name="Delete now").click()
    expect(page.get_by_role("button", name="Try again now")).to_be_visible()
    axe(page)
    console.clear()  # the error status of that page
    page.get_by_role("button", name="Try again now").click()
    expect(page.get_by_text("was deleted").first).to_be_visible()
    axe(page)
    for address in ("/unfinished/", f"/contacts/new/?again={Deletion.objects.get().pk}"):
        page.goto(address)
        axe(page)


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_the_history_is_accessible(
    new_page, sign_in, with_keys, administrator, axe, gateway, contact, theme, width
):
    page = new_page(width, color_scheme=theme)
    sign_in(page, with_keys(administrator))
    page.goto(f"/contacts/{contact}/edit/")
    page.get_by_label("Phone", exact=False).first.fill("+44 20 7946 0000")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Your changes were saved").first).to_be_visible()
    for address in (f"/contacts/{contact}/history/", "/history/", "/history/?operation=delete"):
        page.goto(address)
        axe(page)
