"""Leads, deals and tasks in a browser: keyboard only, without JavaScript, accessibility."""

import re

import pytest
from playwright.sync_api import expect

from dashboard.gateway import CONTACTS, DEALS, LEADS, TASKS


@pytest.fixture
def lead(gateway):
    body = {"cstname": "Zoe Zebra", "cstemail": "zoe@zebra.example", "lead_company_name": "Zebra"}
    return gateway.create(LEADS, body).id


def test_a_missing_company_is_created_in_the_form(desk_page, lists, standin):
    page = desk_page("/deals/new/")
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


def test_escape_closes_the_matches_and_arrow_keys_select_them(desk_page, gateway, zebra):
    gateway.create(CONTACTS, {"cstname": "Zebra Travel", "contact_type": 2})
    page = desk_page("/deals/new/")
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


def test_an_open_picker_is_accessible(desk_page, axe_in_looks):
    page = desk_page("/deals/new/", width=320)
    page.locator("#id_cstid").focus()
    page.keyboard.type("acorn")
    expect(page.get_by_role("option").first).to_be_visible()
    axe_in_looks(page)
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator("#id_cstid-new-cstname")).to_be_focused()
    axe_in_looks(page)
