"""Names of other records: one call each, side by side, kept per key pair, never worth an error."""

from collections.abc import Iterator
from concurrent.futures import wait
from decimal import Decimal
from threading import Barrier, Event

import pytest
from django.core.cache import cache, caches

from dashboard.gateway import CONTACTS, DEALS, LEADS, Gateway, Keys, Missing, Service, Unavailable
from dashboard.gateway.records import record_of
from dashboard.people.context import RequestContext
from dashboard.reader import lookups, sealed_cache
from dashboard.resources.deals import DEALS as DEAL_PAGES
from dashboard.schema import titles
from tests.helpers import drawn

KEYS = Keys(access="one", secret="two")
COMPANY = next(column for column in DEAL_PAGES.columns if column.name == "cstid")


class Names(Gateway):
    """Knows the names it is given, and counts how often it is asked."""

    def __init__(self, keys=KEYS, fails=None, holds=None, **raw):
        super().__init__(Service("http://127.0.0.1:9"), keys)
        self.asked, self.fails, self.holds, self.raw = [], fails, holds, raw

    def get(self, endpoint, record_id):
        self.asked.append(record_id)
        if self.holds:
            self.holds.wait(5)
        if self.fails:
            raise self.fails
        more = self.raw.get(f"n{record_id}", {})
        return record_of(endpoint, {"cstid": record_id, "cstname": f"Name {record_id}", **more})


@pytest.fixture
def held() -> Iterator[Event]:
    event = Event()
    yield event
    event.set()
    wait(list(lookups._running.values()))  # or they keep names in the cache of the next test


def ask(gateway, *ids, seconds=5.0):
    return lookups.load_titles(gateway, [(CONTACTS, number) for number in ids], seconds=seconds)


def test_each_record_is_asked_for_once_and_then_kept():
    gateway = Names()
    assert ask(gateway, 1, 2, 1) == {("contacts", 1): "Name 1", ("contacts", 2): "Name 2"}
    assert ask(gateway, 2, 1)[("contacts", 2)] == "Name 2"
    assert sorted(gateway.asked) == [1, 2]


def test_another_key_pair_finds_nothing_of_what_was_kept():
    ask(Names(), 1)
    other = Names(Keys(access="one", secret="another"), fails=Missing())
    assert ask(other, 1) == {("contacts", 1): ""}
    assert other.asked == [1]


def test_a_kept_name_that_says_it_is_somebody_elses_is_not_shown():
    gateway, other = Names(fails=Missing()), Names(Keys(access="three", secret="four"))
    ask(other, 1)
    place, theirs = (sealed_cache.keys_of(each)("title", CONTACTS, 1) for each in (gateway, other))
    cache.set(place, cache.get(theirs))
    assert ask(gateway, 1)[("contacts", 1)] == ""


def test_neither_key_stands_in_a_cache_key():
    gateway = Names(Keys(access="access-key-1", secret="secret-key-1"))
    assert "key-1" not in sealed_cache.keys_of(gateway)("title", CONTACTS, 1)


ROW = {"cstid": 5, "cstname": "Ada Lovelace", "n": Decimal("1.10"), "tags": [{"id": 2}], "x": None}


@pytest.fixture
def stored(monkeypatch) -> dict[str, tuple]:
    """What is put into the cache: the key, and the value with the seconds it is kept."""
    found: dict[str, tuple] = {}
    put = type(caches["default"]).set

    def noted(self, key, value, timeout=None, version=None):
        found[key] = (value, timeout)
        return put(self, key, value, timeout, version)

    monkeypatch.setattr(type(caches["default"]), "set", noted)
    return found


def test_the_cache_holds_no_value_of_a_record_in_the_clear_and_names_alone_for_hours(stored):
    gateway = Names(n7={"contact_parent": "3"})
    lookups.cache_rows(gateway, LEADS, [record_of(LEADS, ROW)])
    lookups.cache_title(gateway, CONTACTS, 9, "Ada Lovelace")
    lookups.load_parents(gateway, [(CONTACTS, 7)], seconds=5)
    assert {key.split(":")[0] for key in stored} == {"title", "record", "page", "members"}
    for key, (value, seconds) in stored.items():
        assert isinstance(value, str), key
        assert not any(part in value for part in ("Ada Love", "Name", "Lovelace")), key
        hours = 12 if key.startswith(("title", "members")) else 0.5
        assert seconds <= hours * 60 * 60, key


def test_a_row_comes_back_from_the_cache_exactly_as_it_was():
    gateway = Names()
    lookups.cache_rows(gateway, LEADS, [record_of(LEADS, ROW)])
    row = lookups.cached_row(gateway, LEADS, 5)
    assert row.record.raw == ROW
    assert isinstance(row.record.raw["n"], Decimal)


