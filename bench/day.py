"""The pages of a day in headless Chromium on a computer that is four times slower: how long a key
takes until its picture, the longest task, and the time until a page can be used.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .browser import signed_in
from .budgets import Verdict
from .site import PAGE, Site

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

SLOWER = 4  # times
BETWEEN_KEYS = 120  # ms, as people type who do it all day
SETTLED = 1000  # ms after which a page has done what a key began
RECORDS = ("contacts", "deals", "tasks", "invoices")
PALETTE = ("Control+k", *"acorn", "ArrowDown", "Escape")
LIST = ("j", "j", "k", "x", "x", "q", *"acorn", *PALETTE)
LISTS = ("contacts", "leads", "deals", "tasks", "estimates", "invoices")
MEASURED = ("key", "task", "usable")
EDITED = "/invoices/{invoices}/edit/"
PAGES = {
    "/": ("j", "j", "k", *PALETTE),
    **{f"/{name}/": LIST for name in LISTS},
    "/contacts/{contacts}/": ("j", "k", *PALETTE),
    "/deals/{deals}/": ("j", "k", *PALETTE),
    "/tasks/{tasks}/": ("j", "k", *PALETTE),
    "/invoices/{invoices}/": ("j", "k", *PALETTE),
    "/contacts/new/": (*"Acorn", "Tab", *"acorn", "Tab", *"acorn", *PALETTE),
    "/deals/new/": (*"Acorn", "Tab", *"acorn", "Tab", *"acorn", *PALETTE),
    "/invoices/new/": (*"acorn", "Tab", "Tab", "Tab", *"acorn", "Tab", *"12", *PALETTE),
    EDITED: (*"12", "Tab"),
    "/deals/board/": ("j", "j", "k", *PALETTE),
    "/unfinished/": ("j", "j", "k", *PALETTE),
    "/search/": ("Tab", *"acorn", *PALETTE),
}
"""The keys that are pressed on each page. {contacts}: the id of the first record of a list."""
MENUS = (".who", "details[data-panel] summary", "[popovertarget^=more]")
WATCH = """
window.slowest = { key: 0, task: 0, usable: 0 };
addEventListener("load", () => requestIdleCallback(() => {
  window.slowest.usable = performance.now();
}));
const watch = (type, name, options) => new PerformanceObserver((list) => {
  const durations = list.getEntries().map((entry) => entry.duration);
  window.slowest[name] = Math.max(window.slowest[name], ...durations);
}).observe({ type, buffered: true, ...options });
watch("event", "key", { durationThreshold: 16 });
watch("longtask", "task");
"""


@dataclass(frozen=True)
class Use:
    """A page that was used by keys. key: the longest time from a key to its picture, task: the
    longest task, usable: from the start until the loaded page is idle, all in ms.
    """

    address: str
    key: float
    task: float
    usable: float


def measured(site: Site, *, turns: int) -> list[Use]:
    """Use each page by keys; [] without Chromium or Playwright. The least of all turns, as other
    work on the machine only adds to them.
    """
    with signed_in(site, PAGE) as context:
        if context is None:
            return []
        page = context.new_page()
        ids = {name: _first_record(page, name) for name in RECORDS}
    found = []
    for address, keys in PAGES.items():
        uses = [_used(site, address.format(**ids), keys) for _ in range(turns)]
        least = {name: min(getattr(use, name) for use in uses) for name in MEASURED}
        found.append(replace(uses[0], **least))
    return found


def _first_record(page: "Page", name: str) -> str:
    page.goto(f"/{name}/")
    path = page.locator("tbody th a").first.get_attribute("href") or ""
    return path.strip("/").rpartition("/")[2]


def _used(site: Site, address: str, keys: tuple[str, ...]) -> Use:
    with signed_in(site, PAGE) as context:
        assert context is not None
        page = _slow_page(context)
        page.goto(address, wait_until="networkidle")
        for key in keys:
            page.keyboard.press(key)
            page.wait_for_timeout(BETWEEN_KEYS)
        page.wait_for_timeout(SETTLED)
        for menu in MENUS:
            _open_and_close(page, menu)
        slowest = page.evaluate("window.slowest")
    return Use(address, **slowest)


def _slow_page(context: "BrowserContext") -> "Page":
    page = context.new_page()
    page.add_init_script(WATCH)
    wire = context.new_cdp_session(page)
    wire.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    return page


def _open_and_close(page: "Page", menu: str) -> None:
    found = page.locator(menu).first
    if found.count():
        found.focus()
        page.keyboard.press("Enter")
        page.wait_for_timeout(SETTLED)
        page.keyboard.press("Escape")
        page.wait_for_timeout(SETTLED)


def budgets(uses: list[Use]) -> list[Verdict]:
    if not uses:
        return []
    key, task = max(uses, key=lambda use: use.key), max(uses, key=lambda use: use.task)
    (edited,) = (use for use in uses if use.address.endswith("/edit/"))
    on = f"CPU {SLOWER} times slower"
    return [
        Verdict(f"a key until its picture, {on}, {key.address}", key.key, 100, "ms"),
        Verdict(f"longest task, {on}, {task.address}", task.task, 200, "ms"),
        Verdict(f"an invoice's form is usable, {on}", edited.usable, 1200, "ms"),
    ]


def table(uses: list[Use]) -> str:
    lines = [f"{'page':<24} {'key ms':>7} {'task ms':>8} {'usable ms':>10}"]
    lines += [
        f"{use.address:<24} {use.key:>7.0f} {use.task:>8.0f} {use.usable:>10.0f}" for use in uses
    ]
    return "\n".join(lines)
