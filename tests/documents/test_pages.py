"""The lists and pages of invoices and estimates: totals, items and taxes, terms of payment."""

from datetime import timedelta

from django.utils import timezone

from dashboard.documents.lines import blank_line, check_lines
from dashboard.documents.price_list import price_list_of
from dashboard.gateway import ESTIMATES, INVOICES
from dashboard.office import editing
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind
from dashboard.standin.resources.estimates import ESTIMATES as STANDIN_ESTIMATES
from dashboard.text.style import PLAIN
from tests.helpers import text
from tests.page_forms import fields
from tests.workspaces import of_name

LINE = {"item_id": 501, "item_name": "Consulting hour", "quantity": 2, "price": 95, "type": "item"}


def test_rows_show_status_amount_and_customer(desk, gateway):
    today = timezone.localdate()
    body = {"customer_id": 1001, "template_id": 11, "items": [{**LINE, "price": 1234.5}]}
    late = {"transaction_date": (today - timedelta(9)), "due_date": (today - timedelta(2))}
    gateway.create(INVOICES, {**body, **late})
    words = text(desk.get("/invoices/?cstid=1001"))
    assert "Overdue" in words
    assert "2,469.00" in words


def test_a_document_names_its_customer(desk, gateway, zebra):
    body = {"customer_id": zebra, "template_id": 11, "items": [LINE]}
    page = text(desk.get(f"/estimates/{gateway.create(ESTIMATES, body).id}/"))
    assert "Zebra" in page


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
    assert "The CRM says 1.01; we calculate 1.02." in words


def test_without_a_total_of_the_service_ours_stands(desk, gateway, standin):
    body = {"customer_id": 1001, "template_id": 11, "items": [{**LINE, "price": 7}]}
    number = gateway.create(ESTIMATES, body).id
    _, record = standin.store.get(STANDIN_ESTIMATES, number)
    standin.store.replace(STANDIN_ESTIMATES, number, {**record, "total": None})
    page = text(desk.get(f"/estimates/{number}/"))
    assert "Total calculated by Entry Desk." in page
    assert "not given" not in page
    assert "readable" not in page


def test_amounts_of_lines_have_the_places_of_the_currency(desk, gateway):
    editing.save_entries("Acme", Kind.CURRENCY, [{"code": "5", "name": "JPY"}])
    lines = [{**LINE, "quantity": 3, "price": 95.5}]
    body = {"customer_id": 1001, "template_id": 11, "items": lines, "org_currency_id": 5}
    words = text(desk.get(f"/estimates/{gateway.create(ESTIMATES, body).id}/"))
    assert "95.50 287 Subtotal 287 Total, JPY 287" in words
    assert "by our sums" not in words


def test_items_and_taxes_of_lines_are_in_the_lists_with_price_and_rate(desk, gateway):
    body = {"customer_id": 1001, "template_id": 11, "items": [LINE]}
    desk.get(f"/estimates/{gateway.create(ESTIMATES, body).id}/")
    item = catalogue.entry("Acme", Kind.ITEM, 501)
    assert (item.name, item.price, item.is_from_service) == ("Consulting hour", LINE["price"], True)


def test_an_administrator_changes_payment_terms(client_of, with_keys, administrator, editor):
    browser = client_of(with_keys(administrator))
    assert "Days until an invoice is due" in text(browser.get("/settings/documents/"))
    typed = {"due_days": "14"}
    assert "Saved for everyone" in text(browser.post("/settings/documents/", typed, follow=True))
    assert of_name("Acme").due_days == 14
    assert client_of(editor).get("/settings/documents/").status_code == 403
    administrator.key_pair.delete()
    assert "Not saved." in text(browser.post("/settings/documents/", typed))


def test_a_letterhead_with_a_wrong_iban_is_not_saved(client_of, with_keys, administrator):
    browser = client_of(with_keys(administrator))
    url, typed = "/settings/documents/letterhead/", {"name": "Alder Signs"}
    wrong = {**typed, "account": "IE29 AIBK 9311 5212 3456 87"}
    assert "a character is wrong or missing" in text(browser.post(url, wrong))
    assert of_name("Acme").letterhead == {}
    browser.post(url, {**typed, "account": "IE29 AIBK 9311 5212 3456 78"})
    assert of_name("Acme").letterhead["name"] == "Alder Signs"


