"""Keyboard use of lists, and returning to a list."""

import re
from decimal import Decimal

import pytest
from playwright.sync_api import Page, Route, expect

from dashboard.gateway import CONTACTS, LEADS
from tests.browser.routes import route_open_page

PHONE = 360
LISTS = ("contacts", "leads", "deals", "tasks", "estimates", "invoices")
IS_ON_TOP = """cell => {
  const { x, y, width } = cell.getBoundingClientRect();
  return cell.contains(document.elementFromPoint(x + width / 2, y + 4));
}"""


def test_a_phone_shows_every_list_with_filters_without_sideways_scrolling(
    new_page, sign_in, manager, with_keys, axe
):
    page = new_page(PHONE)
    sign_in(page, with_keys(manager))
    for name in LISTS:
        page.goto(f"/{name}/?search=a")
        axe(page)
        page.locator(".more-filters > summary").click()
        expect(page.locator(".filter").first).to_be_visible()
        axe(page)
        page.keyboard.press("Escape")
        if page.locator("[name=chosen]").count():
            page.locator("[name=chosen]").first.check()
            expect(page.locator("#bulk")).to_be_visible()
            axe(page)


def test_a_row_has_two_lines_on_a_phone_and_a_touch_anywhere_in_it_opens_its_record(desk_page):
    page = desk_page("/", width=PHONE, height=740, has_touch=True, is_mobile=True)
    for name in LISTS:
        page.goto(f"/{name}/?view=all", wait_until="networkidle")
        heights = [each.bounding_box()["height"] for each in page.locator("tbody tr").all()]
        assert min(heights) == max(heights) <= 64, name
    row = page.locator("tbody tr").first
    row.tap(position={"x": row.bounding_box()["width"] / 2, "y": 6})
    page.wait_for_url(re.compile(r"/invoices/\d+/"))
    page.goto("/tasks/")
    status = page.locator("tbody .status").first
    expect(status).to_be_hidden()  # the filter says it
    page.goto("/tasks/?view=all")
    expect(status).to_be_visible()


def test_rows_are_one_line_high_and_begin_near_the_top(desk_page):
    page = desk_page("/contacts/", width=1280)
    for name in LISTS:
        page.goto(f"/{name}/?view=all", wait_until="networkidle")
        rows = [each.bounding_box() for each in page.locator("tbody tr").all()]
        assert rows[0]["y"] <= 140, name
        assert max(each["height"] for each in rows) <= 41, name


def test_another_page_of_a_list_is_shown_from_its_top(desk_page):
    page = desk_page("/contacts/?size=25")
    page.get_by_role("link", name="Page 2").click()
    expect(page.locator(".page-item.active")).to_have_text("2")
    expect(page.locator("#results")).to_be_in_viewport()
    top = "document.querySelector('#results').getBoundingClientRect().top"
    assert 0 <= page.evaluate(top) < 200


def test_the_head_of_a_list_stays_in_sight(desk_page):
    page = desk_page("/invoices/?view=all&size=50", width=1280)
    head = page.locator("[data-results] thead th").last
    page.evaluate("scrollTo(0, 400)")
    assert page.evaluate("scrollY") == 400
    assert head.bounding_box()["y"] == 0
    assert head.evaluate(IS_ON_TOP)


def test_the_sum_of_the_chosen_rows_follows_them(desk_page, axe):
    page = desk_page("/invoices/")
    amounts = page.locator("tbody td.num:last-child").all_inner_texts()
    said = page.locator("[data-sum]")
    for number in (1, 2):
        page.keyboard.type("jx")
        total = sum(Decimal(each.replace(",", "")) for each in amounts[:number])
        expect(said).to_have_text(f"Balance due {total:,.2f}")
    axe(page)
    foot = page.locator(".foot-line")
    expect(foot).to_contain_text("on this page")
    foot.get_by_role("button").click()
    expect(foot).not_to_contain_text("on this page")
    page.set_viewport_size({"width": 320, "height": 800})
    bar = page.locator(".bulk")
    assert bar.evaluate("bar => bar.scrollWidth <= bar.clientWidth")


def test_filters_open_by_a_key_and_close_by_escape(desk_page, axe):
    page = desk_page("/invoices/")
    expect(page.locator(".filter").first).to_be_hidden()
    page.keyboard.press("f")
    expect(page.get_by_label("Status", exact=True)).to_be_focused()
    axe(page)
    page.get_by_label("Status", exact=True).select_option(index=1)
    expect(page.locator(".chip")).to_have_count(1)  # the panel stays, for another one
    expect(page.get_by_label("Status", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".filter").first).to_be_hidden()
    expect(page.locator(".more-filters > summary")).to_be_focused()
    page.locator(".chip").click()
    page.wait_for_url("**/invoices/")
    expect(page.locator(".chip")).to_have_count(0)


