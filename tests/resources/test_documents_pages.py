"""The lists and pages of invoices and estimates in every profile of the stand-in."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.catalogue import services as catalogue
from dashboard.catalogue.kinds import Kind
from dashboard.gateway import ENDPOINTS, ESTIMATES, INVOICES
from dashboard.standin import StandIn
from dashboard.standin.reference_data import reference_data
from dashboard.standin.resources.estimates import ESTIMATES as STANDIN_ESTIMATES
from tests.helpers import text
from tests.workspaces import connect, of_name

from .forms import submitted

ENDPOINTS_BY_NAME = {each.name: each for each in ENDPOINTS}
BOTH = pytest.mark.parametrize("resource", ["invoices", "estimates"])
LINE = {"item_id": 501, "item_name": "Consulting hour", "quantity": 2, "price": 95, "type": "item"}


@pytest.fixture(params=["terse", "verbose", "hostile"])
def profiled(request, client_of, manager, settings):
    """The test client of a manager, connected to a stand-in of one profile."""
    with StandIn(profile=request.param, size="small", seed=3) as running:
        settings.API_BASE_URL = running.url
        access, secret = running.keys["acme"][0]
        connect(manager, access=access, secret=secret, workspace="Acme")
        yield client_of(manager)


@BOTH
def test_every_document_of_a_page_opens_prints_and_edits_or_explains(profiled, resource):
    page = profiled.get(f"/{resource}/?size=10")
    assert page.status_code == 200
    hrefs = {part.split('"')[0] for part in page.content.decode().split(f'href="/{resource}/')[1:]}
    numbers = sorted(int(href.strip("/")) for href in hrefs if href.strip("/").isdigit())
    assert numbers
    for number in numbers[:5]:
        shown = profiled.get(f"/{resource}/{number}/")
        assert shown.status_code == 200
        assert "This is not the official document." in text(shown)
        assert profiled.get(f"/{resource}/{number}/edit/").status_code in (200, 409)


def test_payments_are_formatted_as_dates_and_amounts(profiled):
    page = profiled.get("/invoices/?inv_status=1&size=10").content.decode()
    numbers = sorted(set(re.findall(r'href="/invoices/(\d+)/"', page)))
    pages = [profiled.get(f"/invoices/{number}/") for number in numbers[:3]]
    paid = [payment for page in pages for payment in page.context["payments"]]
    assert paid
    for payment in paid:
        assert re.fullmatch(r"\d{1,2} [A-Z][a-z]{2} 20\d\d", payment.day.words)
        assert re.fullmatch(r"[\d,]+\.\d{2}", payment.amount.words)
        assert re.fullmatch(r"Payment id \d+", payment.ids)
        assert not re.search(r"\d", payment.about.words)


@BOTH
def test_a_document_is_created_and_edited(profiled, resource):
    typed = submitted(profiled.get(f"/{resource}/new/"))
    typed |= {"customer_id": "1001", "template_id": "11", "line-0-item_id": "501"}
    typed |= {"line-0-item_name": "Work", "line-0-quantity": "2", "line-0-price": "10"}
    typed.pop("customer_id-text")
    made = profiled.post(f"/{resource}/new/", typed)
    assert made.status_code == 302, text(made)
    page = profiled.get(f"{made['Location']}edit/")
    if page.status_code == 409:
        return  # a part of it cannot be read, so it has no edit form
    typed = submitted(page, reference="Changed", **{"lose_unreadable": "on"})
    done = profiled.post(f"{made['Location']}edit/", typed)
    assert done.status_code == 302, text(done)


@BOTH
def test_sums_name_their_currency_and_a_discount_has_a_column_where_there_is_one(
    desk, gateway, resource
):
    catalogue.fill("Acme", reference_data("acme"))
    endpoint = ENDPOINTS_BY_NAME[resource]
    body = {"customer_id": 1001, "template_id": 11, "org_currency_id": 1}
    plain = gateway.create(endpoint, {**body, "items": [LINE]}).id
    page = desk.get(f"/{resource}/{plain}/")
    units = {each.label: each.unit for each in page.context["figures"]}
    assert units["Balance due" if resource == "invoices" else "Total"] == "EUR"
    assert units["Date"] == ""
    assert "<small>EUR</small>" in page.content.decode()
    assert "Discount" not in text(page)
    line = {**LINE, "discount": 10, "discount_type": 2}
    reduced = gateway.create(endpoint, {**body, "items": [line]}).id
    assert "Price Discount Tax" in text(desk.get(f"/{resource}/{reduced}/"))


@BOTH
def test_filters_go_to_the_service(desk, standin, resource):
    status = "inv_status" if resource == "invoices" else "est_status"
    prefix = status[:3]
    page = desk.get(f"/{resource}/?{status}=0&cstid=1001&date=this-month")
    assert "This month" in text(page)
    (entry,) = standin.ledger(resource=resource)[-1:]
    today = timezone.localdate()
    asked = entry["query"]
    assert f"{status}=0" in str(asked) or asked[status] == "0"
    assert today.replace(day=1).isoformat() in str(asked)
    assert f"{prefix}_datetime_from" in str(asked)


def test_rows_show_status_amount_and_customer(desk, gateway):
    today = timezone.localdate()
    body = {"customer_id": 1001, "template_id": 11, "items": [{**LINE, "price": 1234.5}]}
    late = {"transaction_date": (today - timedelta(9)), "due_date": (today - timedelta(2))}
    gateway.create(INVOICES, {**body, **late})
    words = text(desk.get("/invoices/?cstid=1001"))
    assert "Overdue" in words
    assert "2,469.00" in words


def test_a_total_that_differs_from_the_service_is_reported(desk, gateway, standin):
    body = {
        "customer_id": 1001,
        "template_id": 11,
        "items": [{**LINE, "quantity": 1, "price": 0.335}] * 3,
    }
    number = gateway.create(ESTIMATES, body).id
    assert "by our sums" not in text(desk.get(f"/estimates/{number}/"))
    _, record = standin.store.get(STANDIN_ESTIMATES, number)
    standin.store.replace(STANDIN_ESTIMATES, number, {**record, "total": 1.01})
    words = text(desk.get(f"/estimates/{number}/?again"))
    assert "The CRM says 1.01; by our sums it would be 1.02." in words


def test_without_a_total_of_the_service_ours_stands(desk, gateway, standin):
    body = {"customer_id": 1001, "template_id": 11, "items": [{**LINE, "price": 7}]}
    number = gateway.create(ESTIMATES, body).id
    _, record = standin.store.get(STANDIN_ESTIMATES, number)
    standin.store.replace(STANDIN_ESTIMATES, number, {**record, "total": None})
    page = text(desk.get(f"/estimates/{number}/"))
    assert "The CRM sent no total. This one is calculated here." in page
    assert "not given" not in page
    assert "readable" not in page


def test_header_lines_show_the_totals_of_their_lines(desk, gateway):
    header = {"item_id": 501, "item_name": "Phase 1", "quantity": 0, "price": 0, "type": "header"}
    body = {"customer_id": 1001, "template_id": 11, "items": [header, LINE, LINE]}
    number = gateway.create(ESTIMATES, body).id
    assert "Phase 1 380.00" in text(desk.get(f"/estimates/{number}/"))


def test_items_and_taxes_of_lines_are_in_the_lists_with_price_and_rate(desk, gateway):
    body = {"customer_id": 1001, "template_id": 11, "items": [LINE]}
    desk.get(f"/estimates/{gateway.create(ESTIMATES, body).id}/")
    item = catalogue.entry("Acme", Kind.ITEM, 501)
    assert (item.name, item.price, item.told) == ("Consulting hour", LINE["price"], True)


def test_an_administrator_changes_payment_terms(client_of, with_keys, administrator, editor):
    browser = client_of(with_keys(administrator))
    assert "Days until an invoice is due" in text(browser.get("/settings/documents/"))
    typed = {"due_days": "14"}
    assert "Saved." in text(browser.post("/settings/documents/", typed, follow=True))
    assert of_name("Acme").due_days == 14
    assert client_of(editor).get("/settings/documents/").status_code == 403


def test_a_typed_date_is_echoed_in_words(desk):
    assert desk.get("/day/?text=2026-03-14").json() == {
        "said": "Sat 14 Mar 2026",
        "iso": "2026-03-14",
        "time": "",
    }
    assert "no month" in desk.get("/day/?text=3/15").json()["said"]
    today = timezone.localdate()
    gone = today - timedelta(days=30)
    past = desk.get("/day/", {"text": f"{gone.day}/{gone.month}", "kind": "ahead"}).json()["iso"]
    assert past > today.isoformat()
    assert desk.get("/day/").json() == {"said": "", "iso": "", "time": ""}
