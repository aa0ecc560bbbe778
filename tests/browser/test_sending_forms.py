"""Save without a network: the form stands until there is an answer; nothing is entered twice."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from dashboard.drafts.models import Draft
from dashboard.gateway import CONTACTS
from tests.waits import wait_until

NOT_SENT = "Not sent. Press Save again."


@pytest.fixture
def at_desk(page: Page, sign_in, manager, with_keys) -> Page:
    sign_in(page, with_keys(manager))
    page.goto("/contacts/new/")
    page.wait_for_load_state("networkidle")
    page.keyboard.type("Zebra Ltd")
    return page


def created(standin):
    return [entry["body"]["cstname"] for entry in standin.ledger(operation="create")]


def expect_standing(page: Page, name: str = "Zebra Ltd") -> None:
    """The form is there as it was, and its button can be pressed again."""
    expect(page.locator("#alerts")).to_contain_text(NOT_SENT)
    expect(page.get_by_label("Name", exact=True)).to_have_value(name)
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    expect(page.locator(".savebar [type=submit]").first).to_contain_text("Save")
    expect(page.locator("[data-sent]")).to_have_count(0)


def save_again(page: Page) -> None:
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile(r"/contacts/\d+/$"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Zebra Ltd")


def test_cut_before_the_post(at_desk, standin, console):
    at_desk.context.set_offline(True)
    at_desk.keyboard.press("Control+Enter")
    expect_standing(at_desk)
    at_desk.context.set_offline(False)
    save_again(at_desk)
    assert created(standin) == ["Zebra Ltd"]
    console.clear()


def test_cut_during_the_post(at_desk, standin, console):
    held: list[Route] = []
    at_desk.route("**/contacts/new/", lambda route: held.append(route))
    at_desk.keyboard.press("Control+Enter")
    wait_until(lambda: at_desk.wait_for_timeout(20) or held)
    expect(at_desk.locator(".savebar [type=submit]").first).to_have_text("Saving…")
    held[0].abort("connectionreset")
    expect_standing(at_desk)
    at_desk.unroute("**/contacts/new/")
    save_again(at_desk)
    assert created(standin) == ["Zebra Ltd"]
    console.clear()


def test_cut_after_the_post_enters_nothing_twice(at_desk, standin, console):
    def answer_is_lost(route: Route) -> None:
        route.fetch(max_redirects=0)
        route.abort("connectionreset")

    at_desk.route("**/contacts/new/", answer_is_lost)
    at_desk.keyboard.press("Control+Enter")
    expect_standing(at_desk)
    assert created(standin) == ["Zebra Ltd"]
    at_desk.unroute("**/contacts/new/")
    save_again(at_desk)
    assert created(standin) == ["Zebra Ltd"]
    console.clear()


def test_an_answer_of_a_proxy_is_none(at_desk, standin, console):
    page = {"status": 502, "content_type": "text/html", "body": "<h1>Bad gateway</h1>"}
    at_desk.route("**/contacts/new/", lambda route: route.fulfill(**page))
    at_desk.keyboard.press("Control+Enter")
    expect_standing(at_desk)
    at_desk.unroute("**/contacts/new/")
    save_again(at_desk)
    assert created(standin) == ["Zebra Ltd"]
    console.clear()


def test_what_was_not_sent_is_kept_once_the_network_is_back(at_desk, console):
    at_desk.context.set_offline(True)
    at_desk.keyboard.press("Control+Enter")
    expect_standing(at_desk)
    at_desk.context.set_offline(False)
    expect(at_desk.locator("[data-draft-line]")).to_have_text(re.compile("Kept as unfinished"))
    assert Draft.objects.filter(state="open").count() == 1
    console.clear()


def test_the_draft_is_stored_with_the_press(at_desk, standin):
    standin.fault("slow:3", operation="create", times=1)
    at_desk.keyboard.press("Control+Enter")
    wait_until(lambda: at_desk.wait_for_timeout(20) or Draft.objects.exists())
    assert not created(standin) or at_desk.url.endswith("/new/")
    at_desk.wait_for_url(re.compile(r"/contacts/\d+/$"))
    assert not Draft.objects.filter(state="open").exists()


def test_an_edit_that_was_cut_is_saved_by_the_second_press(
    page, sign_in, manager, with_keys, gateway, standin, console
):
    contact = gateway.create(CONTACTS, {"cstname": "Zebra", "contact_type": 2}).id
    sign_in(page, with_keys(manager))
    page.goto(f"/contacts/{contact}/edit/")
    page.wait_for_load_state("networkidle")
    page.get_by_label("Name", exact=True).fill("Zebra Ltd")
    page.context.set_offline(True)
    page.keyboard.press("Control+s")
    expect_standing(page)
    page.context.set_offline(False)
    save_again(page)
    assert [entry["body"] for entry in standin.ledger(operation="update")] == [
        {"cstname": "Zebra Ltd"}
    ]
    console.clear()


def test_a_refused_form_is_shown_in_place_and_works(at_desk, standin, axe, console):
    at_desk.get_by_label(re.compile("^Email")).fill("no address")
    at_desk.keyboard.press("Control+Enter")
    expect(at_desk).to_have_title(re.compile("^Error: New contact"))
    expect(at_desk.get_by_label(re.compile("^Email"))).to_have_attribute("aria-invalid", "true")
    assert at_desk.evaluate("document.activeElement.closest('#main') !== null")
    axe(at_desk)
    at_desk.get_by_label(re.compile("^Email")).fill("zebra@zebra.example")
    save_again(at_desk)
    assert created(standin) == ["Zebra Ltd"]
    console.clear()  # the refusal
