"""Save without a network: the form stands until there is an answer; nothing is entered twice."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from dashboard.gateway import CONTACTS, DEALS, ESTIMATES, INVOICES, LEADS, TASKS
from dashboard.schema.registry import RESOURCES
from dashboard.writes.models import Draft
from tests.browser.routes import route_open_page
from tests.conftest import FULL
from tests.waits import wait_until

NOT_SENT = "Not sent. Press Save again."
WHEN = ("after", *(pytest.param(when, marks=FULL) for when in ("before", "during")))


@pytest.fixture
def at_form(at_desk: Page) -> Page:
    at_desk.goto("/contacts/new/")
    expect(at_desk.get_by_label("Name", exact=True)).to_be_focused()
    at_desk.keyboard.type("Zebra Ltd")
    return at_desk


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


def check_second_press(page: Page, standin, console) -> None:
    """With the network back, Save again saves the form, once."""
    page.context.set_offline(False)
    page.unroute("**/contacts/new/")
    save_again(page)
    assert created(standin) == ["Zebra Ltd"]
    console.clear()


def test_cut_during_the_post(at_form, standin, console):
    held: list[Route] = []
    route_open_page(at_form, "**/contacts/new/", lambda route: held.append(route))
    at_form.keyboard.press("Control+Enter")
    wait_until(lambda: at_form.wait_for_timeout(20) or held)
    expect(at_form.locator(".savebar [type=submit]").first).to_have_text("Saving…")
    held[0].abort("connectionreset")
    expect_standing(at_form)
    check_second_press(at_form, standin, console)


def test_saved_before_the_scripts_of_the_form_have_come(page, at_desk, standin):
    """The browser sends the form then."""
    page.route("**/change_page*.js", lambda route: None)
    page.goto("/contacts/new/", wait_until="commit")
    page.get_by_label("Name", exact=True).fill("Zebra Ltd")
    page.locator(".savebar [type=submit]").first.click()
    page.wait_for_url("**/contacts/*/")
    assert created(standin) == ["Zebra Ltd"]


@pytest.fixture
def originals(gateway, lists) -> dict[str, int]:
    """A record of each kind, by the name of the kind; a form that copies one is whole."""
    customer = gateway.create(CONTACTS, {"cstname": "Zebra Ltd", "contact_type": 2}).id
    deal = {"deal_name": "Roof", "pipeline_id": 1, "cstid": customer}
    task = {"title": "Call", "cstid": customer, "start_datetime": "2026-12-01T09:00:00"}
    line = {"item_id": 501, "item_name": "Hour", "quantity": 2, "price": 95, "type": "item"}
    document = {"customer_id": customer, "template_id": 11, "items": [line]}
    return {
        "contacts": customer,
        "leads": gateway.create(LEADS, {"cstname": "Zoe Zebra"}).id,
        "deals": gateway.create(DEALS, deal).id,
        "tasks": gateway.create(TASKS, task).id,
        "estimates": gateway.create(ESTIMATES, document).id,
        "invoices": gateway.create(INVOICES, document).id,
    }


def cut(page: Page, when: str, address: re.Pattern[str]) -> None:
    """Cut the network before, during or after the next post to this address."""

    def lose(route: Route) -> None:
        if route.request.method != "POST":
            route.continue_()
            return
        if when == "after":
            route.fetch(max_redirects=0)
        route.abort("connectionreset")

    if when == "before":
        page.context.set_offline(True)
    else:
        route_open_page(page, address, lose)


@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize("name", RESOURCES)
def test_the_form_of_every_kind_of_record_stands_and_is_entered_once(
    desk_page, originals, standin, console, name, when
):
    page = desk_page(f"/{name}/new/?copy={originals[name]}")
    typed = "() => [...new FormData(document.querySelector('[data-save-form]'))].join(' ')"
    whole = page.evaluate(typed)
    address = re.compile(rf"/{name}/new/")
    cut(page, when, address)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#alerts")).to_contain_text(NOT_SENT)
    expect(page.locator("[data-sent]")).to_have_count(0)
    assert page.evaluate(typed) == whole, "with the token that makes a second press safe"
    made = len(standin.ledger(operation="create", resource=name))
    assert made == (2 if when == "after" else 1)
    page.unroute_all()
    page.context.set_offline(False)
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile(rf"/{name}/\d+/"))
    assert len(standin.ledger(operation="create", resource=name)) == 2
    console.clear()


def test_an_answer_of_a_proxy_is_none(at_form, standin, console):
    page = {"status": 502, "content_type": "text/html", "body": "<h1>Bad gateway</h1>"}
    route_open_page(at_form, "**/contacts/new/", lambda route: route.fulfill(**page))
    at_form.keyboard.press("Control+Enter")
    expect_standing(at_form)
    check_second_press(at_form, standin, console)


def test_what_was_not_sent_is_kept_once_the_network_is_back(at_form, console):
    at_form.context.set_offline(True)
    at_form.keyboard.press("Control+Enter")
    expect_standing(at_form)
    at_form.context.set_offline(False)
    expect(at_form.locator("[data-draft-line]")).to_have_text(re.compile("Kept as unfinished"))
    assert Draft.objects.count() == 1
    console.clear()


def test_the_draft_is_stored_with_the_press(at_form, standin):
    standin.fault("slow:3", operation="create", times=1)
    at_form.keyboard.press("Control+Enter")
    wait_until(lambda: at_form.wait_for_timeout(20) or Draft.objects.exists())
    assert not created(standin) or at_form.url.endswith("/new/")
    at_form.wait_for_url(re.compile(r"/contacts/\d+/$"))
    assert not Draft.objects.exists()


CHANGED = {
    "contacts": "cstname", "deals": "deal_name", "estimates": "reference", "invoices": "reference",
}  # fmt: skip
"""A field of each kind that the service updates."""


@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize(("name", "field"), CHANGED.items())
def test_an_edit_that_was_cut_stands_and_is_saved_once(
    desk_page, originals, standin, console, name, field, when
):
    page = desk_page(f"/{name}/{originals[name]}/edit/")
    typed = page.locator(f"[data-save-form] [name={field}]")
    typed.fill("Zebra roof")
    cut(page, when, re.compile(rf"/{name}/\d+/edit/"))
    page.keyboard.press("Control+s")
    expect(page.locator("#alerts")).to_contain_text(NOT_SENT)
    expect(page.locator("[data-sent]")).to_have_count(0)
    expect(typed).to_have_value("Zebra roof")
    assert len(standin.ledger(operation="update")) == (when == "after")
    page.unroute_all()
    page.context.set_offline(False)
    page.keyboard.press("Control+s")
    page.wait_for_url(re.compile(rf"/{name}/\d+/$"))
    [update] = standin.ledger(operation="update")
    assert update["body"][field] == "Zebra roof"
    console.clear()


def test_a_refused_form_is_shown_in_place_and_works(at_form, standin, axe, console):
    at_form.get_by_label(re.compile("^Email")).fill("no address")
    at_form.keyboard.press("Control+Enter")
    expect(at_form).to_have_title(re.compile("^Error: New contact"))
    expect(at_form.get_by_label(re.compile("^Email"))).to_have_attribute("aria-invalid", "true")
    expect(at_form.locator("#main :focus")).to_have_count(1)
    axe(at_form)
    at_form.get_by_label(re.compile("^Email")).fill("zebra@zebra.example")
    save_again(at_form)
    assert created(standin) == ["Zebra Ltd"]
    console.clear()  # the refusal


def test_a_refused_form_with_scripts_that_are_not_there_is_shown(at_form, console):
    """As after an upgrade that has renamed one."""

    def answer(route: Route) -> None:
        answered = route.fetch()
        script = re.compile(r'/form\.js" data-module="form"')
        text = script.sub('/gone.js" data-module="gone"', answered.text())
        route.fulfill(response=answered, body=text)

    at_form.get_by_label(re.compile("^Email")).fill("no address")
    route_open_page(at_form, "**/contacts/new/", answer)
    at_form.keyboard.press("Control+Enter")
    expect(at_form).to_have_title(re.compile("^Error: New contact"))
    assert any("gone.js" in said for said in console)
    console.clear()
