"""Forms, lists and pages of tasks, and tasks typed in one line."""

import re
from datetime import datetime

import pytest
import time_machine
from django.utils import timezone

from dashboard.gateway import CONTACTS, DEALS, TASKS
from dashboard.lists.saved_lists import built_in
from dashboard.office import reference_lists as catalogue
from dashboard.office.choices import remember_own_id
from dashboard.office.kinds import Kind
from dashboard.schema.registry import RESOURCES
from dashboard.standin.reference_data import reference_data
from tests.conftest import every_profile
from tests.helpers import end_looks, text
from tests.page_forms import fields

pytestmark = pytest.mark.django_db


@pytest.fixture
def contact(gateway):
    return gateway.create(CONTACTS, {"cstname": "Zebra Trading", "contact_type": 2}).id


@pytest.fixture
def task(gateway, contact):
    body = {"title": "Count stripes", "start_datetime": "2026-03-05T15:00:00", "cstid": contact}
    return gateway.create(TASKS, {**body, "status": 1, "priority": 3}).id


def begun(desk, address="/tasks/new/", **typed):
    return {**fields(desk.get(address)), **typed}


@every_profile
def test_a_task_is_created_with_the_typed_times(desk, contact, sent):
    typed = begun(
        desk, title="Count", start_datetime="2026-03-05 15:00", end_datetime="5 Mar 2026 4pm",
        cstid=str(contact),
    )  # fmt: skip
    page = desk.post("/tasks/new/", typed, follow=True)
    assert "Task Count was created" in text(page)
    assert sent("create", resource="tasks")[-1] == {
        "title": "Count",
        "start_datetime": "2026-03-05T15:00:00",
        "end_datetime": "2026-03-05T16:00:00",
        "cstid": contact,
        "priority": 2,
        "status": 0,
    }


def test_a_task_without_contact_and_deal_is_refused(desk, sent):
    page = desk.post("/tasks/new/", begun(desk, title="Count", start_datetime="tom 9:00"))
    assert page.status_code == 422
    assert "Choose a contact, a deal or both" in text(page)
    assert sent("create", resource="tasks") == []


def test_a_task_may_not_end_before_it_begins(desk, contact, sent):
    times = {"start_datetime": "2026-03-05 15:00", "end_datetime": "2026-03-05 14:00"}
    page = desk.post("/tasks/new/", begun(desk, title="Count", cstid=str(contact), **times))
    assert "Must be after the start, 5 Mar 2026, 15:00" in text(page)
    assert sent("create", resource="tasks") == []


def test_a_task_started_from_a_record_is_linked_to_it(desk, contact, gateway):
    deal = gateway.create(DEALS, {"deal_name": "Stripes", "pipeline_id": 1, "cstid": contact}).id
    page = desk.get(f"/tasks/new/?contact={contact}&deal={deal}")
    html = page.content.decode()
    assert 'value="Zebra Trading"' in html
    assert 'value="Stripes"' in html
    assert f"/tasks/new/?contact={contact}" in desk.get(f"/contacts/{contact}/").content.decode()
    assert f"/tasks/new/?deal={deal}" in desk.get(f"/deals/{deal}/").content.decode()


@pytest.mark.parametrize("name", ["cstid", "deal_id"])
def test_a_change_sends_the_link_along(desk, unpublished, contact, gateway, sent, name):
    deal = {"deal_name": "Stripes", "pipeline_id": 1, "cstid": contact}
    link = {"cstid": contact, "deal_id": gateway.create(DEALS, deal).id}[name]
    body = {"title": "Count stripes", "start_datetime": "2026-03-05T15:00:00", name: link}
    url = f"/tasks/{gateway.create(TASKS, body).id}/edit/"
    desk.post(url, begun(desk, url, title="Count spots"))
    assert sent("update") == [{"title": "Count spots", name: link}]


def test_a_changed_start_whose_answer_was_lost_is_sent_again(desk, unpublished, task, gateway):
    url = f"/tasks/{task}/edit/"
    typed = begun(desk, url, start_datetime="2026-04-07 10:30")
    unpublished.fault("reset-before", operation="update", times=1)
    entry = desk.post(url, typed)["Location"]
    end_looks()
    desk.post(f"{entry}again/")
    assert gateway.get(TASKS, task)["start_datetime"] == datetime(2026, 4, 7, 10, 30)


