"""The agenda of open tasks, and the button that completes one."""

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.gateway import TASKS
from tests.helpers import text

pytestmark = pytest.mark.django_db


def row(page, task):
    rows = [each for day in page.context["days"] for each in day.tasks]
    return next((each for each in rows if each.name.url == f"/tasks/{task}/"), None)


def test_tasks_stand_under_their_day_and_late_ones_first(desk, gateway, zebra, task):
    late = timezone.localdate() - timedelta(3)
    body = {"title": "Forgotten", "start_datetime": f"{late}T09:00:00", "cstid": zebra}
    forgotten = gateway.create(TASKS, body).id
    assert 'href="/tasks/agenda/" data-key="w"' in desk.get("/tasks/").content.decode()
    page = desk.get("/tasks/agenda/")
    days = {each.title: each for each in page.context["days"]}
    assert next(iter(days)) == "Late"
    assert row(page, forgotten).due_text == "3 days overdue"
    assert row(page, forgotten) in days["Late"].tasks
    assert row(page, task) in days["Today"].tasks
    assert "Zebra Ltd" in text(page)
    assert "Done" not in text(page)  # the service publishes no way to change a task


def test_a_task_that_ends_on_its_day_has_both_times_here_and_in_the_list(desk, gateway, zebra):
    day = timezone.localdate() + timedelta(1)
    body = {"title": "Fair", "cstid": zebra, "start_datetime": f"{day}T12:00:00"}
    made = gateway.create(TASKS, {**body, "end_datetime": f"{day}T19:00:00"}).id
    times = "12:00\N{EN DASH}19:00"
    assert row(desk.get("/tasks/agenda/"), made).due_text == times
    assert times in text(desk.get("/tasks/?search=Fair"))
