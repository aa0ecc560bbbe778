"""A pending deletion in a browser: the toast on every page, undo by one key, the outcome."""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import expect

from dashboard.gateway import CONTACTS
from dashboard.writes.models import Write
from tests.helpers import age_deletions, run_worker

# Whether the toasts lie over all of the focused element.
COVERED = """() => {
  const focused = document.activeElement;
  const toasts = document.querySelector("section.toasts");
  if (!toasts || focused === document.body || toasts.contains(focused)) return false;
  const [a, b] = [focused.getBoundingClientRect(), toasts.getBoundingClientRect()];
  return a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom;
}"""


@pytest.fixture
def contact(gateway) -> int:
    body = {"cstname": "Zebra Ltd", "contact_type": 2, "cstemail": "zoe@zebra.example"}
    return gateway.create(CONTACTS, body).id


@pytest.fixture
def ask(sign_in, with_keys, manager, contact):
    """ask(page): opens a list with the row of a pending deletion; the test controls the page's
    clock.
    """

    def asked(page):
        page.clock.install()
        sign_in(page, with_keys(manager))
        page.goto("/contacts/?search=Zebra")
        page.get_by_role("link", name="Zebra Ltd").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Zebra Ltd")
        page.wait_for_load_state()  # the scripts take keys from then on
        page.keyboard.press("#")
        expect(page).to_have_url(re.compile(r"/contacts/\?search=Zebra$"))
        return page

    return asked


def deletes(standin) -> int:
    return len(standin.ledger(operation="delete"))


def toast(page):
    return page.get_by_role("region", name="Deletions")


@pytest.mark.parametrize("key", ["z", "Control+z"])
def test_the_row_goes_and_z_on_another_page_keeps_the_record(page, ask, standin, contact, key):
    ask(page)
    expect(page.get_by_text("1 hidden, pending deletion")).to_be_visible()
    expect(page.locator("tbody tr")).to_have_count(0)
    page.goto("/help/")
    expect(toast(page)).to_contain_text(re.compile(r"Deleting Zebra Ltd in \d s"))
    page.keyboard.press(key)
    expect(toast(page)).to_contain_text("Not deleted: Zebra Ltd.")
    expect(page.locator("#announcer")).to_contain_text("Not deleted: Zebra Ltd.")
    page.get_by_role("button", name="Close message").click()
    expect(toast(page).locator(".toast")).to_have_count(0)
    run_worker(after=9)
    assert deletes(standin) == 0
    assert Write.objects.get().state == Write.State.CANCELLED


def test_undo_in_the_list_brings_the_row_back(page, ask):
    ask(page)
    expect(page.locator("#announcer")).to_contain_text("Press z to undo.")  # the scripts run
    toast(page).get_by_role("button", name="Undo the deletion of Zebra Ltd").press("Enter")
    expect(page.locator(".toast")).to_be_focused()
    expect(page.get_by_role("link", name="Zebra Ltd")).to_be_visible()
    expect(page.get_by_text("hidden, pending deletion")).to_have_count(0)


def test_the_toast_counts_down_and_tells_the_outcome_on_another_page(page, ask, standin):
    ask(page)
    page.goto("/help/")
    left = toast(page).locator("[data-seconds]")
    before = int(left.text_content())
    page.clock.run_for(3_000)
    rest = max(before - 3, 0)  # or less: real seconds count as well
    expect(left).to_have_text(re.compile(f"^[0-{rest}]$"))
    assert deletes(standin) == 0
    run_worker(after=9)
    assert deletes(standin) == 1
    page.clock.run_for(10_000)
    expect(toast(page)).to_contain_text("Zebra Ltd was deleted.")
    expect(page.locator("#announcer")).to_contain_text("Zebra Ltd was deleted.")
    page.get_by_role("link", name="Create again").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Zebra Ltd")


