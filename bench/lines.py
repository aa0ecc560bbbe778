"""The edit form of long documents in headless Chromium with a quarter of the CPU.

    python -m bench.lines

What a person waits for: until the form can be typed in, and after each key. What the form costs:
bytes and elements of HTML, bytes of a request for the sums.
"""

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from dashboard.standin.reference_data import reference_data

from . import browser, report, servers, site
from .budgets import Verdict
from .jobs import JSON, Connection

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Request

LINES = (5, 50, 300)
SLOWER = 4  # times, than this machine
BETWEEN_KEYS = 120  # ms, of somebody who types eight keys a second
PATIENCE = 120_000  # ms
UNBOUND = "--disable-frame-rate-limit"  # a key does not wait for the screen's next frame
WATCH = """
addEventListener("DOMContentLoaded", () => requestAnimationFrame(() => setTimeout(() => {
  const [{ responseStart }] = performance.getEntriesByType("navigation");
  window.usable = performance.now() - responseStart;
})));
window.waits = [];
addEventListener("keydown", ({ timeStamp }) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => window.waits.push(performance.now() - timeStamp);
  requestAnimationFrame(() => port2.postMessage("")); // received once the frame is drawn
}, { capture: true });
"""
# From a quantity to the next line, an item by the beginning of its name, its quantity, the price
# and discount, and on to the line after it.
KEYS = ("1", "2", "Enter", *"web", "Enter", "4", "Tab", "9", "9", "Tab", "1", "0", "Enter")
COLUMNS = 5  # of inputs that a line shows
BARE_KEYS = ("1", "2", "Tab", *"web", "Tab", "4", "Tab", "9", "9", "Tab", "1", "0", "Tab")
LIMITS = {5: (60, 1.5, 20), 50: (100, 1.5, 20), 300: (300, 1.5, 50)}  # kB, s until usable, ms a key
MOST_ASKED = 5  # kB


@dataclass(frozen=True)
class Opened:
    """One form: `size` of its HTML in bytes, `usable` and the `worst` key in ms, and the bytes of
    the largest request for its sums. Of times the least of all turns, each key for itself, as other
    work on the machine only adds to them. `bare`: the worst key in a page that only has as many
    rows of inputs, without a script: what the browser takes in any case.
    """

    lines: int
    size: int
    elements: int
    usable: float
    worst: float
    asked: int
    bare: float


class Turn(NamedTuple):
    """A form that was opened and typed in once."""

    size: int
    elements: int
    usable: float
    keys: list[float]
    asked: int


def document(count: int) -> dict[str, Any]:
    """An invoice of items with taxes; every tenth line is described, every seventh reduced."""
    items = reference_data("acme")["items"]
    lines = []
    for place in range(count):
        item = items[place % len(items)]
        line = {"type": "item", "item_id": item["id"], "item_name": item["name"], "quantity": 2}
        line |= {"price": 95.5, "tax_id": item["tax"], "tax_rate": 20}
        line |= {"description": "As agreed on the phone"} if place % 10 == 9 else {}
        line |= {"discount": 5, "discount_type": 2} if place % 7 == 6 else {}
        lines.append(line)
    return {"customer_id": 1001, "template_id": 11, "items": lines}


def measured(everything: site.Site, *, times: int) -> list[Opened]:
    """Every form, opened and typed in `times` times; none without Chromium or Playwright."""
    everything.standin.ask("/latency", {"seconds": 0})
    api = Connection(everything.servers[site.API].port, everything.headers[site.API][0])
    command = [sys.executable, "manage.py", "load_lists", "Acme", "--standin", "acme"]
    subprocess.run(
        command, cwd=servers.ROOT, env=everything.environment, stdout=subprocess.DEVNULL, check=True
    )
    with browser.signed_in(everything, site.PAGE, UNBOUND) as context:
        return [_opened(context, api, count, times) for count in LINES] if context else []


