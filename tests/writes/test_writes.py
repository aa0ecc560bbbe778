"""A token permits one write, which is stored before it is sent, encrypted for its owner."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import partial

import pytest
from django.db import DatabaseError
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from dashboard.core import after_response
from dashboard.gateway import Rejected
from dashboard.people.context import RequestContext
from dashboard.resources.contacts import CONTACTS
from dashboard.writes import ledger, verification, writer
from dashboard.writes.models import Write
from tests.helpers import write_of

pytestmark = pytest.mark.django_db
State = Write.State


BODY = {"reference": "secret plan", "items": [{"price": Decimal("12.50")}]}


def begin(person, token="t1", related=(), **changes):
    write = write_of(
        person, token, **{"resource": "invoices", "label": "Ärzte", "body": BODY, **changes}
    )
    ledger.start_sending(write, related)
    return write


def test_a_token_is_used_up_by_the_first_write(editor):
    first = begin(editor)
    with pytest.raises(ledger.UsedToken) as used:
        begin(editor, body={"other": 1})
    assert used.value.first == first


def test_a_database_that_refuses_the_row_is_reported_before_anything_is_sent(editor, monkeypatch):
    def refuse(*args, **kwargs):
        raise DatabaseError("disk full")

    monkeypatch.setattr(Write, "save", refuse)
    with pytest.raises(ledger.NotRecorded):
        begin(editor)


def test_a_write_whose_worker_died_becomes_unresolved(editor):
    lost, running = begin(editor), begin(editor, token="t2")
    Write.objects.filter(pk=lost.pk).update(reserved_until=Now() - timedelta(seconds=1))
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
    Write.objects.update(reserved_until=F("reserved_until") - timedelta(seconds=age))
    assert ledger.refreshed(write).state == state
    Write.objects.update(state=State.SENDING)  # each of them sees to it by itself
    assert ledger.is_under_way(write.token, editor) is (state == State.SENDING)
    Write.objects.update(state=State.SENDING)
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
    Write.objects.update(done_at=Now() - timedelta(hours=23))
    assert ledger.empty_contents() == 0
    Write.objects.update(done_at=Now() - timedelta(hours=25))
    assert ledger.empty_contents() == 1
    assert ledger.label_of(saved) == "Ärzte"
    kept = Write.objects.exclude(content="").order_by("pk")
    assert list(kept.values_list("token", flat=True)) == ["t2"]
    assert ledger.find_by_token("t1", editor)


def test_an_unresolved_write_is_settled_once(editor):
    write = begin(editor)
    ledger.finish(write, State.NOT_SURE, reason="no answer in time")
    assert ledger.resolve_write(write, Write.Resolution.FOUND)
    assert not ledger.resolve_write(write, Write.Resolution.SENT_AGAIN)
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
    assert verification.next_reconciliation(write) == pytest.approx(3, abs=2)
    Write.objects.update(done_at=Now() - timedelta(seconds=31))
    assert verification.next_reconciliation(write) is None


def test_the_number_and_the_page_of_what_is_not_sure_hold_the_same(editor, viewer):
    assert ledger.open_unresolved(editor).count() == 0
    for user in (editor, viewer):
        for state in State:
            for settled in Write.Resolution:
                made = begin(user, token=f"{user.pk} {state} {settled}")
                Write.objects.filter(pk=made.pk).update(state=state, resolution=settled)
    assert ledger.open_unresolved(editor).count() == 1  # without the one that is under way
    assert len(ledger.unresolved(editor)) == 1
    Write.objects.update(reserved_until=Now() - timedelta(seconds=1))
    assert ledger.open_unresolved(editor).count() == 2  # the process that sent it has died
    assert len(ledger.unresolved(editor)) == 2
    assert ledger.open_unresolved(editor).count() == 2


@pytest.mark.parametrize(("seconds", "is_just"), [(13, True), (16, False)])
def test_the_last_write_of_a_record_counts_as_just_saved_for_15_seconds(editor, seconds, is_just):
    write = begin(editor, operation="update", record_id=3)
    assert ledger.just_saved(editor, "invoices", 3) is None, "it is being sent"
    ledger.finish(write, State.SAVED, message="")
    Write.objects.update(done_at=Now() - timedelta(seconds=seconds))
    assert ledger.just_saved(editor, "invoices", 3) == (write if is_just else None)


def test_only_the_persons_own_last_write_of_the_record_was_just_saved(editor, viewer):
    saved = begin(editor, operation="update", record_id=3)
    ledger.finish(saved, State.SAVED, message="")
    assert ledger.just_saved(viewer, "invoices", 3) is None
    assert ledger.just_saved(editor, "invoices", 4) is None
    ledger.finish(begin(editor, "t2", operation="delete", record_id=3), State.SAVED, message="")
    assert ledger.just_saved(editor, "invoices", 3) == saved
    later = begin(editor, "t3", operation="update", record_id=3)
    ledger.finish(later, State.NOT_SAVED, error="Rejected")
    assert ledger.just_saved(editor, "invoices", 3) is None


def test_a_token_of_another_person_or_of_what_was_not_sent_stores_nothing(editor, viewer):
    begin(editor)
    with pytest.raises(Rejected):
        begin(viewer)
    Write.objects.update(sent_at=None, state=State.CANCELLED)
    with pytest.raises(ledger.NotRecorded):
        begin(editor)
    assert Write.objects.get().state == State.CANCELLED


def test_a_row_of_a_job_is_sent_in_its_place_once_it_is_taken(editor):
    write = begin(editor)
    Write.objects.update(sent_at=None, reserved_until=None, job=7, number=1)
    row = Write.objects.get()
    ledger.start_sending(row)
    assert Write.objects.get() == write
    assert Write.objects.get().sent_at
    Write.objects.update(sent_at=None, reserved_until=None, state=State.WAITING)
    with pytest.raises(ledger.RecordBusy):
        ledger.start_sending(Write.objects.get())


def test_the_history_has_the_record_of_the_answer_and_cuts_long_values(editor):
    changes = {"notes": ("a" * 3_000, "b" * 2_001)}
    write = begin(editor, changes=changes, related=[("contacts", 7)])
    ledger.finish(write, State.SAVED, id=3, label="INV-3", message="")
    write.refresh_from_db()
    assert (write.record_id, write.changes["label"]) == (3, "Ärzte")
    assert [len(value) for value in write.changes["changes"]["notes"]] == [2_000, 2_000]
    assert list(write.related.values_list("resource", "record_id")) == [("contacts", 7)]


@pytest.mark.parametrize(
    ("state", "answer", "said"),
    [
        (State.SAVED, {"message": "fine"}, ""),
        (State.NOT_SAVED, {"error": "Rejected", "status": 409}, "Rejected 409"),
        (State.NOT_SURE, {"reason": "x" * 70, "error": "Unavailable"}, "x" * 60),
    ],
)
def test_what_the_service_said_is_kept_in_a_line(editor, state, answer, said):
    write = begin(editor)
    ledger.finish(write, state, **answer)
    write.refresh_from_db()
    assert (write.error_summary, write.state) == (said, state)
    ledger.finish(write, State.SAVED, message="")
    write.refresh_from_db()
    assert write.state == (State.SAVED if state == State.NOT_SURE else state), "it has ended"


def test_a_write_that_was_found_is_saved_and_a_deletion_keeps_its_copy(editor):
    created, deleted, left = (
        begin(editor, token, operation=operation, record_id=number)
        for token, operation, number in (("t1", "create", None), ("t2", "delete", 5), ("t3", "", 6))
    )
    for write in (created, deleted, left):
        ledger.finish(write, State.NOT_SURE, reason="lost")
    assert ledger.resolve_write(created, Write.Resolution.FOUND, 9)
    assert ledger.resolve_write(deleted, Write.Resolution.FOUND)
    assert ledger.resolve_write(left, Write.Resolution.CLOSED)
    settled = Write.objects.order_by("pk").values_list("state", "error_summary", "record_id")
    assert list(settled) == [("saved", "", 9), ("saved", "", 5), ("not sure", "lost", 6)]
    kept = Write.objects.filter(copy_until__isnull=False)
    assert [write.token for write in kept] == ["t2"]


def test_what_a_deleted_account_has_left_open_is_closed(editor):
    for token, state, sent_at in (
        ("waiting", State.WAITING, None),
        ("taken", State.SENDING, None),
        ("sending", State.SENDING, Now()),
        ("not sure", State.NOT_SURE, Now()),
    ):
        write = begin(editor, token)
        Write.objects.filter(pk=write.pk).update(state=state, sent_at=sent_at, number=write.pk)
    assert ledger.release_ownerless() == 0
    editor.delete()
    assert ledger.release_ownerless() == 4
    rows = Write.objects.order_by("pk").values_list("state", "resolution", "done_at", "number")
    assert [(state, how, done is None) for state, how, done, _ in rows] == [
        ("cancelled", "", False),
        ("cancelled", "", False),
        ("sending", "", True),
        ("not sure", "left", True),
    ]
    assert not Write.objects.exclude(content="", answer="", number=None).exists()
    assert ledger.release_ownerless() == 0


def test_a_form_that_was_sent_before_is_one_write_of_its_request(manager, gateway):
    ctx = RequestContext(gateway=gateway, person=manager, workspace="Acme")
    body = {"cstname": "Zoe Once", "contact_type": 1}
    send = partial(writer.create, ctx=ctx, resource=CONTACTS, body=body, token="t1")
    first = send()
    with after_response.of_request() as request:
        assert send() == first
    assert [(each.state, each.record_id) for each in request.writes] == [("saved", first.id)]
