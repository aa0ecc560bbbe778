"""The calendar of one's own tasks: made by its person, read by whoever has the address."""

import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from dashboard.accounts.models import User
from dashboard.credentials import services as credentials
from dashboard.credentials.models import KeyPair
from dashboard.gateway import TASKS
from dashboard.monitoring.logs import json_lines, text_lines
from dashboard.preferences.models import CalendarAddress
from dashboard.preferences.services import remember_own_id
from tests.conftest import PASSWORD
from tests.helpers import text

pytestmark = pytest.mark.django_db

PAGE = "/settings/calendar/"
ME, OTHER = 21, 22


@pytest.fixture
def stranger():
    """A client that is not signed in, as a calendar program."""
    return Client()


@pytest.fixture
def make(desk):
    """make(): presses the button, with the password where it is asked for; the new address."""

    def pressed():
        answer = desk.post(PAGE, {"do": "make"}, follow=True)
        if answer.redirect_chain:
            desk.post("/accounts/reauthenticate/", {"password": PASSWORD})
            answer = desk.post(PAGE, {"do": "make"})
        return re.search(r'value="http://testserver(/calendar/tasks.ics\?key=[^"]+)"',
                         answer.content.decode())[1]  # fmt: skip

    return pressed


@pytest.fixture
def new_task(gateway, zebra):
    def create(title, **fields):
        body = {"title": title, "cstid": zebra, "start_datetime": "2026-03-05T15:00:00"}
        return gateway.create(TASKS, {**body, **fields}).id

    return create


def summaries(answer):
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    return re.findall(r"SUMMARY:(Zebra [^\r]*)", answer.content.decode())


def test_it_is_off_until_an_address_is_made(desk, make, stranger):
    assert "The calendar is off." in text(desk.get(PAGE))
    assert stranger.get("/calendar/tasks.ics").status_code == 404
    address = make()
    assert stranger.get(address).status_code == 200
    page = desk.get(PAGE)
    assert "On since" in text(page)
    assert "Last read" in text(page)
    assert address.partition("=")[2] not in page.content.decode()


def test_making_one_asks_for_the_password(desk):
    answer = desk.post(PAGE, {"do": "make"})
    assert answer["Location"].startswith("/accounts/reauthenticate/")
    assert not CalendarAddress.objects.exists()


def test_of_the_address_a_mark_alone_is_stored(make):
    key = make().partition("=")[2]
    assert len(key) == 43
    assert key not in str(list(CalendarAddress.objects.values_list()))


def test_open_tasks_are_events_with_times_of_the_office(make, new_task, stranger):
    number = new_task("Zebra 1, call; now", end_datetime="2026-03-05T16:30:00")
    new_task("Zebra 2, begun", status=1)
    new_task("Zebra 3, done", status=2)
    answer = stranger.get(make())
    assert sorted(summaries(answer)) == ["Zebra 1\\, call\\; now", "Zebra 2\\, begun"]
    body = answer.content.decode()
    event = next(one for one in body.split("BEGIN:VEVENT") if "Zebra 1" in one)
    assert "DTSTART:20260305T150000Z\r\n" in event
    assert "DTEND:20260305T163000Z\r\n" in event
    assert f"URL:http://testserver/tasks/{number}/" in event.replace("\r\n ", "")


def test_only_ones_own_are_in_it_once_it_is_known_who_one_is(make, new_task, manager, stranger):
    new_task("Zebra mine", assigned_user_id=ME)
    new_task("Zebra other", assigned_user_id=OTHER)
    address = make()
    assert set(summaries(stranger.get(address))) == {"Zebra mine", "Zebra other"}
    remember_own_id(manager, "Acme", str(ME))
    cache.clear()
    assert summaries(stranger.get(address)) == ["Zebra mine"]


def test_a_new_address_ends_the_one_before_and_off_ends_it(desk, make, stranger):
    first, second = make(), make()
    assert stranger.get(first).status_code == 404
    assert stranger.get(second).status_code == 200
    assert "leads nowhere" in text(desk.post(PAGE, {"do": "end"}, follow=True))
    assert stranger.get(second).status_code == 404


def test_the_address_of_a_rotated_key_goes_on(make, stranger, settings):
    address = make()
    new = "hY1GQ7m2CkpmEXjTQvZmTn8dH2Xr6o4x0L3bqvWm6Ew="
    keys = settings.FIELD_ENCRYPTION_KEYS
    pair = KeyPair.objects.get()
    settings.FIELD_ENCRYPTION_KEYS = [new, *keys]
    assert credentials.open_pair(pair)
    assert stranger.get(address).status_code == 200


def test_a_deactivated_person_has_no_calendar(make, manager, stranger):
    address = make()
    wrong = stranger.get("/calendar/tasks.ics?key=wrong")
    User.objects.filter(pk=manager.pk).update(is_active=False)
    answer = stranger.get(address)
    assert (answer.status_code, answer.content) == (404, wrong.content)


def test_a_person_without_a_role_has_no_calendar(make, manager, stranger):
    address = make()
    User.objects.filter(pk=manager.pk).update(role="")
    assert stranger.get(address).status_code == 404


def test_tasks_that_cannot_be_read_are_not_told_to_be_none(make, standin, stranger, manager):
    address = make()
    standin.fault("status-503", operation="list")
    answer = stranger.get(address)
    assert answer.status_code == 503
    assert int(answer["Retry-After"]) > 0
    standin.clear_faults()
    KeyPair.objects.filter(user=manager).delete()
    assert stranger.get(address).status_code == 503


def test_an_answer_is_kept_for_some_minutes_and_not_sent_twice(make, new_task, standin, stranger):
    new_task("Zebra one")
    address = make()
    first = stranger.get(address)
    before = len(standin.ledger(operation="list"))
    again = stranger.get(address, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert stranger.get(address).content == first.content
    assert len(standin.ledger(operation="list")) == before


def test_it_is_read_so_often_in_an_hour(make, stranger, monkeypatch):
    monkeypatch.setattr("dashboard.overviews.calendar.MOST", 2)
    address = make()
    assert [stranger.get(address).status_code for _ in range(3)] == [200, 200, 429]
    assert "Retry-After" in stranger.get(address)


def test_nothing_can_be_changed_by_it(make, stranger):
    assert stranger.post(make()).status_code == 405


@pytest.mark.parametrize("lines", [json_lines, text_lines])
def test_no_log_line_has_the_key(make, stranger, caplog, standin, lines):
    address = make()
    key = address.partition("=")[2]
    stranger.get(address)
    standin.fault("status-503", operation="list")
    cache.clear()
    stranger.get(address)
    CalendarAddress.objects.all().delete()
    stranger.get(address)
    logged = "\n".join(map(lines().format, caplog.records))
    assert logged.count("/calendar/tasks.ics") >= 3
    assert key not in logged


def test_a_task_without_a_readable_time_is_left_out(make, new_task, stranger, standin):
    new_task("Zebra far", start_datetime="9999-12-31T23:59:59")
    assert summaries(stranger.get(make())) in (["Zebra far"], [])


def test_it_goes_with_its_person(make, manager):
    make()
    manager.delete()
    assert not CalendarAddress.objects.exists()


def test_when_it_was_read_is_noted_once_an_hour(make, stranger):
    address = make()
    stranger.get(address)
    first = CalendarAddress.objects.get().read_at
    stranger.get(address)
    assert CalendarAddress.objects.get().read_at == first
    CalendarAddress.objects.update(read_at=timezone.now() - timedelta(hours=2))
    stranger.get(address)
    assert CalendarAddress.objects.get().read_at >= first
