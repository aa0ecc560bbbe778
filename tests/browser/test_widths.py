"""No page scrolls sideways, however long the texts of its records are."""

from collections.abc import Iterator

from dashboard.gateway import CONTACTS, DEALS, LEADS
from dashboard.schema.registry import RESOURCES

FITS = "() => document.documentElement.scrollWidth <= innerWidth"
COLUMNS = ",".join(column.name for column in RESOURCES["deals"].offered_columns[1:])
EMAIL = "bartosz.lewandowski@example.com"
LONG = "Featherstonehaugh International Consulting and Trading Partnership of the North"


def pages() -> Iterator[tuple[str, int]]:
    for name in RESOURCES:
        yield f"/{name}/?view=all", 1280
        yield f"/{name}/?view=all", 360
    yield f"/deals/?columns={COLUMNS}", 1280
    for width in (320, 1280):
        yield "/contacts/{custom}/", width
    for page in ("merge/?other={second}", "edit/", "statement/"):
        yield "/contacts/{first}/" + page, 360


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
    deal = {"deal_name": LONG, "pipeline_id": 1, "cstid": ids["custom"]}
    gateway.create(DEALS, {**deal, "deal_amount": 136794.03})
    return ids


def test_no_page_scrolls_sideways_on_a_phone_with_text_of_twice_the_size(
    desk_page, gateway, lists, subtests
):
    ids, page = made(gateway), desk_page("/", width=360)
    forms = [f"/{name}/new/" for name in RESOURCES]
    known = [f"/{name}/?view=all" for name in RESOURCES]
    others = ["/", "/tasks/agenda/", "/contacts/{first}/", "/accounts/", "/search/?q=zebra"]
    for address in (*forms, *known, *others):
        with subtests.test(address):
            page.goto(address.format(**ids))
            page.evaluate("document.documentElement.style.fontSize = '200%'")
            assert page.evaluate(FITS)


def test_no_page_is_wider_than_its_window(desk_page, gateway, lists, subtests):
    ids, page = made(gateway), desk_page("/")
    for address, width in pages():
        with subtests.test(f"{address}, {width} px"):
            page.set_viewport_size({"width": width, "height": 800})
            page.goto(address.format(**ids))
            assert page.evaluate(FITS)
