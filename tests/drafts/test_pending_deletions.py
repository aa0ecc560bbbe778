"""The rows of held deletions: sealed copies, states, ages."""

from datetime import timedelta
from decimal import Decimal

import pytest
import time_machine
from cryptography.fernet import Fernet
from django.core.management import call_command
from django.db import OperationalError
from django.utils import timezone

from dashboard import cipher
from dashboard.drafts import pending_deletions
from dashboard.drafts.models import Deletion

State = Deletion.State
RAW = {
    "cstid": 7,
    "cstname": "Zebra",
    "total": Decimal("12.50"),
    "tags": [1, 2],
    "more": {"a": None},
}


def hold(person, token="t" * 32, record_id=7, **copy) -> Deletion:
    return pending_deletions.schedule(
        person=person,
        owner="pair",
        workspace="Acme",
        resource="contacts",
        record_id=record_id,
        token=token,
        copy=pending_deletions.Copy("Zebra", {**RAW, **copy}),
    )


def test_the_copy_comes_back_exactly(manager):
    copy = pending_deletions.copy_of(hold(manager))
    assert copy == pending_deletions.Copy("Zebra", RAW)
    assert isinstance(copy.raw["total"], Decimal)


def test_nothing_of_the_record_can_be_read_in_the_row(manager):
    held = hold(manager)
    row = " ".join(str(value) for value in Deletion.objects.values_list().get())
    assert "Zebra" not in row
    assert "12.50" not in row
    assert "Zebra" not in str(held)


def test_a_copy_moved_to_another_person_stays_shut(manager, editor):
    held = hold(manager)
    held.person = editor
    with pytest.raises(cipher.Unreadable):
        pending_deletions.copy_of(held)
    assert pending_deletions.label_of(held) == ""


def test_a_token_of_somebody_else_is_not_used(manager, editor):
    mine, theirs = hold(manager), hold(editor)
    assert mine.token != theirs.token
    assert (mine.person, theirs.person) == (manager, editor)


def test_it_is_sent_with_its_own_token_alone_and_not_once_undone(manager):
    held = hold(manager)
    assert not pending_deletions.mark_sent(held, "another")
    assert pending_deletions.mark_sent(held, held.token)
    assert pending_deletions.mark_sent(held, held.token)  # the second half of a double click
    pending_deletions.reschedule(held, held.token)
    assert not pending_deletions.mark_sent(held, held.token)
    held.refresh_from_db()
    assert pending_deletions.cancel(held)
    assert not pending_deletions.mark_sent(held, held.token)


def test_what_is_sent_cannot_be_undone(manager):
    held = hold(manager)
    pending_deletions.mark_sent(held, held.token)
    assert not pending_deletions.cancel(held)
    pending_deletions.mark_done(held, held.token)
    assert not pending_deletions.cancel(held)
    assert pending_deletions.copy_of(Deletion.objects.get()).label == "Zebra"


@pytest.mark.parametrize(
    ("seconds", "left", "ripe"), [(0, 8, False), (7.5, 1, False), (8, 0, True), (61, 0, False)]
)
def test_it_is_ripe_after_its_seconds_and_not_for_ever(manager, seconds, left, ripe):
    with time_machine.travel(timezone.now(), tick=False) as clock:
        held = hold(manager)
        clock.shift(timedelta(seconds=seconds))
        assert pending_deletions.seconds_left(held) == left
        assert pending_deletions.is_due(held) == ripe


def test_a_row_that_cannot_be_updated_changes_no_answer(manager, monkeypatch):
    held = hold(manager)
    pending_deletions.mark_sent(held, held.token)

    def refuses(*args, **kwargs):
        raise OperationalError("database is locked")

    monkeypatch.setattr("django.db.models.query.QuerySet.update", refuses)
    pending_deletions.mark_done(held, held.token)


def test_old_ones_are_purged_each_in_its_time(manager, settings, capsys):
    for number, state in enumerate(State):
        Deletion.objects.filter(pk=hold(manager, f"token-{number}", number).pk).update(state=state)
    settings.DRAFT_RETENTION_DAYS = 30
    left = []
    for days in (2, 8, 31):
        with time_machine.travel(timezone.now() + timedelta(days=days)):
            call_command("purge_drafts")
            left.append(sorted(Deletion.objects.values_list("state", flat=True)))
    assert left == [["done", "held", "sent"], ["held", "sent"], []]
    assert "1 pending deletions and copies deleted." in capsys.readouterr().out


def test_copies_move_to_a_new_encryption_key(manager, settings, capsys):
    old, new = (Fernet.generate_key().decode() for _ in range(2))
    settings.FIELD_ENCRYPTION_KEYS = [old]
    held = hold(manager)
    settings.FIELD_ENCRYPTION_KEYS = [new, old]
    call_command("rotate_keys")
    assert "copies of deleted records: 1 re-encrypted" in capsys.readouterr().out
    settings.FIELD_ENCRYPTION_KEYS = [new]
    held.refresh_from_db()
    assert pending_deletions.copy_of(held).label == "Zebra"
