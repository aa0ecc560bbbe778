"""How many bytes a list takes, packed as the example of a proxy does, with its names known."""

import gzip
import re
from html import unescape

import pytest

from dashboard.office import recents
from dashboard.people.keys import gateway_for, owner_of

AT_HAND = 8  # records that have been opened; a star has room for four of them
PAGE, SWAP = 6_400, 3_500  # bytes; the import map of the scripts takes 500
# Deals have the most filters, and columns that are changed in place by a script of their own.
MORE = {"deals": 6_600}
ALL = ("contacts", "leads", "deals", "tasks", "estimates", "invoices")


@pytest.fixture
def busy(desk, manager):
    """A desk with records at hand."""
    owner = owner_of(gateway_for(manager))
    for number in range(1001, 1001 + AT_HAND):
        recents.note_opened(manager, owner, "contacts", number, title=f"Contact {number} Ltd")
        recents.star(manager, owner, "contacts", number, on=number % 2 == 0)
    return desk


def size_of(desk, name: str, *, swap: bool) -> int:
    first = desk.get(f"/{name}/?view=all").content.decode()
    for late in re.findall(r'hx-get="([^"]+)" hx-trigger="load"', first):
        desk.get(unescape(late), headers={"HX-Request": "true"})  # what the rows show
    body = desk.get(f"/{name}/?view=all", headers={"HX-Request": "true"} if swap else {}).content
    assert body.partition(b"<tfoot")[0].count(b'<th scope="row"') == 25
    return len(gzip.compress(body, 6))


@pytest.mark.parametrize("name", ALL)
def test_a_list_of_25_rows_keeps_to_its_budget(busy, name):
    assert size_of(busy, name, swap=False) <= MORE.get(name, PAGE)


@pytest.mark.parametrize("name", ALL)
def test_a_swap_of_25_rows_takes_at_most_3_and_a_half_kilobytes(busy, name):
    assert size_of(busy, name, swap=True) <= SWAP


def test_a_page_carries_its_token_once(busy):
    page = busy.get("/contacts/").content.decode()
    tokens = [part.split('"')[0] for part in page.split('name="csrfmiddlewaretoken" value="')[1:]]
    assert len(tokens) > 1
    assert len(set(tokens)) == 1
