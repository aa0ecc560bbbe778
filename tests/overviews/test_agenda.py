"""The agenda of open tasks, and the button that completes one."""

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.gateway import TASKS
from dashboard.office.choices import remember_own_id
from tests.helpers import text

pytestmark = pytest.mark.django_db


def row(page, task):
    days = {"overdue": page.context["overdue"]}
    days |= {day.title: day.tasks for day in page.context["days"]}
    found = [
        (title, row) for title in days for row in days[title] if row.name.url == f"/tasks/{task}/"
    ]
    return found[0] if found else ("", None)


def test_tasks_stand_under_their_day_and_overdue_ones_above(desk, gateway, zebra, task):
    late = timezone.localdate() - timedelta(3)
    body = {"title": "Forgotten", "start_datetime": f"{late}T09:00:00", "cstid": zebra}
    forgotten = gateway.create(TASKS, body).id
    assert 'href="/tasks/agenda/" data-key="w"' in desk.get("/tasks/").content.decode()
    page = desk.get("/tasks/agenda/")
    title, overdue = row(page, forgotten)
    assert (title, overdue.due_text) == ("overdue", "3 days overdue")
    assert row(page, task)[0].startswith("Today")
    assert "Zebra Ltd" in text(page)
    assert "Done" not in text(page)  # the service publishes no way to change a task


def test_a_task_that_ends_on_its_day_has_both_times_here_and_in_the_list(desk, gateway, zebra):
    day = timezone.localdate() + timedelta(1)
    body = {"title": "Fair", "cstid": zebra, "start_datetime": f"{day}T12:00:00"}
    made = gateway.create(TASKS, {**body, "end_datetime": f"{day}T19:00:00"}).id
    times = "12:00\N{EN DASH}19:00"
    assert row(desk.get("/tasks/agenda/"), made)[1].due_text == times
    assert times in text(desk.get("/tasks/?search=Fair"))


def test_a_later_week_has_its_own_tasks_and_leads_back(desk, gateway, zebra, task):
    day = timezone.localdate() + timedelta(9)
    body = {"title": "Fair", "cstid": zebra, "start_datetime": f"{day}T12:00:00"}
    fair = gateway.create(TASKS, body).id
    page = desk.get("/tasks/agenda/")
    assert row(page, fair) == ("", None)
    assert not page.context["earlier_url"]
    page = desk.get(page.context["later_url"])
    assert row(page, fair)[0] == f"{day:%a} {day.day}{f' {day:%b}' if day.day == 1 else ''}"
    assert row(page, task) == ("", None)
    assert row(desk.get(page.context["earlier_url"]), task)[0].startswith("Today")
    for rubbish in ("2026-99-99", "9999-12-31", "0001-01-01", "x"):
        assert desk.get(f"/tasks/agenda/?from={rubbish}").status_code == 200


def test_own_tasks_are_shown_alone_once_the_own_user_is_known(desk, gateway, zebra, task, manager):
    page = desk.get("/tasks/agenda/")
    assert row(page, task)[1]
    assert not page.context["views"]
    remember_own_id(manager, "Acme", "21")
    body = {"title": "Mine", "cstid": zebra, "assigned_user_id": 21}
    own = gateway.create(TASKS, {**body, "start_datetime": f"{timezone.localdate()}T12:00:00"}).id
    (_, (_, address, _)) = desk.get("/tasks/agenda/").context["views"]
    page = desk.get(address)
    assert row(page, own)[1]
    assert row(page, task) == ("", None)