def _opened(context: "BrowserContext", api: Connection, count: int, times: int) -> Opened:
    _, made, _ = api.request("/v1/invoices", json.dumps(document(count)), JSON)
    path = f"/invoices/{json.loads(made)['data']['inv_id']}/edit/"
    turns = [_typed_in(context, path, count) for _ in range(times)]
    bare = [_typed_bare(context, count) for _ in range(times)]
    first = turns[0]
    return Opened(
        lines=count,
        size=first.size,
        elements=first.elements,
        usable=min(each.usable for each in turns),
        worst=_worst([each.keys for each in turns]),
        asked=max(each.asked for each in turns),
        bare=_worst(bare),
    )


def _worst(turns: list[list[float]]) -> float:
    """The longest of the keys, each in its quickest turn."""
    return max(min(times) for times in zip(*turns, strict=True))


def _slow_page(context: "BrowserContext") -> "Page":
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.add_init_script(WATCH)
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    return page


def _typed_bare(context: "BrowserContext", count: int) -> list[float]:
    """The keys in the middle of a table of inputs."""
    page = _slow_page(context)
    row = f"<tr>{'<td><input>' * COLUMNS}"
    page.goto("data:text/html," + quote(f"<!doctype html><title>Bare</title><table>{row * count}"))
    page.locator("input").nth(count // 2 * COLUMNS).focus()
    keys = _press(page, BARE_KEYS)
    page.close(run_before_unload=False)
    return keys


def _press(page: "Page", pressed: tuple[str, ...]) -> list[float]:
    """Press keys; how long each took until its picture, in ms."""
    page.wait_for_timeout(1000)
    page.evaluate("window.waits = []")
    for key in pressed:
        page.keyboard.press(key)
        page.wait_for_timeout(BETWEEN_KEYS)
    page.wait_for_timeout(1000)
    waits: list[float] = page.evaluate("window.waits")
    return waits


def _typed_in(context: "BrowserContext", path: str, count: int) -> Turn:
    page = _slow_page(context)
    answer = page.goto(path)
    size = len(answer.body()) if answer else 0
    page.wait_for_function("window.usable")
    usable = page.evaluate("window.usable")
    elements = page.evaluate("document.querySelectorAll('*').length")
    keys, asked = _type(page, (count + 1) // 2)
    page.close(run_before_unload=False)
    return Turn(size, elements, usable, keys, asked)


def _type(page: "Page", line: int) -> tuple[list[float], int]:
    """Type KEYS from a line on; the ms of each, and the bytes of the largest request for sums."""
    asked: list[int] = []

    def see(request: "Request") -> None:
        if "/totals/" in request.url:
            asked.append(len(request.post_data_buffer or b""))

    page.on("request", see)
    page.get_by_label(f"Quantity, line {line}", exact=True).focus()
    page.keyboard.press("Control+a")
    with page.expect_response("**/totals/"):
        keys = _press(page, KEYS)
    return keys, max(asked)


def table(found: list[Opened]) -> str:
    """One line for each form."""
    head = f"Forms of documents, the CPU slowed {SLOWER} times: the least of all turns.\n"
    head += "lines   HTML kB elements usable s worst key ms bare page ms sums B\n"
    return head + "\n".join(
        f"{each.lines:>5} {each.size / 1000:>9.1f} {each.elements:>8.0f} {each.usable / 1000:>8.2f}"
        f" {each.worst:>12.0f} {each.bare:>12.0f} {each.asked:>6.0f}"
        for each in found
    )


def budgets(found: list[Opened]) -> list[Verdict]:
    """The verdicts on each form."""
    verdicts = []
    for each in found:
        size, usable, key = LIMITS[each.lines]
        name = f"form of {each.lines} lines, CPU / {SLOWER}"
        verdicts += [
            Verdict(f"{name}: HTML", each.size / 1000, size, "kB"),
            Verdict(f"{name}: until usable", each.usable / 1000, usable, "s"),
            Verdict(f"{name}: worst key (bare page {each.bare:.0f} ms)", each.worst, key, "ms"),
            Verdict(f"{name}: request for the sums", each.asked / 1000, MOST_ASKED, "kB"),
        ]
    return verdicts


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, site.opened(Path(folder), staff=1) as running:
        done = measured(running, times=5)
    sys.stdout.write(f"{table(done)}\n\n{report.budgets(budgets(done))}\n")
