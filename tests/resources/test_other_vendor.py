"""Pages say nothing untrue with a service of another vendor's habits."""

import re
from urllib.parse import urljoin

import pytest

from dashboard.gateway import CONTACTS
from dashboard.schema.registry import RESOURCES
from tests import other_vendor
from tests.helpers import text
from tests.other_vendor import HABITS

pytestmark = pytest.mark.slow

UNTRUE = ("cannot be reached", "not readable", "of 0 ", "Not sure", "saved after all")


@pytest.fixture
def vendor(standin):
    """vendor(habit): the service answers so from now on."""
    yield lambda habit: other_vendor.put(standin, habit)
    other_vendor.take_back(standin)


def check(page):
    assert page.status_code == 200
    words = text(page).replace(" Not sure Jobs ", " ", 1)  # entries of the menu
    assert not [each for each in UNTRUE if each in words]


@pytest.mark.parametrize("habit", HABITS)
def test_pages_across_resources_say_nothing_untrue(desk, lists, gateway, vendor, habit):
    number = gateway.list(CONTACTS, page_size=1).records[0].id
    vendor(habit)
    addresses = ["/", f"/contacts/{number}/", "/deals/board/", "/tasks/agenda/"]
    for path in (*addresses, *(f"/{name}/" for name in RESOURCES)):
        check(desk.get(path))
    check(desk.get("/contacts/?search=nobody-is-called-so"))


@pytest.mark.parametrize("habit", ["rows beyond the size", "no totals"])
def test_every_row_is_reachable_from_page_to_page(desk, gateway, vendor, habit):
    total, seen, path = gateway.list(CONTACTS).total_records, set(), "/contacts/?size=10"
    vendor(habit)
    for _ in range(total):
        page = desk.get(path).content.decode()
        seen |= set(re.findall(r'href="/contacts/(\d+)/"', page))
        following = re.search(
            r'aria-current="page">\d+</a>.*?class="page-link" href="([^"]+)"',
            page, re.DOTALL,
        )  # fmt: skip
        if following is None:
            break
        path = urljoin(path, following[1].replace("&amp;", "&"))
    assert total > 2 * other_vendor.PAGE
    assert len(seen) == total


def test_a_picker_shows_few_matches_of_a_large_page(desk, vendor):
    vendor("rows beyond the size")
    found = desk.get("/contacts/pick/?q=contact", headers={"HX-Request": "true"})
    assert found.content.decode().count('role="option"') < 15
