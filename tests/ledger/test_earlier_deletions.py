"""The deletions of earlier releases, as the ledger takes them over."""

from datetime import timedelta
from importlib import import_module

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from dashboard.ledger import services as ledger
from dashboard.ledger.models import Write
from dashboard.sealed import as_text, place_of, readable, seal
from dashboard.writes import deletions
from dashboard.writes.deletions import Phase

State, Resolution = Write.State, Write.Resolution
RAW = {"cstid": 7, "cstname": "Zebra"}
migration = import_module("dashboard.ledger.migrations.0004_earlier_deletions")


@pytest.fixture
def earlier(manager):
    """earlier(**values): takes one deletion over, and gives what the ledger has of its person."""
    loader = MigrationExecutor(connection).loader
    tables = [*loader.graph.leaf_nodes("ledger"), ("drafts", "0006_content_of_sealed")]
    apps = loader.project_state(tables).apps
    former = apps.get_model("drafts", "Deletion")
    if former._meta.db_table not in connection.introspection.table_names():
        editor = connection.schema_editor()
        editor.deferred_sql = []  # keys to other tables, which a test can do without
        with connection.cursor() as cursor:
            cursor.execute(editor.table_sql(former)[0])

    def take_over(**values):
        place = {"owner": "pair", "person_id": manager.pk, "resource": "contacts", "record_id": 7}
        content = seal(
            as_text({"label": "Zebra", "raw": RAW}),
            owner=manager.pk,
            purpose="deletions",
            place=place_of("drafts_deletion", "sealed", *place.values()),
        )
        row = {"token": "t", "workspace": "Acme", "content": content, **place, **values}
        former.objects.create(**row)
        migration.take_over(apps, None)
        return list(Write.objects.order_by("pk"))

    return take_over


def sent(person, state, *, token="t", **values):
    """A write of the deletion; `error`: what the service said."""
    error, copy = values.pop("error", ""), values.pop("copy", {})
    row = Write(
        token=token, person=person, owner="pair", workspace="Acme", resource="contacts",
        operation="delete", record_id=7, state=state, sent_at=timezone.now(),
        done_at=timezone.now(),
        **values,
    )  # fmt: skip
    if copy is not None:
        row.content = vars(ledger.Content("Zebra", {}, {"cstname": "Zebra"}, [], copy))
    row.answer = {"error": error}
    row.save()
    return row


def test_one_that_waits_goes_on_waiting(earlier):
    asked, later = timezone.now(), timezone.now() + timedelta(seconds=5)
    [row] = earlier(state="held", since=asked, not_before=later)
    assert (row.state, row.why, row.token) == (State.WAITING, "", "t")
    assert (row.asked_at, row.not_before, row.digest) == (asked, later, ledger.digest_of({}))
    assert (ledger.label_of(row), ledger.content_of(row).copy) == ("Zebra", RAW)
    assert deletions.phase_of(row) == Phase.COUNTING


@pytest.mark.parametrize(("why", "then"), [("", deletions.LATE), ("changed", "changed")])
def test_one_without_a_countdown_waits_for_its_person(earlier, why, then):
    [row] = earlier(state="held", why=why)
    assert (row.why, deletions.phase_of(row)) == (then, Phase.WAITING)


def test_one_that_cannot_be_opened_waits_without_its_copy(earlier):
    [row] = earlier(state="held", content="shut")
    assert readable(row, "content") == {}


@pytest.mark.parametrize(
    ("state", "since"), [("undone", timedelta(0)), ("done", timedelta(days=8))]
)
def test_what_is_over_is_left_behind(earlier, state, since):
    assert earlier(state=state, since=timezone.now() - since) == []


def test_one_that_was_never_sent_waits(earlier):
    [row] = earlier(state="sent", not_before=timezone.now())
    assert (row.state, row.why) == (State.WAITING, deletions.INTERRUPTED)


def test_one_that_was_refused_waits_as_a_new_write(earlier, manager):
    refused = sent(manager, State.NOT_SAVED, error="Busy")
    first, again = earlier(state="sent", not_before=timezone.now())
    assert first == refused
    assert (again.state, again.why) == (State.WAITING, "The service did not delete it.")
    assert deletions.current(first) == again
    assert ledger.content_of(again).copy == RAW


@pytest.mark.parametrize("state", [State.SENDING, State.NOT_SURE])
def test_one_of_unknown_outcome_is_that_of_its_write(earlier, manager, state):
    sent(manager, state, copy=RAW)
    [row] = earlier(state="sent", not_before=timezone.now())
    assert (row.state, row.copy_until) == (state, None)
    assert list(deletions.of_person(manager)) == [row]


@pytest.mark.parametrize("copy", [{}, None, RAW])
@pytest.mark.parametrize(
    ("state", "values"),
    [
        (State.SAVED, {}),
        (State.NOT_SURE, {"resolution": Resolution.FOUND}),
        (State.NOT_SAVED, {"error": "Missing"}),
    ],
)
@pytest.mark.parametrize("former", ["sent", "done"])
def test_the_write_of_a_deleted_record_keeps_the_copy(
    earlier, manager, former, state, values, copy
):
    sent(manager, state, copy=copy, **values)
    [row] = earlier(state=former, since=timezone.now())
    assert deletions.phase_of(row) == Phase.DELETED
    assert list(deletions.copies(manager, "pair")) == [row]
    assert (ledger.label_of(row), ledger.content_of(row).copy) == ("Zebra", RAW)
    assert ledger.content_of(row).before == ({} if copy is None else {"cstname": "Zebra"})


def test_the_repetition_that_deleted_the_record_keeps_the_copy(earlier, manager):
    sent(manager, State.NOT_SURE, resolution=Resolution.SENT_AGAIN)
    sent(manager, State.SAVED, token="t+")
    first, again = earlier(state="sent", not_before=timezone.now())
    assert list(deletions.copies(manager, "pair")) == [again]
    assert deletions.current(first) == again


def test_the_copy_of_a_record_that_was_gone_has_a_row_of_its_own(earlier, manager):
    [row] = earlier(state="done", since=timezone.now())
    assert (row.state, row.sent_at) == (State.SKIPPED, None)
    assert list(deletions.copies(manager, "pair")) == [row]
