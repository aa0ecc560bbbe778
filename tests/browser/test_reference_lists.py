"""Editing reference lists by keyboard and without JavaScript."""

import pytest
from playwright.sync_api import expect

from dashboard.office.editing import save_entries
from dashboard.office.kinds import Kind
from dashboard.office.observed_references import SeenReference, record_references
from dashboard.office.reference_lists import names
from tests.workspaces import connect

TABLE = "id;name;calling code\n1;France;33\nx;Nowhere;1\n2;Spain;+34\n"
PAGES = ("", "not-named-yet/", "countries/", "contact-fields/", "countries/import/")


@pytest.fixture
def keeper(administrator):
    connect(administrator, access="ak", secret="sk", workspace="Acme")
    rows = [{"code": str(n), "name": name} for n, name in enumerate(("Nord", "Sud"), 1)]
    save_entries("Acme", Kind.BRAND, rows)
    save_entries("Acme", Kind.COUNTRY, [{"code": "1", "name": "France", "calling_code": "33"}])
    record_references("Acme", [SeenReference(Kind.COUNTRY, 17, "/contacts/1/", "Contact 1")])
    return administrator


def test_a_list_is_edited_by_keyboard(page, sign_in, keeper):
    sign_in(page, keeper)
    page.goto("/accounts/")
    page.keyboard.type("gr")
    page.wait_for_url("**/settings/lists/")
    page.get_by_role("link", name="Brands").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/brands/")
    page.get_by_role("button", name="Move Sud up").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Move Sud up")).to_be_focused()
    assert list(names("Acme", Kind.BRAND).values()) == ["Sud", "Nord"]
    page.get_by_label("Code", exact=True).focus()
    page.keyboard.type("3")
    page.keyboard.press("Tab")
    page.keyboard.type("Ost")
    page.keyboard.press("Enter")
    expect(page.locator("#messages")).to_contain_text("Ost was added.")


def test_the_input_for_another_number_appears_only_when_selected(
    new_page, sign_in, administrator, with_keys
):
    save_entries("Acme", Kind.COUNTRY, [{"code": "1", "name": "France"}])
    page = new_page()
    sign_in(page, with_keys(administrator))
    page.goto("/contacts/new/")
    page.get_by_text("More fields").click()
    country = page.get_by_label("Phone country")
    number = page.locator("[name=cstmobile_country_id-number]")
    expect(number).to_be_hidden()
    country.select_option("Enter a number…")
    number.fill("3")
    page.get_by_label("Name", exact=True).fill("Ada")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("#3 (not named yet)")).to_be_visible()


def test_entries_of_a_long_list_are_found_while_typing(at_desk):
    people = [{"code": str(9000 + each), "name": f"Person {each}"} for each in range(250)]
    save_entries("Acme", Kind.USER, people)
    page = at_desk
    page.goto("/deals/new/")
    owner = page.get_by_label("Owner", exact=True)
    owner.press_sequentially("person 24")
    offered = page.locator("#id_deal_owner_id_offered option")
    expect(offered).to_have_count(11)
    expect(offered.nth(10)).to_have_attribute("value", "Person 249")
    page.goto("/deals/")
    page.get_by_label("Filter", exact=True).click()
    page.get_by_label("Owner", exact=True).fill("person 24")
    page.get_by_label("Owner", exact=True).press("Enter")
    page.wait_for_url("**/deals/?deal_owner_id=9024*")
    expect(page.get_by_role("link", name="Remove Owner: Person 24")).to_be_visible()


def test_the_pages_are_accessible(new_page, sign_in, keeper, axe_in_looks):
    page = new_page()
    sign_in(page, keeper)
    for path in PAGES:
        page.goto(f"/settings/lists/{path}")
        axe_in_looks(page)
    page.get_by_label("paste the table").fill(TABLE)
    page.get_by_role("button", name="Check table").click()
    expect(page.get_by_role("button", name="Check again")).to_be_visible()
    axe_in_looks(page)
