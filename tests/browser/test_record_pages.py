"""The pages of records in a browser: accessibility, keys, the star, the menu of rarer actions."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from dashboard.gateway import CONTACTS, DEALS, ESTIMATES, INVOICES, TASKS


@pytest.fixture
def records(gateway, lists):
    """The addresses of a business with records of each kind, and of those."""
    today = timezone.localdate()
    zebra = gateway.create(CONTACTS, {"cstname": "Zebra Trading", "contact_type": 2}).id
    body = {"deal_name": "Stripes", "pipeline_id": 1, "cstid": zebra, "deal_amount": 900}
    deal = gateway.create(DEALS, {**body, "deal_expected_close_date": today}).id
    line = {"item_id": 501, "item_name": "Work", "quantity": 1, "price": 10, "type": "item"}
    body = {"customer_id": zebra, "template_id": 11, "items": [line], "deal_id": deal}
    estimate = gateway.create(ESTIMATES, body).id
    invoice = gateway.create(INVOICES, {**body, "due_date": today - timedelta(3)}).id
    task = {"title": "Call", "start_datetime": f"{today}T09:00:00", "cstid": zebra}
    return [
        f"/contacts/{zebra}/",
        f"/deals/{deal}/",
        f"/estimates/{estimate}/",
        f"/invoices/{invoice}/",
        f"/tasks/{gateway.create(TASKS, task).id}/",
    ]


def test_record_pages_are_accessible(new_page, sign_in, manager, with_keys, records, axe_in_looks):
    with_keys(manager)
    page = new_page(height=1400)
    sign_in(page, manager)
    for address in records:
        page.goto(address)
        for folded in page.locator("main details > summary").all():
            folded.click()
        axe_in_looks(page)


def test_a_contact_is_starred_and_an_invoice_begun_by_a_letter(desk_page, records, axe):
    page = desk_page(records[0])
    star = page.get_by_role("button", name="Starred")
    expect(star).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("s")
    expect(star).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="More", exact=True).click()
    menu = page.locator("#more-actions")
    expect(menu.get_by_role("link", name="New estimate")).to_be_visible()
    axe(page)
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    page.keyboard.press("i")
    page.wait_for_url(re.compile(r"/invoices/new/\?customer=\d+"))
    expect(page.locator("#id_customer_id")).to_have_value("Zebra Trading")
