"""Boxes of pages have the size and the place that reading them takes: one table for all pages."""

from collections.abc import Iterator
from datetime import timedelta

from django.utils import timezone
from playwright.sync_api import expect

from dashboard.gateway import CONTACTS, DEALS, ESTIMATES, LEADS
from dashboard.resources import BY_NAME

PAGE = "() => document.documentElement.scrollWidth <= innerWidth"
FITS = "all => all.every((each) => each.scrollWidth <= each.clientWidth)"
IS_WHOLE = "all => all.every((each) => each.scrollHeight <= each.clientHeight)"
HAS_GAPS = """rows => rows.every((row) => row.querySelector(".sum").getBoundingClientRect().left
  - row.querySelector("th").getBoundingClientRect().right >= 4)"""
TEXT_FITS = """cells => cells.every((cell) => {
  const text = document.createRange();
  text.selectNodeContents(cell.lastChild);
  return text.getBoundingClientRect().right <= cell.getBoundingClientRect().right + 1;
})"""
BOXES = "all => all.map((each) => JSON.stringify(each.getBoundingClientRect()))"
COLUMNS = ",".join(column.name for column in BY_NAME["deals"].offered_columns[1:])
EMAIL = "bartosz.lewandowski@example.com"
LONG = "Featherstonehaugh International Consulting and Trading Partnership of the North"


def at_most(pixels: int, side: str = "height") -> str:
    return f"all => all.every((each) => each.getBoundingClientRect().{side} <= {pixels})"


def in_line(side: str) -> str:
    return f"all => new Set(all.map((each) => each.getBoundingClientRect().{side})).size === 1"


def rows() -> Iterator[tuple[str, int, str, str]]:
    """Address, width of the window, selector, and the rule that what it finds follows."""
    for name in BY_NAME:
        yield f"/{name}/?view=all", 1280, "html", PAGE
        yield f"/{name}/?view=all", 1280, "tbody", at_most(140, "top")
        yield f"/{name}/", 1280, "[data-results] .scroll", FITS
        yield f"/{name}/", 1100, "[data-results] .scroll", FITS
    for name in ("deals", "estimates", "invoices"):
        yield f"/{name}/?view=all", 360, "tfoot :is(th, .num):visible", FITS
        yield f"/{name}/?view=all", 360, "tbody tr:has(.sum:not(:empty))", HAS_GAPS
    yield "/leads/", 1280, f"td .one:has-text('{EMAIL}')", IS_WHOLE
    yield "/leads/", 1280, f"td .one:has-text('{LONG}')", at_most(50)
    yield "/leads/?search=zebra", 360, "tbody .meta:visible", at_most(24)
    yield "/estimates/?view=all", 360, "tbody .one:visible", at_most(48)
    yield "/deals/?least=100&closes=past", 1280, ".chips .chip .cut >> nth=-1", FITS
    yield f"/deals/?columns={COLUMNS}", 1280, "html", PAGE
    for width in (360, 1280):
        card = ".card:has-text('Stripes')"
        yield "/deals/board/?pipeline=1", width, f"{card} .closes, {card} .num", FITS
        yield "/deals/board/?pipeline=1", width, f"{card} .closes", at_most(20)
    for width in (320, 1280):
        yield "/contacts/{custom}/", width, "html", PAGE
        yield "/contacts/{custom}/", width, "text=002951", at_most(32)
    for page in ("merge/?other={second}", "edit/", "statement/"):
        yield "/contacts/{first}/" + page, 360, "html", PAGE
    yield "/", 1280, "#block-tasks td.state", TEXT_FITS
    yield "/search/?q=INV", 1280, ".rows .num", in_line("right")
    yield "/estimates/new/", 1280, "[data-line-table] tbody", at_most(40)
    yield "/estimates/{headed}/edit/", 1280, "tbody[data-line] .line-amount", in_line("left")
    yield "/invoices/new/", 360, ".savebar", at_most(56)


def made(gateway) -> dict[str, int]:
    """Records with long and other odd texts; the ids of those that have a row of the table."""
    gateway.create(LEADS, {"cstname": LONG, "cstemail": EMAIL, "lead_company_name": LONG})
    lead = {"cstname": "Zoe", "lead_company_name": "Zebra Transport and Storage"}
    gateway.create(LEADS, {**lead, "cstemail": "zoe.zebra@zebra.example"})
    custom = {"Preferred language": "Deutsch", "Account no.": "002951"}
    bodies = {
        "first": {"cstname": "N" * 100, "cstemail": f"{'n' * 51}@zebra.example"},
        "second": {"cstname": "M" * 100, "cstemail": f"{'m' * 51}@zebra.example"},
        "custom": {"cstname": "Yak", "custom_fields": custom},
    }
    ids = {
        name: gateway.create(CONTACTS, {"contact_type": 2, **body}).id
        for name, body in bodies.items()
    }
    deal = {"deal_name": "Stripes", "pipeline_id": 1, "cstid": ids["custom"]}
    closes = timezone.localdate() + timedelta(days=370)
    gateway.create(DEALS, {**deal, "deal_amount": 136794.03, "deal_expected_close_date": closes})
    line = {"item_id": 501, "item_name": "Work", "quantity": 1, "price": 10, "type": "item"}
    lines = [{**line, "type": "header", "item_name": "Phase 1"}, line]
    estimate = {"customer_id": ids["custom"], "template_id": 11, "items": lines}
    return ids | {"headed": gateway.create(ESTIMATES, estimate).id}


def test_each_box_fits(desk_page, gateway, lists, subtests):
    ids, page = made(gateway), desk_page("/")
    for address, width, selector, rule in rows():
        with subtests.test(f"{address}, {width} px, {selector}"):
            page.set_viewport_size({"width": width, "height": 800})
            page.goto(address.format(**ids))
            found = page.locator(selector)
            expect(found.first).to_be_visible()
            assert found.evaluate_all(rule), found.evaluate_all(BOXES)
