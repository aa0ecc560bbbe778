"""The address of a list is its whole state."""

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from dashboard.records.lists.query import ListQuery
from dashboard.resources import CONTACTS


def read(address: str) -> ListQuery:
    return ListQuery.read(CONTACTS, QueryDict(address))


def test_valid_parameters_are_parsed():
    query = read("search=acme+&type=2&sort=cstname&order=desc&size=100&page=3")
    assert query.arguments() == {
        "search": "acme",
        "filters": {"type": 2},
        "sort_by": "cstname",
        "sort_order": "desc",
        "page_index": 2,
        "page_size": 100,
    }


@pytest.mark.parametrize(
    "rubbish",
    [
        "page=0",
        "page=-1",
        "page=x",
        "page=٣",
        "page=99999999999999999999",
        "size=7",
        "sort=secret",
        "type=9",
        "order=up",
    ],
)
def test_invalid_parameters_are_ignored(rubbish):
    assert read(rubbish) == read("")


def test_the_default_list_has_no_parameters():
    assert read("").url() == "/contacts/"
    assert read("page=1&size=25&order=desc").url() == "/contacts/"


def test_another_filter_sort_or_size_starts_at_the_first_page():
    query = read("type=1&page=4&sort=cstname")
    assert query.without("type") == "/contacts/?sort=cstname"
    assert query.sorted_by("cstemail") == "/contacts/?type=1&sort=cstemail"
    assert query.url(page=5) == "/contacts/?type=1&sort=cstname&page=5"


def test_sorting_twice_by_a_column_reverses_the_order():
    assert read("sort=cstname").sorted_by("cstname").endswith("sort=cstname&order=desc")
    assert read("sort=cstname&order=desc").sorted_by("cstname").endswith("sort=cstname")


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "search": st.text(),
            "type": st.sampled_from(["1", "2", "3", ""]),
            "sort": st.sampled_from(["cstname", "cstcreated_on", "nothing"]),
            "order": st.sampled_from(["asc", "desc", ""]),
            "page": st.integers(-3, 10**9).map(str),
            "size": st.integers(0, 200).map(str),
        },
    )
)
def test_a_formatted_query_parses_to_the_same_query(params):
    asked = QueryDict(mutable=True)
    asked.update(params)
    query = ListQuery.read(CONTACTS, asked)
    assert read(query.url().partition("?")[2]) == query
