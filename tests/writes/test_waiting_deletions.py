"""Deletions that wait in the ledger: encrypted copies, states, expiry."""

from datetime import timedelta
from decimal import Decimal
from types import SimpleNamespace

import pytest
from django.core.management import call_command
from django.db import OperationalError
from django.db.models.functions import Now
from django_tasks_db.models import DBTaskResult

from dashboard.schema.registry import RESOURCES
from dashboard.writes import deletions, history, ledger
from dashboard.writes.models import Write
from tests.helpers import age_deletions, write_of

State = Write.State
RAW = {
    "cstid": 7,
    "cstname": "Zebra",
    "total": Decimal("12.50"),
    "tags": [1, 2],
    "more": {"a": None},
}


def schedule(person, token="t" * 32, record_id=7, **copy) -> Write:
    gateway = SimpleNamespace(fingerprint=lambda key: "pair")
    ctx = SimpleNamespace(user=person, workspace="Acme", gateway=gateway)
    record = SimpleNamespace(id=record_id, raw={**RAW, **copy})
    return deletions.schedule(ctx, RESOURCES["contacts"], record, token=token, label="Zebra")


def begin(deletion: Write, **values) -> Write:
    """The row once it is stored to be sent next."""
    row = Write.objects.get(pk=deletion.pk)
    row.content = vars(ledger.Content(**{"label": "Zebra", "body": {}, "before": {}, "typed": [],
                                         **values}))  # fmt: skip
    ledger.start_sending(row)
    return Write.objects.get(pk=deletion.pk)


def is_taken(deletion: Write) -> bool:
    """Take it as the worker does; whether it may be sent."""
    again = write_of(deletion.person, deletion.token, operation="", record_id=deletion.record_id)
    try:
        ledger.reserve(again, deletions.find_due(deletion.pk))
    except ledger.InFlight:
        return False
    return True


def take(deletion: Write) -> bool:
    """Take it after its countdown, as the worker does."""
    age_deletions(timedelta(seconds=9))
    return is_taken(deletion)


def test_the_copy_is_restored_exactly(manager):
    content = ledger.content_of(schedule(manager))
    assert (content.label, content.copy) == ("Zebra", RAW)
    assert isinstance(content.copy["total"], Decimal)


@pytest.mark.parametrize("value", ["x", None, [], {}])
def test_a_value_that_looks_like_a_stored_amount_is_restored_as_it_was(manager, value):
    content = ledger.content_of(schedule(manager, odd={"$decimal": value}))
    assert content.copy["odd"] == {"$decimal": value}


def test_another_persons_token_is_not_used(manager, editor):
    of_manager, of_editor = schedule(manager), schedule(editor)
    assert of_manager.token != of_editor.token
    assert (of_manager.person, of_editor.person) == (manager, editor)


def test_a_record_has_one_waiting_deletion(manager):
    first, again = schedule(manager), schedule(manager, "u" * 32)
    assert (again.pk, again.token) == (first.pk, first.token)
    assert schedule(manager, record_id=8).pk != first.pk


def test_an_undone_deletion_is_not_taken_and_its_form_asks_anew(manager):
    deletion = schedule(manager)
    assert deletions.cancel(deletion)
    assert Write.objects.get().content_sealed == ""
    assert not take(deletion)
    again = schedule(manager)
    assert again.token != deletion.token
    assert (again.state, ledger.content_of(again).copy) == (State.WAITING, RAW)


def test_a_form_that_comes_again_after_it_was_sent_asks_for_nothing(manager):
    deletion = schedule(manager)
    assert take(deletion)
    assert schedule(manager).pk == deletion.pk


def test_a_deletion_that_was_taken_cannot_be_cancelled_and_is_sent_in_its_row(manager):
    deletion = schedule(manager)
    assert take(deletion)
    assert not is_taken(deletion)
    assert not deletions.cancel(deletion)
    assert not ledger.of_form(deletion.token, manager).exists()
    row = begin(deletion, copy=RAW, before={"cstname": "Zebra"})
    assert (row.pk, row.state) == (deletion.pk, State.SENDING)
    assert row.sent_at
    assert ledger.content_of(row).before == {"cstname": "Zebra"}
    assert ledger.of_form(deletion.token, manager).exists()
    ledger.end_unsent(deletion, "too late")
    ledger.finish(row, State.SAVED)
    row.refresh_from_db()
    assert row.state == State.SAVED
    assert list(deletions.copies(manager, "pair")) == [row]
    assert ledger.content_of(row).copy == RAW


