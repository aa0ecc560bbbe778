"""Tasks are ticked done by a key and by a press wherever they stand."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from dashboard.gateway import CONTACTS, TASKS

SHOWN = "[data-results] tbody th a"


@pytest.fixture
def contact(gateway, switch_on):
    switch_on("tasks.update")
    contact = gateway.create(CONTACTS, {"cstname": "Zzyzx", "contact_type": 2}).id
    for title in ("Zzyzx one", "Zzyzx two"):
        body = {"title": title, "start_datetime": f"{timezone.localdate()}T09:00:00"}
        gateway.create(TASKS, {**body, "cstid": contact})
    return contact


def test_d_completes_the_task_of_the_row_and_the_next_one_has_the_focus(
    desk_page, contact, standin, axe_in_looks
):
    page = desk_page("/tasks/?search=Zzyzx&status=0")
    rows = page.locator(SHOWN)
    expect(rows).to_have_count(2)
    axe_in_looks(page)
    page.keyboard.press("ArrowDown")
    first = rows.first.inner_text()
    page.keyboard.press("d")
    expect(page.locator("#messages")).to_contain_text(f"{first} is done.")
    expect(rows).to_have_count(1)
    expect(rows.first).to_be_focused()
    assert [each["body"]["status"] for each in standin.ledger(operation="update")] == [2]
    page.goto("/tasks/?search=Zzyzx")
    expect(page.locator(".to-do.done")).to_contain_text(first)
    axe_in_looks(page)
