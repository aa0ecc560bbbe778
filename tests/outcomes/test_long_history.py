"""A history too long to count: its pages read little more than they show."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dashboard.outcomes import history as history_pages
from dashboard.outcomes.history import keyset_page
from dashboard.writes import history
from dashboard.writes.models import Event, Write
from tests.helpers import text

pytestmark = pytest.mark.slow

ROWS = 3_000
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def rows(db):
    """Lines with two at each moment, every fifth of them an event, ten people's."""
    both = [
        {"at": BEGIN + timedelta(minutes=number // 2), "who": f"person {number % 10}", "owner": "o",
         "workspace": "Acme", "resource": "contacts", "record_id": number}
        for number in range(ROWS)
    ]  # fmt: skip
    events = [Event(**line, operation="export") for line in both[::5] if not is_of_job(line)]
    writes = [
        Write(
            **{name: value for name, value in line.items() if name != "at"}, sent_at=line["at"],
            done_at=line["at"], token=str(line["record_id"]), operation="update", state="saved",
            content="", job=7 if is_of_job(line) else None,
        )
        for line in both if line["record_id"] % 5 or is_of_job(line)
    ]  # fmt: skip
    for line in (*events, *writes):
        line.changes = {"label": "Zebra", "changes": {}}
    Event.rows.bulk_create(events)
    Write.objects.bulk_create(writes)


def is_of_job(line):
    return 100 <= line["record_id"] < 200


def numbers(part):
    return [entry.record_id for entry in part.entries]


def walk(tables, given, way):
    """The record ids, newest first, of all stretches from one on in one direction."""
    seen, part = [], keyset_page(tables, given)
    while True:
        seen = [*seen, *numbers(part)] if way == "older" else [*numbers(part), *seen]
        place = getattr(part, way)
        if not place:
            return seen
        part = keyset_page(tables, {way: place})


@pytest.mark.parametrize("size", [50, 7])
def test_every_entry_is_shown_once_in_both_directions(rows, size, monkeypatch):
    monkeypatch.setattr(history_pages, "ON_A_PAGE", size)
    tables = history.of_workspace("Acme", record_id__lt=300)
    expected = list(range(299, -1, -1))
    for walked in (walk(tables, {}, "older"), walk(tables, {"oldest": "1"}, "newer")):
        assert sorted(walked, reverse=True) == expected
        assert [number // 2 for number in walked] == [number // 2 for number in expected]
    assert walk(tables, {}, "older") == walk(tables, {"oldest": "1"}, "newer")
    assert [line.record_id for line in tables.lines()] == walk(tables, {}, "older")


def test_a_job_is_one_entry_in_both_directions(rows):
    both = history.of_workspace("Acme", record_id__lt=300)
    tables = (history.one_per_job(both.writes), both.events)
    expected = [*range(299, 198, -1), *range(99, -1, -1)]
    assert sorted(walk(tables, {}, "older"), reverse=True) == expected
    assert walk(tables, {"oldest": "1"}, "newer") == walk(tables, {}, "older")


@pytest.mark.parametrize(
    "place",
    ["", "x", "_", "2026-01-01_1_1", "2026-99-99T00:00:00Z_1_1", "1_1_²", "2026-01-01T00:00:00Z_1"],
)
def test_a_place_that_makes_no_sense_is_the_beginning(rows, place):
    first = numbers(keyset_page(history.of_workspace("Acme"), {}))
    assert numbers(keyset_page(history.of_workspace("Acme"), {"older": place})) == first


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
    read = re.compile('FROM "writes_(write|event)" (LEFT OUTER JOIN "people_user" ON .*)?WHERE')
    lines = [query["sql"] for query in made if read.search(query["sql"])]
    lines = [sql for sql in lines if "done_at" in sql or "writes_event" in sql]
    assert len(lines) >= 2 - ("outcome" in query)
    for sql in lines:
        how = plan(sql)
        assert "COUNT(" not in sql or '"job" IN' in sql
        assert "TEMP B-TREE FOR ORDER BY" not in how, how
        assert "OFFSET" not in sql
        assert re.search("(writes|events)_history", how) or '"job" IN' in sql, how
        # Of the rows that fit no filter only these are compared, which takes half the time.
        given = [sql.find(f'"{name}" = ') for name in ("who", "operation")]
        assert max(given) < max(sql.find("CASE"), sql.find('"workspace" = '))
    assert page.status_code == 200
    assert ("person" in text(page)) == ("not+sure" not in query and "delete" not in query)
