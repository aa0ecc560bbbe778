"""Headless Chromium against the dashboard; skipped where there is none, unless REQUIRE_BROWSER=1.

Every test here is marked `browser` and fails on any error in the console, which is also where
Chromium reports violations of the Content-Security-Policy.
"""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.core.signals import request_finished, request_started
from django.test import Client
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from dashboard.people.models import User
from tests.browser.looks import LOOKS
from tests.waits import wait_until

# Playwright runs an event loop in the thread of the test, which also uses the database.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
)
# Chromium draws its own toolbar as web pages, anew for each context, which takes ten times the
# processor time of an empty page. The last option of this name replaces that of Playwright, so it
# also names what asks the network and what changes the pages under test.
WITHOUT = (
    "--disable-features=InitialWebUI,PreloadTopChromeWebUI,WebUIOmniboxAimPopup"
    ",WebUIOmniboxFullPopup,WebUIOmniboxPopup,WebUIReloadButton,WebUIToolbar,AimEnabled"
    ",DestroyProfileOnBrowserClose,HttpsFirstBalancedModeAutoEnable,HttpsUpgrades,LensOverlay"
    ",MediaRouter,NetworkTimeServiceQuerying,OptimizationHints,PaintHolding,PreconnectToSearch"
    ",ThirdPartyStoragePartitioning"
)
# The message of htmx for a request that a newer one replaced, as on slow machines. A failed
# request has another message as well.
GIVEN_UP = ("htmx:sendAbort", "htmx:afterRequest")
PATIENCE = 60_000  # ms until what a test waits for counts as missing; the machine may be busy
expect.set_options(timeout=PATIENCE)
# Waits for what fades in: half transparent, its contrast is too low.
SHORT_MOTION = """() => Promise.allSettled(document.getAnimations()
    .filter((each) => each.effect.getComputedTiming().endTime < 1000)
    .map((each) => each.finished))"""
AXE_RULES = {
    "runOnly": {
        "type": "tag",
        "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    },
    "rules": {"target-size": {"enabled": True}},  # off by default
    "resultTypes": ["violations"],  # twice as fast as with the details of what passes
    "preload": False,  # axe would read imported styles itself, from the wrong address
}

# What passes is not handed over: nobody reads it.
VIOLATIONS = "(rules) => axe.run(rules).then((found) => found.violations)"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if not item.get_closest_marker("everyday"):
                item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    if CHROMIUM is None:
        required = os.environ.get("REQUIRE_BROWSER") == "1"
        (pytest.fail if required else pytest.skip)("Chromium is not installed")
    return {
        "executable_path": CHROMIUM,
        "args": [*FLAGS.split(), WITHOUT],
        "headless": True,
    }


@pytest.fixture
def console() -> list[str]:
    """Errors that the browser reported; a test that causes some on purpose clears them."""
    return []


@pytest.fixture
def all_answered() -> Iterator[Callable[[], None]]:
    """all_answered(): waits until the server has finished every request it received."""
    open_ones: list[None] = []

    def begun(**_: Any) -> None:
        open_ones.append(None)

    def ended(**_: Any) -> None:
        del open_ones[-1:]

    def wait() -> None:
        time.sleep(0.02)  # for requests that are still being transferred
        wait_until(lambda: not open_ones)

    request_started.connect(begun)
    request_finished.connect(ended)
    yield wait
    request_started.disconnect(begun)
    request_finished.disconnect(ended)


@pytest.fixture
def new_page(
    browser: Browser, live_server: Any, console: list[str], all_answered: Callable[[], None]
) -> Iterator[Any]:
    """new_page(width=320, color_scheme="dark", **context): a page in a new browser context."""
    contexts = []

    def listen(message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(GIVEN_UP):
            console.append(f"{message.location.get('url')}: {message.text}")

    def opened(width: int = 1280, height: int = 800, **details: Any) -> Page:
        context = browser.new_context(
            base_url=live_server.url, viewport={"width": width, "height": height}, **details
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", listen)
        page.on("pageerror", lambda error: console.append(str(error)))
        return page

    yield opened
    reported = list(console)  # without the errors that going offline causes
    for context in contexts:
        context.set_offline(True)  # no request on leaving, as the database is emptied
        context.close()
    all_answered()  # the database is emptied after this
    assert not reported, reported


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page()


@pytest.fixture
def sign_in(live_server: Any) -> Callable[[Page, User], None]:
    """sign_in(page, user): sets a session cookie, without the sign-in page."""

    def signed_in(page: Page, user: User) -> None:
        client = Client()
        client.force_login(user)
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        cookie = {"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}
        page.context.add_cookies([cookie])

    return signed_in


@pytest.fixture
def desk_page(
    new_page: Callable[..., Page],
    sign_in: Callable[[Page, User], None],
    manager: User,
    with_keys: Callable[[User], User],
) -> Callable[..., Page]:
    """desk_page("/tasks/", width=360): the page as a manager with keys sees it."""
    with_keys(manager)

    def opened(url: str, **details: Any) -> Page:
        page = new_page(**details)
        sign_in(page, manager)
        page.goto(url)
        return page

    return opened


@pytest.fixture
def at_desk(page: Page, sign_in: Any, manager: User, with_keys: Callable[[User], User]) -> Page:
    """The page of a manager with keys, before any address."""
    sign_in(page, with_keys(manager))
    return page


@pytest.fixture(scope="session")
def axe() -> Callable[[Page], None]:
    """axe(page): fails if the page has an accessibility violation in its present state.

    With a save bar the window is as tall as the page, as target-size takes what lies half under
    the bar for too small.
    """

    def check(page: Page) -> None:
        size = page.viewport_size
        if size and page.locator(".savebar").count():
            tall = page.evaluate("document.documentElement.scrollHeight")
            page.set_viewport_size({"width": size["width"], "height": max(tall, size["height"])})
        page.evaluate("scrollTo(0, 0)")  # the bar on top may cover half of a control below it
        page.evaluate(SHORT_MOTION)
        if not page.evaluate("'axe' in window"):
            page.evaluate(Axe().axe_script)
        found = page.evaluate(VIOLATIONS, AXE_RULES)
        if size:
            page.set_viewport_size(size)
        assert not found, "\n".join(
            f"{one['id']}: {one['help']}: {[node['target'] for node in one['nodes']]}"
            for one in found
        )
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{wide} px wider than the window"

    return check


@pytest.fixture(scope="session")
def axe_in_looks(axe: Callable[[Page], None]) -> Callable[[Page], None]:
    """axe_in_looks(page): the same in each look, without motion from one to the next."""

    def check(page: Page) -> None:
        size = page.viewport_size or {"width": 1280, "height": 800}
        for theme, width in LOOKS:
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            page.set_viewport_size({"width": width, "height": size["height"]})
            axe(page)
        page.emulate_media(color_scheme="light", reduced_motion="no-preference")
        page.set_viewport_size(size)

    return check
