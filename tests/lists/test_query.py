"""The address of a list is its whole state."""

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from dashboard.documents.invoices import INVOICES
from dashboard.lists.query import ListQuery
from dashboard.people.context import RequestContext
from dashboard.resources.contacts import CONTACTS
from dashboard.resources.tasks import TASKS
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource
from dashboard.text.style import PLAIN, Style

MONTH_FIRST = Style(order="mdy")
NOBODY = RequestContext(gateway=None)


def read(address: str, resource: Resource = CONTACTS, style: Style = PLAIN) -> ListQuery:
    ctx = RequestContext(gateway=None, style=style)
    return ListQuery.from_params(resource, QueryDict(address), ctx)


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


def test_a_search_has_plain_spaces():
    assert read("search=Corrib++Hotel%C2%A0Galway+").search == "Corrib Hotel Galway"


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
        "order=up",
    ],
)
def test_invalid_parameters_are_ignored(rubbish):
    assert read(rubbish).arguments() == read("").arguments()
    assert read(rubbish).url() == "/contacts/"


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


def test_days_are_read_in_the_persons_style():
    asked = "date=between&date_from=3/4/2026"
    assert read(asked, INVOICES).params() == {"date": "2026-04-03.."}
    assert read(asked, INVOICES, MONTH_FIRST).params() == {"date": "2026-03-04.."}


def test_a_span_with_an_unreadable_end_stays_as_typed():
    query = read("date=2026-03-04..&date_to=soon", INVOICES)
    assert "“soon” isn't a valid date" in " ".join(query.filters.problems)
    assert query.url(page=2) == "/invoices/?date=2026-03-04..&date_to=soon&page=2"
    assert query.without("date") == "/invoices/"
    shown = str(query.filters["date"])
    assert 'value="4 Mar 2026"' in shown
    assert 'value="soon"' in shown


def test_a_span_that_ends_before_it_begins_is_not_applied():
    query = read("date_from=9/3/2026&date_to=2/3/2026", INVOICES)
    assert query.filters.active == []
    assert query.params() == {"date_from": "9/3/2026", "date_to": "2/3/2026"}


def test_any_time_drops_the_days_that_were_typed_before():
    assert read("date=&date_from=2/3/2026", INVOICES).url() == "/invoices/"
    assert read("date=this-week&date_from=soon", INVOICES).params() == {"date": "this-week"}


def test_a_list_is_sorted_by_default_and_can_be_left_unsorted():
    assert read("", TASKS).arguments()["sort_by"] == "start_datetime"
    assert read("", TASKS).url() == "/tasks/"
    unsorted = read("sort=none", TASKS)
    assert (unsorted.sort, unsorted.url()) == ("", "/tasks/?sort=none")
    assert read("sort=none").url() == "/contacts/"


DAY = st.sampled_from(["t", "+30", "fri", "15/3", "3/15", "2026-03-09", "foo", " ", "31/2", "é"])
EVERY_STATE = st.fixed_dictionaries(
    {},
    optional={
        "search": st.text(max_size=30),
        "inv_status": st.sampled_from(["0", "1", "9"]),
        "date": st.sampled_from(["between", "this-week", "2026-03-01..", "..", "x"]),
        "date_from": DAY | st.text(max_size=60),
        "date_to": DAY | st.text(max_size=60),
        "due": st.sampled_from(["overdue", "soon", "unpaid", "never"]),
        "due_on": st.sampled_from(["past", "this-week", "2026-03-01..2026-03-09", "2026-03-09"]),
        "least": st.sampled_from(["1000", "1.000", "1,000.50", "1000.5..", "lots", "-1", "1e9"])
        | st.decimals(0, 10**9, places=2).map(str),
        "created": st.sampled_from(["me", "you"]),
        "columns": st.lists(
            st.sampled_from(["customer_id", "total", "reference", "inv_number", "tag_ids", "x"])
        ).map(",".join),
        "rows": st.sampled_from(["compact", "normal"]),
        "view": st.sampled_from(["overdue", "v12", "All!", "a" * 50]),
        "sort": st.sampled_from(["total", "reference", "none"]),
        "order": st.sampled_from(["asc", "desc"]),
        "page": st.integers(-3, 10**9).map(str),
        "size": st.integers(0, 200).map(str),
    },
)


@given(EVERY_STATE, st.sampled_from([PLAIN, MONTH_FIRST, Style(mark=",")]))
def test_every_state_of_a_list_is_its_address(params, style):
    """It is read again as the same list."""
    asked = QueryDict(mutable=True)
    asked.update(params)
    query = ListQuery.from_params(INVOICES, asked, RequestContext(gateway=None, style=style))
    again = read(query.url().partition("?")[2], INVOICES, style)
    assert (again.params(), again.filters.errors) == (query.params(), query.filters.errors)
    if not query.filters.errors:
        assert again.arguments() == query.arguments()


def test_amounts_are_read_in_the_persons_style():
    comma = Style(mark=",")
    assert read("least=1.250,50", INVOICES, comma).params() == {"least": "1250.50.."}
    assert 'value="1250,50"' in str(read("least=1250.50..", INVOICES, comma).filters["least"])
    unreadable = read("least=lots", INVOICES)
    assert (unreadable.filters.active, unreadable.params()) == ([], {"least": "lots"})
    with pytest.raises(ValueError, match="unusable filters"):
        unreadable.arguments()  # without them the list would be wider


def test_columns_are_shown_in_the_order_of_the_address():
    query = read("columns=total,reference,nonsense,total", INVOICES)
    assert [column.name for column in query.shown] == ["inv_number", "total", "reference"]
    assert query.url() == "/invoices/?columns=total%2Creference"


def test_the_usual_columns_are_not_in_the_address():
    usual = ",".join(column.name for column in INVOICES.columns[1:])
    assert read(f"columns={usual}", INVOICES).url() == "/invoices/"
    assert read("columns=", INVOICES).columns == ()


def test_the_form_of_columns_moves_one_up():
    query = read("column=total&column=due_date&column=customer_id&up=customer_id", INVOICES)
    assert query.columns == ("total", "customer_id", "due_date")
    assert read("column=total&column=due_date&up=total", INVOICES).columns == ("total", "due_date")


@pytest.mark.parametrize("resource", RESOURCES.values(), ids=lambda each: each.name)
def test_a_built_in_view_is_declared_as_its_address_stands(resource):
    for view in resource.views:
        assert ListQuery.of(resource, NOBODY, **view.params).params() == view.params
