"""A record that repeats, in a browser: set on its page and made from Today by keys."""

from datetime import date, timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone
from playwright.sync_api import expect

from dashboard.gateway import CONTACTS, INVOICES
from dashboard.office.models import Repeat

from .test_documents import COUNTERS, SAVED, keys_used


@pytest.fixture
def invoice(page, sign_in, manager, with_keys, gateway, lists):
    """An invoice of a month ago and more, so that its next day has come."""
    sign_in(page, with_keys(manager))
    page.add_init_script(COUNTERS)
    customer = gateway.create(CONTACTS, {"cstname": "Quarry Bakery", "contact_type": 2}).id
    day = timezone.localdate() - timedelta(40)
    line = {"item_id": 501, "item_name": "Rent", "quantity": 1, "price": 900, "type": "item"}
    body = {"customer_id": customer, "template_id": 11, "items": [line], "transaction_date": day}
    number = gateway.create(INVOICES, {**body, "due_date": day + timedelta(10)}).id
    cache.clear()
    return number


def test_a_repeat_is_set_with_2_keys_and_made_from_today_with_3(
    page, invoice, gateway, axe_in_looks
):
    page.goto(f"/invoices/{invoice}/")
    page.keyboard.press("a")
    expect(page.get_by_label("Repeat", exact=True)).to_be_visible()
    axe_in_looks(page)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#messages")).to_contain_text(": every month, next on")
    Repeat.objects.update(next_on=timezone.localdate())
    page.goto("/")
    expect(page.locator("#block-repeats tbody th a")).to_have_count(1)
    axe_in_looks(page)
    page.evaluate("sessionStorage.clear()")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator("[name=due_date]")).not_to_have_value("")
    page.wait_for_load_state()  # the scripts take keys from then on
    page.keyboard.press("Enter")
    page.wait_for_url(SAVED)
    assert keys_used(page) <= 3
    made = gateway.get(INVOICES, int(page.url.rstrip("/").rpartition("/")[2]))
    today: date = timezone.localdate()
    assert (made["transaction_date"], made["due_date"]) == (today, today + timedelta(10))
    page.goto("/repeats/")
    expect(page.locator("#block-repeats tbody tr")).to_have_count(1)
    axe_in_looks(page)
