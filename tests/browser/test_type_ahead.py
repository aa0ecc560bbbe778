"""Fields that suggest matches take only what was found for the text in them, however fast people
type and however slow or disordered the answers are; and nothing that nobody can have read yet.

TYPE_AHEAD_TRIALS: how many trials of fast typing (10); 200 take some ten minutes, and try keys
just after a list appears in every picker instead of two.
"""

import os
import random
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from dashboard.gateway import CONTACTS
from tests.browser.routes import route_open_page

TRIALS = int(os.environ.get("TYPE_AHEAD_TRIALS", "10"))
LATENCIES = (0, 0.05, 0.3, 1.5)  # seconds that the API takes to answer
NAMES = ("Contact 007", "Contact 1", "Contact 10", "Contact 11", "Zebra & Sons", "Zebra")
PICKERS = (
    ("/invoices/new/", "customer_id"),
    ("/estimates/new/", "customer_id"),
    ("/deals/new/", "cstid"),
    ("/tasks/new/", "cstid"),
    ("/deals/", "cstid"),
)
SOON = (0, 30, 60, 120)  # ms after a list appears
READING = 400  # ms after which its first option counts as read
ITEMS = {"Consulting hour": "501", "Design day": "502", "On-site visit": "504"}
# Answers to searches arrive in another order than they were asked for, even those given up.
DISORDER = """
const { fetch } = window;
const delays = [900, 30, 500, 200];
let count = 0;
window.fetch = async (url, { signal, ...options } = {}) => {
  if (!String(url).includes("/pick/")) return fetch(url, { signal, ...options });
  const delay = delays[count++ % delays.length];
  const response = await fetch(url, options);
  await new Promise((resolve) => { setTimeout(resolve, delay); });
  return response;
};
"""


@dataclass(frozen=True)
class Trial:
    """A name typed in a picker, and the key pressed at once after it. gap: ms between two keys.
    opened: a list for the empty field is open before. retyped: another contact is chosen before.
    rolling: each key is released only when the next one is down.
    """

    url: str
    field: str
    name: str
    key: str
    gap: int
    opened: bool
    retyped: bool
    rolling: bool


def trial(number: int) -> Trial:
    chance = random.Random(number)
    url, field = chance.choice(PICKERS)
    keys = ["Tab", "Enter", "Shift+Tab"]
    if url == "/deals/new/":
        keys += ["Control+Enter", "Save"]
    return Trial(
        url,
        field,
        chance.choice(NAMES),
        chance.choice(keys),
        gap=chance.randint(25, 140),
        opened=chance.random() < 0.6,
        retyped=chance.random() < 0.2,
        rolling=chance.random() < 0.4,
    )


@pytest.fixture
def contacts(gateway, lists):
    """The ids of contacts by name, among those of the workspace."""
    return {
        name: gateway.create(CONTACTS, {"cstname": name, "contact_type": 2}).id for name in NAMES
    }


@pytest.fixture
def slow(standin):
    """slow(seconds): how long the API takes from now on."""

    def set_latency(seconds: float) -> None:
        standin.latency = seconds

    yield set_latency
    standin.latency = 0


@pytest.fixture
def page(page, sign_in, manager, with_keys) -> Page:
    sign_in(page, with_keys(manager))
    return page


def picker_of(page: Page, field: str) -> tuple[Locator, Locator, Locator]:
    """The text, the hidden input with the id, and the note of a picker."""
    picker = page.locator(f"record-picker[data-name={field}]")
    parts = (picker.locator(part) for part in ("[type=text]", "[data-chosen]", "[role=status]"))
    text, chosen, note = parts
    return text.first, chosen, note


def type_keys(page: Page, keys: list[str], *, gap: int, rolling: bool) -> None:
    held = ""
    for key in keys:
        page.keyboard.down(key)
        if held:
            page.keyboard.up(held)
        page.wait_for_timeout(gap)
        if not rolling:
            page.keyboard.up(key)
        held = key if rolling else ""
    if held:
        page.keyboard.up(held)