@time_machine.travel("2026-03-04T10:20:00", tick=True)
def test_one_line_fills_the_form_and_shows_the_parsed_values(desk, contact, sent):
    address = "/tasks/new/?line=call+Zebra+Trading+tomorrow+15:00+!high"
    page = desk.get(address)
    assert "Day Thu 5 Mar 2026 Time 15:00" in text(page)
    assert sent("create", resource="tasks") == []
    page = desk.post(address, fields(page), follow=True)
    assert "was created" in text(page), text(page)
    [body] = sent("create", resource="tasks")
    assert (body["title"], body["cstid"]) == ("call Zebra Trading", contact)
    assert (body["start_datetime"], body["priority"]) == ("2026-03-05T15:00:00", 3)


def test_an_ambiguous_name_is_left_to_choose(desk, contact, gateway):
    gateway.create(CONTACTS, {"cstname": "Zebra Travel", "contact_type": 2})
    page = desk.get("/tasks/new/?line=call+@Zebra")
    assert page.context["form"]["cstid"].value() == "?Zebra"
    assert 'value="Zebra"' in page.content.decode()


def test_without_update_the_page_explains_and_offers_a_copy(desk, task):
    page = desk.get(f"/tasks/{task}/")
    assert "let other apps edit tasks" in text(page)
    assert f"/tasks/{task}/edit/" not in page.content.decode()
    for action in ("edit", "delete"):
        refused = desk.get(f"/tasks/{task}/{action}/")
        assert refused.status_code == 501
        assert f"/tasks/new/?copy={task}" in refused.content.decode()
    form = desk.get(f"/tasks/new/?copy={task}").context["form"]
    assert form["title"].value() == "Count stripes"
    assert form["start_datetime"].value() == "5 Mar 2026, 15:00"
    assert form["priority"].value() == "3"


@time_machine.travel("2026-03-04T10:20:00", tick=True)
def test_a_new_task_is_of_today_and_of_the_person(desk, contact, manager, lists):
    number, name = next(iter(catalogue.names("Acme", Kind.USER).items()))
    manager.first_name, _, manager.last_name = name.partition(" ")
    manager.save()
    form = desk.get(f"/tasks/new/?contact={contact}").context["form"]
    assert form["start_datetime"].value() == "4 Mar 2026, 11:00"
    assert form["assigned_user_id"].value() == str(number)
    alone = desk.get("/tasks/new/").context["form"]
    assert alone["start_datetime"].value() == "4 Mar 2026, 11:00"
    assert alone["assigned_user_id"].value() == str(number)


def test_a_call_that_was_made_is_logged_as_a_task_that_is_done(desk, contact, sent):
    url = f"/tasks/new/?contact={contact}&done=now"
    form = desk.get(url)
    assert "Saved as done" in text(form)
    assert "Saved as done" not in text(desk.get(f"/tasks/new/?contact={contact}"))
    desk.post(url, {**fields(form), "title": "Called back"})
    body = sent("create")[-1]
    assert (body["title"], body["status"], body["cstid"]) == ("Called back", 2, contact)
    assert body["start_datetime"][:10] == timezone.localdate().isoformat()
    assert body["start_datetime"].endswith(":00")


def test_ones_own_tasks_are_none_with_a_hint_while_it_is_not_known_who_one_is(
    desk, manager, lists, gateway, contact
):
    me, other = (each["id"] for each in reference_data("acme")["users"][:2])
    body = {"title": "Count", "start_datetime": "2026-03-05T15:00:00", "cstid": contact}
    mine = gateway.create(TASKS, {**body, "assigned_user_id": me}).id
    gateway.create(TASKS, {**body, "assigned_user_id": other})
    [view] = [each.url for each in built_in(RESOURCES["tasks"]) if each.key == "mine"]
    page = desk.get(view)
    assert not re.findall(r'href="/tasks/\d+/"', page.content.decode())
    assert "Choose your user in the CRM to use this filter" in text(page)
    assert 'href="/setup/me/"' in page.content.decode()
    remember_own_id(manager, "Acme", str(me))
    shown = set(re.findall(r'href="/tasks/(\d+)/"', desk.get(view).content.decode()))
    assert str(mine) in shown
    assert {gateway.get(TASKS, int(each))["assigned_user_id"] for each in shown} == {me}
