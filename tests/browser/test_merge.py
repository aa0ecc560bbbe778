"""Two contacts are merged by keys alone."""

import re

from playwright.sync_api import expect

from dashboard.gateway import CONTACTS

from .test_documents import COUNTERS, keys_used


def test_a_contact_is_merged_with_6_keys(page, sign_in, manager, with_keys, gateway, axe, standin):
    sign_in(page, with_keys(manager))
    page.add_init_script(COUNTERS)
    body = {"cstname": "Zoe Zebra", "contact_type": 1}
    kept = gateway.create(CONTACTS, body).id
    gateway.create(CONTACTS, {**body, "cstmobile": "+493012345678"})
    page.goto(f"/contacts/{kept}/")
    page.keyboard.press("u")
    page.wait_for_url("**/merge/")
    expect(page.get_by_label("Name or email")).to_be_focused()
    axe(page)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.locator("tbody th a").first).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/merge/?other=*")
    expect(page.get_by_role("radio", name="Phone: +493012345678")).to_be_checked()
    axe(page)
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile(rf"/contacts/{kept}/$"))
    expect(page.locator("#messages")).to_contain_text("was merged into")
    assert keys_used(page) <= 6
    [changed] = standin.ledger(operation="update", resource="contacts")
    assert changed["body"] == {"cstmobile": "+493012345678"}
