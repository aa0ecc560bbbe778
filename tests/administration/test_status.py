"""The page Operation: what waits for somebody, of everybody in the administrator's workspace."""

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.administration.models import Backup, Worker, store_heartbeat
from dashboard.jobs.models import Job
from dashboard.people import mails
from dashboard.people.keys import store_refusal
from dashboard.people.models import User
from dashboard.writes.models import Write
from tests.helpers import run_worker, text
from tests.workspaces import connect

PAGE = "/settings/operation/"
AT_HOME = {"owner": "x", "workspace": "Acme"}


@pytest.fixture
def office(client_of, with_keys, administrator):
    return client_of(with_keys(administrator))


def test_with_nothing_to_do_it_says_so_in_one_line_unless_no_worker_runs(office):
    page = text(office.get(PAGE))
    assert "No open problems" not in page
    assert "No worker is running. Deletions, jobs and emails are on hold." in page


def test_everybodys_open_writes_are_listed_without_their_content(office, manager):
    common = {"person": manager, "resource": "contacts", "digest": "", **AT_HOME}
    Write.objects.create(token="a", operation="create", state="not sure", **common)
    Write.objects.create(
        token="b", operation="delete", state="not sure", resolution="left", **common
    )
    page = text(office.get(PAGE))
    assert "Create in contacts" in page
    assert "Delete in contacts" not in page


def test_a_long_block_shows_its_first_rows_and_the_number_of_all(office, manager):
    common = {"person": manager, "resource": "contacts", "digest": "", **AT_HOME}
    for number in range(22):
        Write.objects.create(token=str(number), operation="create", state="not sure", **common)
    page = text(office.get(PAGE))
    assert "Not sure 22 Shows the first 20" in page
    assert page.count("Create in contacts") == 20


def test_jobs_without_a_turn_and_paused_jobs_are_listed(office, manager):
    common = {"person": manager, "kind": "bulk", "resource": "contacts", **AT_HOME}
    long_ago = timezone.now() - timedelta(minutes=6)
    Job.objects.create(title="Paused job", state="paused", reason="Connect keys.", **common)
    Job.objects.create(title="Stuck job", state="running", last_slice_at=long_ago, **common)
    Job.objects.create(title="Fresh job", state="running", last_slice_at=timezone.now(), **common)
    Job.objects.create(title="Ended job", state="finished", last_slice_at=long_ago, **common)
    page = text(office.get(PAGE))
    assert "Paused. Connect keys." in page
    assert "Stuck job" in page
    assert "Fresh job" not in page
    assert "Ended job" not in page


def test_deletions_that_no_worker_sent_are_listed(office, manager):
    common = {"person": manager, "resource": "contacts", "record_id": 1, **AT_HOME}
    long_ago = timezone.now() - timedelta(minutes=2)
    wait = {"operation": "delete", "state": "waiting", "asked_at": long_ago, "not_before": long_ago}
    Write.objects.create(token="a", **wait, **common)
    assert "No worker has sent this." in text(office.get(PAGE))


def test_a_worker_that_was_not_seen_for_minutes_is_the_first_that_is_told(office):
    store_heartbeat("here:1")
    page = text(office.get(PAGE))
    assert "No worker has reported" not in page
    assert "No open problems" in page
    Worker.objects.update(seen=timezone.now() - timedelta(minutes=4, seconds=5))
    page = text(office.get(PAGE))
    words = "No worker has reported for 4 minutes. Deletions, jobs and emails are on hold."
    assert page.index(words) < page.index("Open problems of all staff in Acme")


def test_a_backup_that_is_late_is_a_problem_once_one_was_made(office):
    store_heartbeat("here:1")
    User.objects.update(date_joined=timezone.now() - timedelta(days=37))
    assert "No open problems" in text(office.get(PAGE))  # others may copy the database
    Backup.objects.create(made_at=timezone.now() - timedelta(hours=35))
    page = text(office.get(PAGE))
    assert "Last backup: " in page
    assert "No open problems" in page
    Backup.objects.update(made_at=timezone.now() - timedelta(days=3))
    page = text(office.get(PAGE))
    assert "The last backup is 3 days old." in page
    assert "No open problems" not in page


def test_mails_that_failed_once_are_listed(office, manager, viewer, with_keys, monkeypatch):
    with_keys(manager)
    connect(viewer, access="access0123", secret="hidden0123", workspace="Globex")
    for address in (manager.email, viewer.email, "nobody@example.test"):
        mails.post("invitation", [address], {"person": User(), "url": ""})
    assert "Emails not sent" not in text(office.get(PAGE))

    def away(*mail):
        raise ConnectionRefusedError

    monkeypatch.setattr(mails, "send_mail", away)
    run_worker()
    page = text(office.get(PAGE))
    assert "max Invitation The mail server rejected the connection." in page
    assert page.count("Invitation") == 1


def test_refused_keys_lead_to_their_person(office, with_keys, manager):
    store_refusal(with_keys(manager))
    page = office.get(PAGE).content.decode()
    assert f'href="/staff/{manager.pk}/"' in page


def test_what_waits_in_another_workspace_is_for_its_people_and_superusers(
    office, administrator, manager
):
    connect(manager, access="access0123", secret="hidden0123", workspace="Globex")
    common = {"person": manager, "owner": "x", "workspace": "Globex", "resource": "contacts"}
    Write.objects.create(token="a", operation="create", state="not sure", digest="", **common)
    Job.objects.create(title="Their job", state="paused", kind="bulk", **common)
    long_ago = timezone.now() - timedelta(minutes=2)
    wait = {"operation": "delete", "state": "waiting", "asked_at": long_ago, "not_before": long_ago}
    Write.objects.create(token="b", record_id=1, **wait, **common)
    store_refusal(manager)
    shown = ("Create in contacts", "Their job", "No worker has sent this.", "max")
    page = text(office.get(PAGE))
    assert not [words for words in shown if words in page]
    User.objects.filter(pk=administrator.pk).update(is_superuser=True)
    page = text(office.get(PAGE))
    assert "As a superuser" in page
    assert [words for words in shown if words in page] == list(shown)
