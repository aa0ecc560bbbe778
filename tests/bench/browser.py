"""A first visit in headless Chromium: requests and bytes until the list is shown."""

import os
import shutil
from dataclasses import dataclass
from urllib.parse import urlsplit

from .site import Site


@dataclass(frozen=True)
class Visit:
    """Requests with an empty cache, and their bytes as transferred, with headers."""

    requests: int
    size: int


def first_visit(site: Site, target: str) -> Visit | None:
    """Measure a first visit; None without Chromium or Playwright."""
    chromium = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    if chromium is None:
        return None
    sizes: list[float] = []
    with sync_playwright() as playwright:
        options = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=chromium, args=options)
        context = browser.new_context()
        url = site.url(target, 25)
        for cookie in site.headers[target][0]["Cookie"].split("; "):
            name, _, value = cookie.partition("=")
            context.add_cookies([{"name": name, "value": value, "url": _origin(url)}])
        page = context.new_page()
        wire = context.new_cdp_session(page)
        wire.send("Network.enable")
        wire.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
        page.goto(url, wait_until="networkidle")
        browser.close()
    return Visit(len(sizes), int(sum(sizes)))


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
