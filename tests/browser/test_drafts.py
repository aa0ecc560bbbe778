"""Drafts: typed input survives closed tabs, expired sessions and an unreachable server."""

import re
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from playwright.sync_api import expect

from dashboard.gateway import CONTACTS
from dashboard.people.sessions import TOUCH_INTERVAL
from dashboard.writes.models import Draft
from tests.browser.routes import route_open_page
from tests.conftest import PASSWORD
from tests.waits import wait_until


@pytest.fixture
def at_desk(desk_page):
    return desk_page("/contacts/new/")


def type_name(page, name="Zebra Ltd"):
    page.get_by_label("Name", exact=True).press_sequentially(name)
    expect(page.locator("[data-draft-line]")).to_have_text(re.compile("Kept as unfinished"))


def creates(standin):
    return [entry["body"]["cstname"] for entry in standin.ledger(operation="create")]


def test_a_draft_is_resumed_after_closing_the_tab_and_saved(at_desk, standin):
    type_name(at_desk)
    context = at_desk.context
    at_desk.close()
    page = context.new_page()
    page.goto("/contacts/new/")
    expect(page.get_by_label("Name", exact=True)).to_have_value("")
    page.locator(".draft-offer").get_by_role("link").first.click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Zebra Ltd")
    page.wait_for_load_state()  # the scripts take keys from then on
    page.keyboard.press("Control+s")
    page.wait_for_url(re.compile(r"/contacts/\d+/$"))
    assert creates(standin) == ["Zebra Ltd"]
    assert not Draft.objects.exists()


def test_leaving_before_the_next_save_stores_the_last_input(at_desk):
    at_desk.get_by_label("Name", exact=True).press_sequentially("Zeb")
    at_desk.goto("/contacts/")
    wait_until(Draft.objects.exists)
    at_desk.goto("/unfinished/")
    expect(at_desk.get_by_role("link", name="New contact: Zeb", exact=True)).to_be_visible()
    expect(at_desk.locator(".menu .n")).to_have_text("1")


def test_what_the_browser_fills_into_the_focused_field_is_stored(at_desk):
    at_desk.get_by_label("Name", exact=True).evaluate("""(field) => {
        field.value = "Zebra Ltd";
        field.dispatchEvent(new Event("input", { bubbles: true }));
    }""")
    at_desk.goto("/contacts/")
    wait_until(Draft.objects.exists)


def test_tabbing_through_an_invoice_stores_no_draft(at_desk, all_answered):
    at_desk.goto("/invoices/new/")
    for _ in range(60):
        at_desk.keyboard.press("Tab")
    at_desk.goto("/contacts/")
    all_answered()
    assert not Draft.objects.exists()


def test_an_offered_draft_is_discarded_on_the_page(at_desk):
    type_name(at_desk)
    at_desk.goto("/contacts/new/")
    at_desk.get_by_label("Email", exact=True).fill("kept@zebra.example")
    at_desk.get_by_role("button", name="Discard").click()
    expect(at_desk.locator(".draft-offer")).to_have_count(0)
    expect(at_desk.get_by_label("Email", exact=True)).to_have_value("kept@zebra.example")
    expect(at_desk.get_by_label("Name", exact=True)).to_be_focused()


def test_a_failure_to_store_the_draft_is_shown_and_retried(at_desk, console):
    route_open_page(at_desk, "**/unfinished/keep/", lambda route: route.abort())
    at_desk.get_by_label("Name", exact=True).press_sequentially("Zebra")
    expect(at_desk.locator("[data-draft-line]")).to_contain_text("keep trying")
    at_desk.unroute("**/unfinished/keep/")
    expect(at_desk.locator("[data-draft-line]")).to_contain_text("Kept as unfinished")
    console.clear()  # the aborted requests


def sign_in_over(page, opener, manager):
    """Sign in in the window that the dialog opens."""
    with page.expect_popup() as popup:
        opener.click()
    window = popup.value
    window.locator("[name=login]").fill(manager.username)
    window.locator("[name=password]").fill(PASSWORD)
    window.keyboard.press("Enter")


def test_an_expired_session_asks_for_sign_in_and_continues_the_save(at_desk, manager, standin):
    type_name(at_desk)
    Session.objects.all().delete()
    at_desk.evaluate("Date.now = ((now) => () => now() + 60_000)(Date.now)")  # one minute later
    at_desk.keyboard.press("Control+s")
    dialog = at_desk.get_by_role("dialog", name="You have been signed out")
    sign_in_over(at_desk, dialog.get_by_role("link", name="Sign in"), manager)
    at_desk.wait_for_url(re.compile(r"/contacts/\d+/$"))
    assert creates(standin) == ["Zebra Ltd"]
    assert not Draft.objects.exists()


