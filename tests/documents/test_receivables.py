"""Open invoices by their due date, read page by page from the stand-in."""

from datetime import date, timedelta
from decimal import Decimal
from threading import Barrier

import pytest
import time_machine
from django.core.cache import cache
from django.http import QueryDict

from dashboard.documents.invoices import INVOICES as INVOICE_PAGES
from dashboard.documents.receivables import Reading
from dashboard.gateway import INVOICES, Page, Unavailable
from dashboard.gateway.records import record_of
from dashboard.lists.fetch import fetch
from dashboard.lists.query import ListQuery
from dashboard.office import editing
from dashboard.office.kinds import Kind
from dashboard.people.context import RequestContext
from dashboard.reader import all_rows

TODAY = date(2026, 11, 21)


def invoice(number: int, due: object, amount: object = "10.00") -> dict[str, object]:
    return {"inv_id": number, "inv_number": f"INV-{number}", "due_date": due, "amount_due": amount}


class Service:
    """A gateway with these open invoices; `fails_at` is the index of a page that fails."""

    def __init__(self, rows, *, pair="one", fails_at=None):
        self.rows, self.pair, self.fails_at = rows, pair, fails_at
        self.asked, self.together = [], None

    def fingerprint(self, secret):
        return self.pair

    def note_unfit(self, endpoint, ids):
        assert not ids

    def list(self, endpoint, *, search="", filters, page_index, page_size):
        self.asked.append((page_index, search, dict(filters)))
        if self.together:
            self.together.wait(5)
        if page_index == self.fails_at:
            raise Unavailable
        start = page_index * page_size
        rows = [record_of(INVOICES, row) for row in self.rows[start : start + page_size]]
        pages = -(-len(self.rows) // page_size)
        return Page(tuple(rows), page_index, page_size, len(self.rows), pages, 0)


@pytest.fixture(autouse=True)
def _empty_cache():
    cache.clear()


def read(service, filters=None):
    return Reading(RequestContext(gateway=service), filters).result()


@time_machine.travel(TODAY)
def test_invoices_are_split_at_today():
    days = [-1, 0, 7, 8]
    rows = [invoice(n, str(TODAY + timedelta(days=day))) for n, day in enumerate(days, 1)]
    found = read(Service([*rows, invoice(9, None), invoice(10, "soon")]))
    assert [record.id for record in found.overdue] == [1]
    assert [record.id for record in found.invoices] == [1, 2, 3, 4, 9, 10]
    assert (len(found.rows.records), found.rows.total, found.partial) == (6, 6, "")


def test_all_pages_are_read_up_to_ten():
    service = Service([invoice(n, "2026-01-01") for n in range(1, 1051)])
    found = read(service)
    assert sorted(index for index, _, _ in service.asked) == list(range(10))
    assert (len(found.invoices), found.rows.complete) == (1000, False)
    assert found.partial == "Showing results from the first 1,000 open invoices"


def test_a_page_that_fails_is_not_left_out_silently():
    with pytest.raises(Unavailable):
        read(Service([invoice(n, "2026-01-01") for n in range(1, 250)], fails_at=1))


def test_the_answer_is_kept_for_its_key_pair_and_search():
    service = Service([invoice(1, "2026-01-01", "12.50")])
    first = read(service)
    again = read(service)
    assert len(service.asked) == 1
    assert [record["amount_due"] for record in again.invoices] == [Decimal("12.50")]
    assert again.rows.at == first.rows.at
    read(service, {"cstid": 3})
    assert service.asked[-1] == (0, "", {"cstid": 3, "inv_status": 0})
    assert read(Service([], pair="two")).invoices == []


def test_the_pages_of_the_last_time_are_read_in_one_round(monkeypatch):
    service = Service([invoice(n, "2026-01-01") for n in range(1, 250)])
    monkeypatch.setattr(all_rows, "ROWS_TTL", 0)
    assert len(read(service).invoices) == 249
    service.together = Barrier(3)
    assert len(read(service).invoices) == 249
    service.together = None
    service.rows = service.rows[:150]  # fewer by now: a page too many is no harm
    assert len(read(service).invoices) == 150


def test_what_is_kept_is_not_readable_in_the_cache(monkeypatch):
    kept = []
    monkeypatch.setattr(cache, "set", lambda key, value, seconds: kept.append((value, seconds)))
    read(Service([invoice(1, "2026-01-01", "98765.43")]))
    assert not any("98765.43" in value for value, _ in kept)
    assert [seconds for _, seconds in kept] == [24 * 60 * 60, 60]


def listed(service, address):
    ctx = RequestContext(gateway=service)
    return fetch(ctx, ListQuery.from_params(INVOICE_PAGES, QueryDict(address), ctx))


def test_a_paid_invoice_is_never_overdue():
    found = listed(Service([invoice(1, "2026-01-01")]), "due=overdue&inv_status=1")
    assert found.page.records == ()
    assert "These filters apply only to open invoices" in found.query.filters.problems[0]


def test_unpaid_invoices_stand_by_customer_with_the_earliest_first():
    rows = [
        {**invoice(number, f"2026-01-0{number}", amount), "customer_id": customer}
        for number, customer, amount in [(1, 9, "1"), (2, 3, "2"), (3, 9, "0.00"), (4, 9, None)]
    ]
    found = listed(Service([*rows, {**invoice(5, None), "customer_id": 3}]), "due=unpaid")
    assert [record.id for record in found.page.records] == [2, 5, 1, 4]


@pytest.mark.django_db
def test_the_customer_with_the_most_to_pay_comes_first_in_each_currency():
    names = [{"code": "1", "name": "EUR"}, {"code": "2", "name": "GBP"}]
    editing.save_entries("Acme", Kind.CURRENCY, names)
    told = [(1, 3, "40", 1), (2, 9, "30", 1), (3, 9, "20", 1), (4, 3, "90", 2), (5, 4, "900", 2)]
    rows = [
        {**invoice(number, "2026-01-01", owed), "customer_id": customer, "org_currency_id": code}
        for number, customer, owed, code in told
    ]
    ctx = RequestContext(gateway=Service(rows), workspace="Acme")
    found = fetch(ctx, ListQuery.of(INVOICE_PAGES, ctx, due="unpaid"))
    assert [record.id for record in found.page.records] == [2, 3, 1, 5, 4]