def is_answered(page: Page, text: Locator) -> bool:
    """Wait until the field no longer looks anything up, for a minute at most."""
    for _ in range(1200):
        page.wait_for_timeout(50)
        if text.get_attribute("aria-busy") is None:
            return True
    return False


def begin(page: Page, case: Trial) -> Locator:
    text, chosen, _ = picker_of(page, case.field)
    if case.retyped:
        text.fill("Zebra & Sons")
        page.locator("[role=option][data-id]").first.click()
        expect(chosen).not_to_have_value("")
        text.select_text()
    elif case.opened:
        text.click()
        expect(page.locator("[role=option]:visible").first).to_be_visible()
    else:
        text.focus()
    return text


def press(page: Page, case: Trial) -> None:
    modifier, _, key = case.key.rpartition("+")
    if key == "Save":
        type_keys(page, list(case.name), gap=case.gap, rolling=False)
        page.get_by_role("button", name="Save", exact=True).click()
    elif modifier:
        type_keys(page, list(case.name), gap=case.gap, rolling=False)
        page.keyboard.press(case.key)
    else:
        type_keys(page, [*case.name, key], gap=case.gap, rolling=case.rolling)


def open_filters(page: Page) -> None:
    """Open the panel that has the pickers of a list; nothing on a form."""
    for panel in page.locator(".more-filters:not([open]) > summary").all():
        panel.click()
        expect(page.locator(".more-filters[open] [data-src]")).to_have_count(0)  # it has come
    expect(page.locator("record-picker:not(:defined)")).to_have_count(0)
    expect(page.locator(".htmx-added, .htmx-settling")).to_have_count(0)


def fault_of(page: Page, case: Trial, wanted: int, standin: Any, delay: Any) -> str:
    """Type in a new page; returns what is wrong in the end, "" if nothing."""
    page.goto(case.url)
    open_filters(page)
    if case.url == "/deals/new/":
        page.get_by_label("Name", exact=True).fill("Stripes")
        page.get_by_label("Pipeline").select_option(label="Renewals")
    text = begin(page, case)
    delay()
    press(page, case)
    if case.key in ("Control+Enter", "Save"):
        page.wait_for_url(re.compile(r"/deals/\d+/$"))
        saved = standin.ledger(operation="create", resource="deals")[-1]["body"].get("cstid")
        return "" if saved == wanted else f"saved {saved} instead of {wanted}"
    if case.key != "Enter" and text.evaluate("one => one === document.activeElement"):
        return "Tab did not move the focus"
    if not is_answered(page, text):
        return "still looks the name up"
    found = page.locator(f"record-picker[data-name={case.field}] [data-chosen]").input_value()
    shown = text.input_value()
    return "" if (found, shown) == (str(wanted), case.name) else f"chose {found!r}, shows {shown!r}"


@pytest.mark.parametrize("latency", [*LATENCIES, "disorder"])
def test_typing_fast_never_takes_another_contact(page, contacts, standin, slow, latency):
    arms = (*LATENCIES, "disorder")
    if latency == "disorder":
        page.add_init_script(DISORDER)
    wrong = []
    for number in range(arms.index(latency), TRIALS, len(arms)):
        case = trial(number)
        slow(0)
        fault = fault_of(
            page,
            case,
            contacts[case.name],
            standin,
            lambda: slow(0 if latency == "disorder" else latency),
        )
        if fault:
            wrong.append((fault, case))
    assert not wrong, f"{len(wrong)}: {wrong}"


@pytest.mark.parametrize("key", ["Tab", "Enter"])
def test_an_item_typed_fast_is_the_item_of_that_name(page, contacts, key):
    page.goto("/estimates/new/")
    for number, (name, item_id) in enumerate(ITEMS.items(), 1):
        page.get_by_label(f"Item, line {number}", exact=True).focus()
        type_keys(page, [*name, key], gap=25, rolling=number > 1)
        expect(page.get_by_label(f"Item, line {number}", exact=True)).to_have_value(name)
        expect(page.get_by_label(f"Quantity, line {number}", exact=True)).to_be_focused()
        assert page.locator("[name$=-item_id]").nth(number - 1).input_value() == item_id


