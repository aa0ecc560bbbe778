"""The keys that daily jobs take, counted as trusted events, and where the focus is after each.

Those of documents are in test_documents.py, of reminders in test_reminders.py, and of what repeats
in test_repeating.py.
"""

import re

import pytest
from playwright.sync_api import expect

from dashboard.gateway import CONTACTS, DEALS, INVOICES, LEADS
from tests.jobs.conftest import work

from .test_documents import COUNTERS, keys_used


@pytest.fixture
def counted(page, sign_in, manager, with_keys, lists):
    sign_in(page, with_keys(manager))
    page.add_init_script(COUNTERS)
    return page


def test_a_contact_is_created_with_32_keys(counted, standin):
    counted.goto("/contacts/")
    counted.keyboard.type("cc")
    counted.wait_for_url("**/contacts/new/")
    expect(counted.get_by_label("Name", exact=True)).to_be_focused()
    counted.keyboard.type("Ada Berg")
    counted.keyboard.press("Tab")
    counted.keyboard.type("ada@berg.eu")
    counted.keyboard.press("Tab")
    counted.keyboard.type("0301234")
    counted.keyboard.press("Control+Enter")
    counted.wait_for_url(re.compile(r"/contacts/\d+/"))
    assert keys_used(counted) <= 32
    body = standin.ledger(operation="create", resource="contacts")[-1]["body"]
    assert (body["cstemail"], body["cstmobile"]) == ("ada@berg.eu", "0301234")


def test_the_phone_of_a_contact_is_changed_on_its_page_with_10_keys(counted, gateway, standin):
    body = {"cstname": "Zoe", "contact_type": 1, "cstemail": "z@b.eu", "cstmobile": "0100"}
    counted.goto(f"/contacts/{gateway.create(CONTACTS, body).id}/")
    counted.keyboard.press("f")
    expect(counted.locator("[name=cstemail]")).to_be_focused()
    counted.keyboard.press("Tab")
    expect(counted.locator("[name=cstmobile]")).to_be_focused()
    counted.keyboard.type("0301234")
    counted.keyboard.press("Enter")
    expect(counted.get_by_role("link", name="0301234")).to_be_visible()
    assert keys_used(counted) <= 10
    assert standin.ledger(operation="update")[-1]["body"] == {"cstmobile": "0301234"}


def test_a_lead_becomes_a_contact_and_a_deal_with_an_amount_with_7_keys(counted, gateway, standin):
    lead = gateway.create(LEADS, {"cstname": "Zoe Zebra", "lead_company_name": "Zebra"}).id
    counted.goto(f"/leads/{lead}/")
    counted.keyboard.press("v")
    expect(counted.get_by_label("Amount")).to_be_focused()
    counted.keyboard.type("9500")
    counted.keyboard.press("Control+Enter")
    counted.wait_for_url(re.compile(r"/deals/\d+/"))
    assert keys_used(counted) <= 7
    assert standin.ledger(operation="create", resource="deals")[-1]["body"]["deal_amount"] == 9500


def test_a_contact_is_opened_from_anywhere_with_6_keys(counted, gateway):
    gateway.create(CONTACTS, {"cstname": "Zzyzx Trading", "contact_type": 2})
    counted.goto("/accounts/")
    counted.keyboard.press("Control+k")
    counted.keyboard.type("zzy")
    counted.keyboard.press("Enter")
    counted.wait_for_url(re.compile(r"/contacts/\d+/"))
    assert keys_used(counted) <= 6


def test_ten_leads_in_a_row_take_5_keys_beyond_their_content(counted, standin):
    counted.goto("/leads/")
    counted.keyboard.type("cl")
    for number in range(10):
        expect(counted.get_by_label("Name", exact=True)).to_be_focused()
        expect(counted.get_by_label("Name", exact=True)).to_have_value("")
        counted.keyboard.type(f"Ada {number}")
        counted.keyboard.press("Tab")
        counted.keyboard.type(f"a{number}@b.eu")
        counted.keyboard.press("Tab")
        counted.keyboard.type("0301234")
        counted.keyboard.press("Control+Shift+Enter")
        expect(counted.locator("#messages")).to_contain_text(f"Lead Ada {number} was created")
    assert len(standin.ledger(operation="create", resource="leads")) == 10
    content = 10 * (len("Ada 0") + len("a0@b.eu") + len("0301234"))
    assert keys_used(counted) - content - 2 <= 10 * 5


