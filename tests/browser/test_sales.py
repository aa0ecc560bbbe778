"""Leads, deals and tasks in a browser: keyboard only, without JavaScript, accessibility."""

import re

import pytest
from playwright.sync_api import expect

from dashboard.display import titles
from dashboard.gateway import CONTACTS, DEALS, LEADS, TASKS


@pytest.fixture
def zebra(gateway):
    return gateway.create(CONTACTS, {"cstname": "Zebra Trading", "contact_type": 2}).id


@pytest.fixture
def lead(gateway):
    body = {"cstname": "Zoe Zebra", "cstemail": "zoe@zebra.example", "lead_company_name": "Zebra"}
    return gateway.create(LEADS, body).id


def test_a_deal_with_a_selected_company_is_created_by_keyboard(
    page, sign_in, manager, with_keys, lists, zebra, standin
):
    sign_in(page, with_keys(manager))
    page.goto("/deals/")
    page.keyboard.type("cd")
    page.wait_for_url("**/deals/new/")
    page.locator("#id_deal_name").focus()
    page.keyboard.type("Stripes")
    page.keyboard.press("Tab")
    page.keyboard.type("zebra")
    expect(page.get_by_role("option", name="Zebra Trading")).to_have_attribute(
        "aria-selected", "true"
    )
    page.keyboard.press("Tab")
    expect(page.locator("#id_cstid")).to_have_value("Zebra Trading")
    page.keyboard.type("New b")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile(r"/deals/\d+/"))
    expect(page.locator("#messages")).to_contain_text("Deal Stripes was created")
    assert standin.ledger(operation="create", resource="deals")[-1]["body"]["cstid"] == zebra


def test_a_missing_company_is_created_in_the_form(
    page, sign_in, manager, with_keys, lists, standin
):
    sign_in(page, with_keys(manager))
    page.goto("/deals/new/")
    page.locator("#id_cstid").focus()
    page.keyboard.type("Giraffe Ltd")
    expect(page.get_by_role("option", name="Create “Giraffe Ltd”")).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#id_cstid-new-cstname")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#id_cstid")).to_be_focused()
    expect(page.locator("[name=cstid]")).to_have_value(re.compile(r"^\d+$"))
    assert len(standin.ledger(operation="create", resource="contacts")) == 1
    assert standin.ledger(operation="create", resource="deals") == []


def test_escape_closes_the_matches_and_arrow_keys_select_them(
    page, sign_in, manager, with_keys, gateway, zebra
):
    gateway.create(CONTACTS, {"cstname": "Zebra Travel", "contact_type": 2})
    sign_in(page, with_keys(manager))
    page.goto("/deals/new/")
    field = page.locator("#id_cstid")
    field.focus()
    page.keyboard.type("zebra")
    options = page.get_by_role("option")
    expect(options).to_have_count(3)
    page.keyboard.press("ArrowDown")
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    expect(field).to_have_attribute("aria-activedescendant", "id_cstid_list_1")
    page.keyboard.press("Escape")
    expect(field).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("ArrowUp")
    expect(options.first).to_be_visible()


def test_a_task_typed_in_one_line_is_created_by_keyboard(
    page, sign_in, manager, with_keys, zebra, standin
):
    sign_in(page, with_keys(manager))
    page.goto("/tasks/")
    page.keyboard.press("a")
    expect(page.locator("#line")).to_be_focused()
    page.keyboard.type("call Zebra Trading tomorrow 15:00 !high")
    page.keyboard.press("Enter")
    page.wait_for_url("**/tasks/new/?line=**")
    expect(page.locator(".parts").first).to_contain_text("15:00")
    expect(page.locator("#id_cstid")).to_have_value("Zebra Trading")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile(r"/tasks/\d+/"))
    body = standin.ledger(operation="create", resource="tasks")[-1]["body"]
    assert (body["title"], body["priority"], body["cstid"]) == ("call Zebra Trading", 3, zebra)


def test_a_lead_is_converted_by_keyboard(page, sign_in, manager, with_keys, lists, lead, standin):
    sign_in(page, with_keys(manager))
    page.goto(f"/leads/{lead}/")
    page.keyboard.press("v")
    page.wait_for_url("**/convert/?deal=1")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile(r"/deals/\d+/"))
    expect(page.locator("#messages")).to_contain_text("Deal Zebra was created")
    made = [entry["resource"] for entry in standin.ledger(operation="create")]
    assert made[-3:] == ["contacts", "contacts", "deals"]


def test_a_list_is_filtered_by_a_selected_company(
    page, sign_in, manager, with_keys, gateway, zebra
):
    gateway.create(DEALS, {"deal_name": "Stripes", "pipeline_id": 1, "cstid": zebra})
    sign_in(page, with_keys(manager))
    page.goto("/deals/")
    page.keyboard.press("w")
    expect(page.locator("#filter-cstid")).to_be_focused()
    page.keyboard.type("zebra")
    expect(page.get_by_role("option", name="Zebra Trading")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(".count")).to_have_text("1 deal")
    expect(page.locator(".chips")).to_contain_text("Company: Zebra Trading")
    assert f"cstid={zebra}" in page.url


