"""The page of a task, and the button that completes one."""

import html
import re

import pytest

from dashboard.gateway import TASKS, Gateway, Keys, Service
from tests.helpers import text, undo

pytestmark = pytest.mark.django_db


def shown_action(desk, task):
    """The button that the task's page has; None where there is none."""
    return desk.get(f"/tasks/{task}/").context["record_page"].done


def press(desk, action):
    return desk.post(action.url, dict(action.fields), follow=True)


def test_a_task_is_completed_once(desk, changing_tasks, gateway, task, standin):
    action = shown_action(desk, task)
    assert "Call is done." in text(press(desk, action))
    assert gateway.get(TASKS, task)["status"] == 2
    press(desk, action)
    assert len(standin.ledger(operation="update")) == 1
    assert shown_action(desk, task) is None


def test_a_status_that_somebody_else_changed_is_not_replaced(
    desk, changing_tasks, gateway, standin, task
):
    action = shown_action(desk, task)
    access, secret = standin.keys["acme"][0]
    keys = Keys(access=access, secret=secret)
    service = Service(standin.url)
    Gateway(service, keys, enabled={"tasks.update"}).update(TASKS, task, {"status": 3})
    service.close()
    assert "its status is now Cancelled" in text(press(desk, action))
    assert gateway.get(TASKS, task)["status"] == 3


def test_an_unanswered_change_is_not_told_done(desk, changing_tasks, standin, task):
    action = shown_action(desk, task)
    standin.fault("reset-before", operation="update")
    page = press(desk, action)
    assert page.redirect_chain[-1][0].startswith("/unsure/")
    assert "is done" not in text(page)


def test_a_refused_change_is_told(desk, changing_tasks, standin, task):
    action = shown_action(desk, task)
    standin.fault("status-409", operation="update")
    assert "The task was not changed." in text(press(desk, action))


@pytest.mark.parametrize(
    ("back", "address"),
    [
        ("/tasks/{}/", "/tasks/{}/"),
        ("", "/tasks/agenda/"),
        ("today", "/tasks/agenda/"),
        ("//elsewhere.example/", "/tasks/agenda/"),
        ("https://elsewhere.example/", "/tasks/agenda/"),
    ],
)
def test_one_comes_back_to_the_page_of_the_button(desk, changing_tasks, task, back, address):
    action = shown_action(desk, task)
    response = desk.post(action.url, dict(action.fields) | {"back": back.format(task)})
    assert response.url == address.format(task)


def ticks(page):
    """The hidden fields of the circles that the page has, by the address they post to."""
    forms = re.findall(r'<form method="post" action="(/tasks/\d+/done/)">(.*?)</form>', page, re.S)
    found = {
        url: dict(re.findall(r'name="(\w+)" value="([^"]*)"', inside)) for url, inside in forms
    }
    return {url: fields for url, fields in found.items() if "to" not in fields}


@pytest.mark.parametrize("url", ["/", "/tasks/?search=Call", "/tasks/agenda/", "/contacts/{}/"])
def test_a_task_is_ticked_done_wherever_it_is_listed(
    desk, changing_tasks, gateway, task, zebra, url
):
    url = url.format(zebra)
    page = desk.get(url).content.decode()
    action = f"/tasks/{task}/done/"
    fields = ticks(page)[action]
    assert html.unescape(fields["back"]) == url
    assert 'data-row-key="d"' in page
    done = desk.post(action, fields | {"back": html.unescape(fields["back"])})
    assert done.url == url
    assert gateway.get(TASKS, task)["status"] == 2
    assert action not in ticks(desk.get(url).content.decode())


@pytest.mark.parametrize("page", ["/tasks/{}/", "/tasks/?search=Call"])
def test_the_press_is_undone(desk, changing_tasks, gateway, task, standin, page):
    action = shown_action(desk, task)
    fields = dict(action.fields) | {"back": page.format(task)}
    undone = desk.post(*undo(desk.post(action.url, fields, follow=True)), follow=True)
    assert undone.redirect_chain[-1][0] == page.format(task)
    assert "Call is open again." in text(undone)
    assert gateway.get(TASKS, task)["status"] == 0
    url, again = undo(undone)
    assert "Call is done." in text(desk.post(url, again, follow=True))
    desk.post(url, again)
    assert [each["body"]["status"] for each in standin.ledger(operation="update")] == [2, 0, 2]


@pytest.mark.parametrize("status", ["4", "x", "-1"])
def test_a_task_becomes_nothing_else_by_a_press(desk, changing_tasks, standin, task, status):
    action = shown_action(desk, task)
    assert desk.post(action.url, dict(action.fields) | {"to": status}).status_code == 400
    assert standin.ledger(operation="update") == []


@pytest.mark.parametrize("url", ["/", "/tasks/?search=Call", "/tasks/agenda/", "/contacts/{}/"])
def test_nothing_is_ticked_where_the_service_changes_no_task(desk, task, zebra, url):
    assert ticks(desk.get(url.format(zebra)).content.decode()) == {}
