"""The agenda of open tasks, and the button that completes one."""

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.gateway import TASKS, Gateway, Keys, Service
from tests.helpers import text

pytestmark = pytest.mark.django_db


@pytest.fixture
def changing_tasks(standin, settings):
    """Updating tasks is switched on, in the stand-in and here."""
    standin.application.unpublished = True
    settings.API_UNPUBLISHED = frozenset({"tasks.update"})
    yield
    standin.application.unpublished = False


@pytest.fixture
def task(gateway, zebra):
    starts = f"{timezone.localdate()}T09:00:00"
    return gateway.create(TASKS, {"title": "Call", "start_datetime": starts, "cstid": zebra}).id


def row(page, task):
    """The row of a task on the agenda."""
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
    assert row(page, forgotten).time == "3 days late"
    assert row(page, forgotten) in days["Late"].tasks
    assert row(page, task) in days["Today"].tasks
    assert "Zebra Ltd" in text(page)
    assert "Done" not in text(page)  # the service publishes no way to change a task


def done(desk, found):
    return desk.post(found.done.url, dict(found.done.fields), follow=True)


def test_a_task_is_completed_once(desk, changing_tasks, gateway, task, standin):
    found = row(desk.get("/tasks/agenda/"), task)
    assert "Call is done." in text(done(desk, found))
    assert gateway.get(TASKS, task)["status"] == 2
    done(desk, found)
    assert len(standin.ledger(operation="update")) == 1
    assert row(desk.get("/tasks/agenda/"), task) is None


def test_a_status_that_somebody_else_changed_is_not_replaced(
    desk, changing_tasks, gateway, standin, task
):
    found = row(desk.get("/tasks/agenda/"), task)
    access, secret = standin.keys["acme"][0]
    keys = Keys(access=access, secret=secret)
    service = Service(standin.url)
    Gateway(service, keys, offered={"tasks.update"}).update(TASKS, task, {"status": 3})
    service.close()
    assert "its status is now Cancelled" in text(done(desk, found))
    assert gateway.get(TASKS, task)["status"] == 3


def test_an_unanswered_change_is_not_told_done(desk, changing_tasks, standin, task):
    found = row(desk.get("/tasks/agenda/"), task)
    standin.fault("reset-before", operation="update")
    page = done(desk, found)
    assert page.redirect_chain[-1][0].startswith("/unsure/")
    assert "is done" not in text(page)


def test_a_refused_change_is_told(desk, changing_tasks, standin, task):
    found = row(desk.get("/tasks/agenda/"), task)
    standin.fault("status-409", operation="update")
    assert "The task was not changed." in text(done(desk, found))