def stop_clock(page: Page) -> None:
    """From now on the page's time passes only by page.clock.run_for()."""
    page.clock.install()
    page.clock.pause_at(datetime.now(UTC) + timedelta(hours=1))


def list_matches(page: Page, text: Locator, typed: str) -> Locator:
    """Type in a page whose clock stands still; returns the first of several matches just shown."""
    text.fill(typed)
    page.clock.run_for(300)  # the pause before a search
    first = page.locator("[role=option]:visible").first
    expect(first).to_have_attribute("aria-selected", "true")
    page.clock.run_for(50)  # the list is painted
    return first


def chosen_in(page: Page, field: str) -> str:
    picker = page.locator(f"record-picker[data-name={field}]")
    return picker.evaluate("one => one.chosenId ?? ''")


@pytest.mark.parametrize(("url", "field"), PICKERS if TRIALS > 10 else PICKERS[::4])
def test_a_key_just_after_the_matches_appear_takes_none(page, contacts, url, field):
    page.goto(url)
    open_filters(page)
    stop_clock(page)
    text, _, note = picker_of(page, field)
    for wait in SOON:
        list_matches(page, text, "ebra")
        page.clock.run_for(wait)
        page.keyboard.press("Tab")
        expect(note).to_have_text(re.compile("^Not chosen."))
        expect(text).not_to_be_focused()
        first = list_matches(page, text, "Zebr")
        page.clock.run_for(wait)
        page.keyboard.press("Enter")
        expect(first).to_be_visible()  # neither chosen nor sent
        assert chosen_in(page, field) == ""


def test_a_match_is_taken_once_it_is_read_or_reached_by_an_arrow(page, contacts):
    page.goto("/deals/new/")
    stop_clock(page)
    text, chosen, _ = picker_of(page, "cstid")
    first = list_matches(page, text, "ebra")
    read = first.get_attribute("data-id")
    page.clock.run_for(READING)
    page.keyboard.press("Enter")
    expect(chosen).to_have_value(read)
    list_matches(page, text, "Zebr")
    page.keyboard.press("ArrowDown")
    reached = page.locator("[role=option][aria-selected=true]").get_attribute("data-id")
    page.keyboard.press("Tab")
    expect(chosen).to_have_value(reached)
    assert reached != read


@pytest.mark.parametrize("key", ["Tab", "Enter"])
def test_a_key_just_after_items_appear_takes_none(page, contacts, key):
    page.goto("/estimates/new/")
    stop_clock(page)
    item = page.get_by_label("Item, line 1", exact=True)
    item_id = page.locator("[name$=-item_id]").first
    for wait in SOON:
        item.fill("")
        item.fill("on")  # in several names
        expect(page.locator("#item-list [role=option]")).not_to_have_count(2)
        page.clock.run_for(50 + wait)
        page.keyboard.press(key)
        expect(item).to_have_value("on")
        expect(item_id).to_have_value("")
    item.fill("")
    item.fill("on")
    page.clock.run_for(50 + READING)
    page.keyboard.press(key)
    expect(item_id).not_to_have_value("")


def test_several_matches_that_nobody_saw_are_not_chosen_from(page, contacts, axe):
    page.goto("/deals/new/")
    text, chosen, note = picker_of(page, "cstid")
    text.focus()
    type_keys(page, [*"ebra", "Tab"], gap=25, rolling=False)
    expect(note).to_have_text("Not chosen. 2 matches.")
    expect(note).to_be_in_viewport()
    expect(chosen).to_have_value("")
    axe(page)
    text.select_text()
    type_keys(page, [*"zebr", "Enter"], gap=25, rolling=False)
    first = page.get_by_role("option").first
    expect(first).to_have_attribute("aria-selected", "true")
    expect(chosen).to_have_value("")
    record_id, title = (first.get_attribute(f"data-{name}") for name in ("id", "title"))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(chosen).to_have_value(str(record_id))
    expect(note).to_have_text(f"{title} is chosen.")


