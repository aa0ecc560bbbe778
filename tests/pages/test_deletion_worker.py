"""The worker sends a pending deletion when its countdown ends: once, and never if it was undone."""

import os
import re
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from dashboard.accounts import roles
from dashboard.credentials import services as credentials
from dashboard.gateway import CONTACTS
from dashboard.ledger import locks
from dashboard.ledger import services as ledger
from dashboard.ledger.models import Write
from dashboard.resources.deletions import send_deletion
from dashboard.writes import deletions
from tests.helpers import (
    age_deletions,
    ask_to_delete,
    delete_now,
    deletes,
    page_of,
    run_worker,
    text,
)
from tests.workspaces import connect

State = Write.State
END = deletions.SECONDS + 1
TYPED = "Nothing that you typed is sent until you say so."


def waits(standin, reason: str) -> bool:
    """Whether nothing was deleted, and the deletion waits for this reason."""
    found = Write.objects.get()
    assert (deletes(standin), found.state) == (0, State.WAITING)
    return reason in found.why


def test_it_sends_the_deletion_once_and_writes_the_history(pending_url, standin, contact):
    run_worker(after=END)
    run_worker(after=END + 1)
    assert deletes(standin) == 1
    assert Write.objects.get().state == State.SAVED
    sent = Write.objects.get()
    assert (sent.state, sent.operation, sent.record_id) == ("saved", "delete", contact)
    assert {task.status for task in DBTaskResult.objects.all()} == {"SUCCESSFUL"}


def test_it_sends_nothing_before_the_countdown_ends(pending_url, standin):
    run_worker()
    send_deletion.call(Write.objects.get().pk)
    assert deletes(standin) == 0
    assert Write.objects.get().state == State.WAITING


APART = [9, -65, 3600]  # seconds that a clock is ahead of the database's
if os.environ.get("CLOCKS") == "all":
    APART = [seconds * sign for seconds in (9, 65, 3600) for sign in (1, -1)]


@pytest.mark.parametrize("ahead", APART)
def test_a_worker_whose_clock_differs_sends_it_after_the_countdown(
    desk, pending_url, standin, ahead
):
    run_worker(ahead=ahead)  # takes the task, and asks again when it is due
    assert deletes(standin) == 0
    assert re.search("Deleting Zebra Ltd in [78] s", text(desk.get("/help/")))
    run_worker(after=END, ahead=ahead)
    assert deletes(standin) == 1


@pytest.mark.parametrize("ahead", APART)
def test_a_deletion_asked_for_where_the_clock_differs_is_sent_after_the_countdown(
    desk, manager, contact, standin, ahead
):
    with time_machine.travel(timezone.now() + timedelta(seconds=ahead)):
        desk.force_login(manager)
        ask_to_delete(desk, f"/contacts/{contact}/")
        assert re.search("Deleting Zebra Ltd in [78] s", text(desk.get("/help/")))
    run_worker()
    assert deletes(standin) == 0
    run_worker(after=END)
    assert deletes(standin) == 1


@pytest.mark.parametrize("ahead", [0, APART[1]])
def test_what_a_page_says_waits_for_the_person_is_sent_by_no_worker(
    desk, pending_url, standin, ahead
):
    age_deletions(timedelta(seconds=61))
    assert "until you say so" in text(desk.get(pending_url))
    for seconds in (0, -30):  # also by a database that was put back to an earlier time
        age_deletions(timedelta(seconds=seconds))
        send_deletion.enqueue(Write.objects.get().pk)
        run_worker(ahead=ahead)
    assert deletes(standin) == 0
    assert "was deleted" in text(delete_now(desk, pending_url))


def test_after_the_countdown_the_page_does_not_say_that_it_waits(desk, pending_url, standin):
    age_deletions(timedelta(seconds=END))
    for page in (pending_url, "/unfinished/"):
        assert "until you say so" not in text(desk.get(page)).replace(TYPED, "")
        assert "it can be deleted at any moment" in text(desk.get(page))
    run_worker()
    assert deletes(standin) == 1


