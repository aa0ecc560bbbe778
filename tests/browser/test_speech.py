"""What a screen reader reads in ten jobs, kept as text in speech/: names, roles, order, live words.

After a change of the pages `WRITE_SPEECH=1 pytest -m slow tests/browser/test_speech.py` writes the
texts anew; read them before you keep them.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dashboard.catalogue.services import fill
from dashboard.gateway import CONTACTS, DEALS
from dashboard.preferences import services as preferences
from dashboard.standin.reference_data import reference_data
from tests.tables.files import xlsx

from .speech import LIVE, hear, spoken
from .test_files import WORKBOOK

TEXTS = Path(__file__).parent / "speech"
ZEBRA = {"cstname": "Zebra Ltd", "contact_type": 2, "cstemail": "z@b.eu", "cstmobile": "0100"}


@pytest.fixture
def desk(page, sign_in, manager, with_keys) -> Page:
    """A page of a signed-in manager whose live words are remembered."""
    fill("Acme", reference_data("acme"))
    sign_in(page, with_keys(manager))
    chosen = {"invoices.template_id": "11"}
    preferences.remember_choices(user=manager, workspace="Acme", values=chosen)
    page.add_init_script(LIVE)
    return page


@pytest.fixture
def kept() -> Iterator[Callable[..., None]]:
    """kept(name, *parts): the parts, each some lines, are those of speech/name.txt."""

    def compare(name: str, *parts: list[str]) -> None:
        path = TEXTS / f"{name}.txt"
        text = "\n\n".join("\n".join(part) for part in parts) + "\n"
        if os.environ.get("WRITE_SPEECH") == "1":
            TEXTS.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.read_text(encoding="utf-8").splitlines() == text.splitlines()

    return compare


def test_signing_in_with_a_wrong_password(page, viewer, kept):
    page.goto("/accounts/login/")
    empty = spoken(page)
    page.locator("[name=login]").fill("vera")
    page.locator("[name=password]").fill("wrong")
    page.keyboard.press("Enter")
    expect(page.locator("#error-summary")).to_be_focused()
    kept("signing-in", empty, spoken(page))


def test_creating_a_contact(desk, console, kept):
    desk.goto("/contacts/")
    desk.keyboard.type("cc")
    desk.wait_for_url("**/contacts/new/")
    expect(desk.get_by_label("Name", exact=True)).to_be_focused()
    empty = spoken(desk)
    desk.keyboard.type("Ada Fox")
    desk.locator("[name=cstemail]").fill("nobody")
    desk.keyboard.press("Control+Enter")
    expect(desk.locator("#error-summary")).to_be_focused()
    wrong = spoken(desk)
    console.clear()  # the browser reports the status 422
    desk.locator("[name=cstemail]").fill("ada@fox.example")
    desk.keyboard.press("Control+Enter")
    saved = hear(desk, "Ada Fox was created")
    expect(desk.get_by_role("heading", level=1)).to_have_text("Ada Fox")
    kept("creating-a-contact", empty, wrong, [saved], spoken(desk))


def test_searching_a_list(desk, gateway, kept):
    gateway.create(CONTACTS, ZEBRA)
    desk.goto("/contacts/?size=10")
    desk.keyboard.press("q")
    desk.keyboard.type("zebra l")
    desk.wait_for_url("**search=zebra+l**")
    expect(desk.get_by_role("link", name="Remove “zebra l”")).to_be_visible()
    counted = hear(desk, "1 contact")
    kept("searching-a-list", [counted], spoken(desk))


def test_an_invoice_by_keyboard(desk, gateway, kept):
    gateway.create(CONTACTS, ZEBRA)
    desk.goto("/invoices/new/")
    expect(desk.get_by_role("combobox", name="Customer")).to_be_focused()
    desk.keyboard.type("zebra l")
    expect(desk.get_by_role("option", name="Zebra Ltd").first).to_be_visible()
    picking = spoken(desk, "[data-picker-field], record-picker")
    desk.keyboard.press("Enter")
    expect(desk.get_by_label("Item, line 1", exact=True)).to_be_focused()
    desk.keyboard.type("con")
    desk.keyboard.press("Enter")
    expect(desk.get_by_label("Quantity, line 1", exact=True)).to_be_focused()
    kept("an-invoice", picking, spoken(desk, "main form table"))


def test_the_palette(desk, gateway, kept):
    gateway.create(CONTACTS, ZEBRA)
    desk.goto("/accounts/")
    desk.keyboard.press("Control+k")
    desk.keyboard.type("zebra l")
    # Of the whole text: the hits of its beginning come alone.
    expect(desk.get_by_role("option", name="Task for Zebra Ltd")).to_be_visible()
    expect(desk.locator("#palette").get_by_text("Overdue", exact=True)).to_be_visible()
    kept("the-palette", spoken(desk, "#palette"))


def test_a_choice_between_two_versions(desk, gateway, console, kept):
    contact = gateway.create(CONTACTS, ZEBRA).id
    desk.goto(f"/contacts/{contact}/edit/")
    desk.locator("[name=cstname]").fill("Zebra GmbH")
    gateway.update(CONTACTS, contact, {"cstname": "Zebra plc"})
    desk.keyboard.press("Control+s")
    expect(desk.get_by_role("radio", name="Name: yours, Zebra GmbH")).to_be_focused()
    console.clear()  # the browser reports the status 409
    kept("two-versions", spoken(desk))


def test_changing_a_value_in_place(desk, gateway, kept):
    contact = gateway.create(CONTACTS, ZEBRA).id
    desk.goto(f"/contacts/{contact}/")
    desk.keyboard.press("f")
    expect(desk.locator("[name=cstemail]")).to_be_focused()
    opened = spoken(desk, ".in-place")
    desk.keyboard.type("new@zebra.example")
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("link", name="new@zebra.example")).to_be_visible()
    saved = hear(desk, "aved")
    kept("changing-in-place", opened, [saved])


def test_deleting_a_contact(desk, gateway, kept):
    contact = gateway.create(CONTACTS, ZEBRA).id
    desk.goto(f"/contacts/{contact}/")
    desk.keyboard.press("#")
    desk.wait_for_url("**/contacts/")
    told = hear(desk, "Press z to undo")
    desk.keyboard.press("z")
    undone = hear(desk, "Not deleted: Zebra Ltd.")
    kept("deleting-a-contact", [told, undone])


def test_a_save_without_an_answer(desk, standin, kept):
    standin.fault("reset-before", operation="create", times=1)
    desk.goto("/contacts/new/")
    desk.get_by_label("Name", exact=True).fill("Zebra")
    desk.keyboard.press("Control+s")
    desk.wait_for_url("**/unsure/*/")
    kept("not-sure", spoken(desk))


def test_a_file_with_a_row_to_mend(desk, kept):
    desk.goto("/contacts/import/")
    begun = spoken(desk)
    file = {"name": "sheets.xlsx", "mimeType": "", "buffer": xlsx(WORKBOOK)}
    desk.get_by_label("File").set_input_files(file)
    desk.get_by_role("button", name="Read the rows").click()
    expect(desk.get_by_role("heading", name="Columns")).to_be_visible()
    kept("a-file", begun, spoken(desk))


def test_the_stages_of_a_deal(desk, gateway, kept):
    deal = gateway.create(DEALS, {"deal_name": "Fox hole", "pipeline_id": 1, "cstid": 1001}).id
    desk.goto(f"/deals/{deal}/")
    expect(desk.locator("main [hx-trigger=load]")).to_have_count(0)
    kept("a-deal", spoken(desk))
