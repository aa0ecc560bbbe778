"""The page frame in a browser: accessibility in both themes and widths, keyboard use."""

from playwright.sync_api import expect

from dashboard.gateway import CONTACTS
from tests.browser.looks import all_looks
from tests.browser.routes import route_open_page

# Whether a control can be clicked where it is.
IS_IN_SIGHT = """control => {
  const { x, y, width, height } = control.getBoundingClientRect();
  return control.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""


@all_looks
def test_every_dialog_and_menu_is_accessible(new_page, axe, sign_in, editor, theme, width):
    page = new_page(width, color_scheme=theme)
    sign_in(page, editor)
    page.goto("/accounts/password/change/")
    axe(page)
    if width == 320:
        page.get_by_role("button", name="Menu", exact=True).click()
        axe(page)
    page.get_by_role("button", name="Account:").click()
    axe(page)
    page.get_by_role("button", name="Keyboard shortcuts").click()
    axe(page)


def test_the_theme_changes_at_once_and_is_stored(page, sign_in, editor):
    sign_in(page, editor)
    page.goto("/accounts/password/change/")
    page.get_by_role("button", name="Account:").click()
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("meta[name=theme-color]").first).to_have_attribute(
        "content", "rgb(20, 23, 28)"
    )
    expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 28)"


def test_shortcuts_are_listed_and_can_be_switched_off(page, sign_in, editor):
    sign_in(page, editor)
    page.goto("/accounts/")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_be_visible()
    dialog.get_by_label("Use single-letter keys").uncheck()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.keyboard.press("?")
    expect(dialog).to_be_hidden()


def test_shortcuts_are_ignored_while_typing(page, sign_in, editor):
    sign_in(page, editor)
    page.goto("/accounts/password/change/")
    page.locator("[type=password]").first.press("?")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_escape_leaves_the_search_of_a_list_to_its_keys(page, sign_in, editor, with_keys):
    sign_in(page, with_keys(editor))
    page.goto("/contacts/")
    page.keyboard.press("q")
    expect(page.get_by_label("Search", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    expect(page.locator("[data-results] tbody th a").first).to_be_focused()


def test_starred_records_are_reached_by_tab_in_a_low_window(
    new_page, sign_in, with_keys, administrator, gateway
):
    found = gateway.list(CONTACTS, page_size=4).records
    page = new_page(1280)
    page.set_viewport_size({"width": 1280, "height": 720})
    sign_in(page, with_keys(administrator))
    for contact in found:
        page.goto(f"/contacts/{contact.id}/")
        with page.expect_response("**/search/star/"):
            page.keyboard.press("s")
    page.goto("/help/")
    links = page.get_by_role("list", name="Starred").get_by_role("link")
    expect(links).to_have_count(4)
    places = page.locator(".menu a:visible")
    places.first.focus()
    for number in range(places.count()):
        link = places.nth(number)
        expect(link).to_be_focused()
        assert link.evaluate(IS_IN_SIGHT), link.inner_text()
        page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Help")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Settings")).to_be_focused()


def test_the_skip_link_moves_past_the_menu(page, sign_in, editor):
    sign_in(page, editor)
    page.goto("/accounts/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


def test_a_form_is_saved_by_shortcut_and_sent_once(page, sign_in, editor):
    sign_in(page, editor)
    page.goto("/accounts/password/change/")
    posts = []
    page.on("request", lambda request: posts.append(request) if request.method == "POST" else None)
    # stay on this page
    route_open_page(page, "**/password/change/", lambda route: route.fulfill(status=204))
    page.keyboard.press("Control+s")
    button = page.locator("[data-saving]")
    expect(button).to_have_text("Saving…")
    button.dispatch_event("click")
    page.keyboard.press("Control+s")
    assert len(posts) == 1


def test_a_missing_page_is_accessible(new_page, axe_in_looks, console, sign_in, editor):
    page = new_page()
    sign_in(page, editor)
    page.goto("/nothing-here/")
    axe_in_looks(page)
    assert len(console) == 1, console
    console.clear()  # the status 404