def test_an_undone_deletion_is_never_sent(desk, pending_url, standin):
    desk.post(f"{pending_url}keep/")
    run_worker(after=END)
    assert deletes(standin) == 0
    assert Write.objects.get().state == State.CANCELLED


def test_a_deletion_asked_for_again_waits_for_its_own_countdown(desk, contact, standin):
    pending_url = ask_to_delete(desk, f"/contacts/{contact}/")
    desk.post(f"{pending_url}keep/")
    age_deletions(timedelta(seconds=100))
    ask_to_delete(desk, f"/contacts/{contact}/")
    run_worker()
    assert deletes(standin) == 0
    run_worker(after=END)
    assert deletes(standin) == 1


def test_a_worker_that_comes_back_late_sends_nothing(desk, pending_url, standin):
    run_worker(after=3600)
    assert waits(standin, "")
    assert "Delete now" in text(desk.get("/unfinished/"))


def test_it_does_nothing_for_a_deletion_that_was_sent_from_its_page(desk, pending_url, standin):
    token = Write.objects.get().token
    desk.post(pending_url, {"token": token, "now": "1"})
    run_worker(after=END)
    assert deletes(standin) == 1


def test_a_changed_record_waits_and_is_shown_before_it_is_deleted(
    desk, pending_url, gateway, contact, standin
):
    gateway.update(CONTACTS, contact, {"cstemail": "new@zebra.example"})
    run_worker(after=END)
    assert waits(standin, "Somebody has changed it")
    assert "Somebody has changed it since you asked." in text(desk.get("/unfinished/"))
    page = desk.post(pending_url, {"token": Write.objects.get().token, "now": "1"})
    assert page.status_code == 409
    assert "new@zebra.example" in text(page)
    assert deletes(standin) == 0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("viewer", "Your role does not let you"),
        ("inactive", "Your role does not let you"),
        ("other keys", "Your connection has changed"),
        ("no keys", "Connect the CRM"),
    ],
)
def test_what_the_person_may_not_do_any_more_waits(pending_url, manager, standin, change, reason):
    if change == "viewer":
        roles.set_role(manager, roles.VIEWER)
    elif change == "inactive":
        manager.is_active = False
        manager.save()
    elif change == "other keys":
        access, secret = standin.keys["acme"][1]
        connect(manager, access=access, secret=secret, workspace="Acme")
    else:
        credentials.remove(manager)
    run_worker(after=END)
    assert waits(standin, reason)


@pytest.mark.parametrize("fault", ["status-422", "status-403"])
def test_a_refused_deletion_waits_with_the_reason(desk, pending_url, standin, fault):
    standin.fault(fault, operation="delete", times=1)
    token = Write.objects.get().token
    run_worker(after=END)
    found = Write.objects.get(state=State.WAITING)
    assert found.why not in ("", ledger.REFUSED)
    assert found.token != token  # that one was used
    assert Write.objects.get(token=token).state == State.NOT_SAVED
    assert desk.get(pending_url)["Location"] == page_of(found)
    assert found.why in outcome(desk, pending_url)


def test_what_the_service_said_stands_wherever_a_refused_deletion_waits(
    desk, pending_url, standin, contact
):
    standin.fault("status-422", operation="delete", times=1)
    run_worker(after=END)
    [refused] = Write.objects.filter(state=State.NOT_SAVED)
    said = refused.answer["message"]
    assert said
    waiting = page_of(Write.objects.get(state=State.WAITING))
    for address in ("/unfinished/", waiting, f"/contacts/{contact}/"):
        assert said in text(desk.get(address)), address
    assert said in outcome(desk, pending_url)


def test_a_reason_of_later_stands_in_place_of_what_the_service_said(desk, pending_url, standin):
    standin.fault("status-422", operation="delete", times=1)
    run_worker(after=END)
    waiting = Write.objects.get(state=State.WAITING)
    deletions.explain(waiting, deletions.OTHER_KEYS)
    waiting.refresh_from_db()
    assert deletions.reason(waiting) == deletions.OTHER_KEYS