def test_an_overdue_invoice_of_a_customer_is_opened_with_9_keys(counted, gateway):
    customer = gateway.create(CONTACTS, {"cstname": "Zzyzx Trading", "contact_type": 2}).id
    line = {"item_id": 501, "item_name": "Hour", "quantity": 1, "price": 95, "type": "item"}
    days = {"transaction_date": "2026-01-02", "due_date": "2026-01-16"}
    body = {"customer_id": customer, "template_id": 11, "items": [line], **days}
    invoice = gateway.create(INVOICES, body).id
    counted.goto("/accounts/")
    counted.keyboard.type("go")
    counted.wait_for_url("**/invoices/?due=overdue")
    counted.keyboard.press("w")
    counted.keyboard.type("zzy")
    expect(counted.get_by_role("option", name="Zzyzx Trading").first).to_be_visible()
    counted.keyboard.press("Enter")
    expect(counted.locator(".count")).to_have_text("1 invoice")
    counted.keyboard.press("Enter")
    expect(counted.locator("#results tbody th a")).to_be_focused()
    counted.keyboard.press("Enter")
    counted.wait_for_url(f"**/invoices/{invoice}/")
    assert keys_used(counted) <= 9


@pytest.mark.parametrize("link", ["Name", "Page 2", "25 rows per page"])
def test_the_focus_stays_on_the_link_that_was_pressed(counted, link):
    counted.goto("/contacts/?size=10")
    results = counted.locator("#results")
    results.get_by_role("link", name=link, exact=True).focus()
    text = results.get_by_role("link", name=link, exact=True).inner_text()
    before = counted.url
    counted.keyboard.press("Enter")
    counted.wait_for_url(lambda url: url != before)
    expect(counted.locator("#results :focus")).to_have_text(text)


def test_typing_in_the_search_of_a_list_keeps_the_focus_and_escape_the_text(counted):
    counted.goto("/contacts/?size=10")
    counted.keyboard.press("q")
    counted.keyboard.type("a")
    counted.wait_for_url("**search=a**")
    expect(counted.locator("#search")).to_be_focused()
    counted.keyboard.press("Escape")
    expect(counted.locator("#search")).to_have_value("a")


def test_escape_keeps_what_was_typed_in_the_palette(counted):
    counted.goto("/accounts/")
    counted.keyboard.press("Control+k")
    counted.keyboard.type("+lead Zoe")
    counted.keyboard.press("Escape")
    expect(counted.locator("#palette")).to_be_hidden()
    counted.keyboard.press("Control+k")
    expect(counted.get_by_role("combobox", name="Search or jump to")).to_have_value("+lead Zoe")


def test_the_keys_are_listed_in_groups_that_fit_the_screen(counted, axe):
    counted.goto("/contacts/")
    expect(counted.locator(".search-line kbd")).to_be_hidden()
    counted.keyboard.press("?")
    dialog = counted.locator("#keys")
    for title in ("Anywhere", "In lists", "Go to", "Create"):
        expect(dialog.get_by_role("heading", name=title, exact=True)).to_be_visible()
    expect(dialog.get_by_text("Export", exact=True)).to_be_visible()
    assert dialog.evaluate("(one) => one.scrollHeight <= one.clientHeight")
    axe(counted)
    counted.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    counted.goto("/deals/")
    expect(counted.locator(".search-line kbd")).to_be_visible()


def test_a_task_for_today_on_an_open_deal_takes_11_keys(counted, gateway, standin):
    company = gateway.create(CONTACTS, {"cstname": "Zebra", "contact_type": 2}).id
    body = {"deal_name": "Stripes", "pipeline_id": 1, "cstid": company}
    deal = gateway.create(DEALS, body).id
    counted.goto(f"/deals/{deal}/")
    counted.keyboard.press("t")
    expect(counted.get_by_label("Title")).to_be_focused()
    counted.keyboard.type("Call back")
    counted.keyboard.press("Enter")
    counted.wait_for_url(re.compile(r"/tasks/\d+/"))
    assert keys_used(counted) <= 11
    sent = standin.ledger(operation="create", resource="tasks")[-1]["body"]
    assert (sent["title"], sent["deal_id"]) == ("Call back", deal)


