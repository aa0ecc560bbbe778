"""What is typed behind a key that leads to a form goes into its first field, in order, however fast
people type and however long the page takes."""

import re

import pytest
from playwright.sync_api import Page, expect

from dashboard.gateway import CONTACTS, DEALS
from tests.conftest import FULL

GAPS = (25, *(pytest.param(gap, marks=FULL) for gap in (60, 120)))  # ms between two keys
# ms until the page is there
DELAYS = (300, *(pytest.param(delay, marks=FULL) for delay in (50, 1000, 3000)))
NAME = "Zoe Fast & Ünal #3"
# The page of a form takes so long, after which its answer is handed on.
SLOW = """
const { fetch } = window;
window.fetch = async (url, options) => {
  const answer = await fetch(url, options);
  const isForm = /\\/new\\/(\\?|$)/.test(String(url)) && !options?.method;
  if (isForm) await new Promise((go) => { setTimeout(go, %d); });
  return answer;
};
"""


def slow_page(page: Page, address: str, delay: int) -> None:
    """Let a page that the browser itself goes to take so long."""
    page.route(address, lambda route: (page.wait_for_timeout(delay), route.continue_()))


pytestmark = pytest.mark.usefixtures("lists")


@pytest.fixture
def deal(gateway):
    customer = gateway.create(CONTACTS, {"cstname": "Zebra", "contact_type": 2}).id
    return gateway.create(DEALS, {"deal_name": "Roof", "cstid": customer, "pipeline_id": 1}).id


def name_field(page: Page):
    return page.get_by_label("Name", exact=True)


@pytest.mark.parametrize("gap", GAPS)
def test_a_title_behind_t_on_a_deal_is_whole(at_desk, deal, gap):
    at_desk.add_init_script(SLOW % 700)
    at_desk.goto(f"/deals/{deal}/")
    at_desk.keyboard.type(f"t{NAME}", delay=gap)
    expect(at_desk.get_by_label("Title")).to_have_value(NAME)
    assert "/tasks/new/" in at_desk.url


@pytest.mark.parametrize("gap", GAPS)
def test_a_name_behind_enter_on_a_hit_is_whole(at_desk, gap):
    at_desk.add_init_script(SLOW % 700)
    at_desk.goto("/")
    at_desk.keyboard.press("Control+k")
    at_desk.keyboard.type("New lead")
    expect(at_desk.get_by_role("option", name="New lead").first).to_be_visible()
    at_desk.wait_for_timeout(500)
    at_desk.keyboard.press("Enter")
    at_desk.keyboard.type(NAME, delay=gap)
    expect(name_field(at_desk)).to_have_value(NAME)
    expect(name_field(at_desk)).to_be_focused()
    assert at_desk.url.endswith("/leads/new/")


def test_what_follows_a_tab_goes_into_the_next_field(at_desk, standin):
    at_desk.add_init_script(SLOW % 2000)
    at_desk.goto("/contacts/")
    at_desk.keyboard.type("ccZoe Fast", delay=25)
    at_desk.keyboard.press("Tab")
    at_desk.keyboard.type("zoe@fast.example", delay=25)
    expect(at_desk.get_by_label("Email", exact=True)).to_have_value("zoe@fast.example")
    expect(at_desk.get_by_label("Email", exact=True)).to_be_focused()
    at_desk.keyboard.press("Control+Enter")
    at_desk.wait_for_url(re.compile(r"/contacts/\d+/$"))
    body = standin.ledger(operation="create")[-1]["body"]
    assert (body["cstname"], body["cstemail"]) == ("Zoe Fast", "zoe@fast.example")


@pytest.mark.parametrize("gap", GAPS)
def test_a_customer_is_looked_up_and_lines_work_on_a_form_opened_by_keys(
    at_desk, gateway, gap, standin
):
    gateway.create(CONTACTS, {"cstname": "Zzyzx Trading", "contact_type": 2})
    at_desk.add_init_script(SLOW % 700)
    at_desk.goto("/invoices/")
    at_desk.keyboard.type("cizzyz", delay=gap)
    expect(at_desk.get_by_role("option", name="Zzyzx Trading").first).to_be_visible()
    at_desk.wait_for_timeout(500)
    at_desk.keyboard.press("Enter")
    at_desk.keyboard.type("Consulting hour")
    at_desk.wait_for_timeout(500)
    at_desk.keyboard.press("Enter")
    at_desk.keyboard.type("2")
    at_desk.keyboard.press("Control+Enter")
    at_desk.wait_for_url(re.compile(r"/invoices/\d+/$"))
    line = standin.ledger(operation="create", resource="invoices")[-1]["body"]["items"][0]
    assert (line["item_id"], line["quantity"]) == (501, 2)


@pytest.mark.parametrize("gap", GAPS)
def test_names_behind_save_and_new_are_whole(at_desk, gap, standin):
    at_desk.add_init_script(SLOW % 700)
    at_desk.goto("/leads/")
    at_desk.keyboard.type("cl", delay=gap)
    for name in ("Ada One", "Ada Two", "Ada Three"):
        at_desk.keyboard.type(name, delay=gap)
        expect(name_field(at_desk)).to_have_value(name)
        at_desk.keyboard.press("Control+Shift+Enter")
    expect(at_desk.locator("#messages")).to_contain_text("Lead Ada Three was created")
    created = [entry["body"]["cstname"] for entry in standin.ledger(operation="create")]
    assert created == ["Ada One", "Ada Two", "Ada Three"]


