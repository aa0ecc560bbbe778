"""Keyboard use of lists, and returning to a list."""

from playwright.sync_api import expect


def test_rows_are_selected_by_keyboard_and_the_list_keeps_its_state(
    page, sign_in, editor, with_keys
):
    sign_in(page, with_keys(editor))
    page.goto("/contacts/?size=10&page=2")
    rows = page.locator("[data-results] tbody th a")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(rows.nth(1)).to_be_focused()
    page.keyboard.press("k")
    expect(rows.nth(0)).to_be_focused()
    page.keyboard.press("j")
    left = rows.nth(1).get_attribute("href")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{left}")
    page.get_by_role("navigation", name="Breadcrumb").get_by_role("link").first.click()
    page.wait_for_url("**/contacts/?size=10&page=2")
    expect(page.locator(f'[data-results] a[href="{left}"]')).to_be_focused()


def test_two_keys_open_lists_and_forms(page, sign_in, editor, with_keys):
    sign_in(page, with_keys(editor))
    page.goto("/accounts/")
    page.keyboard.type("gc")
    page.wait_for_url("**/contacts/")
    page.keyboard.type("cc")
    page.wait_for_url("**/contacts/new/")


def test_a_failed_list_shows_a_message_and_a_retry_button(
    page, sign_in, editor, with_keys, console
):
    sign_in(page, with_keys(editor))
    page.goto("/contacts/")
    page.route("**/contacts/?*", lambda route: route.abort())
    page.get_by_role("link", name="50 rows per page").click()
    alert = page.locator("#alerts")
    expect(alert).to_contain_text("could not be reached")
    expect(alert.get_by_role("link", name="Try again")).to_have_attribute(
        "href", "/contacts/?size=50"
    )
    expect(page.locator("#results")).not_to_have_attribute("aria-busy", "true")
    assert console
    console.clear()  # the aborted request
