"""The page Today in a browser: accessibility, and what one key does with each kind of row."""

import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone
from playwright.sync_api import Page, expect

from dashboard.gateway import DEALS, INVOICES, TASKS


@pytest.fixture(autouse=True)
def _one_row_of_each_kind(gateway, lists):
    """An overdue invoice and a late task that lead their blocks, and a deal that closes."""
    cache.clear()
    today = timezone.localdate()
    line = {"item_id": 501, "item_name": "Work", "quantity": 1, "price": 10, "type": "item"}
    body = {"customer_id": 1001, "template_id": 11, "items": [line]}
    gateway.create(INVOICES, {**body, "due_date": today - timedelta(3_000)})
    deal = {"deal_name": "Stripes", "pipeline_id": 1, "cstid": 1001, "deal_amount": 900}
    gateway.create(DEALS, {**deal, "deal_expected_close_date": today})
    start = f"{today - timedelta(3_000)}T09:00:00"
    gateway.create(TASKS, {"title": "Call first", "start_datetime": start, "cstid": 1001})


@pytest.fixture
def changing_tasks(switch_on):
    switch_on("tasks.update")


def press_on_first_row(page: Page, block: str, key: str) -> None:
    """Focus the first row of a block and press a key."""
    page.goto("/")
    page.locator(f"#block-{block} tbody th a").first.focus()
    page.keyboard.press(key)


@pytest.mark.parametrize(
    ("block", "key", "address"),
    [
        ("overdue", "t", r"/tasks/new/\?contact=\d+"),
        ("overdue", "r", r"/contacts/\d+/statement/(\?invoice=\d+)?$"),
        ("overdue", "Enter", r"/contacts/\d+/$"),
        ("deals", "t", r"/tasks/new/\?deal=\d+"),
        ("deals", "i", r"/invoices/new/\?deal=\d+"),
        ("tasks", "Enter", r"/tasks/\d+/$"),
        ("leads", "v", r"/leads/\d+/convert/\?deal=1"),
    ],
)
def test_one_key_acts_on_a_row(page, sign_in, manager, with_keys, block, key, address):
    sign_in(page, with_keys(manager))
    press_on_first_row(page, block, key)
    page.wait_for_url(re.compile(address))


def test_one_key_completes_a_task_and_stays_on_today(
    page, sign_in, manager, with_keys, changing_tasks
):
    sign_in(page, with_keys(manager))
    press_on_first_row(page, "tasks", "d")
    expect(page.locator("#messages").get_by_text("Call first is done.")).to_be_visible()
    expect(page.get_by_role("heading", name="Today", level=1)).to_be_visible()
    expect(page.locator("#block-tasks")).not_to_contain_text("Call first")
    expect(page.locator("#block-tasks tbody th a").first).to_be_focused()  # the next task


def test_today_is_accessible(desk_page, changing_tasks, axe_in_looks, standin):
    page = desk_page("/", height=1400)
    axe_in_looks(page)
    page.locator("#block-tasks tbody th a").first.focus()
    axe_in_looks(page)
    standin.fault("status-503", operation="list")
    page.goto("/")
    expect(page.get_by_role("alert").filter(has_text="load")).to_have_count(1)
    axe_in_looks(page)
