"""Filters that the service lacks are applied to the rows read, which is told."""

from datetime import date

import pytest
from django.http import QueryDict
from django.utils import timezone

from dashboard.gateway import Page
from dashboard.gateway.records import record_of
from dashboard.lists.fetch import fetch
from dashboard.lists.query import ListQuery
from dashboard.people.context import RequestContext
from dashboard.resources.contacts import CONTACTS
from dashboard.resources.deals import DEALS


class Service:
    """A gateway with these rows."""

    def __init__(self, rows):
        self.rows, self.asked = rows, []

    def fingerprint(self, secret):
        return "one"

    def note_unfit(self, endpoint, ids):
        assert not ids

    def list(self, endpoint, *, search="", filters, page_index, page_size):
        self.asked.append(dict(filters))
        start = page_index * page_size
        rows = [record_of(endpoint, row) for row in self.rows[start : start + page_size]]
        return Page(
            tuple(rows), page_index, page_size, len(self.rows), -(-len(self.rows) // page_size), 0
        )


def deal(number: int, amount: object, closes: object = None) -> dict[str, object]:
    return {
        "deal_id": number,
        "deal_name": f"D{number}",
        "deal_amount": amount,
        "deal_expected_close_date": closes,
    }


def found(service, address, resource=DEALS):
    ctx = RequestContext(gateway=service)
    return fetch(ctx, ListQuery.from_params(resource, QueryDict(address), ctx))


def ids(fetched) -> list[int]:
    return [record.id for record in fetched.page.records]


def test_an_amount_keeps_what_is_as_large_or_larger():
    service = Service([deal(1, "99.99"), deal(2, "100"), deal(3, None), deal(4, "lots")])
    fetched = found(service, "least=100")
    assert (ids(fetched), fetched.page.total_records) == ([2], 1)
    assert fetched.note == ""


def test_days_keep_what_is_within_them():
    today = timezone.localdate()
    service = Service([deal(1, "1", str(today)), deal(2, "1", "2020-01-01"), deal(3, "1", "soon")])
    assert ids(found(service, "closes=this-month")) == [1]
    assert ids(found(service, "closes=past")) == [2]
    assert ids(found(service, "closes=..2020-01-01")) == [2]


def test_filters_of_both_kinds_combine():
    rows = [deal(n, str(n), str(date(2026, 1, n))) for n in range(1, 10)]
    service = Service(rows)
    fetched = found(service, "least=4&closes=2026-01-01..2026-01-06&pipeline_id=2")
    assert ids(fetched) == [4, 5, 6]
    assert service.asked == [{"pipeline_id": 2}]


def test_rows_are_sorted_and_paged_here():
    service = Service([deal(n, str(n)) for n in range(1, 41)])
    fetched = found(service, "least=1&sort=deal_amount&order=desc&size=10&page=9")
    assert (ids(fetched), fetched.query.page) == ([10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 4)


def test_a_list_that_was_not_read_as_a_whole_says_so():
    fetched = found(Service([deal(n, "1") for n in range(1, 1052)]), "least=1")
    assert fetched.page.total_records == 1000
    assert fetched.note == "Showing results from the first 1,000 deals"


@pytest.mark.parametrize(("address", "left"), [("email=none", [2, 3]), ("phone=none", [1, 3])])
def test_contacts_without_an_address_or_a_number_are_found(address, left):
    rows = [
        {"cstid": 1, "cstname": "A", "cstemail": "a@b.example", "cstmobile": ""},
        {"cstid": 2, "cstname": "B", "cstemail": None, "cstmobile": "1"},
        {"cstid": 3, "cstname": "C"},
    ]
    assert ids(found(Service(rows), address, CONTACTS)) == left
