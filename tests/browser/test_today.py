"""The page Today in a browser: accessibility, and what one key does with each kind of row."""

import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone
from playwright.sync_api import Page, expect

from dashboard.catalogue.services import fill
from dashboard.gateway import DEALS, INVOICES, LEADS, TASKS
from dashboard.standin.reference_data import reference_data


@pytest.fixture(autouse=True)
def _one_row_of_each_kind(db, gateway):
    """An overdue invoice and a late task that lead their blocks, and a deal that closes."""
    cache.clear()
    fill("Acme", reference_data("acme"))
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
        ("overdue", "Enter", r"/invoices/(\d+/|\?due=overdue&cstid=\d+)$"),
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


def test_today_is_accessible(
    new_page, sign_in, manager, with_keys, changing_tasks, axe_in_looks, standin
):
    page = new_page(height=1400)
    sign_in(page, with_keys(manager))
    page.goto("/")
    axe_in_looks(page)
    page.locator("#block-tasks tbody th a").first.focus()
    axe_in_looks(page)
    standin.fault("status-503", operation="list")
    page.goto("/")
    expect(page.get_by_role("alert").filter(has_text="not read")).to_have_count(1)
    axe_in_looks(page)


def test_the_ages_of_open_invoices_have_no_bullets(page, sign_in, manager, with_keys):
    sign_in(page, with_keys(manager))
    page.goto("/")
    expect(page.locator(".strip li").first).to_have_css("list-style-type", "none")


TOO_WIDE = """cells => cells.filter(cell => {
  const text = document.createRange();
  text.selectNodeContents(cell.lastChild);
  return text.getBoundingClientRect().right > cell.getBoundingClientRect().right + 1;
}).map(cell => cell.textContent)"""


def test_no_value_reaches_out_of_the_blocks(page, sign_in, manager, with_keys):
    sign_in(page, with_keys(manager))
    page.goto("/")
    expect(page.locator("#block-tasks td.state").first).to_contain_text("days late")
    assert page.locator("#block-tasks td.state").evaluate_all(TOO_WIDE) == []
    about, time = page.locator("#block-leads tbody tr").first.locator(".meta, .state").all()
    assert about.bounding_box()["width"] > 4 * time.bounding_box()["width"], "no lead has a time"


def test_the_company_of_a_deal_has_more_room_than_its_day(page, sign_in, manager, with_keys):
    sign_in(page, with_keys(manager))
    page.goto("/")
    cell = page.locator("#block-deals tbody tr").first.locator("td.meta, td.state")
    expect(cell.first).to_be_visible()
    company, day = cell.evaluate_all("each => each.map(one => one.clientWidth)")
    assert company > 1.3 * day


def test_a_lead_without_a_company_has_one_line_on_a_phone(desk_page, gateway):
    gateway.create(LEADS, {"cstname": "Nora Nocompany"})
    page = desk_page("/", width=360)
    lead = page.locator("#block-leads tbody tr", has_text="Nora Nocompany")
    task = page.locator("#block-tasks tbody tr").first
    assert lead.bounding_box()["height"] < task.bounding_box()["height"] - 16
    expect(task.locator(".meta")).to_be_visible()
