"""How many elements Chromium styles anew for one key.

A rule such as `body:has(:focus) span` concerns every span of the page, each time that the focus
moves: on a slow computer it is the longest part of a key.
"""

import json

import pytest
from playwright.sync_api import Browser, Page

MOST = 60  # elements: two rows of a list with their cells
COSTLY = """const sheet = new CSSStyleSheet();
sheet.replaceSync("body:has(h1:focus) span { color: red }");
document.adoptedStyleSheets = [sheet];"""
DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def restyled(browser: Browser, page: Page, key: str) -> int:
    """The elements that a key had styled anew until it was drawn."""
    page.evaluate(DRAWN)
    browser.start_tracing(page=page, categories=["devtools.timeline"])
    page.keyboard.press(key)
    page.evaluate(DRAWN)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    styles = [each for each in events if each["name"] == "UpdateLayoutTree"]
    assert styles, "the key changed nothing"
    return sum(each["args"].get("elementCount", 0) for each in styles)


@pytest.mark.parametrize("path", ["/contacts/", "/invoices/", "/"])
def test_the_cursor_of_a_list_has_its_rows_styled_anew(
    browser, page, sign_in, manager, with_keys, path
):
    sign_in(page, with_keys(manager))
    page.goto(path, wait_until="networkidle")
    page.keyboard.press("j")
    assert restyled(browser, page, "j") <= MOST
    page.evaluate(COSTLY)
    assert restyled(browser, page, "j") > MOST  # so much as one such rule is noticed
