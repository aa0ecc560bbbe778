"""A browser context of the first person in headless Chromium."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .site import Site

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext


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
