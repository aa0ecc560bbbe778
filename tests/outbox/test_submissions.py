"""A token permits one write, which is stored before it is sent, encrypted for its owner."""

from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest
from django.db import DatabaseError
from django.db.models.functions import Now
from django.utils import timezone

from dashboard import sealed
from dashboard.outbox import locks, looks
from dashboard.outbox import services as outbox
from dashboard.outbox.models import RecordLock, Submission

pytestmark = pytest.mark.django_db
State = Submission.State


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
    return outbox.begin(outbox.Write(**{"typed": note["body"], **note}))


def test_the_stored_body_comes_back_exactly(editor):
    assert begin(editor).body["body"] == {
        "reference": "secret plan",
        "items": [{"price": Decimal("12.50")}],
    }


def test_a_stored_body_is_encrypted_in_the_database(editor):
    submission = begin(editor)
    outbox.finish(submission, State.SAVED, id=1, label="secret name", message="")
    row = Submission.objects.filter(pk=submission.pk).values().get()
    assert "secret" not in str(row)
    assert "Ärzte" not in str(row)
    assert submission.answer["label"] == "secret name"


def test_another_person_cannot_decrypt_a_body(editor, viewer):
    submission = begin(editor)
    submission.person = viewer
    with pytest.raises(sealed.Unreadable):
        submission.body["body"]


def test_a_token_is_used_up_by_the_first_write(editor):
    first = begin(editor)
    with pytest.raises(outbox.UsedToken) as used:
        begin(editor, body={"other": 1})
    assert used.value.first == first


def test_another_persons_token_sends_nothing(editor, viewer):
    begin(editor)
    with pytest.raises(outbox.NotRecorded):
        begin(viewer)


def test_a_database_that_refuses_the_row_is_reported_before_anything_is_sent(editor, monkeypatch):
    def refuse(*args, **kwargs):
        raise DatabaseError("disk full")

    monkeypatch.setattr(Submission, "save", refuse)
    with pytest.raises(outbox.NotRecorded):
        begin(editor)


def test_a_write_whose_worker_died_becomes_unresolved(editor):
    lost, running = begin(editor), begin(editor, token="t2")
    Submission.objects.filter(pk=lost.pk).update(started_at=timezone.now() - timedelta(minutes=1))
    assert [each.token for each in outbox.unresolved(editor)] == [lost.token]
    running.refresh_from_db()
    assert running.state == State.SENDING
    assert outbox.refreshed(lost).state == State.NOT_SURE


@pytest.mark.parametrize(("age", "state"), [(100, State.SENDING), (115, State.NOT_SURE)])
def test_a_write_is_lost_only_after_the_longest_call_that_the_settings_allow(
    editor, settings, age, state
):
    settings.API_TIMEOUT = 45
    submission = begin(editor)
    Submission.objects.filter(pk=submission.pk).update(started_at=Now() - timedelta(seconds=age))
    assert outbox.refreshed(submission).state == state
    assert outbox.is_under_way(submission.token, editor) is (state == State.SENDING)
    assert bool(outbox.unresolved(editor)) is (state == State.NOT_SURE)


def test_times_come_from_the_database_and_not_from_this_machine(editor, time_machine):
    time_machine.move_to(timezone.now() + timedelta(hours=1))
    submission = begin(editor)
    assert outbox.refreshed(submission).state == State.SENDING
    outbox.finish(submission, State.SAVED, id=3, label="", message="")
    submission.refresh_from_db()
    assert timezone.now() - submission.started_at > timedelta(minutes=59)
    assert timezone.now() - submission.finished_at > timedelta(minutes=59)
    assert outbox.just_saved(editor, "invoices", 3) == submission


def test_a_write_is_not_stored_without_its_lock(editor):
    with locks.record_lock("invoices/3", "t1") as lock:
        RecordLock.objects.all().delete()
        with locks.record_lock("invoices/3", "t2"), pytest.raises(locks.Locked):
            begin(editor, lock=lock)
    assert not Submission.objects.exists()


def test_a_form_of_several_writes_is_under_way_while_one_of_them_is(editor):
    first = begin(editor, token="t1:company")
    outbox.finish(first, State.SAVED, id=3, label="", message="")
    assert not outbox.is_under_way("t1", editor)
    begin(editor, token="t1:person")
    assert outbox.is_under_way("t1", editor)
    assert [write.token for write in outbox.of_form("t1", editor)] == ["t1:company", "t1:person"]


def test_the_body_of_a_resolved_write_is_emptied_after_a_day(editor):
    saved, unclear, missing = (begin(editor, token=token) for token in ("t1", "t2", "t3"))
    outbox.finish(saved, State.SAVED, id=3, label="", message="")
    outbox.finish(unclear, State.NOT_SURE, reason="timeout")
    outbox.finish(missing, State.SAVED, id=4, label="", message="")  # it has no audit entry
    for submission in (saved, unclear):
        assert outbox.mark_in_history(submission)
    Submission.objects.update(finished_at=Now() - timedelta(days=2))
    assert outbox.empty_bodies() == 1
    assert outbox.label_of(saved) == "Ärzte"
    kept = Submission.objects.exclude(body="").order_by("pk")
    assert list(kept.values_list("token", flat=True)) == ["t2", "t3"]
    assert outbox.find_by_token("t1", editor)


def test_an_unresolved_write_is_settled_once(editor):
    submission = begin(editor)
    outbox.finish(submission, State.NOT_SURE, reason="no answer in time")
    assert outbox.settle(submission, Submission.Settled.FOUND)
    assert not outbox.settle(submission, Submission.Settled.SENT_AGAIN)
    assert outbox.unresolved(editor) == []


def test_dates_and_times_are_stored_as_they_are_sent(editor):
    body = {"start_datetime": datetime(2026, 3, 5, 9), "due_date": date(2026, 3, 6), "rate": 12.5}
    assert begin(editor, body=body).body["body"] == {
        "start_datetime": "2026-03-05T09:00:00",
        "due_date": "2026-03-06",
        "rate": Decimal("12.5"),
    }


def test_the_looks_end_by_the_databases_clock(editor, time_machine):
    submission = begin(editor)
    outbox.finish(submission, State.NOT_SURE, reason="lost")
    time_machine.move_to(timezone.now() + timedelta(hours=1))
    assert looks.next_look(submission) == pytest.approx(3, abs=2)
    Submission.objects.update(finished_at=Now() - timedelta(seconds=31))
    assert looks.next_look(submission) is None


def test_the_number_and_the_page_of_what_is_not_sure_hold_the_same(editor, viewer):
    for user in (editor, viewer):
        for state in State:
            for settled in Submission.Settled:
                made = begin(user, token=f"{user.pk} {state} {settled}")
                Submission.objects.filter(pk=made.pk).update(state=state, settled=settled)
    assert outbox.count_unresolved(editor) == 1  # without the one that is under way
    assert len(outbox.unresolved(editor)) == 1
    Submission.objects.update(started_at=Now() - timedelta(hours=1))
    assert outbox.count_unresolved(editor) == 2  # the process that sent it has died
    assert len(outbox.unresolved(editor)) == 2
    assert outbox.count_unresolved(editor) == 2