def test_a_table_of_ten_leads_is_pasted_and_saved_with_6_keys(
    counted, context, standin, axe, one_thread
):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    counted.goto("/leads/")
    lines = ["Name\tEmail\tPhone", *(f"Ada {n}\ta{n}@b.eu\t0301234{n}" for n in range(10))]
    counted.evaluate("(text) => navigator.clipboard.writeText(text)", "\n".join(lines))
    counted.keyboard.type("cl")
    expect(counted.get_by_label("Name", exact=True)).to_be_focused()
    counted.wait_for_load_state()  # the script takes the paste from then on
    counted.keyboard.press("Control+v")
    expect(counted.get_by_role("button", name="Send 10 rows")).to_be_visible()
    expect(counted.get_by_text("a9@b.eu", exact=True)).to_be_visible()
    axe(counted)
    counted.keyboard.press("Control+Enter")
    counted.wait_for_url("**/jobs/*/")
    assert keys_used(counted) <= 6
    work()
    assert len(standin.ledger(operation="create", resource="leads")) == 10


def test_a_call_is_logged_with_2_keys_beside_its_words(counted, gateway, standin):
    contact = gateway.create(CONTACTS, {"cstname": "Zoe Zebra", "contact_type": 1}).id
    counted.goto(f"/contacts/{contact}/")
    counted.keyboard.press("l")
    expect(counted.locator("#log-text")).to_be_focused()
    counted.keyboard.type("Called back")
    counted.keyboard.press("Control+Enter")
    expect(counted.locator(".feed")).to_contain_text("Called back")
    assert keys_used(counted) <= 2 + len("Called back") + 1  # Control counts
    assert counted.url.endswith(f"/contacts/{contact}/#activity")
    body = standin.ledger(operation="create", resource="tasks")[-1]["body"]
    assert (body["description"], body["status"], body["cstid"]) == ("Called back", 2, contact)


def test_an_unknown_caller_becomes_a_contact_with_3_keys_beside_the_content(counted, standin):
    number, name = "0999123456", "Zoe Zebra"
    counted.goto("/")
    counted.keyboard.press("/")
    expect(counted.get_by_role("combobox", name="Search or jump to")).to_be_focused()
    counted.keyboard.type(number)
    offered = counted.get_by_role("option", name="New contact with this number")
    expect(offered).to_have_attribute("aria-selected", "true")
    counted.wait_for_timeout(500)  # an option is taken once it can have been read
    counted.keyboard.press("Enter")
    counted.wait_for_url("**/contacts/new/*")
    expect(counted.get_by_label("Name", exact=True)).to_be_focused()
    counted.keyboard.type(name)
    counted.keyboard.press("Control+Enter")
    counted.wait_for_url(re.compile(r"/contacts/\d+/"))
    assert keys_used(counted) <= 3 + len(number + name) + 1  # Control counts
    body = standin.ledger(operation="create", resource="contacts")[-1]["body"]
    assert (body["cstname"], body["cstmobile"]) == (name, number)


def test_the_statement_of_a_debtor_is_opened_from_today_with_4_keys(counted):
    counted.goto("/")
    counted.keyboard.press("j")
    expect(counted.locator("#block-overdue tbody th a").first).to_be_focused()
    counted.keyboard.press("Enter")
    counted.wait_for_url(re.compile(r"/contacts/\d+/$"))
    counted.keyboard.press("b")
    counted.wait_for_url(re.compile(r"/contacts/\d+/statement/$"))
    assert keys_used(counted) <= 4


def test_a_contact_is_merged_with_6_keys(counted, gateway, axe, standin):
    body = {"cstname": "Zoe Zebra", "contact_type": 1}
    kept = gateway.create(CONTACTS, body).id
    gateway.create(CONTACTS, {**body, "cstmobile": "+493012345678"})
    names = f"Zoe Zebra (+493012345678) into Zoe Zebra (#{kept})"
    counted.goto(f"/contacts/{kept}/")
    counted.keyboard.press("u")
    counted.wait_for_url("**/merge/")
    expect(counted.get_by_label("Name or email")).to_be_focused()
    axe(counted)
    counted.keyboard.press("Tab")
    counted.keyboard.press("Tab")
    expect(counted.locator("tbody th a").first).to_be_focused()
    counted.keyboard.press("Enter")
    counted.wait_for_url("**/merge/?other=*")
    expect(counted.get_by_role("radio", name="Phone: +493012345678")).to_be_checked()
    expect(counted.get_by_role("heading", level=1)).to_have_text(f"Merge {names}")
    axe(counted)
    counted.keyboard.press("Control+Enter")
    counted.wait_for_url(re.compile(rf"/contacts/{kept}/$"))
    expect(counted.locator("#messages")).to_contain_text("was merged into")
    assert keys_used(counted) <= 6
    [changed] = standin.ledger(operation="update", resource="contacts")
    assert changed["body"] == {"cstmobile": "+493012345678"}
