"""An order that the service refuses or ignores is said, and given up for that answer."""

from typing import Any

import pytest

from dashboard.gateway import CONTACTS as ENDPOINT
from dashboard.gateway import Page, Rejected, Unavailable
from dashboard.gateway.records import record_of
from dashboard.lists import fetch as fetching
from dashboard.lists.fetch import fetch
from dashboard.lists.query import ListQuery
from dashboard.people.context import RequestContext
from dashboard.resources.contacts import CONTACTS
from tests.helpers import text

NOBODY = RequestContext(gateway=None)


def page(name: str, values: list[object]) -> Page:
    rows = [{"cstid": number, name: value} for number, value in enumerate(values, 1)]
    return Page(tuple(record_of(ENDPOINT, row) for row in rows), 0, 25, None, None, 0)


@pytest.mark.parametrize(
    ("name", "values", "descending", "ignored"),
    [
        ("contact_type", [1, 1, 2], False, False),
        ("contact_type", [2, 1, 2], False, True),
        ("contact_type", [2, 1, 1], True, False),
        ("contact_type", ["2", None, "1"], False, True),
        ("contact_type", [2, [], 1, "x"], True, False),
        ("contact_type", [], False, False),
        ("cstname", ["b", "Ä", "a"], False, False),
        ("cstcreated_on", ["2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"], False, True),
    ],
)
def test_only_numbers_and_dates_out_of_order_count_as_ignored(name, values, descending, ignored):
    query = ListQuery.of(CONTACTS, NOBODY, sort=name, order="desc" if descending else "")
    assert fetching.ignored(query, page(name, values)) is ignored


def read(service: Any, query: ListQuery) -> fetching.FetchedPage:
    return fetch(RequestContext(gateway=service), query)


class Service:
    """A gateway of one key pair to a service that refuses what a test says, with 422."""

    def __init__(self, pair: str, *, refused_searches=(), refused_sorts=(), then=None) -> None:
        self.pair = pair
        self.refused_searches, self.refused_sorts, self.then = refused_searches, refused_sorts, then
        self.asked: list[tuple[str, str, int]] = []

    def fingerprint(self, secret: bytes) -> str:
        return self.pair

    def list(self, endpoint: Any, **asked: Any) -> Page:
        self.asked.append((asked["search"], asked["sort_by"], asked["page_index"]))
        if asked["sort_by"] in self.refused_sorts or asked["search"] in self.refused_searches:
            if not asked["sort_by"] and self.then:
                raise self.then
            raise Rejected(status=422)
        return Page((), asked["page_index"], 25, 30, 2, 0)


def test_a_refused_sort_is_dropped_if_the_unsorted_list_succeeds():
    service: Any = Service("one", refused_sorts=("cstname", "cstemail"))
    for name in ("cstname", "cstemail", "cstname"):
        asked = ListQuery.of(CONTACTS, NOBODY, search="a", sort=name, order="desc")
        query, _, note, *_ = read(service, asked)
        assert (query.search, query.sort, query.descending) == ("a", "", False)
        assert note.startswith("The CRM can't sort contacts by")
    assert [sort for _, sort, _ in service.asked] == ["cstname", "", "cstemail", "", "cstname", ""]


def test_an_ignored_sort_is_dropped_and_the_page_is_read_again_without_it():
    orders = {"contact_type": [2, 1, 3], "": [3, 2, 1]}
    service: Any = Service("one")
    service.list = lambda endpoint, *, sort_by, **asked: page("contact_type", orders[sort_by])
    query, answer, note, *_ = read(service, ListQuery.of(CONTACTS, NOBODY, sort="contact_type"))
    assert (query.sort, [each["contact_type"] for each in answer.records]) == ("", orders[""])
    assert note.startswith("The CRM can't sort contacts by")


def test_a_refused_search_text_is_not_taken_for_a_refused_sort():
    service: Any = Service("one", refused_searches=("???",))
    with pytest.raises(Rejected):
        read(service, ListQuery.of(CONTACTS, NOBODY, search="???", sort="cstname"))
    assert service.asked == [("???", "cstname", 0), ("???", "", 0)]


def test_a_failure_of_the_unsorted_list_is_raised():
    service: Any = Service("one", refused_searches=("a",), then=Unavailable())
    with pytest.raises(Unavailable):
        read(service, ListQuery.of(CONTACTS, NOBODY, search="a", sort="cstname"))


def test_a_page_beyond_the_end_becomes_the_last_page_with_its_sort():
    service: Any = Service("one")
    query, page, *_ = read(service, ListQuery.of(CONTACTS, NOBODY, sort="cstname", page="9"))
    assert (query.page, query.sort, page.page_index) == (2, "cstname", 1)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/deals/", "newest first"),
        ("/deals/?sort=deal_amount", ""),
        ("/invoices/?due=overdue", "by due date"),
        ("/invoices/?due=unpaid", "by customer"),
    ],
)
@pytest.mark.django_db
def test_a_list_without_a_sorted_column_says_its_order(desk, address, words):
    page = desk.get(address)
    listed = page.context["list_page"]
    assert (listed.order, listed.sorts[0].current) == (words, bool(words))
    assert not words or listed.sorts[0].label == words.capitalize()
    said = text(page).replace(" ,", ",")
    assert (f"{listed.count}, {words}" if words else f"{listed.count} ") in said
