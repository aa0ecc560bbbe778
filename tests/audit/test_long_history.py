"""A history too long to count: its pages read little more than they show."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dashboard.audit import services as audit
from dashboard.audit.models import Entry
from dashboard.pages import history_paging
from dashboard.pages.history_paging import stretch
from tests.audit.test_history import linked
from tests.helpers import text

pytestmark = pytest.mark.slow

ROWS = 3_000
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def rows(db):
    """Entries with two at each moment, every tenth of them by nobody else's name."""
    entries = [
        Entry(
            at=BEGIN + timedelta(minutes=number // 2), who=f"person {number % 10}", owner="o",
            workspace="Acme", resource="contacts", record_id=number, operation="update",
            outcome="saved", seconds=0.1, job=7 if 100 <= number < 200 else None,
        )
        for number in range(ROWS)
    ]  # fmt: skip
    for entry in entries:
        entry.content = {"label": "Zebra", "changes": {}}
    Entry.rows.bulk_create(entries)


def numbers(found):
    return [entry.record_id for entry in found.entries]


def walk(entries, given, way):
    """The record ids, newest first, of all stretches from one on in one direction."""
    seen, found = [], stretch(entries, given)
    while True:
        seen = [*seen, *numbers(found)] if way == "older" else [*numbers(found), *seen]
        place = getattr(found, way)
        if not place:
            return seen
        found = stretch(entries, {way: place})


@pytest.mark.parametrize("size", [50, 7])
def test_every_entry_is_shown_once_in_both_directions(rows, size, monkeypatch):
    monkeypatch.setattr(history_paging, "ON_A_PAGE", size)
    entries = audit.of_workspace("Acme").filter(record_id__lt=300)
    assert walk(entries, {}, "older") == list(range(299, -1, -1))
    assert walk(entries, {"oldest": "1"}, "newer") == list(range(299, -1, -1))


def test_a_job_is_one_entry_in_both_directions(rows):
    entries = audit.one_per_job(audit.of_workspace("Acme").filter(record_id__lt=300))
    expected = [*range(299, 198, -1), *range(99, -1, -1)]
    assert walk(entries, {}, "older") == expected
    assert walk(entries, {"oldest": "1"}, "newer") == expected


@pytest.mark.parametrize("place", ["", "x", "_", "2026-01-01_1", "2026-99-99T00:00:00Z_1", "1_²"])
def test_a_place_that_makes_no_sense_is_the_beginning(rows, place):
    first = numbers(stretch(audit.of_workspace("Acme"), {}))
    assert numbers(stretch(audit.of_workspace("Acme"), {"older": place})) == first


def plan(sql):
    """How SQLite carries out a query: what it reads, and whether it sorts."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        return " / ".join(row[3] for row in cursor.fetchall())


@pytest.fixture
def admin(client_of, administrator, with_keys):
    return client_of(with_keys(administrator))


@pytest.mark.parametrize(
    "query",
    ["", "?who=person+3", "?outcome=not+sure", "?oldest=1", "?resource=contacts&operation=delete"],
)
def test_no_page_counts_or_sorts_the_history(admin, rows, query):
    if connection.vendor != "sqlite":
        pytest.skip("the words of SQLite's plans")
    with CaptureQueriesContext(connection) as made:
        page = admin.get(f"/history/{query}")
    of_entries = [one["sql"] for one in made if 'FROM "audit_entry"' in one["sql"]]
    assert of_entries
    for sql in of_entries:
        how = plan(sql)
        assert "COUNT(" not in sql or '"job" IN' in sql
        assert "TEMP B-TREE FOR ORDER BY" not in how, how
        assert "OFFSET" not in sql
        assert "audit_page" in how or '"job" IN' in sql
        # Of the rows that fit no filter only these are compared, which takes half the time.
        given = [sql.find(f'"{name}" = ') for name in ("who", "outcome", "operation")]
        assert max(given) < sql.find("CASE")
    assert page.status_code == 200
    assert ("person" in text(page)) == ("not+sure" not in query and "delete" not in query)


def test_the_pages_of_the_history_lead_to_each_other(admin, rows):
    page = admin.get("/history/?who=person+3")
    assert "Newer" not in text(page)
    last = admin.get(linked(page, "Oldest"))
    assert "Older" not in text(last)
    assert "person 3" in text(last)
    assert "person 4" not in text(last)
    assert re.search(r"who=person\+3&amp;newer=2026-01-01T", last.content.decode())
    assert "Newest" in text(admin.get(linked(last, "Newer")))
