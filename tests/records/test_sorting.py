"""An order that the service plainly ignores is noticed; how it orders text is its own affair."""

import pytest

from dashboard.gateway import CONTACTS as ENDPOINT
from dashboard.gateway import Page
from dashboard.gateway.records import record_of
from dashboard.records.lists import sorting
from dashboard.records.lists.query import ListQuery
from dashboard.resources import CONTACTS


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
    query = ListQuery(CONTACTS, sort=name, descending=descending)
    assert sorting.ignored(query, page(name, values)) is ignored


def test_what_was_refused_once_is_remembered_per_resource():
    sorting.remember(ListQuery(CONTACTS, sort="cstname"))
    sorting.remember(ListQuery(CONTACTS, sort="cstemail"))
    assert sorting.unsortable(CONTACTS) == {"cstname", "cstemail"}