def test_rows_are_selected_by_keyboard_and_the_list_keeps_its_state(desk_page):
    page = desk_page("/contacts/?size=10&page=2")
    rows = page.locator("[data-results] tbody th a")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(rows.nth(1)).to_be_focused()
    marked = page.locator("[data-results] tbody tr").nth(1)
    expect(marked).not_to_have_css("background-color", "rgba(0, 0, 0, 0)")
    page.keyboard.press("k")
    expect(marked).to_have_css("background-color", "rgba(0, 0, 0, 0)")
    expect(rows.nth(0)).to_be_focused()
    page.keyboard.press("j")
    left = rows.nth(1).get_attribute("href")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{left}")
    page.get_by_role("navigation", name="Breadcrumb").get_by_role("link").first.click()
    page.wait_for_url("**/contacts/?size=10&page=2")
    expect(page.locator(f'[data-results] a[href="{left}"]')).to_be_focused()


def test_the_browser_goes_back_to_the_row_that_was_opened(desk_page):
    page = desk_page("/contacts/?size=25")
    page.get_by_role("link", name="Page 2", exact=True).click()
    page.wait_for_url("**page=2")
    row = page.locator("[data-results] tbody th a").nth(20)
    path = row.get_attribute("href")
    row.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{path}")
    expect(page.locator(".crumb .steps-in")).to_have_text(re.compile(r"^46 of \d+\W+$"))
    page.go_back()
    page.wait_for_url("**page=2")
    expect(page.locator(f'[data-results] tbody th a[href="{path}"]')).to_be_focused()
    expect(page.locator(f'[data-results] tbody th a[href="{path}"]')).to_be_in_viewport()


def test_a_failed_list_says_what_it_shows_and_recovers(desk_page, console):
    page = desk_page("/contacts/")
    route_open_page(page, "**/contacts/?*", lambda route: route.abort())
    page.get_by_role("link", name="50 rows per page").click()
    alert, stale, results = page.locator("#alerts"), page.locator("[data-stale]"), "#results"
    expect(alert).to_contain_text("reach Entry Desk")
    again = alert.get_by_role("link", name="Try again")
    expect(again).to_have_attribute("href", "/contacts/?size=50")
    expect(stale).to_have_text(re.compile(r"Showing what was read at \d\d:\d\d\."))
    expect(page.locator(results)).not_to_have_attribute("aria-busy", "true")
    assert console
    console.clear()  # the aborted request
    page.unroute("**/contacts/?*")
    page.get_by_role("link", name="50 rows per page").click()
    page.wait_for_url("**/contacts/?size=50")
    expect(alert).to_be_empty()
    expect(stale).to_be_hidden()
    expect(page.locator(":focus")).to_have_text("50")


def test_a_phone_sorts_by_a_select_that_keeps_the_focus(desk_page, axe):
    page = desk_page("/deals/?pipeline_id=1", width=PHONE)
    assert page.locator("thead a").evaluate_all("all => all.every((a) => !a.checkVisibility())")
    expect(page.locator(".chips .chip")).to_have_count(1)
    page.get_by_label("Sort").focus()
    page.keyboard.press("a")  # one key: after a change the list and its select are replaced
    page.wait_for_url("**/deals/?pipeline_id=1&sort=deal_amount")
    turn = page.get_by_role("link", name="Ascending, reverse")
    expect(turn).to_be_visible()  # in the new list only
    expect(page.get_by_label("Sort")).to_be_focused()
    page.keyboard.press("Tab")
    expect(turn).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/deals/?pipeline_id=1&sort=deal_amount&order=desc")
    expect(page.get_by_role("link", name="Descending, reverse")).to_be_focused()
    axe(page)


@pytest.mark.parametrize("width", [320, 1280])
def test_days_of_a_filter_are_typed(desk_page, axe, width):
    page = desk_page("/tasks/", width=width)
    page.keyboard.press("f")
    expect(page.get_by_label("Status", exact=True)).to_be_focused()
    page.get_by_label("Due", exact=True).select_option(label="Between two days")
    page.get_by_label("Due from", exact=True).focus()
    page.keyboard.type("2/3/2026")
    page.keyboard.press("Tab")
    expect(page.locator("#filter-due_from-said")).to_have_text("Mon 2 Mar 2026")
    page.wait_for_url("**/tasks/?*due=2026-03-02..*")
    page.keyboard.type("soon")
    page.keyboard.press("Enter")
    expect(page.locator("#results .notice")).to_contain_text("“soon” isn't a valid date")
    expect(page.locator("#filter-due_to-said")).to_contain_text("“soon” isn't a valid date")
    expect(page.locator("tbody tr")).to_have_count(0)
    expect(page.locator("body")).not_to_be_focused()
    axe(page)
    page.reload()
    page.keyboard.press("f")
    expect(page.get_by_label("Due until", exact=True)).to_have_value("soon")
    axe(page)


