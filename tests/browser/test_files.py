"""A messy workbook becomes contacts by keyboard alone, and a list becomes a file."""

import pytest
from playwright.sync_api import expect

from dashboard.gateway import CONTACTS
from dashboard.jobs import rows
from dashboard.jobs.models import Job
from tests.jobs.conftest import work
from tests.jobs.test_export_page import everything
from tests.tables.files import xlsx

WORKBOOK = {
    "Read me": [],
    "People": [
        ["Our people"],
        ["Company", "E-mail", "Kind"],
        ["Zora Zinc", "zora@zinc.example", "person"],
        ["", "nobody@zinc.example", "firm"],
    ],
}


def tab_to(page, locator):
    for _ in range(80):
        page.keyboard.press("Tab")
        if locator.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError("The keyboard does not reach it.")


def upload(page, resource, workbook):
    """Upload a workbook of these sheets by keyboard, until its columns are shown."""
    page.goto(f"/{resource}/import/")
    file = {"name": "sheets.xlsx", "mimeType": "", "buffer": xlsx(workbook)}
    page.get_by_label("File").set_input_files(file)
    tab_to(page, page.get_by_role("button", name="Continue", exact=True))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Columns")).to_be_visible()


def map_column(page, heading, field):
    tab_to(page, page.get_by_label(f"Column {heading} goes to"))
    page.keyboard.type(field)
    page.keyboard.press("Control+Enter")


def press_send(page, words):
    """Begin the job by keyboard, and let it be done."""
    send = page.get_by_role("button", name=words)
    expect(send).to_be_visible()
    tab_to(page, send)
    page.keyboard.press("Enter")
    page.wait_for_url("**/jobs/*/")
    work()


@pytest.mark.everyday
def test_from_a_messy_workbook_to_contacts_by_keyboard(
    page, sign_in, manager, with_keys, gateway, monkeypatch, axe
):
    monkeypatch.setattr(
        rows, "MAX_CONCURRENT_CALLS", 1
    )  # other threads have no connection of this test
    sign_in(page, with_keys(manager))
    upload(page, "contacts", WORKBOOK)
    map_column(page, "Company", "Name")
    mended = page.get_by_label("Name, row 4")
    expect(mended).to_have_attribute("aria-invalid", "true")
    axe(page)
    tab_to(page, mended)
    page.keyboard.type("Nora Nickel")
    page.keyboard.press("Enter")  # to the button
    page.keyboard.press("Enter")
    press_send(page, "Send 2 rows")
    assert Job.objects.get().counts == {"saved": 2}
    names = [record["cstname"] for record in everything(gateway, CONTACTS)]
    assert {"Zora Zinc", "Nora Nickel"} <= set(names)


def paste(page, text):
    page.evaluate(
        """(text) => {
          const data = new DataTransfer();
          data.setData("text/plain", text);
          const options = { clipboardData: data, bubbles: true, cancelable: true };
          document.activeElement.dispatchEvent(new ClipboardEvent("paste", options));
        }""",
        text,
    )


def test_bad_cells_are_a_grid_with_keys_and_paste(desk_page, axe):
    page = desk_page("/contacts/import/")
    rows = "".join(f"Person {n},wrong{n},{'x' if n == 2 else 'firm'}\n" for n in range(1, 5))
    page.get_by_label("Or paste cells from a spreadsheet").fill(f"Name,Email,Kind\n{rows}")
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.get_by_role("heading", name="Columns")).to_be_visible()
    page.wait_for_load_state()  # the scripts take keys from then on
    email = {row: page.get_by_label(f"Email, row {row}") for row in range(2, 6)}
    email[2].focus()
    page.keyboard.press("ArrowDown")
    expect(email[3]).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Type, row 3")).to_be_focused()
    page.keyboard.press("Enter")
    expect(email[4]).to_be_focused()
    page.keyboard.type("typed")
    expect(page.get_by_text("1 of 5 changed")).to_be_visible()
    page.keyboard.press("Escape")
    expect(email[4]).to_have_value("wrong3")
    page.keyboard.press("ArrowUp")
    expect(email[3]).to_be_focused()
    paste(page, "b@b.example\tindividual\nc@c.example\tfirm\nstill wrong\n")
    expect(email[4]).to_have_value("c@c.example")
    expect(page.get_by_label("Type, row 3")).to_have_value("1")
    words = "4 cells filled. 1 did not fit a cell that needs fixing."
    expect(page.get_by_text(words)).to_be_attached()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_label("Email, row 3")).to_have_count(0)
    expect(email[5]).to_be_focused()
    expect(email[5]).to_have_value("still wrong")
    axe(page)
    page.keyboard.type("d@d.example")
    page.keyboard.press("Enter")
    check = page.get_by_role("button", name="Check again")
    expect(check).to_be_focused()
    email[2].fill("a@a.example")
    page.keyboard.press("Enter")  # the other cell is changed: nothing else needs fixing
    expect(check).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Send 4 rows")).to_be_focused()


def test_the_pages_of_files_are_accessible(new_page, sign_in, manager, with_keys, axe_in_looks):
    page = new_page()
    sign_in(page, with_keys(manager))
    for address in ("/contacts/export/?type=2", "/contacts/import/"):
        page.goto(address)
        axe_in_looks(page)
    file = {"name": "a.csv", "mimeType": "", "buffer": b"Name,Email,Kind\nA,b@,c\nB,b@b.example,\n"}
    page.get_by_label("File").set_input_files(file)
    page.get_by_role("button", name="Continue", exact=True).click()
    page.wait_for_url("**/imports/*/")
    axe_in_looks(page)
    expect(page.get_by_role("heading", name="Columns")).to_be_visible()
    expect(page.get_by_label("Type, row 2")).to_be_visible()
    axe_in_looks(page)


def test_a_list_is_exported_by_its_key(desk_page):
    page = desk_page("/contacts/?type=2")
    page.keyboard.press("o")
    page.wait_for_url("**/contacts/export/?type=2")
    tab_to(page, page.get_by_role("button", name="Export"))
    with page.expect_download() as caught:
        page.keyboard.press("Enter")
    assert caught.value.suggested_filename.endswith(".xlsx")
