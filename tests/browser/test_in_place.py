"""A field is changed where it stands, on a record's page and in a list, by keys and by presses."""

import pytest
from playwright.sync_api import expect

from dashboard.gateway import CONTACTS, DEALS
from dashboard.writes.models import Draft
from tests.waits import wait_until


@pytest.fixture
def contact(gateway):
    body = {"cstname": "Zzyzx", "contact_type": 1, "cstemail": "z@b.eu", "cstmobile": "0100"}
    return gateway.create(CONTACTS, {**body, "cstaddress": "1 Long Lane"}).id


pytestmark = pytest.mark.usefixtures("lists")


def test_a_double_click_opens_escape_leaves_and_enter_saves(desk_page, contact, axe_in_looks, sent):
    page = desk_page(f"/contacts/{contact}/")
    address = page.get_by_text("1 Long Lane")
    address.dblclick()
    field = page.locator("[name=cstaddress]")
    expect(field).to_be_focused()
    axe_in_looks(page)
    field.fill("2 Short Street")
    page.keyboard.press("Escape")
    expect(address).to_be_visible()
    expect(page.get_by_label("Change address", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(field).to_have_value("1 Long Lane")
    field.fill("2 Short Street")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("2 Short Street")).to_be_visible()
    expect(page.get_by_label("Change address", exact=True)).to_be_focused()
    axe_in_looks(page)
    assert sent("update") == [{"cstaddress": "2 Short Street"}]
    page.keyboard.press("z")
    expect(address).to_be_visible()
    assert sent("update")[-1] == {"cstaddress": "1 Long Lane"}


def test_a_pencil_covers_no_letter_and_a_double_click_on_an_address_opens_it(desk_page, contact):
    page = desk_page(f"/contacts/{contact}/")
    for field, shown in (("cstemail", "z@b.eu"), ("cstmobile", "0100")):
        link = page.locator("[data-place]").get_by_role("link", name=shown)
        box = link.bounding_box()
        right = box["x"] + box["width"]
        pencil = link.locator("xpath=ancestor::*[@data-place]").locator(".pencil").bounding_box()
        assert pencil["x"] >= right or pencil["y"] >= box["y"] + box["height"]
        link.dispatch_event("dblclick")  # a click would open another program
        expect(page.locator(f"[name={field}]")).to_be_focused()
        page.keyboard.press("Escape")


def test_tab_saves_what_was_typed_and_opens_the_next_field(desk_page, contact, sent):
    page = desk_page(f"/contacts/{contact}/")
    page.keyboard.press("f")
    expect(page.locator("[name=cstemail]")).to_be_focused()
    page.keyboard.type("new@b.eu")
    page.keyboard.press("Tab")
    expect(page.locator("[name=cstmobile]")).to_be_focused()
    expect(page.get_by_role("link", name="new@b.eu")).to_be_visible()
    page.keyboard.press("Shift+Tab")
    expect(page.locator("[name=cstemail]")).to_be_focused()
    assert sent("update") == [{"cstemail": "new@b.eu"}]


def test_a_refusal_and_a_lost_line_keep_what_was_typed(desk_page, contact, console, axe, sent):
    page = desk_page(f"/contacts/{contact}/")
    page.get_by_label("Change email", exact=True).click()
    field = page.locator("[name=cstemail]")
    field.fill("nonsense")
    page.keyboard.press("Enter")
    expect(page.locator("#id_cstemail_error")).to_be_visible()
    expect(field).to_have_value("nonsense")
    expect(field).to_be_focused()
    axe(page)
    field.fill("good@b.eu")
    page.context.set_offline(True)
    page.keyboard.press("Enter")
    expect(page.locator("#alerts")).to_contain_text("reach Entry Desk")
    expect(field).to_have_value("good@b.eu")
    assert sent("update") == []
    page.context.set_offline(False)
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="good@b.eu")).to_be_visible()
    assert sent("update") == [{"cstemail": "good@b.eu"}]
    console.clear()  # the browser reports the status 422 and the lost line


def test_what_is_typed_is_kept_where_the_page_is_left(desk_page, contact):
    page = desk_page(f"/contacts/{contact}/")
    page.get_by_label("Change phone", exact=True).click()
    page.locator("[name=cstmobile]").fill("0200")
    page.goto("/contacts/")  # what was typed is stored on leaving
    wait_until(Draft.objects.exists)
    page.goto("/unfinished/")
    page.get_by_role("link", name="Edit Zzyzx").click()
    expect(page.locator("[name=cstmobile]")).to_have_value("0200")
    expect(page.locator("[name=cstname]")).to_have_value("Zzyzx")


def test_what_is_typed_in_a_cell_is_kept_where_the_list_is_sorted(
    desk_page, contact, all_answered, axe_in_looks
):
    page = desk_page("/contacts/?search=Zzyzx")
    page.locator("td.changes", has_text="0100").dblclick()
    page.locator("[name=cstmobile]").fill("0200")
    page.get_by_role("columnheader", name="Name").get_by_role("link").click()
    kept = page.get_by_text("What you typed in the list is kept under Unfinished.")
    expect(kept).to_be_visible()
    expect(page.get_by_role("cell", name="0100")).to_be_visible()
    axe_in_looks(page)
    all_answered()
    kept.get_by_role("link").click()
    page.get_by_role("link", name="Edit Zzyzx").click()
    expect(page.locator("[name=cstmobile]")).to_have_value("0200")


def test_a_cell_of_a_list_is_changed_by_keys(desk_page, contact, axe_in_looks, sent):
    page = desk_page("/contacts/?search=Zzyzx")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("link", name="Zzyzx", exact=True)).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    field = page.locator("[name=cstmobile]")
    expect(field).to_be_focused()
    axe_in_looks(page)
    page.keyboard.type("0301234")
    page.keyboard.press("Enter")
    expect(page.get_by_role("cell", name="0301234")).to_be_focused()
    axe_in_looks(page)
    assert sent("update") == [{"cstmobile": "0301234"}]
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Zzyzx", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/contacts/{contact}/")


def test_an_amount_in_a_list_goes_on_to_the_next_row(desk_page, gateway, contact, sent):
    for name in ("Aaa", "Aab"):
        body = {"deal_name": f"Zzyzx {name}", "pipeline_id": 1, "cstid": contact}
        gateway.create(DEALS, {**body, "deal_amount": 900})
    page = desk_page("/deals/?search=Zzyzx&columns=deal_amount&sort=deal_name")
    cells = page.locator("td.changes")
    cells.first.dblclick()
    field = page.locator("[name=deal_amount]")
    expect(field).to_be_focused()
    field.fill("950")
    page.keyboard.press("Tab")
    expect(cells.first).to_contain_text("950.00")
    expect(cells.nth(1).locator("[name=deal_amount]")).to_be_focused()
    assert sent("update")[-1]["deal_amount"] == 950


def test_it_fits_a_phone(desk_page, contact, axe):
    page = desk_page(f"/contacts/{contact}/", width=360)
    page.get_by_label("Change phone", exact=True).click()
    field = page.locator("[name=cstmobile]")
    expect(field).to_be_focused()
    above = page.locator(".head").bounding_box()
    assert field.bounding_box()["y"] >= above["y"] + above["height"] + 4
    axe(page)
    page.get_by_role("link", name="Cancel").click()
    expect(page.get_by_role("link", name="0100")).to_be_visible()