def test_a_day_that_is_typed_before_its_script_has_come_is_read(page, sign_in, editor, with_keys):
    sign_in(page, with_keys(editor))
    late: list[Route] = []
    page.route("**/days*.js", lambda route: late.append(route))
    with page.expect_request("**/days*.js"):
        page.goto("/tasks/")
    page.keyboard.press("f")
    page.get_by_label("Due", exact=True).select_option(label="Between two days")
    page.get_by_label("Due from", exact=True).fill("2/3/2026")
    page.keyboard.press("Tab")
    page.wait_for_url("**/tasks/?*due=2026-03-02..*")
    expect(page.locator("#filter-due_from-said")).to_have_text("")
    for route in late:
        route.continue_()
    expect(page.locator("#filter-due_from-said")).to_have_text("Mon 2 Mar 2026")


def test_a_view_that_is_chosen_goes_on_to_its_first_row(desk_page):
    page = desk_page("/tasks/")
    expect(page.locator("body")).to_be_focused()
    for view in ("Overdue", "Open"):
        views = page.get_by_role("navigation", name="Views", exact=True)
        views.get_by_role("link", name=re.compile(f"^{view}")).press("Enter")
        expect(page.locator("#views [aria-current=page]")).to_have_text(re.compile(f"^{view}"))
        expect(page.locator("[data-results] tbody th a").first).to_be_focused()


def test_a_view_is_saved_changed_and_left_by_keyboard(desk_page, axe):
    page = desk_page("/deals/?pipeline_id=2")
    page.get_by_role("link", name="Save as view").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/deals/views/save/?pipeline_id=2")
    axe(page)
    page.get_by_label("Name").focus()
    page.keyboard.type("Renewals")
    page.keyboard.press("Enter")
    page.wait_for_url("**/deals/?pipeline_id=2&view=v*")
    views = page.get_by_role("navigation", name="Views")
    expect(views.get_by_role("link", name="Renewals")).to_have_attribute("aria-current", "page")
    page.keyboard.press("f")
    page.locator("#filter-pipeline_id").focus()
    page.keyboard.press("ArrowUp")
    expect(page.locator("#views")).to_contain_text("Modified")
    expect(page.locator("#filter-pipeline_id")).to_be_focused()
    page.keyboard.press("Escape")  # the panel would cut a link below it
    expect(page.locator("#filter-pipeline_id")).to_be_hidden()
    axe(page)
    page.get_by_role("link", name="Reset", exact=True).focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/deals/?pipeline_id=2&view=v*")
    expect(page.locator("#views")).not_to_contain_text("Modified")


@pytest.mark.parametrize("width", [320, 1280])
def test_columns_are_chosen_and_ordered_by_keyboard(desk_page, axe, width):
    page = desk_page("/deals/?size=10", width=width)
    page.locator(".columns > summary").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".columns li").first).to_have_css("list-style-type", "none")
    source = page.get_by_role("checkbox", name="Source")
    source.focus()
    page.keyboard.press("Space")
    heads = page.locator("thead th")
    expect(heads.last).to_have_text("Source")
    expect(source).to_be_focused()
    page.get_by_role("button", name="Move Source up").focus()
    page.keyboard.press("Enter")
    expect(heads.nth(-2)).to_have_text("Source")
    expect(page.get_by_role("button", name="Move Source up")).to_be_focused()
    page.get_by_label("Compact rows").focus()
    page.keyboard.press("Space")
    page.wait_for_url("**rows=compact**")
    expect(page.get_by_label("Compact rows")).to_be_focused()
    axe(page)
    assert "deal_source" in page.url
    page.keyboard.press("Escape")
    expect(page.locator(".columns > summary")).to_be_focused()
    expect(source).to_be_hidden()
    if width > 1000:
        assert page.locator("tbody tr").first.bounding_box()["height"] <= 33


def test_values_of_replaced_rows_are_no_longer_asked_for(page, sign_in, editor, with_keys):
    sign_in(page, with_keys(editor))
    page.route("**/deals/cells/**", lambda _: None)  # it gets no answer
    with page.expect_request("**/deals/cells/**"):
        page.goto("/deals/?size=10")
    with page.expect_event("requestfailed", lambda asked: "/deals/cells/" in asked.url):
        page.get_by_role("link", name="50 rows per page").click()
    page.wait_for_url("**size=50**")