def test_escape_stays_on_the_page(at_desk):
    at_desk.add_init_script(SLOW % 3000)
    at_desk.goto("/contacts/")
    at_desk.keyboard.type("cczoe")
    at_desk.keyboard.press("Escape")
    expect(at_desk.locator("textarea.unseen")).to_have_count(0)
    at_desk.wait_for_timeout(3500)
    assert at_desk.url.endswith("/contacts/")
    expect(at_desk.get_by_role("heading", level=1)).to_contain_text("Contacts")


def test_back_and_forward_show_the_page_of_the_address(at_desk):
    at_desk.goto("/contacts/")
    at_desk.keyboard.type("cczoe")
    expect(name_field(at_desk)).to_have_value("zoe")
    at_desk.go_back()
    expect(at_desk.get_by_role("heading", level=1)).to_contain_text("Contacts")
    at_desk.go_forward()
    expect(at_desk.get_by_role("heading", level=1)).to_have_text("New contact")
    expect(at_desk.locator(".draft-offer")).to_contain_text("zoe")
    at_desk.go_back()
    expect(at_desk.get_by_role("heading", level=1)).to_contain_text("Contacts")


def test_without_a_network_the_page_stays_and_says_so(at_desk, console):
    at_desk.goto("/contacts/")
    at_desk.evaluate("Promise.all([import('change_page'), import('session')])")
    at_desk.context.set_offline(True)
    at_desk.keyboard.type("ccozoe")
    expect(at_desk.locator("#alerts")).to_contain_text("reach Entry Desk")
    expect(at_desk.locator("#alerts a")).to_be_focused()
    icon = at_desk.locator("#alerts .notice > svg use")
    assert icon.evaluate("each => each.getBBox().width") > 0, "drawn as in other notices"
    at_desk.context.set_offline(False)
    at_desk.keyboard.press("Enter")
    at_desk.keyboard.type(" fast")
    expect(name_field(at_desk)).to_have_value("ozoe fast")
    console.clear()


def test_escape_behind_save_and_new_leads_to_the_next_form(at_desk, standin):
    at_desk.add_init_script(SLOW % 300)
    at_desk.goto("/contacts/new/")
    at_desk.wait_for_load_state("networkidle")
    at_desk.keyboard.type("Zebra")
    at_desk.keyboard.press("Control+Shift+Enter")
    at_desk.keyboard.press("Escape")
    expect(at_desk.locator("[data-sent]")).to_have_count(0)
    expect(name_field(at_desk)).to_have_value("")
    assert [entry["body"]["cstname"] for entry in standin.ledger(operation="create")] == ["Zebra"]


def test_back_from_a_part_of_a_form_keeps_what_is_typed(at_desk):
    at_desk.goto("/contacts/")
    at_desk.keyboard.type("cc", delay=60)
    expect(name_field(at_desk)).to_be_focused()
    at_desk.keyboard.type("Zebra")
    at_desk.evaluate("location.hash = 'main'")
    at_desk.go_back()
    expect(name_field(at_desk)).to_have_value("Zebra")
    assert at_desk.url.endswith("/contacts/new/")


@pytest.mark.parametrize("gap", GAPS)
def test_keys_behind_a_key_that_goes_to_a_list_act_there(at_desk, gap):
    """The page at hand takes none of them: the next one searches for the name."""
    slow_page(at_desk, "**/invoices/", 4000)
    at_desk.goto("/contacts/")
    at_desk.keyboard.type(f"giq{NAME}", delay=gap)
    expect(at_desk.get_by_label("Search", exact=True)).to_have_value(NAME)
    assert "/invoices/" in at_desk.url


def test_a_key_behind_enter_on_a_record_leads_on_from_its_page(at_desk, deal):
    slow_page(at_desk, f"**/deals/{deal}/", 3000)
    at_desk.goto("/deals/?search=Roof")
    at_desk.locator("tbody th a").first.focus()
    at_desk.keyboard.press("Enter")
    at_desk.keyboard.type("tCall back", delay=60)
    expect(at_desk.get_by_label("Title")).to_have_value("Call back")
    assert "/tasks/new/" in at_desk.url


@pytest.mark.parametrize("delay", DELAYS)
@pytest.mark.parametrize(("keys", "start", "label"), [
    ("cc", "/contacts/", "Name"), ("ci", "/invoices/", "Customer"),
    ("cd", "/deals/", "Name"), ("ct", "/tasks/", "Title"),
])  # fmt: skip
def test_what_is_typed_behind_any_key_that_creates_is_whole(at_desk, keys, start, label, delay):
    at_desk.add_init_script(SLOW % delay)
    at_desk.goto(start)
    at_desk.keyboard.type(f"{keys}{NAME}", delay=25)
    expect(at_desk.get_by_role("main").get_by_label(label, exact=True)).to_have_value(NAME)


def test_a_form_that_the_browser_loads_has_the_focus_before_its_first_drawing(at_desk):
    at_desk.add_init_script(
        "addEventListener('DOMContentLoaded', () => { window.first = document.activeElement.name })"
    )
    at_desk.goto("/contacts/new/")
    assert at_desk.evaluate("first") == "cstname"
