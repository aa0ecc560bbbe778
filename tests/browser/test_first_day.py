"""A new user: signs in, connects keys, creates, finds, edits and deletes a contact."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import PASSWORD
from tests.helpers import run_worker


def enter(page: Page, username: str) -> None:
    page.goto("/")
    page.locator("[name=login]").click()
    page.keyboard.type(username)
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")


def connect_keys(page: Page, access: str, secret: str) -> None:
    page.get_by_label("Access key").fill(access)
    page.get_by_label("Secret key").fill(secret)
    page.get_by_role("button", name="Test only").click()
    expect(page.get_by_role("heading", name="Test results")).to_be_visible()
    page.get_by_role("button", name="Test and connect").click()
    page.get_by_label("Workspace name").fill("Acme")
    page.get_by_role("button", name="Test and connect").click()
    expect(page.get_by_role("heading", name="re ready to start")).to_be_visible()


@pytest.mark.parametrize(
    "javascript",
    [pytest.param(True, marks=pytest.mark.everyday), pytest.param(False, marks=pytest.mark.slow)],
)
def test_from_sign_in_to_a_deleted_contact(new_page, manager, standin, console, javascript):
    page = new_page(java_script_enabled=javascript)
    enter(page, manager.username)
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("Welcome, "))
    connect_keys(page, *standin.keys["acme"][0])
    console.clear()  # the form asked for the workspace's name

    page.goto("/contacts/new/")
    page.get_by_label("Name", exact=True).fill("Zebra Crossing Ltd")
    page.get_by_label("Business", exact=True).check()
    page.get_by_label("Email", exact=False).first.fill("info@zebra.example")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Zebra Crossing Ltd")
    expect(page.get_by_text("Contact Zebra Crossing Ltd was created.").first).to_be_visible()

    page.goto("/contacts/")
    page.locator("#search").fill("crossing")
    if not javascript:
        page.locator("#filters").get_by_role("button", name="Search").click()
    expect(page.locator(".count")).to_have_text("1 contact")
    expect(page).to_have_url(re.compile(r"search=crossing"))
    page.locator("#results").get_by_role("link", name="Zebra Crossing Ltd").click()

    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("link", name="Edit").click()
    page.get_by_label("Phone", exact=False).first.fill("+44 20 7946 0000")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("link", name="+44 20 7946 0000")).to_be_visible()
    assert [entry["body"] for entry in standin.ledger(operation="update")] == [
        {"cstmobile": "+44 20 7946 0000"}
    ]

    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("1 hidden, pending deletion")).to_be_visible()
    run_worker(after=9)
    assert len(standin.ledger(operation="delete")) == 1
    page.goto("/contacts/?search=crossing")
    expect(page.locator(".count")).to_have_text("0 contacts")


def test_every_page_of_contacts_in_every_state_is_accessible(
    desk_page, axe_in_looks, standin, console
):
    page = desk_page("/contacts/")
    axe_in_looks(page)
    first = page.locator("tbody a").first.get_attribute("href")
    for address in ("/contacts/?search=nobody-at-all", first, f"{first}edit/"):
        page.goto(address)
        axe_in_looks(page)
    page.goto("/contacts/new/")
    page.get_by_text("More fields").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#error-summary")).to_be_focused()
    axe_in_looks(page)
    for fault in ("status-403", "status-500"):
        standin.clear_faults()
        standin.fault(fault)
        page.goto("/contacts/")
        axe_in_looks(page)
    console.clear()  # the error statuses of the pages


@pytest.mark.everyday
def test_ten_pages_are_accessible(desk_page, axe, lists):
    page = desk_page("/")
    axe(page)
    for name in ("contacts", "leads", "deals", "tasks", "estimates", "invoices"):
        page.goto(f"/{name}/")
        axe(page)
    page.locator("tbody a").first.click()
    expect(page.get_by_role("link", name="Edit")).to_be_visible()
    axe(page)
    for address in ("/contacts/new/", "/invoices/new/"):
        page.goto(address)
        axe(page)


@pytest.mark.everyday
def test_a_contact_is_created_on_a_phone(desk_page, standin):
    page = desk_page("/", width=360, height=740, has_touch=True, is_mobile=True)
    page.get_by_role("button", name="Menu").tap()
    page.get_by_role("link", name="Contacts", exact=True).tap()
    page.get_by_role("link", name="New contact").first.tap()
    page.get_by_label("Name", exact=True).fill("Zebra Ltd")
    page.get_by_label("Business", exact=True).check()
    page.get_by_role("button", name="Save", exact=True).tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("Zebra Ltd")
    assert len(standin.ledger(operation="create", resource="contacts")) == 1
    assert page.evaluate("document.documentElement.scrollWidth") == 360