@pytest.mark.parametrize("width", [320, 1280])
def test_filters_that_the_service_lacks_are_accessible(
    new_page, sign_in, editor, with_keys, axe_in_looks, width
):
    page = new_page(width=width)
    sign_in(page, with_keys(editor))
    for address in ("/deals/?least=100&closes=past", "/invoices/?due=unpaid", "/leads/?email=none"):
        page.goto(address)
        page.locator(".more-filters > summary").click()
        expect(page.locator(".list-foot")).to_contain_text("shown")
        # The open sheet may end over a part of what is below a short list, which is too small then.
        page.locator(".list-foot").evaluate("(foot) => foot.remove()")
        axe_in_looks(page)


@pytest.mark.parametrize("width", [1280, 1100])
def test_what_is_cut_is_told(desk_page, gateway, width):
    long = "Featherstonehaugh International Consulting and Trading Partnership of the North"
    gateway.create(LEADS, {"cstname": long, "cstemail": "f@zebra.example", "lead_source": long})
    page = desk_page("/leads/", width=width)
    cut = page.locator("td .one", has_text=long)
    cut.hover()
    expect(cut).to_have_attribute("title", long)
    name = page.locator("th .one", has_text=long)
    name.get_by_role("link").focus()
    assert name.evaluate("each => each.scrollTop") == 0, "its first line stays where it is"
    name.get_by_role("link").evaluate("each => each.scrollIntoView({ block: 'end' })")
    assert name.evaluate("each => each.scrollTop") == 0


def test_leaving_the_search_asks_for_nothing_again(desk_page):
    page = desk_page("/contacts/")
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url) if "search=" in one.url else None)
    page.get_by_label("Search", exact=True).fill("a")
    page.wait_for_url("**/contacts/?search=a")
    page.locator(".more-filters > summary").click()
    page.get_by_label("Type").select_option("2")
    page.wait_for_url("**/contacts/?search=a&type=2")
    assert len(asked) == 2


def hold_panel(page: Page) -> list[Route]:
    """Let the contents of panels wait until they are continued."""
    held: list[Route] = []
    page.route("**/panel/*", lambda route: held.append(route))  # Playwright sets attributes on it
    return held


def open_slowly(page: Page, key: str, typed: str) -> None:
    """Press a key of a panel, and type while its contents are under way."""
    held = hold_panel(page)
    with page.expect_request("**/panel/*"):
        page.keyboard.press(key)
    page.keyboard.type(typed)
    held[0].continue_()


def test_what_is_typed_before_the_filters_are_there_goes_into_them(desk_page):
    page = desk_page("/invoices/")
    open_slowly(page, "f", "paid\t")
    expect(page.get_by_label("Status", exact=True)).not_to_be_focused()
    expect(page.locator(".chip")).to_contain_text("Paid")
    assert page.url.partition("?")[0].endswith("/invoices/")


def test_a_customer_typed_before_the_filters_are_there_is_looked_for(desk_page, gateway):
    gateway.create(CONTACTS, {"cstname": "Zzyzx Trading", "contact_type": 2})
    page = desk_page("/invoices/?due=overdue")
    open_slowly(page, "w", "zzy")
    page.get_by_role("option", name="Zzyzx Trading").first.click()
    page.wait_for_url("**/invoices/?*cstid=*")
    assert "due=overdue" in page.url


def test_escape_closes_a_panel_that_has_not_come(desk_page):
    page = desk_page("/invoices/")
    held = hold_panel(page)
    with page.expect_request("**/panel/*"):
        page.keyboard.press("f")
    page.keyboard.press("Escape")
    held[0].continue_()
    expect(page.locator(".more-filters")).not_to_have_attribute("open", "")
    expect(page.locator("body")).to_be_focused()


def test_filters_that_did_not_come_are_asked_for_again(desk_page, console):
    page = desk_page("/invoices/?due=overdue")
    page.route("**/panel/*", lambda route: route.abort())
    page.keyboard.press("f")
    expect(page.locator("#alerts")).to_contain_text("reach Entry Desk")
    page.get_by_label("Search", exact=True).fill("a")
    page.wait_for_url(re.compile(r"/invoices/\?search=a&due=overdue"))
    page.unroute("**/panel/*")
    page.locator("h1").click()
    page.keyboard.press("f")
    expect(page.get_by_label("Status", exact=True)).to_be_focused()
    console.clear()
