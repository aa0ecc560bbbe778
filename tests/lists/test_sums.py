"""The foot of a list and the sum of its chosen rows: over which records, in which currencies."""

from datetime import UTC, datetime

import pytest

from dashboard.documents.invoices import INVOICES
from dashboard.gateway import CONTACTS as CONTACTS_ENDPOINT
from dashboard.gateway import INVOICES as ENDPOINT
from dashboard.gateway import Page
from dashboard.gateway.records import record_of
from dashboard.lists.fetch import FetchedPage
from dashboard.lists.query import ListQuery
from dashboard.lists.table import sums_of
from dashboard.people.context import RequestContext
from dashboard.reader.all_rows import ReadRows
from dashboard.resources.contacts import CONTACTS
from dashboard.schema.money import Currencies
from tests.helpers import text

NOBODY = RequestContext(gateway=None)
QUERY = ListQuery.of(INVOICES, NOBODY)


def invoices(*amounts):
    rows = enumerate(amounts, 1)
    return tuple(
        record_of(ENDPOINT, {"inv_id": number, "total": amount, "amount_due": amount})
        for number, amount in rows
    )


def fetched(records, total, **more):
    return FetchedPage(QUERY, Page(tuple(records), 0, 25, total, 1, 0), **more)


def sums(records, total, currencies=None, common="", **more):
    known = Currencies(currencies or {}, common)
    return sums_of(RequestContext(gateway=None), fetched(records, total, **more), known)


@pytest.mark.parametrize(
    ("currencies", "common", "words"),
    [
        ({1: "EUR", 2: "EUR", 3: "EUR"}, "EUR", "1,203.50 EUR"),
        ({1: "EUR", 2: "EUR", 3: "JPY"}, "", "3.50 EUR + 1,200 JPY"),
        ({1: "EUR", 2: "EUR"}, "", "1,203.50 (currency known for 2 of 3)"),
        ({}, "", "1,203.50"),
    ],
)
def test_each_currency_has_its_own_sum(currencies, common, words):
    made = sums(invoices("1.25", "2.25", "1200"), 3, currencies, common)
    assert made == (f"total {words}, balance due {words}", True, "")


@pytest.mark.parametrize("total", [180, None])
def test_a_sum_of_one_page_says_so(total):
    words, is_total, _ = sums(invoices("1", "2"), total)
    assert words == "total 3.00, balance due 3.00 on this page"
    assert not is_total


def test_an_amount_that_is_not_told_makes_it_at_least():
    assert sums(invoices("1", None), 2).words == "total at least 1.00, balance due at least 1.00"


@pytest.mark.django_db
@pytest.mark.parametrize(("ended", "words"), [(True, "total 7.00"), (False, "total at least 7.00")])
def test_all_that_match_is_added_up_where_the_list_was_read_to_filter_it(
    standin, gateway, ended, words
):
    found = invoices("1", "2", "4")
    read = ReadRows(found, 3, datetime.now(UTC), ended, complete=ended)
    ctx = RequestContext(gateway=gateway)
    made = sums_of(ctx, fetched(found[:1], 3, read=read, found=found), Currencies())
    assert made.words == f"{words}, {words.replace('total', 'balance due')} in all"
    assert made.is_total is ended


def test_a_list_without_amounts_or_rows_has_no_sums():
    contact = record_of(CONTACTS_ENDPOINT, {"cstid": 1, "cstname": "Zoe"})
    page = Page((contact,), 0, 25, 1, 1, 0)
    contacts = FetchedPage(ListQuery.of(CONTACTS, NOBODY), page)
    assert not sums_of(NOBODY, contacts, Currencies()).words
    assert not sums((), 0).words


@pytest.mark.django_db
def test_the_foot_sums_its_page_without_another_call_and_all_pages_when_asked(desk, standin):
    page = desk.get("/invoices/?size=10")
    list_page = page.context["list_page"]
    assert len(standin.ledger(operation="list", resource="invoices")) == 1
    assert f"{sum(each['amount_due'] for each in list_page.table.records):,.2f}" in text(page)
    fragment = desk.get(list_page.sums.all_url, headers={"HX-Request": "true"})
    whole = desk.get("/invoices/?least=0").context["list_page"]
    assert whole.sums.is_total
    assert whole.sums.words in text(fragment)


@pytest.mark.django_db
def test_sums_that_cannot_be_read_are_asked_for_again(desk, standin):
    url = desk.get("/invoices/?size=10").context["list_page"].sums.all_url
    standin.fault("status-503", operation="list", times=9)
    assert f'hx-get="{url}"' in desk.get(url).content.decode().replace("&amp;", "&")
    assert desk.get(f"{url}&due=overdue").status_code == 404


@pytest.mark.django_db
def test_the_sums_of_a_filtered_list_cover_its_other_pages(desk):
    address = "/invoices/?least=1&size={}"
    first, whole = (desk.get(address.format(size)).context["list_page"] for size in (10, 100))
    assert len(first.table.records) == 10 < len(whole.table.records) < 100
    assert first.sums == whole.sums
    assert first.sums.is_total


def sum_of(desk, *amounts):
    return desk.post("/invoices/sums/", {"amount": amounts}).content.decode()


@pytest.mark.django_db
def test_the_sum_of_chosen_rows_has_each_currency_and_says_at_least(desk):
    assert sum_of(desk, "1,001.50 EUR", "2.00 EUR", "3,000 JPY") == "1,003.50 EUR + 3,000 JPY"
    assert sum_of(desk, "1.50 EUR", "") == "at least 1.50 (currency known for 1 of 2)"
    assert sum_of(desk, "1.50", "x EUR") == "at least 1.50 (currency known for 1 of 2)"
    assert sum_of(desk, *["1.00 EUR"] * 150) == "150.00 EUR"  # rows that were looked up further on
    assert sum_of(desk) == ""