def test_another_user_who_signs_in_cannot_save_the_form(at_desk, editor, sign_in, standin):
    type_name(at_desk)
    sign_in(at_desk, editor)
    at_desk.evaluate("Date.now = ((now) => () => now() + 60_000)(Date.now)")
    at_desk.keyboard.press("Control+s")
    expect(at_desk.get_by_role("dialog", name="Someone else is signed in")).to_be_visible()
    assert not creates(standin)


def test_the_end_of_a_session_is_announced_and_postponed_by_one_button(desk_page, settings):
    settings.SESSION_COOKIE_AGE = 121
    page = desk_page("/contacts/new/")
    settings.SESSION_COOKIE_AGE = 1000
    dialog = page.get_by_role("dialog", name="You will be signed out soon")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("button", name="Stay signed in")).to_be_focused()
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    session = Client()
    session.cookies["sessionid"] = page.context.cookies()[0]["value"]
    cookies = {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}
    session.cookies["sessionid"] = cookies["sessionid"]
    assert session.get("/accounts/session/").json()["seconds"] > 900


def test_a_page_without_a_form_warns_too_and_goes_on_after_sign_in_elsewhere(
    desk_page, settings, manager, sign_in, console
):
    settings.SESSION_COOKIE_AGE = 122 + TOUCH_INTERVAL
    page = desk_page("/contacts/")
    Session.objects.update(expire_date=timezone.now() + timedelta(seconds=100))
    ending = page.get_by_role("dialog", name="You will be signed out soon")
    expect(ending).to_contain_text("This page stays here.")
    settings.SESSION_COOKIE_AGE = 1000
    Session.objects.all().delete()
    ending.get_by_role("button", name="Stay signed in").click()
    ended = page.get_by_role("dialog", name="You have been signed out")
    expect(ended).to_be_visible()
    sign_in(page, manager)
    expect(ended).to_be_hidden()
    console.clear()  # the 401 of "Stay signed in"


def test_a_list_with_an_expired_session_offers_to_sign_in(desk_page, manager, console):
    page = desk_page("/contacts/")
    Session.objects.all().delete()
    page.get_by_role("link", name="50 rows per page").click()
    dialog = page.get_by_role("dialog", name="You have been signed out")
    sign_in_over(page, dialog.get_by_role("link", name="Sign in"), manager)
    expect(dialog).to_be_hidden()
    console.clear()  # the 401 itself


def test_other_editors_are_shown_without_a_reload(
    desk_page, new_page, sign_in, editor, with_keys, gateway, monkeypatch
):
    monkeypatch.setattr("dashboard.records.presence.HEARTBEAT", 1)
    contact = gateway.create(CONTACTS, {"cstname": "Zebra Ltd", "contact_type": 2}).id
    url = f"/contacts/{contact}/edit/"
    page = desk_page(url)
    expect(page.locator("[data-others]")).to_be_hidden()
    other = new_page()
    sign_in(other, with_keys(editor))
    other.goto(url)
    expect(other.locator("[data-others]")).to_have_text(re.compile("max has this open"))
    page.bring_to_front()
    expect(page.locator("[data-others]")).to_have_text(re.compile("edith has this open"))


def test_every_state_is_accessible(desk_page, axe_in_looks, standin, console):
    page = desk_page("/unfinished/")
    axe_in_looks(page)
    page.goto("/contacts/new/")
    type_name(page)
    axe_in_looks(page)
    page.goto("/contacts/new/")
    axe_in_looks(page)
    page.goto("/unfinished/")
    axe_in_looks(page)
    page.locator("main .rows a").first.click()
    page.wait_for_url("**/contacts/new/*")
    axe_in_looks(page)
    Session.objects.all().delete()
    page.evaluate("Date.now = ((now) => () => now() + 60_000)(Date.now)")
    page.keyboard.press("Control+s")
    expect(page.get_by_role("dialog")).to_be_visible()
    axe_in_looks(page)


def test_pages_of_unresolved_submissions_are_accessible(
    new_page, axe_in_looks, sign_in, manager, with_keys, standin
):
    page = new_page()
    sign_in(page, with_keys(manager))
    standin.fault("reset-before", operation="create", times=1)
    page.goto("/contacts/new/")
    page.get_by_label("Name", exact=True).fill("Zebra")
    page.keyboard.press("Control+s")
    page.wait_for_url("**/unsure/*/")
    page.goto("/unsure/")
    question = "Was contact Zebra created?"
    expect(page.get_by_role("link", name=question, exact=True)).to_be_visible()
    axe_in_looks(page)
