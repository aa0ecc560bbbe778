"""A first visit in headless Chromium: requests and bytes until the list is shown."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .site import Site

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, CDPSession


@dataclass(frozen=True)
class Visit:
    """Requests with an empty cache, and their bytes as transferred, with headers."""

    requests: int
    size: int


@contextmanager
def signed_in(site: Site, target: str, *flags: str) -> Iterator["BrowserContext | None"]:
    """A browser context of the first user; None without Chromium or Playwright."""
    chromium = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        yield None
        return
    with sync_playwright() as playwright:
        options = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=chromium, args=[*options, *flags])
        origin = site.origin(target)
        context = browser.new_context(base_url=origin)
        for cookie in site.headers[target][0]["Cookie"].split("; "):
            name, _, value = cookie.partition("=")
            context.add_cookies([{"name": name, "value": value, "url": origin}])
        yield context
        browser.close()


def first_visit(site: Site, target: str) -> Visit | None:
    """Measure a first visit; None without Chromium or Playwright."""
    with signed_in(site, target) as context:
        if context is None:
            return None
        page = context.new_page()
        sizes = transfers(context.new_cdp_session(page))
        page.goto(site.url(target, 25), wait_until="networkidle")
    return Visit(len(sizes), int(sum(sizes)))


def transfers(wire: "CDPSession") -> list[float]:
    """The bytes of each request of a page as it ends; none of data: addresses, which ask nobody."""
    sizes: list[float] = []

    def ended(event: dict[str, Any]) -> None:
        if event["encodedDataLength"]:
            sizes.append(event["encodedDataLength"])

    wire.send("Network.enable")
    wire.on("Network.loadingFinished", ended)
    return sizes