@pytest.mark.parametrize("state", [State.WAITING, State.CANCELLED, State.SKIPPED])
def test_what_was_not_taken_is_not_sent(manager, state):
    deletion = schedule(manager)
    Write.objects.update(state=state)
    with pytest.raises(ledger.RecordBusy):
        begin(deletion)
    assert Write.objects.get().sent_at is None


def test_a_token_is_sent_once(manager):
    deletion = schedule(manager)
    take(deletion)
    begin(deletion)
    with pytest.raises(ledger.RecordBusy):
        begin(deletion)


def test_one_whose_record_was_taken_over_is_not_sent(manager):
    deletion = schedule(manager)
    take(deletion)
    Write.objects.update(reserved_until=Now() - timedelta(seconds=1))
    form = write_of(manager, "form", operation="", record_id=7)
    ledger.reserve(form)
    with pytest.raises(ledger.RecordBusy):
        begin(deletion)
    deletion.refresh_from_db()
    assert (deletion.state, deletion.sent_at) == (State.NOT_SAVED, None)
    assert deletions.reason(deletion) == ledger.LATE


# --- Not deleted ----------------------------------------------------------------------------------


def told(person) -> list[str]:
    """Why deletions were not sent, as pages tell."""
    return [deletions.reason(each) for each in deletions.to_show(person, "Acme")]


def test_one_that_was_not_sent_is_told_until_it_is_closed(manager):
    deletion = schedule(manager)
    take(deletion)
    ledger.end_unsent(deletion, "Changed.")
    age_deletions(timedelta(days=3))
    call_command("tidy")  # which empties what is over
    [shown] = deletions.to_show(manager, "Acme")
    assert (ledger.label_of(shown), deletions.reason(shown)) == ("Zebra", "Changed.")
    assert not deletions.to_show(manager, "Globex")
    deletions.close_message(shown)
    assert not deletions.to_show(manager, "Acme")
    assert not history.finished().exists()
    call_command("tidy")
    assert Write.objects.get().content_sealed == ""


def test_a_refused_deletion_tells_the_words_of_the_service_apart(manager):
    deletion = schedule(manager)
    take(deletion)
    ledger.finish(begin(deletion), State.NOT_SAVED, error="Rejected", message="Has invoices.")
    toast = deletions.toast_of(RESOURCES["contacts"], Write.objects.get())
    assert "Has invoices." not in toast["why"]
    assert toast["service_words"] == ["Has invoices."]
    assert schedule(manager).pk != deletion.pk


@pytest.mark.parametrize("state", [State.WAITING, State.SENDING])
def test_one_that_was_not_sent_in_time_ends_and_is_sent_by_nobody(manager, state):
    deletion = schedule(manager)
    Write.objects.update(state=state)
    age_deletions(timedelta(seconds=59))
    assert told(manager) == [""]  # of one that may still be sent
    age_deletions(timedelta(seconds=2))
    assert told(manager) == [ledger.LATE]
    age_deletions(timedelta(seconds=-45))  # a database that is put back to an earlier time
    assert not is_taken(deletion)
    with pytest.raises(ledger.RecordBusy):
        begin(deletion)


def test_a_record_that_is_missing_counts_as_deleted(manager):
    deletion = schedule(manager)
    take(deletion)
    ledger.finish(begin(deletion, copy=RAW), State.NOT_SAVED, error="Missing")
    assert not deletions.to_show(manager, "Acme")
    assert list(deletions.copies(manager, "pair")) == [deletion]


# --- The countdown --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "left", "due"), [(0, 8, False), (7.5, 1, False), (8, 0, True), (61, 0, False)]
)
def test_a_deletion_is_due_after_the_countdown_and_for_a_limited_time(manager, seconds, left, due):
    deletion = schedule(manager)
    age_deletions(timedelta(seconds=seconds))
    assert deletions.seconds_left(deletion) == left
    assert bool(deletions.find_due(deletion.pk)) == due
    assert is_taken(deletion) == due


def test_a_task_is_stored_with_the_deletion_or_neither_is(manager, monkeypatch):
    deletion = schedule(manager)
    task = DBTaskResult.objects.get()
    assert task.args_kwargs == {"args": [deletion.pk], "kwargs": {}}
    assert not task.task.run_after  # the worker asks the database

    def refuses(*args, **kwargs):
        raise OperationalError("database is locked")

    monkeypatch.setattr(DBTaskResult.objects, "create", refuses)
    with pytest.raises(ledger.NotRecorded):
        schedule(manager, "u" * 32, record_id=8)
    assert Write.objects.count() == 1


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
    take(deletion)
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
