"""A list is read to its end, whatever the service says of its pages, and not beyond a bound."""

from dataclasses import dataclass, field, replace
from math import inf
from threading import Lock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.gateway import CONTACTS, Page, Unavailable
from dashboard.gateway.records import record_of
from dashboard.reader.listing import Pages

SIZE = 5


@dataclass
class Lists:
    """A service with a list of so many contacts.

    tells: which totals it says. repeats_last: whether it sends its last page for each one behind
    that. unreadable: the rows that cannot be read. own_size: the rows of its pages, if those are
    not as asked.
    """

    number: int
    tells: str = "both"
    repeats_last: bool = False
    unreadable: frozenset[int] = frozenset()
    own_size: int = SIZE
    fails_at: float = inf
    asked: list[int] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def page(self, page_index: int) -> Page:
        index = page_index
        with self.lock:
            self.asked.append(index)
        if index >= self.fails_at:
            raise Unavailable
        last = max(0, -(-self.number // self.own_size) - 1)
        start = (min(index, last) if self.repeats_last else index) * self.own_size
        ids = range(start + 1, min(start + self.own_size, self.number) + 1)
        rows = [record_of(CONTACTS, {"cstid": each}) for each in ids if each not in self.unreadable]
        records = self.number if self.tells in ("both", "records") else None
        pages = last + 1 if self.tells in ("both", "pages") else None
        size = max(SIZE, len(ids))
        return Page(tuple(rows), index, size, records, pages, len(ids) - len(rows))


def read(service: Lists, **how) -> tuple[list[int], bool]:
    pages = Pages(service.page, **how)
    return [record.id for page in pages for record in page.records], pages.ended


SERVICES = st.builds(
    Lists,
    number=st.integers(0, 8 * SIZE),
    tells=st.sampled_from(["both", "records", "pages", "nothing"]),
    repeats_last=st.booleans(),
    unreadable=st.frozensets(st.integers(1, 8 * SIZE), max_size=4),
    own_size=st.sampled_from([SIZE, SIZE + 2]),
)


@given(SERVICES, st.integers(1, 9), st.integers(1, 12))
def test_every_row_is_read_once_and_the_list_ends(service, at_once, expected):
    found = read(service, at_once=at_once, expected=expected)
    readable = [each for each in range(1, service.number + 1) if each not in service.unreadable]
    assert found == (readable, True)
    assert len(service.asked) == len(set(service.asked))


@given(SERVICES, st.integers(1, 9), st.integers(1, 9))
def test_a_bound_is_kept_and_told_apart_from_the_end(service, most, at_once):
    found, ended = read(service, most=most, at_once=at_once)
    beyond = service.number - most * service.own_size
    assert len(service.asked) <= most
    assert not ended or beyond <= 0
    if beyond > 0:
        assert len(found) <= most * service.own_size


@given(SERVICES, st.integers(0, 9))
def test_reading_goes_on_behind_what_was_read_before(service, begin):
    found, ended = read(service, begin=begin)
    rest = range(begin * service.own_size + 1, service.number + 1)
    if rest:
        assert found == [each for each in rest if each not in service.unreadable]
    assert ended


def test_no_page_is_asked_for_that_both_totals_say_there_is_not():
    service = Lists(3 * SIZE)
    assert len(read(service)[0]) == 3 * SIZE
    assert sorted(service.asked) == [0, 1, 2]


@pytest.mark.parametrize("total_records", [None, 0, SIZE, 3 * SIZE + 1])
@pytest.mark.parametrize("total_pages", [0, 1, 2])
@pytest.mark.parametrize("repeats_last", [False, True])
def test_totals_that_the_rows_refute_do_not_end_a_list(total_records, total_pages, repeats_last):
    service = Lists(3 * SIZE + 1, repeats_last=repeats_last)
    totals = {"total_records": total_records, "total_pages": total_pages}
    pages = Pages(lambda page_index: replace(service.page(page_index), **totals))
    assert [record.id for page in pages for record in page.records] == list(range(1, 3 * SIZE + 2))
    assert pages.ended


def test_reading_that_resumes_behind_the_end_gives_no_row_again():
    service = Lists(SIZE, tells="pages", repeats_last=True)
    assert read(service, begin=1) == ([], True)


def test_pages_that_are_shorter_than_asked_do_not_end_a_list_that_says_its_pages():
    assert read(Lists(3 * SIZE, tells="both", own_size=2)) == (list(range(1, 3 * SIZE + 1)), True)


def test_a_service_that_knows_no_pages_is_read_once():
    service = Lists(SIZE, tells="nothing", repeats_last=True)
    assert read(service, at_once=1) == ([1, 2, 3, 4, 5], True)
    assert service.asked == [0, 1]


def test_a_first_page_that_was_read_is_not_read_again():
    service = Lists(2 * SIZE)
    first = service.page(0)
    assert len(read(service, first=first)[0]) == 2 * SIZE
    assert sorted(service.asked) == [0, 1]


def test_nothing_further_is_asked_while_the_first_page_is_used():
    service = Lists(3 * SIZE)
    assert next(iter(Pages(service.page))).page_index == 0
    assert service.asked == [0]


def test_reading_stops_where_it_is_told_to():
    service = Lists(9 * SIZE)
    found, ended = read(service, goes_on=lambda: len(service.asked) < 3, at_once=1)
    assert (len(found), ended, service.asked) == (3 * SIZE, False, [0, 1, 2])


def test_the_page_that_fails_is_told_behind_those_before_it():
    pages = Pages(Lists(4 * SIZE, fails_at=2).page)
    rows = []
    with pytest.raises(Unavailable):
        rows.extend(page.page_index for page in pages)
    assert rows == [0, 1]
    assert not pages.ended


def test_the_last_known_page_is_by_the_same_rule():
    assert Page((), 3, SIZE, None, None, 0).is_last
    assert not Lists(SIZE, tells="nothing").page(0).is_last
    assert Lists(SIZE - 1, tells="nothing").page(0).is_last