def test_a_lost_answer_is_not_sure(desk, pending_url, standin):
    standin.fault("reset-before", operation="delete", times=1)
    run_worker(after=END)
    assert Write.objects.get().state == State.NOT_SURE
    assert "1 save is not sure yet" in text(desk.get("/unfinished/"))
    run_worker(after=END + 1)
    assert deletes(standin) == 1


def test_a_record_that_is_gone_counts_as_deleted(pending_url, gateway, contact):
    gateway.delete(CONTACTS, contact)
    run_worker(after=END)
    found = Write.objects.get()
    assert (found.state, found.sent_at) == (State.SKIPPED, None)
    assert deletions.phase_of(found) == deletions.Phase.DELETED


def test_a_deletion_that_is_being_sent_is_not_made_pending_by_a_look(desk, pending_url, standin):
    """Between the worker's lock and its row in the ledger: an Undo then would not be true."""
    deletion = Write.objects.get()
    with locks.record_lock(f"contacts/{deletion.record_id}", deletion.token):
        assert deletions.take(deletion, deletion.token)
        assert "being deleted at this moment" in text(desk.get("/unfinished/"))
        desk.post(f"{pending_url}keep/")
        assert Write.objects.get().state == State.SENDING
    desk.get("/unfinished/")  # the worker has died
    assert waits(standin, deletions.INTERRUPTED)


# --- What the toast says afterwards ---------------------------------------------------------------


def outcome(desk, pending_url, asked: str = "") -> str:
    """The words of the toast when it asks for the first time, or for the last."""
    return desk.get(
        f"{pending_url}outcome/{asked}", headers={"HX-Request": "true"}
    ).content.decode()


def test_the_toast_says_that_it_was_deleted(desk, pending_url):
    assert "?asked=2" in outcome(desk, pending_url)
    run_worker(after=END)
    assert "Zebra Ltd was deleted." in outcome(desk, pending_url)


def test_the_toast_says_where_the_deletion_waits(desk, pending_url, gateway, contact):
    assert "You find it under Unfinished" in outcome(desk, pending_url, "?asked=2")
    gateway.update(CONTACTS, contact, {"cstemail": "new@zebra.example"})
    run_worker(after=END)
    assert "Somebody has changed it" in outcome(desk, pending_url)


def test_the_toast_says_that_it_is_not_sure(desk, pending_url, standin):
    standin.fault("reset-before", operation="delete", times=1)
    run_worker(after=END)
    assert "know if Zebra Ltd was deleted" in outcome(desk, pending_url)


def test_undo_in_the_toast_answers_with_words_and_an_event(desk, pending_url, standin):
    answer = desk.post(f"{pending_url}keep/", headers={"HX-Request": "true"})
    assert "Not deleted : Zebra Ltd ." in text(answer)
    assert "record-kept" in answer.headers["HX-Trigger"]


def test_undo_after_the_service_has_refused_undoes_what_waits_in_its_place(
    desk, pending_url, standin
):
    standin.fault("status-422", operation="delete", times=1)
    run_worker(after=END)
    answer = desk.post(f"{pending_url}keep/", headers={"HX-Request": "true"})
    assert "Not deleted : Zebra Ltd ." in text(answer)
    assert not Write.objects.filter(state=State.WAITING).exists()
    assert "Not deleted." in text(desk.get(pending_url, follow=True))


def test_undo_in_the_toast_after_sending_says_that_it_was_deleted(desk, pending_url):
    run_worker(after=END)
    answer = desk.post(f"{pending_url}keep/", headers={"HX-Request": "true"})
    assert "Zebra Ltd was deleted." in answer.content.decode()
    assert "HX-Trigger" not in answer.headers


def test_the_toast_of_another_person_is_not_found(pending_url, administrator, client_of, with_keys):
    other = client_of(with_keys(administrator))
    assert other.get(f"{pending_url}outcome/").status_code == 404
