"""Takes the pictures of the README from the demo: python -m tests.browser.pictures

Six pages in both themes, 1280 by 800 px, into .github/screenshots. The data is new each time and
as of today. Needs Chromium.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright

from dashboard.site.demo import free_port

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".github" / "screenshots"
CHROMIUM = "/usr/bin/chromium"
LINES = "Shop front sign, aluminium, per m²\t4\t340\nInstallation, per hour\t6\t55\nDelivery\t1\t35"
CELLS = """Name\tType\tE-mail\tPhone\tAddress
Larch Road Bakery Ltd\tBusiness\toffice@larchroad.example\t091 555 0142\t5 Larch Road, Galway
Tern Island Cycles\tBusiness\thello@terncycles.example\t021 555 0117\t40 Quay Street, Cork
Marek Sowa\tIndividual\tmarek.sowa@\t+48 22 555 01 60\tul. Polna 9, Warszawa
"""


@contextmanager
def demo() -> Iterator[tuple[str, str]]:
    """The demo while it runs: its address and the password of its people."""
    with TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "demo", "--port", str(free_port())],
            cwd=ROOT,
            env={**os.environ, "DEMO_DIR": folder},
            stdout=subprocess.PIPE,
            text=True,
        )
        printed = ""
        for line in process.stdout or ():
            printed += line
            if "Ctrl+C" in line:
                break
        try:
            found = re.search(r"ready at (\S+)\s.*password (\S+)", printed, re.DOTALL)
            if found is None:
                raise SystemExit(f"The demo did not start:\n{printed}")
            yield found[1], found[2]
        finally:
            process.terminate()
            process.wait()


def sign_in(page: Page, password: str) -> None:
    """Sign in as the manager of the demo."""
    page.goto("/accounts/login/")
    page.locator("[name=login]").fill("max")
    page.locator("[name=password]").fill(password)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Today").wait_for()


def take(page: Page) -> None:
    """Every page, then its picture in each theme."""
    for name, step in PAGES.items():
        step(page)
        page.wait_for_load_state("networkidle")
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            page.screenshot(path=FOLDER / f"{name}-{theme}.png", animations="disabled")


def _contact(page: Page) -> None:
    """The customer of the latest invoice that is still open."""
    page.goto("/invoices/?inv_status=0")
    page.locator("#results tbody td a[href^='/contacts/']").first.click()


def _invoice_form(page: Page) -> None:
    page.goto("/invoices/new/")
    customer = page.get_by_label("Customer")
    customer.press_sequentially("Dimitra")
    page.locator("[role=option]:visible", has_text="Dimitra").first.wait_for()
    page.wait_for_timeout(500)  # an option is taken once it can have been read
    customer.press("Enter")
    page.get_by_label("Item").first.focus()
    page.evaluate("text => navigator.clipboard.writeText(text)", LINES)
    page.keyboard.press("Control+V")
    page.locator(".savebar", has_text="2,070.00").wait_for()


def _import(page: Page) -> None:
    page.goto("/contacts/import/")
    page.get_by_label("Or cells of a spreadsheet").fill(CELLS)
    page.get_by_role("button", name="Read it").click()
    page.get_by_role("heading", name="Columns").wait_for()


PAGES = {
    "today": lambda page: page.goto("/"),
    "invoices": lambda page: page.goto("/invoices/"),
    "contact": _contact,
    "invoice-form": _invoice_form,
    "deals": lambda page: page.goto("/deals/board/"),
    "import": _import,
}


def main() -> None:
    """Take every picture in both themes."""
    FOLDER.mkdir(exist_ok=True)
    with demo() as (address, password), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context(
            base_url=address,
            viewport={"width": 1280, "height": 800},
            permissions=["clipboard-read", "clipboard-write"],
        )
        page = context.new_page()
        sign_in(page, password)
        take(page)
        browser.close()


if __name__ == "__main__":
    main()
