"""The table of a list as data: header cells, pager and page sizes."""

import pytest

from dashboard.context import RequestContext
from dashboard.declare.resource import Column
from dashboard.display import values
from dashboard.lists import table
from dashboard.lists.query import ListQuery
from dashboard.resources import CONTACTS, DEALS

NOBODY = RequestContext(gateway=None)


def test_the_header_says_by_which_column_the_list_is_sorted_and_turns_it_round():
    head = table.ListTable(ListQuery(CONTACTS, sort="cstname", page=3), (), NOBODY).head
    assert [heading.label for heading in head][:2] == ["Name", "Email"]
    assert [heading.order for heading in head[:2]] == ["ascending", ""]
    assert head[0].url == "/contacts/?sort=cstname&order=desc"
    assert head[1].url == "/contacts/?sort=cstemail"


def test_a_narrow_row_has_a_text_beside_its_title_where_no_column_is_a_number():
    columns = [Column(name) for name in ("status", "priority", "start", "contact")]
    texts = [values.text(column.name) for column in columns[1:]]
    found = table.places(columns, [values.status("Open", "open"), *texts])
    assert found == {"status": "state", "priority": "meta", "start": "sum"}
    with_amount = [*columns[1:], Column("amount", numeric=True)]
    found = table.places(with_amount, [*texts, values.text("1.00")])
    assert found == {"amount": "sum", "priority": "meta", "start": "state"}


def test_an_email_has_the_longest_place_of_a_narrow_row():
    columns = [Column("status"), Column("company"), Column("email", is_email=True)]
    row = [values.status("New", "open"), values.text("Acme"), values.text("a@example.com")]
    assert table.places(columns, row) == {"status": "state", "email": "meta", "company": "sum"}


@pytest.mark.parametrize(
    ("page", "last", "labels"),
    [
        (1, 1, []),
        (1, 2, ["1", "2"]),
        (1, 5, ["1", "2", "3", "…", "5"]),
        (5, 9, ["1", "…", "3", "4", "5", "6", "7", "…", "9"]),
        (1_000, 1_234, ["1", "…", "998", "999", "1,000", "1,001", "1,002", "…", "1,234"]),
    ],
)
def test_the_pager_shows_the_first_the_last_and_the_neighbouring_pages(page, last, labels):
    links = table.pager(ListQuery(CONTACTS, page=page), last)
    assert [link.label for link in links] == labels
    assert [link.label for link in links if link.current] == ([f"{page:,}"] if labels else [])
    assert all(link.url for link in links if link is not table.GAP)


def test_another_page_size_starts_at_the_first_page():
    sizes = table.sizes(ListQuery(CONTACTS, page=4, size=50))
    assert [(link.label, link.current) for link in sizes] == [
        ("10", False), ("25", False), ("50", True), ("100", False),
    ]  # fmt: skip
    assert sizes[0].url == "/contacts/?size=10"
    assert sizes[1].url == "/contacts/"


def test_what_can_be_sorted_by_is_offered_with_the_services_own_order():
    offered = table.sorts(ListQuery(DEALS, sort="deal_amount"), "newest first")
    assert [link.label for link in offered] == [
        "Newest first", "Name", "Company", "Amount", "Pipeline", "Expected close", "Owner",
        "Source",
    ]  # fmt: skip
    assert [link.url for link in offered if link.current] == ["deal_amount"]
