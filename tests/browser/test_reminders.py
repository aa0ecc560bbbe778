"""A reminder of an overdue invoice in a browser: by keys from Today, into the mail or copied."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone
from playwright.sync_api import expect

from dashboard.gateway import CONTACTS, INVOICES
from dashboard.writes.models import Event

from .test_documents import COUNTERS, keys_used

# What opens a mail is noted instead of opened, which a browser without a mail program cannot do.
NOTE_MAILS = """
addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='mailto:']");
  if (!link) return;
  event.preventDefault();
  sessionStorage.mail = link.href;
}, true);
"""


@pytest.fixture
def statement(page, sign_in, editor, with_keys, gateway):
    """The address of the statement of a customer with one overdue invoice, the largest of all."""
    sign_in(page, with_keys(editor))
    page.add_init_script(COUNTERS + NOTE_MAILS)
    body = {"cstname": "Quarry Bakery", "contact_type": 2, "cstemail": "pay@quarry.example"}
    customer = gateway.create(CONTACTS, body).id
    line = {"item_id": 501, "item_name": "Work", "quantity": 1, "price": 10**7, "type": "item"}
    due = timezone.localdate() - timedelta(4_000)
    document = {"customer_id": customer, "template_id": 11, "items": [line], "due_date": due}
    gateway.create(INVOICES, document)
    cache.clear()
    return f"/contacts/{customer}/statement/"


def test_an_overdue_invoice_is_reminded_of_with_4_keys_from_today(page, statement):
    page.goto("/")
    expect(page.locator("#block-overdue tbody th a").first).to_have_text("Quarry Bakery")
    page.keyboard.press("j")
    page.keyboard.press("r")
    page.wait_for_url("**/statement/?invoice=*")
    expect(page.get_by_label("Text")).to_contain_text("Hello Quarry Bakery,")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#reminded")).to_contain_text("Added as “Reminder opened”.")
    assert keys_used(page) <= 4
    assert page.evaluate("sessionStorage.mail").startswith("mailto:pay@quarry.example?subject=")
    assert Event.objects.filter(operation="remind").count() == 1
    page.goto("/")
    expect(page.locator("#block-overdue tbody tr").first).to_contain_text("reminded today")


def test_the_text_is_copied_as_it_was_typed(page, statement, axe):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(statement)
    page.keyboard.press("r")
    expect(page.get_by_label("Text")).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("Please pay")
    page.locator("h1").click()
    page.keyboard.press("y")
    expect(page.locator("#reminded .timeline li")).to_have_count(1)
    assert page.evaluate("navigator.clipboard.readText()") == "Please pay"
    assert page.evaluate("sessionStorage.mail") is None
    expect(page.get_by_label("Text")).to_have_value("Please pay")
    axe(page)
