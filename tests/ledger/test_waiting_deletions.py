"""Deletions that wait in the ledger: encrypted copies, states, expiry."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.management import call_command
from django.db import OperationalError
from django.db.models.functions import Now
from django_tasks_db.models import DBTaskResult

from dashboard import sealed
from dashboard.ledger import history, locks, repetitions
from dashboard.ledger import services as ledger
from dashboard.ledger.models import Write
from dashboard.resources import BY_NAME
from dashboard.resources.deletions import send_deletion
from dashboard.writes import deletions
from dashboard.writes.deletions import Phase
from tests.helpers import age_deletions

State = Write.State
RAW = {
    "cstid": 7,
    "cstname": "Zebra",
    "total": Decimal("12.50"),
    "tags": [1, 2],
    "more": {"a": None},
}


def schedule(person, token="t" * 32, record_id=7, **copy) -> Write:
    return deletions.schedule(
        person=person,
        owner="pair",
        workspace="Acme",
        resource="contacts",
        record_id=record_id,
        token=token,
        label="Zebra",
        copy={**RAW, **copy},
        later=send_deletion,
    )


def begin(deletion: Write, **values) -> Write:
    """The row once it is stored to be sent next."""
    of_record = {"resource": "contacts", "operation": "delete", "record_id": deletion.record_id}
    known = {"token": deletion.token, "person": deletion.person, "owner": "pair"}
    return ledger.begin(
        ledger.NewWrite(**{**of_record, **known, "workspace": "Acme", "label": "Zebra", **values})
    )


def refuse(deletion: Write, error: str = "Busy") -> Write:
    """Send it; the service refuses."""
    assert deletions.take(deletion, deletion.token)
    row = begin(deletion, copy=RAW)
    ledger.finish(row, State.NOT_SAVED, error=error)
    return row


def test_the_copy_is_restored_exactly(manager):
    content = ledger.content_of(schedule(manager))
    assert (content.label, content.copy) == ("Zebra", RAW)
    assert isinstance(content.copy["total"], Decimal)


@pytest.mark.parametrize("value", ["x", None, [], {}])
def test_a_value_that_looks_like_a_stored_amount_is_restored_as_it_was(manager, value):
    content = ledger.content_of(schedule(manager, odd={"$decimal": value}))
    assert content.copy["odd"] == {"$decimal": value}


def test_the_copy_is_encrypted_in_the_row(manager):
    deletion = schedule(manager)
    row = " ".join(str(value) for value in Write.objects.values_list().get())
    assert "Zebra" not in row
    assert "12.50" not in row
    assert "Zebra" not in str(deletion)


def test_a_copy_moved_to_another_person_cannot_be_decrypted(manager, editor):
    deletion = schedule(manager)
    deletion.person = editor
    with pytest.raises(sealed.Unreadable):
        ledger.content_of(deletion)
    assert ledger.label_of(deletion) == ""
    assert deletions.read_copy(BY_NAME["contacts"], deletion) is None


def test_another_persons_token_is_not_used(manager, editor):
    of_manager, of_editor = schedule(manager), schedule(editor)
    assert of_manager.token != of_editor.token
    assert (of_manager.person, of_editor.person) == (manager, editor)


def test_a_record_has_one_waiting_deletion(manager):
    first, again = schedule(manager), schedule(manager, "u" * 32)
    assert (again.pk, again.token) == (first.pk, first.token)
    assert schedule(manager, record_id=8).pk != first.pk


def test_a_deletion_is_taken_only_with_its_token_and_not_after_undo(manager):
    deletion = schedule(manager)
    assert not deletions.take(deletion, "another")
    assert deletions.take(deletion, deletion.token)
    # Under the lock of the record, after whoever took it has died:
    assert deletions.take(deletion, deletion.token)
    deletions.put_back(deletion, "changed")
    deletion.refresh_from_db()
    assert (deletion.state, deletion.why) == (State.WAITING, "changed")
    assert deletions.cancel(deletion)
    assert not deletions.take(deletion, deletion.token)
    assert Write.objects.get().content_sealed == ""


def test_a_deletion_that_was_taken_cannot_be_cancelled_and_is_sent_in_its_row(manager):
    deletion = schedule(manager)
    deletions.take(deletion, deletion.token)
    assert not deletions.cancel(deletion)
    assert not ledger.was_started(deletion.token, manager)
    row = begin(deletion, copy=RAW, before={"cstname": "Zebra"})
    assert (row.pk, row.state) == (deletion.pk, State.SENDING)
    assert row.sent_at
    assert ledger.content_of(row).before == {"cstname": "Zebra"}
    assert ledger.was_started(deletion.token, manager)
    assert not deletions.take(deletion, deletion.token)
    deletions.put_back(deletion, "too late")
    ledger.finish(row, State.SAVED)
    row.refresh_from_db()
    assert (row.state, row.why, deletions.phase_of(row)) == (State.SAVED, "", Phase.DELETED)
    assert list(deletions.copies(manager, "pair")) == [row]
    assert ledger.content_of(row).copy == RAW


@pytest.mark.parametrize("state", [State.WAITING, State.CANCELLED, State.SKIPPED])
def test_what_was_not_taken_is_not_sent(manager, state):
    deletion = schedule(manager)
    Write.objects.update(state=state)
    with pytest.raises(ledger.NotRecorded):
        begin(deletion)
    assert Write.objects.get().sent_at is None


def test_a_token_is_sent_once(manager):
    deletion = schedule(manager)
    deletions.take(deletion, deletion.token)
    begin(deletion)
    with pytest.raises(ledger.UsedToken):
        begin(deletion)


def test_a_lost_lock_sends_nothing(manager):
    deletion = schedule(manager)
    with locks.record_lock("contacts/7", deletion.token) as lock:
        deletions.take(deletion, deletion.token)
        locks.delete_lock(pk=lock.pk)
        with pytest.raises(locks.Locked):
            begin(deletion, lock=lock)
    assert Write.objects.get().sent_at is None


# --- Refused --------------------------------------------------------------------------------------


def test_what_the_service_refuses_waits_as_a_new_write(manager):
    first = schedule(manager)
    refused = refuse(first)
    refused.refresh_from_db()
    again = deletions.current(refused)
    assert again != refused
    assert again.token != refused.token
    assert (again.state, again.why) == (State.WAITING, ledger.REFUSED)
    assert (again.asked_at, again.not_before) == (refused.asked_at, refused.not_before)
    assert (ledger.content_of(again).label, ledger.content_of(again).copy) == ("Zebra", RAW)
    deletions.put_back(refused, "too many requests")
    again.refresh_from_db()
    assert again.why == "too many requests"
    assert refused.state == State.NOT_SAVED
    ledger.finish(refused, State.NOT_SAVED, error="Busy")  # once more
    assert Write.objects.count() == 2
    assert deletions.find_due(again.pk) is None
    assert deletions.current(refuse(again)).pk > again.pk


def test_the_repetition_of_an_unanswered_deletion_takes_its_place(manager):
    first = schedule(manager)
    deletions.take(first, first.token)
    row = begin(first)
    ledger.finish(row, State.NOT_SURE, reason="no answer in time")
    assert deletions.current(row) == row
    ledger.settle(row, Write.Resolution.SENT_AGAIN)
    row.refresh_from_db()
    assert deletions.current(row) == row, "where the repetition is not stored"
    again = begin(first, token=repetitions.retry_token(row))
    assert deletions.current(row) == again


def test_the_next_deletion_of_the_record_takes_the_place_of_a_refused_one(manager):
    refused = refuse(schedule(manager))
    assert deletions.cancel(deletions.current(Write.objects.get(pk=refused.pk)))
    last = schedule(manager, "u" * 32)
    assert deletions.current(Write.objects.get(pk=refused.pk)) == last


def test_a_record_that_is_missing_is_deleted_and_waits_no_longer(manager):
    row = refuse(schedule(manager), "Missing")
    row.refresh_from_db()
    assert deletions.phase_of(row) == Phase.DELETED
    assert deletions.current(row) == row
    assert Write.objects.count() == 1


def test_a_deletion_that_a_job_sends_does_not_wait_again(manager):
    deletion = schedule(manager)
    Write.objects.update(job=3)
    refuse(deletion)
    assert Write.objects.count() == 1


def test_a_record_that_is_missing_when_it_is_read_has_its_copy_and_no_history(manager):
    deletion = schedule(manager)
    deletions.take(deletion, deletion.token)
    deletions.skip_missing(deletion)
    deletion.refresh_from_db()
    assert (deletion.state, deletion.sent_at) == (State.SKIPPED, None)
    assert deletions.phase_of(deletion) == Phase.DELETED
    assert list(deletions.copies(manager, "pair")) == [deletion]
    assert not history.finished().exists()


# --- Interrupted ----------------------------------------------------------------------------------


def test_a_deletion_whose_sender_has_died_waits_again(manager):
    deletion = schedule(manager)
    with locks.record_lock("contacts/7", deletion.token):
        deletions.take(deletion, deletion.token)
        deletion.refresh_from_db()
        deletions.put_back_interrupted(deletion)
        assert deletions.phase_of(deletion) == Phase.SENDING
    deletions.put_back_interrupted(deletion)
    assert (deletion.state, deletion.why) == (State.WAITING, deletions.INTERRUPTED)


def test_what_was_taken_and_never_sent_is_not_lost(manager):
    deletion = schedule(manager)
    deletions.take(deletion, deletion.token)
    Write.objects.update(asked_at=Now() - timedelta(days=1))
    assert not ledger.mark_lost()
    assert not ledger.unresolved(manager)


# --- The countdown --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "left", "due"), [(0, 8, False), (7.5, 1, False), (8, 0, True), (61, 0, False)]
)
def test_a_deletion_is_due_after_the_countdown_and_for_a_limited_time(manager, seconds, left, due):
    deletion = schedule(manager)
    age_deletions(timedelta(seconds=seconds))
    assert deletions.seconds_left(deletion) == left
    assert bool(deletions.find_due(deletion.pk)) == due
    assert deletions.take(deletion, deletion.token, by_worker=True) == due


def test_a_deletion_that_waits_for_a_reason_is_not_due(manager):
    deletion = schedule(manager)
    deletions.explain(deletion, "changed")
    age_deletions(timedelta(seconds=9))
    assert deletions.find_due(deletion.pk) is None
    assert not deletions.take(deletion, deletion.token, by_worker=True)


def test_a_deletion_that_is_late_waits_from_the_moment_that_somebody_is_told_so(manager):
    deletion = schedule(manager)
    age_deletions(timedelta(seconds=20))
    assert deletions.phase_of(deletion) == Phase.DUE
    age_deletions(timedelta(seconds=45))
    assert deletions.phase_of(deletion) == Phase.WAITING
    age_deletions(timedelta(seconds=-45))  # a database that is put back to an earlier time
    assert not deletions.take(deletion, deletion.token, by_worker=True)
    assert deletions.take(deletion, deletion.token)  # the person says so


def test_a_task_is_stored_with_the_deletion_or_neither_is(manager, monkeypatch):
    deletion = schedule(manager)
    task = DBTaskResult.objects.get()
    assert task.args_kwargs == {"args": [deletion.pk], "kwargs": {}}
    assert not task.task.run_after  # the worker asks the database

    def refuses(*args, **kwargs):
        raise OperationalError("database is locked")

    monkeypatch.setattr(DBTaskResult.objects, "create", refuses)
    with pytest.raises(OperationalError):
        schedule(manager, "u" * 32, record_id=8)
    assert Write.objects.count() == 1


def test_a_failed_row_update_does_not_raise(manager, monkeypatch):
    deletion = schedule(manager)
    deletions.take(deletion, deletion.token)

    def refuses(*args, **kwargs):
        raise OperationalError("database is locked")

    monkeypatch.setattr("django.db.models.query.QuerySet.update", refuses)
    deletions.put_back(deletion, "changed")
    deletions.skip_missing(deletion)


# --- How long they are kept -----------------------------------------------------------------------


def test_old_deletions_are_purged_by_state_and_age(manager, settings, capsys):
    for number, state in enumerate((State.WAITING, State.SENDING, State.CANCELLED, State.SAVED)):
        row = Write.objects.filter(pk=schedule(manager, f"token-{number}", number).pk)
        row.update(state=state, done_at=Now() if state == State.CANCELLED else None)
    settings.DRAFT_RETENTION_DAYS = 30
    left = []
    for passed in (timedelta(hours=23), timedelta(hours=2), timedelta(days=29)):
        age_deletions(passed)
        call_command("tidy")
        left.append(sorted(Write.objects.values_list("state", flat=True)))
    unsent = ["saved", "sending", "waiting"]
    assert left == [["cancelled", *unsent], unsent, ["saved"]]
    assert "resolved writes and deletions that waited: 1\n" in capsys.readouterr().out


def test_the_copy_is_kept_for_a_week_and_then_emptied(manager, settings):
    settings.AUDIT_RETENTION_DAYS = 1
    deletion = schedule(manager)
    deletions.take(deletion, deletion.token)
    row = begin(deletion, copy=RAW)
    ledger.finish(row, State.SAVED)
    age_deletions(timedelta(days=6))
    call_command("tidy")
    assert deletions.copies(manager, "pair").count() == 1
    settings.AUDIT_RETENTION_DAYS = 700
    age_deletions(timedelta(days=1, hours=1))
    assert not deletions.copies(manager, "pair").exists()
    call_command("tidy")
    assert Write.objects.get().content_sealed == ""
