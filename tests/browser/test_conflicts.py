"""The choice between two versions, Unfinished and the help page in a browser: keys and axe."""

import re

from playwright.sync_api import expect

from dashboard.gateway import CONTACTS
from dashboard.writes.models import Draft
from tests.waits import wait_until


def test_a_version_is_chosen_by_keys(desk_page, axe_in_looks, gateway, console):
    contact = gateway.create(CONTACTS, {"cstname": "Zebra Ltd", "contact_type": 2}).id
    page = desk_page(f"/contacts/{contact}/edit/")
    page.locator("[name=cstname]").fill("Zebra GmbH")
    page.locator("[name=cstmobile]").fill("0200")
    theirs = {"cstname": "Zebra plc", "cstemail": "new@zebra.example"}
    gateway.update(CONTACTS, contact, theirs)
    page.keyboard.press("Control+s")
    expect(page.get_by_role("radio", name="Name: yours, Zebra GmbH")).to_be_focused()
    axe_in_looks(page)
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("radio", name="Name: theirs, Zebra plc")).to_be_checked()
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile(rf"/contacts/{contact}/$"))
    record = gateway.get(CONTACTS, contact)
    assert (record["cstname"], record["cstmobile"]) == ("Zebra plc", "0200")
    console.clear()  # the browser reports the status 409


def test_the_help_and_unfinished_pages_are_accessible(
    new_page, axe_in_looks, sign_in, manager, with_keys
):
    page = new_page()
    sign_in(page, with_keys(manager))
    for name in ("Zebra", "Yak"):
        page.goto("/contacts/new/")
        page.locator("[name=cstname]").press_sequentially(name)
    page.goto("/contacts/")  # what was typed is stored on leaving
    wait_until(lambda: Draft.objects.count() == 2)
    page.goto("/unfinished/")
    expect(page.get_by_role("link", name="New contact: Yak")).to_be_visible()
    axe_in_looks(page)
    page.get_by_role("button", name="Discard all 2").click()
    expect(page.get_by_role("button", name="Restore New contact: Yak")).to_be_visible()
    axe_in_looks(page)
    page.goto("/help/")
    axe_in_looks(page)