def test_a_deal_is_created_without_javascript(
    new_page, sign_in, manager, with_keys, lists, zebra, standin
):
    page = new_page(java_script_enabled=False)
    sign_in(page, with_keys(manager))
    page.goto("/deals/new/")
    page.get_by_label("Name", exact=True).fill("Stripes")
    page.get_by_label("Company").fill("zebra trading")
    page.get_by_label("Pipeline").select_option(label="Renewals")
    page.get_by_label("Name", exact=True).press("Enter")
    page.wait_for_url(re.compile(r"/deals/\d+/"))
    body = standin.ledger(operation="create", resource="deals")[-1]["body"]
    assert (body["cstid"], body["pipeline_id"]) == (zebra, 2)


def test_a_task_typed_in_one_line_is_created_without_javascript(
    new_page, sign_in, manager, with_keys, zebra, standin
):
    page = new_page(java_script_enabled=False)
    sign_in(page, with_keys(manager))
    page.goto("/tasks/")
    page.get_by_text("Add in one line").click()
    page.get_by_label("Add a task in one line").fill("call Zebra Trading tomorrow 15:00 !high")
    page.get_by_role("button", name="Review", exact=True).click()
    expect(page.locator(".parts").first).to_contain_text("15:00")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(re.compile(r"/tasks/\d+/"))
    body = standin.ledger(operation="create", resource="tasks")[-1]["body"]
    assert (body["priority"], body["cstid"]) == (3, zebra)


def test_a_lead_is_created_by_keyboard(page, sign_in, manager, with_keys, standin):
    sign_in(page, with_keys(manager))
    page.goto("/leads/")
    page.keyboard.type("cl")
    page.wait_for_url("**/leads/new/")
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    for text in ("Ada Berg", "ada@berg.eu", "+493012345"):
        page.keyboard.type(text)
        page.keyboard.press("Tab")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile(r"/leads/\d+/"))
    body = {"cstname": "Ada Berg", "cstemail": "ada@berg.eu", "cstmobile": "+493012345"}
    assert standin.ledger(operation="create", resource="leads")[-1]["body"] == body


def test_a_lead_is_converted_without_javascript(
    new_page, sign_in, manager, with_keys, lists, lead, standin
):
    page = new_page(java_script_enabled=False)
    sign_in(page, with_keys(manager))
    page.goto(f"/leads/{lead}/")
    page.get_by_role("link", name="Convert to contact and deal").click()
    page.get_by_label("Pipeline").select_option(label="Renewals")
    page.locator("form[data-save-form] .button.main").first.click()
    page.wait_for_url(re.compile(r"/deals/\d+/"))
    made = [entry["resource"] for entry in standin.ledger(operation="create")]
    assert made[-3:] == ["contacts", "contacts", "deals"]
    assert standin.ledger(operation="delete") == []


def test_late_titles_are_filled_in(
    page, sign_in, manager, with_keys, standin, gateway, monkeypatch
):
    monkeypatch.setattr(titles, "PAGE_WAIT", 0)
    first = gateway.list(DEALS).records[0]
    name = gateway.get(CONTACTS, first["cstid"])["cstname"]
    sign_in(page, with_keys(manager))
    standin.latency = 0.3
    try:
        page.goto(f"/deals/?search={first['deal_name'].replace('#', '%23')}")
        expect(page.locator("tbody tr").first).to_contain_text(name)
    finally:
        standin.latency = 0


@pytest.fixture
def addresses(gateway, lead, lists):
    deal, task = (gateway.list(one).records[0].id for one in (DEALS, TASKS))
    return [
        "/deals/",
        "/deals/?cstid=1001&pipeline_id=1",
        f"/deals/{deal}/",
        "/deals/new/",
        f"/deals/{deal}/edit/",
        "/tasks/",
        "/tasks/?due=between&due_from=2026-03-02&due_to=",
        f"/tasks/{task}/",
        f"/tasks/{task}/edit/",
        "/tasks/new/?line=call+@Zebra+tomorrow+!high",
        "/leads/",
        f"/leads/{lead}/",
        f"/leads/{lead}/convert/?deal=1",
        f"/leads/{lead}/replace/",
        "/leads/new/",
        "/settings/service/",
    ]


def test_every_page_is_accessible(
    new_page, sign_in, administrator, with_keys, addresses, axe_in_looks, console
):
    page = new_page()
    sign_in(page, with_keys(administrator))
    for address in addresses:
        page.goto(address)
        axe_in_looks(page)
    console.clear()  # the browser reports status 501 as an error


def test_an_open_picker_is_accessible(new_page, sign_in, manager, with_keys, axe_in_looks):
    page = new_page(width=320)
    sign_in(page, with_keys(manager))
    page.goto("/deals/new/")
    page.locator("#id_cstid").focus()
    page.keyboard.type("acorn")
    expect(page.get_by_role("option").first).to_be_visible()
    axe_in_looks(page)
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator("#id_cstid-new-cstname")).to_be_focused()
    axe_in_looks(page)