@pytest.mark.parametrize("value", ["", "not encrypted", {}, ["owner", "Name"], 5])
def test_an_entry_of_another_release_counts_as_none(value):
    gateway = Names()
    cache.set(sealed_cache.keys_of(gateway)("title", CONTACTS, 1), value)
    assert ask(gateway, 1) == {("contacts", 1): "Name 1"}


def test_what_comes_too_late_is_left_out_and_kept_for_the_next(held):
    gateway = Names(holds=held)
    assert ask(gateway, 1, seconds=0.01) == {}
    held.set()
    assert ask(gateway, 1) == {("contacts", 1): "Name 1"}
    assert gateway.asked == [1]


def test_a_page_of_rows_is_asked_for_side_by_side():
    gateway = Names(holds=Barrier(25))  # none is answered before all are asked
    assert len(ask(gateway, *range(1, 26))) == 25


@pytest.mark.parametrize("error", [Missing(), Unavailable(reason="down")])
def test_a_name_that_cannot_be_had_is_no_error_and_is_not_asked_for_again_at_once(error):
    gateway = Names(fails=error)
    assert ask(gateway, 1) == {("contacts", 1): ""}
    assert ask(gateway, 1) == {("contacts", 1): ""}
    assert gateway.asked == [1]


def test_rows_that_were_read_anyway_need_no_call():
    gateway = Names()
    rows = [record_of(CONTACTS, {"cstid": 5, "cstname": "Acme"})]
    lookups.cache_rows(gateway, CONTACTS, rows)
    assert ask(gateway, 5) == {("contacts", 5): "Acme"}
    assert gateway.asked == []


def test_a_resource_without_single_records_keeps_the_names_of_its_rows():
    gateway = Names()
    lookups.cache_rows(gateway, LEADS, [record_of(LEADS, {"cstid": 5, "cstname": "Ada"})])
    found = lookups.load_titles(gateway, [(LEADS, 5)], seconds=1)
    assert found == {("leads", 5): "Ada"}


def test_what_a_record_belongs_to_is_remembered_in_both_directions():
    gateway = Names(n7={"contact_parent": "3"})
    assert lookups.load_parents(gateway, [(CONTACTS, 7)], seconds=5) == {("contacts", 7): 3}
    assert lookups.cached_children(gateway, CONTACTS, 3) == (7,)


def test_a_changed_name_is_read_again():
    gateway = Names()
    ask(gateway, 1)
    lookups.uncache_record(gateway, CONTACTS, 1)
    ask(gateway, 1)
    assert gateway.asked == [1, 1]


def deals(*companies):
    return [record_of(DEALS, {"deal_id": n + 1, "cstid": c}) for n, c in enumerate(companies)]


def test_a_cell_shows_the_name_as_a_link():
    rows = deals("<b>", 4, 4, None)
    desk = RequestContext(gateway=Names())
    names = titles.names_around(desk, [COMPANY], rows, seconds=5)
    cells = [drawn(COMPANY.value(record, desk, names)) for record in rows]
    assert cells[1] == cells[2] == '<a href="/contacts/4/">Name 4</a>'
    assert "not readable" in cells[0]
    assert cells[3] == ""
    assert names.late_url == ""


def test_a_late_name_stands_as_a_number_that_is_filled_in(held):
    rows = deals(4, 9)
    desk = RequestContext(gateway=Names(holds=held))
    names = titles.names_around(desk, [COMPANY], rows)
    name = '<span class="late-name">Contact 4</span>'
    expected = f'<a href="/contacts/4/" data-title="contacts-4">{name}</a>'
    assert drawn(COMPANY.value(rows[0], desk, names)) == expected
    assert names.late_url == "/titles/?contacts=4,9"


def test_no_page_waits_for_names(rf, monkeypatch):
    waits = []
    monkeypatch.setattr(lookups, "load_titles", lambda *_, seconds: waits.append(seconds) or {})
    desk = RequestContext(gateway=Names(), page_request=rf.get("/deals/"))
    titles.names_around(desk, [COMPANY], deals(4))
    assert waits == [0]


def test_a_list_begins_anew_how_long_a_name_is_kept(stored):
    gateway, row = Names(), record_of(CONTACTS, {"cstid": 5, "cstname": "Ada"})
    lookups.cache_rows(gateway, CONTACTS, [row])
    cache.delete(next(key for key in stored if key.startswith("page")))  # a minute later
    stored.clear()
    lookups.cache_rows(gateway, CONTACTS, [row])
    assert any(key.startswith("title") for key in stored)