def test_a_typed_date_is_echoed_in_words(desk):
    assert desk.get("/day/?text=2026-03-14").json() == {
        "said": "Sat 14 Mar 2026",
        "iso": "2026-03-14",
        "time": "",
    }
    assert desk.get("/day/?text=14+Mar+2026").json()["said"] == "Saturday"
    moment = {"text": "14 Mar 2026, 15:00", "kind": "moment"}
    assert desk.get("/day/", moment).json()["said"] == "Saturday"
    assert "no month" in desk.get("/day/?text=3/15").json()["said"]
    today = timezone.localdate()
    gone = today - timedelta(days=30)
    past = desk.get("/day/", {"text": f"{gone.day}/{gone.month}", "kind": "ahead"}).json()["iso"]
    assert past > today.isoformat()
    assert desk.get("/day/").json() == {"said": "", "iso": "", "time": ""}


def test_a_tax_of_a_long_list_is_named_beside_its_rate(desk, lists):
    taxes = [{"code": f"t{each}", "name": f"Levy {each}", "rate": each % 50} for each in range(300)]
    editing.save_entries("Acme", Kind.TAX, taxes)
    assert b"Levy" not in desk.get("/invoices/new/").content
    assert b'data-rate="7"' in desk.get("/settings/lists/taxes/search/?q=levy+157").content
    line, price_list = blank_line(0), price_list_of("Acme")
    for typed, code, rate in (("levy 157", "t157", "7"), ("t3", "t3", "3"), ("t9x", "t9x", "")):
        line.cells |= {"tax_id": typed, "tax_rate": ""}
        line.complete(price_list, PLAIN)
        assert (line.cells["tax_id"], line.cells["tax_rate"]) == (code, rate)
        check_lines([line], price_list=price_list)
        assert "tax_id" not in line.errors
    line.cells["tax_id"] = "Levy"
    check_lines([line], price_list=price_list)
    assert "tax_id" in line.errors


def test_a_document_is_unchanged_although_its_tax_is_named(desk, gateway, lists):
    taxes = [{"code": f"t{each}", "name": f"Levy {each}"} for each in range(300)]
    editing.save_entries("Acme", Kind.TAX, [*taxes, {"code": "t300", "name": "t1"}])
    line = {"type": "item", "item_name": "Cable", "item_id": 501, "quantity": 1, "price": 9}
    line |= {"tax_id": "61", "tax_rate": 20}
    given = {"customer_id": 1001, "template_id": 11, "items": [line]}
    page = desk.get(address := f"/invoices/{gateway.create(INVOICES, given).id}/edit/")
    assert fields(page)["line-0-tax_id"] == "VAT 20%"
    assert "Nothing was changed" in desk.post(address, fields(page), follow=True).content.decode()
    assert price_list_of("Acme").tax_text("t300") == "t300"  # its name is the id of another


def test_a_long_price_list_is_searched_instead_of_written_into_the_page(desk, lists):
    few = desk.get("/invoices/new/").content.count(b"data-rate")
    assert few == len(catalogue.entries("Acme", Kind.ITEM))
    names = [*(f"Chair {number}" for number in range(300)), "Armchair", "Chair"]
    items = [
        {"code": str(9000 + place), "name": name, "price": "5"} for place, name in enumerate(names)
    ]
    editing.save_entries("Acme", Kind.ITEM, items)
    page = desk.get("/invoices/new/")
    assert b"data-rate" not in page.content
    assert b'data-search="/invoices/items/"' in page.content
    found = desk.get("/invoices/items/", {"q": " chAIR"}).context["items"]
    assert [item.name for item in found][:2] == ["Chair", "Chair 0"]
    assert len(found) == 20
    assert [item.name for item in desk.get("/invoices/items/?q=armch").context["items"]] == [
        "Armchair"
    ]
    assert [item.name for item in desk.get("/invoices/items/?q=9300").context["items"]] == [
        "Armchair"
    ]
    assert not desk.get("/invoices/items/").context["items"]
