"""The first day of a workspace: its setup, and the first invoice without typing an id."""

from playwright.sync_api import expect


def test_the_setup_pages_are_accessible(
    new_page, axe_in_looks, sign_in, with_keys, administrator, standin, console
):
    page = new_page()
    sign_in(page, administrator)
    page.goto("/setup/")
    axe_in_looks(page)
    console.clear()  # without keys the status is 424
    with_keys(administrator)
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Setup")
    axe_in_looks(page)
    page.get_by_role("button", name="Import from existing records").click()
    expect(page.locator("#messages")).to_contain_text("records checked")
    axe_in_looks(page)
    for address in ("/setup/me/", "/setup/currency/", "/settings/lists/items/", "/invoices/new/"):
        page.goto(address)
        axe_in_looks(page)


def test_the_pages_of_an_empty_workspace_are_accessible(desk_page, axe_in_looks, standin):
    standin.application.state.store.clear()
    page = desk_page("/contacts/")
    axe_in_looks(page)
    for address in ("/tasks/", "/tasks/agenda/", "/deals/board/", "/figures/", "/search/?q=zebra"):
        page.goto(address)
        axe_in_looks(page)
