"""A token permits one write, which is stored before it is sent, encrypted for its owner."""

from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest
from django.db import DatabaseError
from django.db.models.functions import Now
from django.utils import timezone

from dashboard import sealed
from dashboard.ledger import locks
from dashboard.ledger import services as ledger
from dashboard.ledger.models import RecordLock, Write
from dashboard.writes import settling

pytestmark = pytest.mark.django_db
State = Write.State


def begin(person, token="t1", **changes):
    note = {
        "token": token,
        "person": person,
        "owner": "mark",
        "resource": "invoices",
        "operation": "create",
        "record_id": None,
        "label": "Ärzte",
        "workspace": "Acme",
        "body": {"reference": "secret plan", "items": [{"price": Decimal("12.50")}]},
        "before": {},
    }
    note |= changes
    return ledger.begin(ledger.NewWrite(**{"typed": note["body"], **note}))


def test_the_stored_body_comes_back_exactly(editor):
    assert begin(editor).content["body"] == {
        "reference": "secret plan",
        "items": [{"price": Decimal("12.50")}],
    }


def test_a_stored_body_is_encrypted_in_the_database(editor):
    write = begin(editor)
    ledger.finish(write, State.SAVED, id=1, label="secret name", message="")
    row = Write.objects.filter(pk=write.pk).values().get()
    assert "secret" not in str(row)
    assert "Ärzte" not in str(row)
    assert write.answer["label"] == "secret name"


def test_another_person_cannot_decrypt_a_body(editor, viewer):
    write = begin(editor)
    write.person = viewer
    with pytest.raises(sealed.Unreadable):
        write.content["body"]


def test_a_token_is_used_up_by_the_first_write(editor):
    first = begin(editor)
    with pytest.raises(ledger.UsedToken) as used:
        begin(editor, body={"other": 1})
    assert used.value.first == first


def test_another_persons_token_sends_nothing(editor, viewer):
    begin(editor)
    with pytest.raises(ledger.NotRecorded):
        begin(viewer)


def test_a_database_that_refuses_the_row_is_reported_before_anything_is_sent(editor, monkeypatch):
    def refuse(*args, **kwargs):
        raise DatabaseError("disk full")

    monkeypatch.setattr(Write, "save", refuse)
    with pytest.raises(ledger.NotRecorded):
        begin(editor)


def test_a_write_whose_worker_died_becomes_unresolved(editor):
    lost, running = begin(editor), begin(editor, token="t2")
    Write.objects.filter(pk=lost.pk).update(sent_at=timezone.now() - timedelta(minutes=1))
    assert [each.token for each in ledger.unresolved(editor)] == [lost.token]
    running.refresh_from_db()
    assert running.state == State.SENDING
    assert ledger.refreshed(lost).state == State.NOT_SURE


@pytest.mark.parametrize(("age", "state"), [(100, State.SENDING), (115, State.NOT_SURE)])
def test_a_write_is_lost_only_after_the_longest_call_that_the_settings_allow(
    editor, settings, age, state
):
    settings.API_TIMEOUT = 45
    write = begin(editor)
    Write.objects.filter(pk=write.pk).update(sent_at=Now() - timedelta(seconds=age))
    assert ledger.refreshed(write).state == state
    assert ledger.is_under_way(write.token, editor) is (state == State.SENDING)
    assert bool(ledger.unresolved(editor)) is (state == State.NOT_SURE)


def test_times_come_from_the_database_and_not_from_this_machine(editor, time_machine):
    time_machine.move_to(timezone.now() + timedelta(hours=1))
    write = begin(editor)
    assert ledger.refreshed(write).state == State.SENDING
    ledger.finish(write, State.SAVED, id=3, label="", message="")
    write.refresh_from_db()
    assert timezone.now() - write.sent_at > timedelta(minutes=59)
    assert timezone.now() - write.done_at > timedelta(minutes=59)
    assert ledger.just_saved(editor, "invoices", 3) == write


def test_a_write_is_not_stored_without_its_lock(editor):
    with locks.record_lock("invoices/3", "t1") as lock:
        RecordLock.objects.all().delete()
        with locks.record_lock("invoices/3", "t2"), pytest.raises(locks.Locked):
            begin(editor, lock=lock)
    assert not Write.objects.exists()


def test_a_form_of_several_writes_is_under_way_while_one_of_them_is(editor):
    first = begin(editor, token="t1:company")
    ledger.finish(first, State.SAVED, id=3, label="", message="")
    assert not ledger.is_under_way("t1", editor)
    begin(editor, token="t1:person")
    assert ledger.is_under_way("t1", editor)
    assert [write.token for write in ledger.of_form("t1", editor)] == ["t1:company", "t1:person"]


def test_the_body_of_a_resolved_write_is_emptied_after_a_day(editor):
    saved, unclear = (begin(editor, token=token) for token in ("t1", "t2"))
    ledger.finish(saved, State.SAVED, id=3, label="", message="")
    ledger.finish(unclear, State.NOT_SURE, reason="timeout")
    Write.objects.update(done_at=Now() - timedelta(days=2))
    assert ledger.empty_contents() == 1
    assert ledger.label_of(saved) == "Ärzte"
    kept = Write.objects.exclude(content="").order_by("pk")
    assert list(kept.values_list("token", flat=True)) == ["t2"]
    assert ledger.find_by_token("t1", editor)


def test_an_unresolved_write_is_settled_once(editor):
    write = begin(editor)
    ledger.finish(write, State.NOT_SURE, reason="no answer in time")
    assert ledger.settle(write, Write.Resolution.FOUND)
    assert not ledger.settle(write, Write.Resolution.SENT_AGAIN)
    assert ledger.unresolved(editor) == []


def test_dates_and_times_are_stored_as_they_are_sent(editor):
    body = {"start_datetime": datetime(2026, 3, 5, 9), "due_date": date(2026, 3, 6), "rate": 12.5}
    assert begin(editor, body=body).content["body"] == {
        "start_datetime": "2026-03-05T09:00:00",
        "due_date": "2026-03-06",
        "rate": Decimal("12.5"),
    }


def test_the_looks_end_by_the_databases_clock(editor, time_machine):
    write = begin(editor)
    ledger.finish(write, State.NOT_SURE, reason="lost")
    time_machine.move_to(timezone.now() + timedelta(hours=1))
    assert settling.next_reconciliation(write) == pytest.approx(3, abs=2)
    Write.objects.update(done_at=Now() - timedelta(seconds=31))
    assert settling.next_reconciliation(write) is None


def test_the_number_and_the_page_of_what_is_not_sure_hold_the_same(editor, viewer):
    for user in (editor, viewer):
        for state in State:
            for settled in Write.Resolution:
                made = begin(user, token=f"{user.pk} {state} {settled}")
                Write.objects.filter(pk=made.pk).update(state=state, resolution=settled)
    assert ledger.count_unresolved(editor) == 1  # without the one that is under way
    assert len(ledger.unresolved(editor)) == 1
    Write.objects.update(sent_at=Now() - timedelta(hours=1))
    assert ledger.count_unresolved(editor) == 2  # the process that sent it has died
    assert len(ledger.unresolved(editor)) == 2
    assert ledger.count_unresolved(editor) == 2
