"""Routes what a page sends that is open already."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, Route

from tests.waits import wait_until

ASKED = "() => fetch('/routed').then((answer) => answer.text())"


def route_open_page(
    page: Page, address: str | re.Pattern[str], handler: Callable[[Route], object]
) -> None:
    """Route what the page sends to this address from now on: of its first route a page that is open
    hears a moment after it was told.
    """
    page.route(address, handler)
    page.route("**/routed", lambda route: route.fulfill(body="routed"))
    wait_until(lambda: page.evaluate(ASKED) == "routed")
    page.unroute("**/routed")
