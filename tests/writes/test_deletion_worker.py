"""The worker sends a pending deletion when its countdown ends: once, and never if it was undone."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from dashboard.gateway import CONTACTS
from dashboard.people import keys as credentials
from dashboard.people import permissions
from dashboard.writes import deletions, ledger
from dashboard.writes.deletions import send_deletion
from dashboard.writes.models import Write
from tests.helpers import (
    age_deletions,
    ask_to_delete,
    delete_now,
    deletes,
    run_worker,
    text,
)
from tests.workspaces import connect

State = Write.State
END = deletions.SECONDS + 1


def told(desk, standin, reason: str) -> bool:
    """Whether nothing was deleted, and the next page says so with this reason."""
    found = Write.objects.get()
    assert (deletes(standin), found.state) == (0, State.NOT_SAVED)
    return f"Zebra Ltd was not deleted. {reason}" in text(desk.get("/help/"))


def test_it_sends_the_deletion_once_and_writes_the_history(pending_url, standin, contact):
    run_worker(after=END)
    run_worker(after=END + 1)
    assert deletes(standin) == 1
    assert Write.objects.get().state == State.SAVED
    sent = Write.objects.get()
    assert (sent.state, sent.operation, sent.record_id) == ("saved", "delete", contact)
    assert {task.status for task in DBTaskResult.objects.all()} == {"SUCCESSFUL"}


APART = [9, -65, 3600]  # seconds that a clock is ahead of the database's


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
def test_what_a_page_says_was_not_deleted_is_sent_by_no_worker(desk, pending_url, standin, ahead):
    age_deletions(timedelta(seconds=61))
    assert "was not deleted" in text(desk.get("/help/"))
    for seconds in (0, -30):  # also by a database that was put back to an earlier time
        age_deletions(timedelta(seconds=seconds))
        send_deletion.enqueue(Write.objects.get().pk)
        run_worker(ahead=ahead)
    assert told(desk, standin, ledger.LATE)


def test_a_deletion_asked_for_again_waits_for_its_own_countdown(desk, contact, standin):
    pending_url = ask_to_delete(desk, f"/contacts/{contact}/")
    desk.post(f"{pending_url}keep/")
    age_deletions(timedelta(seconds=100))
    ask_to_delete(desk, f"/contacts/{contact}/")
    run_worker()
    assert deletes(standin) == 0
    run_worker(after=END)
    assert deletes(standin) == 1


def test_a_changed_record_is_not_deleted_and_its_page_asks_anew(
    desk, pending_url, gateway, contact, standin
):
    gateway.update(CONTACTS, contact, {"cstemail": "new@zebra.example"})
    run_worker(after=END)
    assert told(desk, standin, "Someone has changed it since.")
    delete_now(desk, ask_to_delete(desk, f"/contacts/{contact}/"))
    assert deletes(standin) == 1


def test_a_record_that_cannot_be_read_is_not_deleted(desk, pending_url, standin):
    standin.fault("status-503", operation="get")
    run_worker(after=END)
    standin.clear_faults()
    assert told(desk, standin, "The CRM didn't answer properly.")


def test_the_copy_of_a_record_that_was_not_deleted_is_emptied_after_a_week(desk, pending_url):
    run_worker(after=3600)
    desk.get("/help/")
    age_deletions(timedelta(days=6))
    assert ledger.empty_contents() == 0
    age_deletions(timedelta(days=2))
    assert ledger.empty_contents() == 1
    assert "was not deleted." in text(desk.get("/help/"))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("viewer", "Your role no longer lets you"),
        ("inactive", "Your role no longer lets you"),
        ("other keys", "Your connection has changed"),
        ("no keys", "Connect the CRM"),
    ],
)
def test_what_the_person_may_not_do_any_more_is_not_done(
    desk, pending_url, manager, standin, change, reason
):
    if change == "viewer":
        permissions.set_role(manager, permissions.VIEWER)
    elif change == "inactive":
        manager.is_active = False
        manager.save()
    elif change == "other keys":
        access, secret = standin.keys["acme"][1]
        connect(manager, access=access, secret=secret, workspace="Acme")
    else:
        credentials.remove(manager)
    run_worker(after=END)
    found = Write.objects.get()
    assert (deletes(standin), found.state) == (0, State.NOT_SAVED)
    assert reason in deletions.reason(found)
    if change == "viewer":
        assert told(desk, standin, reason)


@pytest.mark.parametrize("fault", ["status-422", "status-403", "status-429", "success-false"])
def test_a_refused_deletion_ends_with_what_the_service_said(
    desk, pending_url, standin, contact, fault
):
    standin.fault(fault, operation="delete", times=1)
    run_worker(after=END)
    [refused] = Write.objects.filter(state=State.NOT_SAVED)
    said = deletions.reason(refused)
    assert said
    for page in (desk.get("/help/"), desk.get(f"{pending_url}outcome/")):
        assert "was not deleted." in text(page)
        assert said in text(page)
    desk.post(f"{pending_url}keep/")
    assert "was deleted" in text(delete_now(desk, ask_to_delete(desk, f"/contacts/{contact}/")))


# --- What the toast says afterwards ---------------------------------------------------------------


def outcome(desk, pending_url) -> str:
    """The words of the toast when it asks."""
    return desk.get(f"{pending_url}outcome/", headers={"HX-Request": "true"}).content.decode()


def test_the_toast_asks_until_it_can_say_that_it_was_deleted(desk, pending_url):
    assert "load delay" in outcome(desk, pending_url)
    run_worker(after=END)
    assert "Zebra Ltd was deleted." in outcome(desk, pending_url)


def test_undo_in_the_toast_answers_with_words_and_an_event(desk, pending_url, standin):
    answer = desk.post(f"{pending_url}keep/", headers={"HX-Request": "true"})
    assert "Not deleted : Zebra Ltd ." in text(answer)
    assert "record-kept" in answer.headers["HX-Trigger"]
