"""The table of a list as data: header cells, pager and page sizes."""

import pytest

from dashboard.lists import table
from dashboard.lists.query import ListQuery
from dashboard.people.context import RequestContext
from dashboard.resources.contacts import CONTACTS

NOBODY = RequestContext(gateway=None)


def test_the_header_says_by_which_column_the_list_is_sorted_and_turns_it_round():
    head = table.ListTable(
        ListQuery.of(CONTACTS, NOBODY, sort="cstname", page="3"), (), NOBODY
    ).head
    assert [heading.label for heading in head][:2] == ["Name", "Email"]
    assert [heading.order for heading in head[:2]] == ["ascending", ""]
    assert head[0].url == "/contacts/?sort=cstname&order=desc"
    assert head[1].url == "/contacts/?sort=cstemail"


@pytest.mark.parametrize(
    ("page", "last", "labels"),
    [
        (1, 1, []),
        (1, 2, ["1", "2"]),
        (1, 9, ["1", "2", "3", "…", "9"]),
        (6, 12, ["1", "…", "4", "5", "6", "7", "8", "…", "12"]),
        (1_000, 1_234, ["1", "…", "998", "999", "1,000", "1,001", "1,002", "…", "1,234"]),
    ],
)
def test_the_pager_shows_the_first_the_last_and_the_neighbouring_pages(page, last, labels):
    links = table.pager(ListQuery.of(CONTACTS, NOBODY, page=str(page)), last)
    assert [link.label for link in links] == labels
    assert [link.label for link in links if link.current] == ([f"{page:,}"] if labels else [])
    assert all(bool(link.url) is (link.label != "…") for link in links)
