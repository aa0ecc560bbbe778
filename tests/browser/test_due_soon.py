"""A task that is due soon is told by a toast, by the clock of the browser, once in all tabs."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from dashboard.gateway import CONTACTS, TASKS
from dashboard.office.choices import remember_own_id
from tests.waits import wait_until

ME = 21
MINUTE = 60_000
SCRIPT = re.compile(r"/due\.[\w.]*js")
KNOWN = "JSON.parse(localStorage['tasks-due'] ?? '{}').due?.length"
NOTED = """
window.noted = [];
window.Notification = class extends EventTarget {
  static permission = "granted";
  constructor(title, { body }) { super(); window.noted.push(`${title}: ${body}`); }
};
document.hasFocus = () => false;
"""


@pytest.fixture
def due(gateway, switch_on, manager):
    """When two tasks of the manager are due: in 40 minutes. They can be completed."""
    switch_on("tasks.update")
    remember_own_id(manager, "Acme", str(ME))
    moment = timezone.localtime() + timedelta(minutes=40)
    customer = gateway.create(CONTACTS, {"cstname": "Zzyzx", "contact_type": 2}).id
    starts = moment.replace(tzinfo=None, microsecond=0)
    for title in ("Ring Zzyzx", "Mail Zzyzx"):
        body = {"title": title, "cstid": customer, "assigned_user_id": ME}
        gateway.create(TASKS, {**body, "start_datetime": starts})
    return moment


def opened(page, due):
    """Open a page half an hour before the reminder, and wait until its script knows the task."""
    page.clock.install(time=due - timedelta(minutes=40))
    page.goto("/help/")
    with page.expect_response("**/tasks/due/"):
        page.clock.run_for(9_000)
    wait_until(lambda: page.evaluate(KNOWN))


def test_a_toast_says_ten_minutes_before_that_a_task_is_due_once(
    page, sign_in, manager, with_keys, due, standin, axe_in_looks
):
    sign_in(page, with_keys(manager))
    page.add_init_script(NOTED)
    opened(page, due)
    toast = page.locator(".toast")
    expect(toast).to_have_count(0)
    page.clock.fast_forward(31 * MINUTE)
    expect(toast).to_have_count(2)
    expect(toast.filter(has_text="Ring")).to_contain_text(f"Ring Zzyzx is due at {due:%H:%M}")
    at = f"Due at {due:%H:%M}"
    noted = [text.partition(" on ")[0] for text in page.evaluate("noted")]  # with its day at night
    assert sorted(noted) == [f"Mail Zzyzx: {at}", f"Ring Zzyzx: {at}"]
    axe_in_looks(page)
    page.clock.run_for(4_000)
    other = page.context.new_page()
    other.goto("/help/")
    with other.expect_response(SCRIPT):
        other.clock.run_for(12_000)
    other.clock.run_for(5_000)
    expect(other.locator(".toast")).to_have_count(0)
    toast.filter(has_not=page.locator("kbd")).get_by_role("button", name="Close").click()
    expect(toast).to_have_count(1)
    page.keyboard.press("d")
    expect(page.locator("#messages")).to_contain_text("is done.")
    assert [each["body"]["status"] for each in standin.ledger(operation="update")] == [2]


def test_the_settings_say_whether_this_browser_notifies(
    page, sign_in, viewer, with_keys, axe_in_looks
):
    sign_in(page, with_keys(viewer))
    page.goto("/settings/task-reminders/")
    expect(page.locator("#notifications")).to_contain_text("this browser")
    axe_in_looks(page)
