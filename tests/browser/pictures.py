"""Takes the pictures of the README and of Help from the demo: python -m tests.browser.pictures

Six pages in both themes, 1280 by 800 px, and one animated picture of an invoice that is typed by
keyboard, into static/pictures. The data is new each time and as of today. Needs Chromium.
"""

import re
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import FloatRect, Locator, Page, sync_playwright

from tests.test_demo import demo

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "static" / "pictures"
CHROMIUM = "/usr/bin/chromium"
LARGEST = 1_500_000  # bytes of the animated picture
LINES = "Shop front sign, aluminium, per m²\t4\t340\nInstallation, per hour\t6\t55\nDelivery\t1\t35"
CELLS = """Name\tType\tE-mail\tPhone\tAddress
Larch Road Bakery Ltd\tBusiness\toffice@larchroad.example\t091 555 0142\t5 Larch Road, Galway
Tern Island Cycles\tBusiness\thello@terncycles.example\t021 555 0117\t40 Quay Street, Cork
Marek Sowa\tIndividual\tmarek.sowa@\t+48 22 555 01 60\tul. Polna 9, Warszawa
"""


def sign_in(page: Page, password: str) -> None:
    page.goto("/accounts/login/")
    page.locator("[name=login]").fill("max")
    page.locator("[name=password]").fill(password)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Today", exact=True).wait_for()


def take(page: Page) -> None:
    """Every page, then its picture in each theme."""
    for name, step in PAGES.items():
        step(page)
        page.wait_for_load_state("networkidle")
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            taken = Image.open(BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
            taken.save(FOLDER / f"{name}-{theme}.webp", lossless=True, method=6)


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
    page.get_by_label("Or paste cells from a spreadsheet").fill(CELLS)
    page.get_by_role("button", name="Continue", exact=True).click()
    page.get_by_role("heading", name="Columns").wait_for()


PAGES = {
    "today": lambda page: page.goto("/"),
    "invoices": lambda page: page.goto("/invoices/"),
    "contact": _contact,
    "invoice-form": _invoice_form,
    "deals": lambda page: page.goto("/deals/board/"),
    "import": _import,
}


class Film:
    """The frames of an animated picture of a part of a page."""

    def __init__(self, page: Page, part: FloatRect) -> None:
        self.page, self.part = page, part
        self.frames: list[Image.Image] = []
        self.times: list[int] = []

    def take(self, milliseconds: int) -> None:
        """Add the page as it is now, shown for so long."""
        picture = self.page.screenshot(clip=self.part, animations="disabled", caret="initial")
        self.frames.append(Image.open(BytesIO(picture)).convert("RGB"))
        self.times.append(milliseconds)

    def type(self, text: str) -> None:
        """Type into the field that has the focus: a frame for every second letter."""
        for number, letter in enumerate(text, 1):
            self.page.keyboard.type(letter)
            if number % 2 == 0 or number == len(text):
                self.take(140)

    def press(self, key: str, until: Locator | None = None) -> None:
        """Press a key, and wait for what it brings up."""
        self.page.keyboard.press(key)
        if until:
            until.first.wait_for()
        self.page.wait_for_timeout(400)  # what the server says of it is drawn
        self.take(700)

    def save(self, path: Path) -> None:
        """Write the animated picture. Raises SystemExit if it is larger than LARGEST."""
        first, *others = self.frames
        first.save(
            path, save_all=True, append_images=others, duration=self.times, loop=0,
            lossless=True, method=6, minimize_size=True,
        )  # fmt: skip
        if path.stat().st_size > LARGEST:
            raise SystemExit(f"{path.name} is larger than {LARGEST:,} bytes.")


def film(page: Page) -> None:
    """An invoice from the first key on Today to its total: the customer and two lines."""
    page.emulate_media(color_scheme="light")
    page.goto("/invoices/new/")  # it offers what the picture of the form has left unfinished
    page.locator(".draft-offer").get_by_role("button", name="Discard").click()
    page.locator(".draft-offer").wait_for(state="detached")
    page.goto("/")
    page.wait_for_load_state("networkidle")
    shown = Film(page, {"x": 0, "y": 0, "width": 1280, "height": 800})
    shown.take(1200)
    page.keyboard.press("c")
    shown.press("i", until=page.get_by_label("Customer"))
    shown.type("dimitra")
    page.locator("[role=option]:visible", has_text="Dimitra").first.wait_for()
    page.wait_for_timeout(500)  # an option is taken once it can have been read
    shown.take(900)
    shown.press("Enter")
    page.get_by_label("Item").first.focus()
    shown.take(500)
    for item, quantity in (("alu", "4"), ("inst", "6")):
        shown.type(item)
        page.locator("[role=option]:visible").first.wait_for()
        page.wait_for_timeout(500)
        shown.take(700)
        shown.press("Enter")
        shown.type(quantity)
        shown.press("Enter")
    page.wait_for_timeout(800)  # the totals are counted by the server
    shown.take(3000)
    shown.save(FOLDER / "typing.webp")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with (
        TemporaryDirectory() as folder,
        demo(Path(folder)) as (client, printed),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context(
            base_url=str(client.base_url),
            viewport={"width": 1280, "height": 800},
            permissions=["clipboard-read", "clipboard-write"],
        )
        page = context.new_page()
        page.set_default_timeout(120_000)  # the machine may be busy
        sign_in(page, re.search(r"with the password (\S+)", printed)[1])
        take(page)
        film(page)
        browser.close()


if __name__ == "__main__":
    main()
