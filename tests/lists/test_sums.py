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
from dashboard.lists.table import totals_of
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


def foot(records, total, currencies=None, common="", **more):
    known = Currencies(currencies or {}, common)
    return totals_of(RequestContext(gateway=None), fetched(records, total, **more), known)


@pytest.mark.parametrize(
    ("currencies", "common", "cell", "note"),
    [
        ({1: "EUR", 2: "EUR", 3: "EUR"}, "EUR", ("1,203.50",), ""),  # the head says EUR
        ({1: "EUR", 2: "EUR", 3: "JPY"}, "", ("3.50 EUR", "1,200 JPY"), ""),
        ({1: "EUR", 2: "EUR"}, "", ("1,203.50",), "currency known for 2 of 3"),
        ({}, "", ("1,203.50",), ""),
    ],
)
def test_each_currency_has_its_own_sum(currencies, common, cell, note):
    made = foot(invoices("1.25", "2.25", "1200"), 3, currencies, common)
    assert made.label == "All 3 invoices"
    assert made.cells == [cell, cell]
    assert made.note == note
    assert [each.label for each in QUERY.shown[made.span :]] == ["Total", "Balance due"]


@pytest.mark.parametrize(
    ("total", "label"),
    [
        (2, "All 2 invoices"),
        (180, "At least, from 2 of 180 invoices"),
        (None, "At least, from 2 invoices"),
    ],
)
def test_a_sum_says_at_least_where_not_all_was_read(total, label):
    assert foot(invoices("1", "2"), total).label == label


def test_an_amount_that_is_not_told_makes_it_at_least():
    assert foot(invoices("1", None), 2).cells == [("at least 1.00",), ("at least 1.00",)]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("ended", "label"), [(True, "All 3 invoices"), (False, "At least, from 3")]
)
def test_all_that_match_is_added_up_where_the_list_was_read_to_filter_it(
    standin, gateway, ended, label
):
    found = invoices("1", "2", "4")
    read = ReadRows(found, 3, datetime.now(UTC), ended, complete=ended)
    ctx = RequestContext(gateway=gateway)
    made = totals_of(ctx, fetched(found[:1], 3, read=read, found=found), Currencies())
    assert made.label.startswith(label)
    assert made.cells[-1] == ("7.00",)


def test_a_list_without_amounts_or_rows_has_no_foot():
    contact = record_of(CONTACTS_ENDPOINT, {"cstid": 1, "cstname": "Zoe"})
    page = Page((contact,), 0, 25, 1, 1, 0)
    contacts = FetchedPage(ListQuery.of(CONTACTS, NOBODY), page)
    assert totals_of(NOBODY, contacts, Currencies()) is None
    assert foot((), 0) is None


@pytest.mark.django_db
def test_the_foot_is_that_of_what_was_read_without_another_call(desk, standin):
    page = desk.get("/invoices/?size=10")
    records = page.context["list_page"].table.records
    assert len(standin.ledger(operation="list", resource="invoices")) == 1
    foot = page.context["list_page"].totals
    assert foot.label.startswith("At least, from 10 of ")
    assert f"{sum(each['amount_due'] for each in records):,.2f}" in text(page)


@pytest.mark.django_db
def test_the_totals_of_a_filtered_list_counts_its_other_pages(desk):
    address = "/invoices/?least=1&size={}"
    first, whole = (desk.get(address.format(size)).context["list_page"] for size in (10, 100))
    assert len(first.table.records) == 10 < len(whole.table.records) < 100
    due = sum(each["amount_due"] for each in whole.table.records)
    assert first.totals.cells[-1] == (f"{due:,.2f}",)
    assert first.totals.label == whole.totals.label == f"All {len(whole.table.records)} invoices"


def sum_of(desk, *amounts):
    return desk.post("/invoices/sums/", {"amount": amounts}).content.decode()


@pytest.mark.django_db
def test_the_sum_of_chosen_rows_has_each_currency_and_says_at_least(desk):
    assert sum_of(desk, "1,001.50 EUR", "2.00 EUR", "3,000 JPY") == "1,003.50 EUR + 3,000 JPY"
    assert sum_of(desk, "1.50 EUR", "") == "at least 1.50 (currency known for 1 of 2)"
    assert sum_of(desk, "1.50", "x EUR") == "at least 1.50 (currency known for 1 of 2)"
    assert sum_of(desk, *["1.00 EUR"] * 150) == "150.00 EUR"  # rows that were looked up further on
    assert sum_of(desk) == ""
