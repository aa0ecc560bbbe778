"""A token is good for one write, noted before it is sent and readable by its owner alone."""

from datetime import timedelta
from decimal import Decimal

import pytest
from cryptography.fernet import Fernet
from django.db import DatabaseError
from django.utils import timezone

from dashboard import cipher
from dashboard.outbox import rotation
from dashboard.outbox import services as outbox
from dashboard.outbox.models import Submission

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
        "body": {"reference": "secret plan", "items": [{"price": Decimal("12.50")}]},
        "before": {},
    }
    note |= changes
    return outbox.begin(**{"typed": note["body"], **note})


def test_the_exact_body_comes_back_amounts_and_all(editor):
    assert outbox.body_of(begin(editor)) == {
        "reference": "secret plan",
        "items": [{"price": Decimal("12.50")}],
    }


def test_nothing_of_it_can_be_read_in_the_database(editor):
    submission = begin(editor)
    outbox.finish(submission, State.SAVED, id=1, label="secret name", message="")
    row = Submission.objects.filter(pk=submission.pk).values().get()
    assert "secret" not in str(row)
    assert "Ärzte" not in str(row)
    assert outbox.answer_of(submission)["label"] == "secret name"


def test_another_person_cannot_open_it(editor, viewer):
    submission = begin(editor)
    submission.person = viewer
    with pytest.raises(cipher.Unreadable):
        outbox.body_of(submission)


def test_a_token_is_used_up_by_the_first_write(editor):
    first = begin(editor)
    with pytest.raises(outbox.UsedToken) as used:
        begin(editor, body={"other": 1})
    assert used.value.first == first


def test_somebody_elses_token_sends_nothing(editor, viewer):
    begin(editor)
    with pytest.raises(outbox.NotRecorded):
        begin(viewer)


def test_a_database_that_refuses_the_row_is_reported_before_anything_is_sent(editor, monkeypatch):
    def refuse(**kwargs):
        raise DatabaseError("disk full")

    monkeypatch.setattr(Submission.objects, "create", refuse)
    with pytest.raises(outbox.NotRecorded):
        begin(editor)


def test_what_was_sending_when_its_worker_died_becomes_not_sure(editor):
    lost, running = begin(editor), begin(editor, token="t2")
    Submission.objects.filter(pk=lost.pk).update(started_at=timezone.now() - timedelta(minutes=1))
    assert [each.token for each in outbox.open_ones(editor)] == [lost.token]
    running.refresh_from_db()
    assert running.state == State.SENDING
    assert outbox.outcome_of(lost).state == State.NOT_SURE


def test_a_not_sure_is_settled_once(editor):
    submission = begin(editor)
    outbox.finish(submission, State.NOT_SURE, reason="no answer in time")
    assert outbox.settle(submission, Submission.Settled.FOUND)
    assert not outbox.settle(submission, Submission.Settled.SENT_AGAIN)
    assert outbox.open_ones(editor) == []


def test_what_was_sent_moves_to_a_new_encryption_key(editor, settings):
    old, new = (Fernet.generate_key().decode() for _ in range(2))
    settings.FIELD_ENCRYPTION_KEYS = [old]
    submission = begin(editor)
    outbox.finish(submission, State.NOT_SURE, reason="timeout")
    settings.FIELD_ENCRYPTION_KEYS = [new, old]
    assert rotation.rotate().rotated == 2
    settings.FIELD_ENCRYPTION_KEYS = [new]
    submission.refresh_from_db()
    assert outbox.body_of(submission)["reference"] == "secret plan"
    assert outbox.answer_of(submission) == {"reason": "timeout"}
