"""The statement of a customer says what is due in each currency, and how late it is."""

import pytest
from django.core.cache import cache

from dashboard.office import editing
from dashboard.office.kinds import Kind
from dashboard.reader import all_rows, listing
from tests.helpers import text

pytestmark = pytest.mark.django_db


def ages(account):
    return {each.label: each.value.text for each in account.ages if each.value.text != "0.00"}


def test_each_currency_has_its_table_and_its_ages(desk, customer, invoice):
    entries = [{"code": "1", "name": "EUR"}, {"code": "2", "name": "GBP"}]
    editing.save_entries("Acme", Kind.CURRENCY, entries)
    late = invoice(61, 2450, org_currency_id=1, transaction_date="2026-01-05")
    invoice(12, 416, org_currency_id=1, transaction_date="2026-02-05")
    invoice(-13, 1820, org_currency_id=2)
    page = desk.get(f"/contacts/{customer}/statement/")
    euro, pound = page.context["accounts"]
    assert (euro.currency, pound.currency) == ("EUR", "GBP")
    assert ages(euro) == {
        "1 to 30 days": "416.00",
        "61 to 90 days": "2,450.00",
        "Total": "2,866.00",
    }
    assert ages(pound) == {"Not due": "1,820.00", "Total": "1,820.00"}
    assert euro.lines[0].invoice.url == f"/invoices/{late}/"
    assert [line.balance for line in euro.lines] == ["2,450.00", "2,866.00"]
    words = text(page)
    assert "61 days overdue" in words
    assert "3 Quarry Lane Galway" in words
    assert "Currencies are not added together." in words


def test_sums_of_a_part_say_at_least(desk, customer, invoice, monkeypatch):
    invoice(1, 10)
    invoice(2, 20)
    url = f"/contacts/{customer}/statement/"
    [account] = desk.get(url).context["accounts"]
    assert not any(each.is_partial for each in account.ages)
    cache.clear()
    monkeypatch.setattr(all_rows, "MAX_PAGES", 1)
    monkeypatch.setattr(listing, "PAGE_SIZE", 1)
    page = desk.get(url)
    [account] = page.context["accounts"]
    assert len(account.lines) == 1
    assert all(each.is_partial for each in account.ages)
    assert "Total at least" in text(page)


def test_the_currency_is_read_once_for_each_invoice(desk, customer, invoice, standin):
    invoice(1, 10, org_currency_id=1)
    url = f"/contacts/{customer}/statement/"
    desk.get(url)
    before = len(standin.ledger(resource="invoices"))
    desk.get(url)
    assert len(standin.ledger(resource="invoices")) == before


@pytest.mark.parametrize("days", [0, 1, 30, 31, 60, 61, 90, 91])
def test_an_invoice_is_in_the_age_of_its_days(desk, customer, invoice, days):
    invoice(days, 10)
    [account] = desk.get(f"/contacts/{customer}/statement/").context["accounts"]
    expected = {0: "Not due", 1: "1 to 30", 30: "1 to 30", 31: "31 to 60", 60: "31 to 60"}
    later = {61: "61 to 90", 90: "61 to 90", 91: "Over 90"}
    [age, _] = ages(account)
    assert age.startswith({**expected, **later}[days])


def test_a_customer_who_owes_nothing(desk, customer):
    assert "Statement b" in text(desk.get(f"/contacts/{customer}/"))
    page = desk.get(f"/contacts/{customer}/statement/")
    assert "No open invoices" in text(page)


def test_a_statement_that_cannot_be_read_is_not_shown_as_empty(desk, customer, standin):
    standin.fault("refuse", resource="invoices", times=20)
    page = desk.get(f"/contacts/{customer}/statement/")
    assert page.status_code == 503
    assert "No invoice" not in text(page)