def test_a_deletion_that_was_not_sent_is_told_on_every_page_until_it_is_closed(page, ask, standin):
    ask(page)
    page.clock.run_for(12_000)
    expect(toast(page)).to_contain_text("Deleting Zebra Ltd")
    age_deletions(timedelta(seconds=61))
    page.clock.run_for(5_000)
    expect(toast(page)).to_contain_text("Zebra Ltd was not deleted. It couldn't be sent in time.")
    page.goto("/help/")
    expect(toast(page)).to_contain_text("was not deleted")
    expect(page.locator("#announcer")).to_contain_text("was not deleted")
    with page.expect_response("**/close/"):
        page.get_by_role("button", name="Close message").click()
    expect(toast(page).locator(".toast")).to_have_count(0)
    page.goto("/contacts/")
    expect(page.locator(".toast")).to_have_count(0)
    assert deletes(standin) == 0


def test_one_key_deletes_a_row_and_another_the_record_of_a_page(desk_page, gateway, contact):
    body = {"cstname": "Zebra Two", "contact_type": 2, "cstemail": "two@zebra.example"}
    gateway.create(CONTACTS, body)
    page = desk_page("/contacts/?search=Zebra")
    first, second = page.locator("tbody th a").all_inner_texts()
    page.keyboard.type("j#")
    expect(toast(page)).to_contain_text(f"Deleting {first} in")
    expect(page).to_have_url(re.compile(r"/contacts/\?search=Zebra$"))
    expect(page.get_by_role("link", name=second, exact=True)).to_be_focused()
    expect(page.locator(".htmx-added, .htmx-settling")).to_have_count(0)  # htmx takes the key
    page.wait_for_load_state("networkidle")
    page.keyboard.press("z")
    expect(page.locator("tbody tr")).to_have_count(2)
    page.get_by_role("link", name=second, exact=True).press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(second)
    page.wait_for_load_state()  # the scripts take keys from then on
    page.keyboard.press("#")
    expect(toast(page)).to_contain_text(f"Deleting {second} in")
    expect(page).to_have_url(re.compile(r"/contacts/\?"))
    expect(page.get_by_role("link", name=first, exact=True)).to_be_focused()


@pytest.mark.parametrize("width", [320, 1280])
def test_the_toast_does_not_cover_what_has_the_focus(new_page, ask, width):
    page = new_page(width)
    ask(page)
    page.goto("/contacts/new/")
    box = toast(page).locator(".toast").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    for _ in range(60):
        page.keyboard.press("Tab")
        assert not page.evaluate(COVERED), page.evaluate("document.activeElement.outerHTML")


def test_every_page_of_a_deletion_is_accessible(new_page, ask, axe_in_looks, standin, contact):
    page = new_page()
    ask(page)
    axe_in_looks(page)
    for address in (f"/contacts/{contact}/", "/contacts/new/"):
        page.goto(address)
        axe_in_looks(page)
    standin.fault("status-422", operation="delete", times=1)
    run_worker(after=9)
    page.goto(f"/contacts/{contact}/")
    expect(toast(page)).to_contain_text("was not deleted")
    axe_in_looks(page)
    page.keyboard.press("#")
    expect(page).to_have_url(re.compile(r"/contacts/\?search=Zebra$"))
    run_worker(after=9)
    deleted = Write.objects.get(Write.COPY_IS_KEPT)
    for address in ("/unfinished/", f"/contacts/new/?again={deleted.pk}"):
        page.goto(address)
        axe_in_looks(page)


def test_the_history_is_accessible(
    new_page, sign_in, with_keys, administrator, axe_in_looks, gateway, contact
):
    gateway.update(CONTACTS, contact, {"cstname": "Al"})  # shorter than the words around its link
    page = new_page()
    sign_in(page, with_keys(administrator))
    page.goto(f"/contacts/{contact}/edit/")
    page.get_by_label("Phone", exact=False).first.fill("+44 20 7946 0000")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Your changes were saved").first).to_be_visible()
    for address in (f"/contacts/{contact}/history/", "/history/", "/history/?operation=delete"):
        page.goto(address)
        axe_in_looks(page)