def test_enter_pressed_twice_goes_on_and_the_contact_is_chosen_behind(page, contacts, slow):
    page.goto("/invoices/new/")
    text, chosen, _ = picker_of(page, "customer_id")
    text.focus()
    slow(0.5)
    type_keys(page, [*"contact 007", "Enter", "Enter"], gap=25, rolling=False)
    expect(page.get_by_label("Item, line 1", exact=True)).to_be_focused()
    page.keyboard.type("des")
    expect(chosen).to_have_value(str(contacts["Contact 007"]))
    expect(text).to_have_value("Contact 007")
    expect(page.get_by_label("Item, line 1", exact=True)).to_have_value("des")


def test_enter_in_a_list_opened_by_a_click_chooses_nothing(page, contacts):
    page.goto("/invoices/new/")
    text, chosen, _ = picker_of(page, "customer_id")
    text.click()
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Item, line 1", exact=True)).to_be_focused()
    expect(chosen).to_have_value("")


def test_a_text_can_be_left_unmatched(page, contacts, slow):
    page.goto("/deals/new/")
    text, chosen, note = picker_of(page, "cstid")
    text.focus()
    slow(0.3)
    type_keys(page, [*"zebra", "Enter", "Escape", "Tab"], gap=25, rolling=False)
    expect(note).to_have_text(re.compile("^Not chosen."))
    page.wait_for_timeout(700)
    assert (text.input_value(), chosen.input_value()) == ("zebra", "")


def test_a_failed_search_releases_enter_and_shows_a_message(page, contacts, standin, console):
    page.goto("/deals/new/")
    text, chosen, note = picker_of(page, "cstid")
    text.click()
    expect(page.get_by_role("option").first).to_be_visible()
    standin.fault("status-500", operation="list")
    type_keys(page, [*"contact 007", "Enter"], gap=25, rolling=False)
    expect(note).to_contain_text("Keep typing.")
    expect(note).to_be_in_viewport()
    assert (text.input_value(), chosen.input_value()) == ("contact 007", "")
    standin.clear_faults()
    page.wait_for_timeout(300)
    expect(chosen).to_have_value("")  # the key was released
    text.select_text()
    type_keys(page, [*"Contact 007", "Enter"], gap=25, rolling=False)
    expect(chosen).to_have_value(str(contacts["Contact 007"]))


def test_a_list_of_another_company_is_outdated(page, contacts, gateway):
    zoe = gateway.create(CONTACTS, {"cstname": "Zoe Zorn", "contact_type": 1}).id
    page.goto("/deals/new/")
    company, company_id, _ = picker_of(page, "cstid")
    person, person_id, _ = picker_of(page, "deal_contact_id")
    held: list[Any] = []
    route_open_page(page, "**/pick/?*q=Zebra", lambda route: held.append(route))
    company.focus()
    type_keys(page, [*"Zebra", "Tab"], gap=25, rolling=False)
    person.focus()
    page.keyboard.type("zoe")
    expect(page.get_by_role("option", name="Zoe Zorn")).to_be_visible()
    held[0].continue_()
    expect(company_id).to_have_value(str(contacts["Zebra"]))
    with page.expect_request(f"**/pick/?*within={contacts['Zebra']}"):
        page.keyboard.press("Tab")
    expect(person_id).to_have_value(str(zoe))
    expect(person).to_have_value("Zoe Zorn")


def test_a_record_created_too_late_is_not_chosen(page, contacts):
    page.goto("/deals/new/")
    text, chosen, note = picker_of(page, "cstid")
    text.focus()
    page.keyboard.type("Giraffe Ltd")
    expect(page.get_by_role("option", name="Create “Giraffe Ltd”")).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#id_cstid-new-cstname")).to_be_focused()
    held: list[Any] = []
    route_open_page(page, "**/pick/new/**", lambda route: held.append(route))
    with page.expect_request("**/pick/new/**"):
        page.keyboard.press("Enter")
    text.fill("Contact 007")
    page.keyboard.press("Tab")
    expect(chosen).to_have_value(str(contacts["Contact 007"]))
    with page.expect_response("**/pick/new/**"):
        held[0].continue_()
    expect(note).to_have_text("Giraffe Ltd was created, but is not chosen here.")
    assert chosen.input_value() == str(contacts["Contact 007"])
    assert text.input_value() == "Contact 007"
