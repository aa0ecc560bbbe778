"""What a page asks for reminders: when one's own open tasks are due, and the toast of one."""

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.gateway import TASKS
from dashboard.office.choices import remember_own_id

pytestmark = pytest.mark.django_db

ME, OTHER = 21, 22


@pytest.fixture(autouse=True)
def _known(manager):
    remember_own_id(manager, "Acme", str(ME))


@pytest.fixture
def noon(time_machine):
    """Noon, so that hours from now are of this day."""
    time_machine.move_to("2026-03-05T12:00:00Z", tick=False)
    return timezone.localtime()


@pytest.fixture
def new_task(gateway, zebra, noon):
    """new_task(hours, **fields): the id of a task that is due so many hours from now."""

    def create(hours, **fields):
        due = (noon + timedelta(hours=hours)).replace(tzinfo=None)
        body = {"title": "Call", "cstid": zebra, "assigned_user_id": ME, "end_datetime": due}
        body["start_datetime"] = due - timedelta(hours=3)
        return gateway.create(TASKS, {**body, **fields}).id

    return create


def due(client):
    return dict(client.get("/tasks/due/").json()["due"])


def ms(noon, hours):
    return int((noon + timedelta(hours=hours)).timestamp() * 1000)


def test_open_tasks_of_the_next_hours_are_told_by_number_and_time(desk, new_task, noon):
    soon, begun = new_task(1), new_task(1.5, status=1)
    for hours, status in ((3, 0), (-1, 0), (1, 2)):
        new_task(hours, status=status)
    assert due(desk) == {soon: ms(noon, 1), begun: ms(noon, 1.5)}


def test_only_ones_own_are_told_and_none_while_it_is_not_known_who_one_is(
    desk, manager, new_task, noon
):
    remember_own_id(manager, "Acme", "")
    mine, _ = new_task(1, assigned_user_id=ME), new_task(1, assigned_user_id=OTHER)
    assert not due(desk)
    assert "you get no reminders" in desk.get("/settings/task-reminders/").content.decode()
    remember_own_id(manager, "Acme", str(ME))
    assert set(due(desk)) == {mine}
    assert "you get no reminders" not in desk.get("/settings/task-reminders/").content.decode()


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo"])
def test_the_times_of_the_service_are_those_of_the_office(
    desk, gateway, zebra, zone, settings, time_machine
):
    settings.TIME_ZONE = zone
    timezone.get_default_timezone.cache_clear()
    try:
        time_machine.move_to("2026-07-01T05:00:00Z", tick=False)
        starts = (timezone.localtime() + timedelta(hours=1)).replace(tzinfo=None)
        body = {"title": "A", "cstid": zebra, "assigned_user_id": ME, "start_datetime": starts}
        task = gateway.create(TASKS, body).id
        assert due(desk) == {task: int(timezone.now().timestamp() * 1000) + 3_600_000}
    finally:
        settings.TIME_ZONE = "UTC"
        timezone.get_default_timezone.cache_clear()


def toast(client, number, at):
    return client.get(f"/tasks/due/{number}/?at={at}&back=/deals/")


def test_the_toast_names_the_task_and_its_time(desk, new_task, noon, changing_tasks):
    number = new_task(0.1, title="Call <Acme>")
    page = toast(desk, number, ms(noon, 0.1)).content.decode()
    assert f'<a href="/tasks/{number}/">Call &lt;Acme&gt;</a> is due at 12:06' in page
    assert f'action="/tasks/{number}/done/"' in page
    assert 'name="back" value="/deals/"' in page


def test_there_is_no_toast_of_a_task_that_is_done_moved_or_gone(desk, new_task, noon, gateway):
    done, moved = new_task(0.1, status=2), new_task(0.2)
    assert toast(desk, done, ms(noon, 0.1)).status_code == 204
    assert toast(desk, moved, ms(noon, 0.1)).status_code == 204
    assert toast(desk, 999_999, ms(noon, 0.1)).status_code == 204


def test_a_service_that_fails_is_no_error_of_the_page(desk, new_task, standin):
    standin.fault("status-503", operation="list")
    assert desk.get("/tasks/due/").status_code == 204


def test_only_pages_of_people_with_keys_ask(desk, client_of, editor):
    assert " data-reminds>" in desk.get("/help/").content.decode()
    assert " data-reminds>" not in client_of(editor).get("/help/").content.decode()
