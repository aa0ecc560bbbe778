"""Cells as offices and programs write them: amounts, days, times and several values in one."""

import pytest

from dashboard.office.editing import save_entries
from dashboard.office.kinds import Kind
from tests.imports.test_deals_tasks import PIPELINE, errors, send
from tests.imports.test_documents import made
from tests.imports.test_import import _one_at_a_time, counts, upload
from tests.imports.test_names import choose

__all__ = ["_one_at_a_time"]
EUR, GBP, USD, CAD = 1, 2, 3, 4


@pytest.fixture
def retail(db, umbra):
    save_entries("Acme", Kind.PIPELINE, [{"code": str(PIPELINE), "name": "Retail"}])


@pytest.fixture
def currencies(db):
    rows = {EUR: "EUR", GBP: "GBP", USD: "USD", CAD: "CAD"}
    save_entries("Acme", Kind.CURRENCY, [{"code": str(c), "name": n} for c, n in rows.items()])


def deals(*cells, title="Amount"):
    rows = "".join(f"D{place}\tUmbra Ltd\tRetail\t{cell}\n" for place, cell in enumerate(cells))
    return f"Deal\tCompany\tPipeline\t{title}\n{rows}"


@pytest.mark.usefixtures("retail", "currencies")
def test_amounts_are_read_with_their_currencies(desk, sent):
    text = deals("GBP 1,200.00", "1,200.50 GBP", "US$1,200.00", "1,23,456.00", "1 200.00 €", "75")
    url = upload(desk, text, resource="deals")
    assert counts(desk.get(url)) == {"ready": 6}
    send(desk, url)
    bodies = {body["deal_name"]: body for body in sent("create", resource="deals")}
    assert [
        (bodies[f"D{place}"]["deal_amount"], bodies[f"D{place}"].get("deal_amount_currency"))
        for place in range(6)
    ] == [(1200, GBP), (1200.5, GBP), (1200, USD), (123456, None), (1200, EUR), (75, None)]


@pytest.mark.usefixtures("retail", "currencies")
def test_a_written_currency_that_may_be_several_or_none_of_the_list_is_asked_once(desk):
    url = upload(desk, deals("$5", "$6", "CHF 7"), resource="deals")
    page = desk.get(url)
    assert counts(page) == {"needs_fixing": 3}
    assert {one.text: one.rows for one in page.context["unmatched"]} == {"$": 2, "CHF": 1}
    page = choose(desk, url, page, **{"$": str(CAD), "CHF": str(EUR)})
    assert counts(page) == {"ready": 3}
    bodies = [record.body for record in page.context["records"].values()]
    assert [body["deal_amount_currency"] for body in bodies] == [CAD, CAD, EUR]


@pytest.mark.usefixtures("retail", "currencies")
def test_an_amount_in_another_currency_than_its_record_needs_fixing(desk):
    text = "Deal,Company,Pipeline,Amount,Currency\n"
    text += "A,Umbra Ltd,Retail,$5,CAD\nB,Umbra Ltd,Retail,US$6,EUR\nC,Umbra Ltd,Retail,€7,EUR\n"
    url = upload(desk, text, resource="deals")
    assert counts(desk.get(url)) == {"needs_fixing": 1, "ready": 2}
    assert "another currency" in errors(desk, url)[3]["deal_amount"]


@pytest.mark.usefixtures("retail")
def test_without_a_list_of_currencies_a_sign_is_read_and_a_code_needs_fixing(desk):
    url = upload(desk, deals("€ 5.00", "GBP 6.00"), resource="deals")
    assert counts(desk.get(url)) == {"needs_fixing": 1, "ready": 1}


@pytest.mark.usefixtures("umbra", "lists")
def test_the_prices_of_a_document_tell_its_currency_and_have_to_agree(desk, sent):
    head = "Number,Customer,Item,Qty,Price\n"
    text = head + "P1,Umbra Ltd,Consulting hour,2,USD 95.00\nP1,,On-site visit,1,$180.00\n"
    text += "P2,Umbra Ltd,Consulting hour,2,USD 95.00\nP2,,On-site visit,1,€ 180.00\n"
    url = upload(desk, text, resource="invoices")
    assert counts(desk.get(url)) == {"needs_fixing": 1, "ready": 1}
    send(desk, url)
    [invoice] = made(sent)
    assert len(invoice["items"]) == 2
    assert invoice["org_currency_id"]


@pytest.mark.usefixtures("retail")
def test_days_are_read_as_excel_and_other_languages_write_them(desk, sent):
    days = ["28-Nov-26", "5 Dec 26", "28. März 2027", "20261228", "Monday, January 4, 2027"]
    url = upload(desk, deals(*days, title="Close date"), resource="deals")
    send(desk, url)
    bodies = sent("create", resource="deals")
    found = {body["deal_name"]: body["deal_expected_close_date"] for body in bodies}
    assert [found[f"D{place}"] for place in range(5)] == [
        "2026-11-28", "2026-12-05", "2027-03-28", "2026-12-28", "2027-01-04",
    ]  # fmt: skip
