"""The rows of pending deletions: encrypted copies, states, expiry."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.management import call_command
from django.db import OperationalError
from django_tasks_db.models import DBTaskResult

from dashboard import sealed
from dashboard.drafts import pending_deletions
from dashboard.drafts.models import Deletion
from dashboard.drafts.pending_deletions import Phase
from dashboard.ledger.models import Write
from dashboard.resources.deletions import send_deletion
from tests.helpers import age_deletions

State = Deletion.State
RAW = {
    "cstid": 7,
    "cstname": "Zebra",
    "total": Decimal("12.50"),
    "tags": [1, 2],
    "more": {"a": None},
}


def schedule(person, token="t" * 32, record_id=7, **copy) -> Deletion:
    return pending_deletions.schedule(
        person=person,
        owner="pair",
        workspace="Acme",
        resource="contacts",
        record_id=record_id,
        token=token,
        copy=pending_deletions.Copy("Zebra", {**RAW, **copy}),
        later=send_deletion,
    )


def test_the_copy_is_restored_exactly(manager):
    copy = pending_deletions.copy_of(schedule(manager))
    assert copy == pending_deletions.Copy("Zebra", RAW)
    assert isinstance(copy.raw["total"], Decimal)


@pytest.mark.parametrize("value", ["x", None, [], {}])
def test_a_value_that_looks_like_a_stored_amount_is_restored_as_it_was(manager, value):
    copy = pending_deletions.copy_of(schedule(manager, odd={"$decimal": value}))
    assert copy.raw["odd"] == {"$decimal": value}
    row = Write(person=manager, token="t")
    row.body = {"copy": {"$decimal": value}}
    assert row.body == {"copy": {"$decimal": value}}


def test_the_copy_is_encrypted_in_the_row(manager):
    deletion = schedule(manager)
    row = " ".join(str(value) for value in Deletion.objects.values_list().get())
    assert "Zebra" not in row
    assert "12.50" not in row
    assert "Zebra" not in str(deletion)


def test_a_copy_moved_to_another_person_cannot_be_decrypted(manager, editor):
    deletion = schedule(manager)
    deletion.person = editor
    with pytest.raises(sealed.Unreadable):
        pending_deletions.copy_of(deletion)
    assert pending_deletions.label_of(deletion) == ""


def test_another_persons_token_is_not_used(manager, editor):
    mine, theirs = schedule(manager), schedule(editor)
    assert mine.token != theirs.token
    assert (mine.person, theirs.person) == (manager, editor)


def test_a_deletion_is_sent_only_with_its_token_and_not_after_undo(manager):
    deletion = schedule(manager)
    assert not pending_deletions.mark_sent(deletion, "another")
    assert pending_deletions.mark_sent(deletion, deletion.token)
    # The second request of a double click:
    assert pending_deletions.mark_sent(deletion, deletion.token)
    pending_deletions.reschedule(deletion, deletion.token, "refused")
    assert not pending_deletions.mark_sent(deletion, deletion.token)
    deletion.refresh_from_db()
    assert pending_deletions.cancel(deletion)
    assert not pending_deletions.mark_sent(deletion, deletion.token)


def test_a_sent_deletion_cannot_be_cancelled(manager):
    deletion = schedule(manager)
    pending_deletions.mark_sent(deletion, deletion.token)
    assert not pending_deletions.cancel(deletion)
    pending_deletions.mark_done(deletion, deletion.token)
    assert not pending_deletions.cancel(deletion)
    assert pending_deletions.copy_of(Deletion.objects.get()).label == "Zebra"


@pytest.mark.parametrize(
    ("seconds", "left", "due"), [(0, 8, False), (7.5, 1, False), (8, 0, True), (61, 0, False)]
)
def test_a_deletion_is_due_after_the_countdown_and_for_a_limited_time(manager, seconds, left, due):
    deletion = schedule(manager)
    age_deletions(timedelta(seconds=seconds))
    assert pending_deletions.seconds_left(deletion) == left
    assert bool(pending_deletions.find_due(deletion.pk)) == due
    assert pending_deletions.mark_sent(deletion, deletion.token, by_worker=True) == due


def test_a_deletion_that_waits_for_a_reason_is_not_due(manager):
    deletion = schedule(manager)
    pending_deletions.explain(deletion, "changed")
    age_deletions(timedelta(seconds=9))
    assert pending_deletions.find_due(deletion.pk) is None
    assert not pending_deletions.mark_sent(deletion, deletion.token, by_worker=True)


def test_a_deletion_that_is_late_waits_from_the_moment_that_somebody_is_told_so(manager):
    deletion = schedule(manager)
    age_deletions(timedelta(seconds=20))
    assert pending_deletions.phase_of(deletion) == Phase.DUE
    age_deletions(timedelta(seconds=45))
    assert pending_deletions.phase_of(deletion) == Phase.WAITING
    age_deletions(timedelta(seconds=-45))  # a database that is put back to an earlier time
    assert not pending_deletions.mark_sent(deletion, deletion.token, by_worker=True)
    assert pending_deletions.mark_sent(deletion, deletion.token)  # the person says so


def test_a_deletion_without_a_countdown_of_the_database_waits(manager):
    """As one that an earlier release has stored."""
    deletion = schedule(manager)
    Deletion.objects.update(not_before=None)
    assert not pending_deletions.mark_sent(deletion, deletion.token, by_worker=True)
    assert pending_deletions.phase_of(deletion) == Phase.WAITING


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
    assert Deletion.objects.count() == 1


def test_a_failed_row_update_does_not_raise(manager, monkeypatch):
    deletion = schedule(manager)
    pending_deletions.mark_sent(deletion, deletion.token)

    def refuses(*args, **kwargs):
        raise OperationalError("database is locked")

    monkeypatch.setattr("django.db.models.query.QuerySet.update", refuses)
    pending_deletions.mark_done(deletion, deletion.token)


def test_old_deletions_are_purged_by_state_and_age(manager, settings, capsys):
    for number, state in enumerate(State):
        Deletion.objects.filter(pk=schedule(manager, f"token-{number}", number).pk).update(
            state=state
        )
    settings.DRAFT_RETENTION_DAYS = 30
    left = []
    for days in (2, 6, 23):
        age_deletions(timedelta(days=days))
        call_command("tidy")
        left.append(sorted(Deletion.objects.values_list("state", flat=True)))
    assert left == [["done", "held", "sent"], ["held", "sent"], []]
    assert "pending deletions and copies: 1\n" in capsys.readouterr().out
