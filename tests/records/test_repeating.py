"""Records that repeat: set on a record, on Today on their day, made by a form that is filled in."""

from datetime import date, timedelta
from unittest.mock import Mock

import pytest
from django.db import DatabaseError
from time_machine import travel

from dashboard.gateway import CONTACTS, INVOICES, TASKS
from dashboard.office import repeats
from dashboard.office.models import Repeat
from dashboard.writes import writer
from dashboard.writes.ledger import InFlight
from dashboard.writes.models import Draft
from tests.conftest import person
from tests.helpers import text
from tests.page_forms import fields

pytestmark = pytest.mark.django_db

BEGAN = date(2026, 1, 31)
LINE = {"item_id": 501, "item_name": "Rent", "quantity": 1, "price": 900, "type": "item"}


@pytest.fixture(autouse=True)
def _clock():
    with travel("2026-02-03T10:00:00Z", tick=False) as clock:
        yield clock


@pytest.fixture
def at(_clock, desk, manager):
    """at(day): the day that it is from here on, with a new sign-in."""

    def move(day):
        _clock.move_to(f"{day}T10:00:00+00:00")
        desk.force_login(manager)

    return move


@pytest.fixture
def customer(gateway):
    return gateway.create(CONTACTS, {"cstname": "Quarry Bakery", "contact_type": 2}).id


@pytest.fixture
def invoice(gateway, customer, lists):
    days = {"transaction_date": BEGAN, "due_date": BEGAN + timedelta(10)}
    body = {"customer_id": customer, "template_id": 11, "items": [LINE], "notes": "Shop 3", **days}
    return gateway.create(INVOICES, body).id


@pytest.fixture
def title(gateway, invoice):
    return gateway.get(INVOICES, invoice)["inv_number"]


def repeat_it(client, name, record_id, **typed):
    url = f"/{name}/{record_id}/repeat/"
    return client.post(url, {"frequency": "monthly", "next_on": "", **typed})


@pytest.fixture
def due_form(desk, invoice, at):
    """The address of the form of an invoice on its second day."""
    repeat_it(desk, "invoices", invoice)
    at("2026-02-28")
    return due(desk)[0][0]


def row():
    return Repeat.objects.get()


def press(client, record_id, what, day=None, name="invoices"):
    fields = {"do": what, "day": (day or row().next_on).isoformat()}
    return client.post(f"/{name}/{record_id}/repeat/", fields, follow=True)


def due(client):
    """The rows on Today: address and words of each."""
    panels = {panel.name: panel for panel in client.get("/").context["sides"]["top"]}
    rows = panels["repeats"].rows if "repeats" in panels else []
    return [(each.name.url, each.due_text) for each in rows]


def test_a_repeat_counts_from_the_day_of_the_record(desk, invoice, title):
    page = desk.get(f"/invoices/{invoice}/")
    assert f'href="/invoices/{invoice}/repeat/"' in page.content.decode()
    answer = repeat_it(desk, "invoices", invoice)
    assert answer["Location"] == f"/invoices/{invoice}/"
    assert f"{title}: every month, next on 28 Feb 2026." in text(desk.get(answer["Location"]))
    assert (row().begins_on, row().next_on) == (BEGAN, date(2026, 2, 28))
    assert due(desk) == []


def test_its_row_names_the_record(desk, invoice, title, at):
    repeat_it(desk, "invoices", invoice)
    at("2026-02-28")
    listed = desk.get("/repeats/").context["panels"]
    on_today = desk.get("/").context["sides"]["top"]
    for panel in (*listed, next(each for each in on_today if each.name == "repeats")):
        [row] = panel.rows
        assert (row.name.text, row.subject.text) == (title, "Invoice")


def test_on_its_day_the_form_is_filled_in_and_saving_it_goes_on(
    desk, invoice, gateway, customer, at, standin
):
    repeat_it(desk, "invoices", invoice)
    at("2026-02-28")
    address = f"/invoices/new/?copy={invoice}&repeat=2026-02-28"
    assert due(desk) == [(address, "today")]
    assert len(standin.ledger(operation="create")) == 2  # nothing was sent by itself
    page = desk.get(address)
    sent = fields(page)
    assert (sent["transaction_date"], sent["due_date"]) == ("28 Feb 2026", "10 Mar 2026")
    assert "offered" not in sent
    answer = desk.post(address, sent)
    made = gateway.get(INVOICES, int(answer["Location"].split("/")[2]))
    assert made["customer_id"] == customer
    assert (made["transaction_date"], made["due_date"]) == (date(2026, 2, 28), date(2026, 3, 10))
    assert made["notes"] == "Shop 3"
    assert [line["price"] for line in made.lines] == [900]
    assert row().next_on == date(2026, 3, 31)
    assert due(desk) == []


def test_a_form_that_is_sent_twice_goes_on_once(desk, due_form, title):
    sent = fields(desk.get(due_form))
    for _ in range(2):
        desk.post(due_form, sent)
    assert row().next_on == date(2026, 3, 31)
    words = f"{title} of 28 Feb 2026 was already saved or skipped."
    assert words in text(desk.get(due_form))


def test_a_form_that_is_refused_stays_due(desk, due_form, standin):
    standin.fault("status-422", operation="create", times=1)
    assert desk.post(due_form, fields(desk.get(due_form))).status_code == 422
    assert row().next_on == date(2026, 2, 28)


def test_one_whose_outcome_is_unknown_is_not_asked_for_again(desk, due_form, standin):
    standin.fault("reset-after", operation="create", times=1)
    answer = desk.post(due_form, fields(desk.get(due_form)))
    assert answer["Location"].startswith("/unsure/")
    assert due(desk) == []


def test_a_form_that_another_request_is_sending_stays_due(desk, due_form, monkeypatch):
    sent = fields(desk.get(due_form))
    monkeypatch.setattr(writer, "create", Mock(side_effect=InFlight(reason="sending")))
    desk.post(due_form, sent)
    assert row().next_on == date(2026, 2, 28)


def test_it_goes_on_when_it_is_saved_from_its_draft(desk, due_form):
    desk.post("/unfinished/keep/", fields(desk.get(due_form), notes="Shop 4"))
    opened_again = f"/invoices/new/?draft={Draft.objects.get().pk}"
    assert desk.post(opened_again, fields(desk.get(opened_again))).status_code == 302
    assert row().next_on == date(2026, 3, 31)
    assert due(desk) == []


def test_a_database_that_fails_after_the_answer_hides_nothing(desk, due_form, monkeypatch):
    sent = fields(desk.get(due_form))
    monkeypatch.setattr(repeats, "find_repeat", Mock(side_effect=DatabaseError))
    assert "was saved" in text(desk.post(due_form, sent))


def test_days_that_were_missed_stand_once(desk, invoice, title, at):
    repeat_it(desk, "invoices", invoice)
    at("2026-06-02")
    address = f"/invoices/new/?copy={invoice}&repeat=2026-02-28"
    assert due(desk) == [(address, "Sat 28 Feb, 94 days overdue")]
    assert f"{title} of 28 Feb 2026 was skipped." in text(press(desk, invoice, "skip"))
    assert len(due(desk)) == 1


def test_a_press_on_an_old_page_skips_nothing(desk, invoice):
    repeat_it(desk, "invoices", invoice)
    for _ in range(2):
        press(desk, invoice, "skip", date(2026, 2, 28))
    assert row().next_on == date(2026, 3, 31)


def test_it_ends_when_it_is_ended(desk, invoice, title):
    repeat_it(desk, "invoices", invoice)
    assert f"{title} no longer repeats." in text(press(desk, invoice, "end"))
    assert not Repeat.objects.exists()
    assert press_again(desk, invoice).status_code == 200


def press_again(client, record_id):
    """A press on the page of a repeat that has ended meanwhile."""
    url = f"/invoices/{record_id}/repeat/"
    return client.post(url, {"do": "end", "day": "2026-02-28"}, follow=True)


def test_another_day_begins_another_rhythm(desk, invoice):
    repeat_it(desk, "invoices", invoice, next_on="15/2", frequency="quarterly")
    assert (row().begins_on, row().next_on) == (date(2026, 2, 15), date(2026, 2, 15))
    page = desk.get(f"/invoices/{invoice}/repeat/")
    desk.post(f"/invoices/{invoice}/repeat/", fields(page, frequency="yearly"))
    assert (row().frequency, row().next_on) == ("yearly", date(2026, 2, 15))


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"next_on": "1/1/2026"}, "Choose today or a later date"),
        ({"next_on": "1/1/2040"}, "within 10 years."),
        ({"next_on": "soon"}, "a valid date"),
        ({"frequency": "daily"}, "Select a valid choice"),
    ],
)
def test_a_wrong_day_is_told_beside_its_field_and_nothing_is_lost(desk, invoice, typed, words):
    answer = repeat_it(desk, "invoices", invoice, **typed)
    assert answer.status_code == 422
    assert words in text(answer)
    assert not Repeat.objects.exists()
    [(name, value)] = typed.items()
    assert answer.context["form"][name].value() == value


def test_the_repeat_of_a_record_that_is_gone_can_be_ended(desk, invoice, gateway, at):
    repeat_it(desk, "invoices", invoice)
    gateway.delete(INVOICES, invoice)
    at("2026-02-28")
    assert desk.get(due(desk)[0][0]).status_code == 404
    url = f"/invoices/{invoice}/repeat/"
    assert "End repeat" in text(desk.get(url))
    press(desk, invoice, "end")
    assert not Repeat.objects.exists()
    assert desk.get(url).status_code == 404


def test_a_task_begins_anew_as_open(desk, gateway, customer, at):
    starts = {"start_datetime": "2026-02-02T15:00:00", "end_datetime": "2026-02-03T16:30:00"}
    body = {"title": "Count the till", "cstid": customer, "status": 2, "priority": 3, **starts}
    task = gateway.create(TASKS, body).id
    repeat_it(desk, "tasks", task, frequency="weekly")
    at("2026-02-09")
    sent = fields(desk.get(due(desk)[0][0]))
    assert sent["start_datetime"] == "9 Feb 2026, 15:00"
    assert sent["end_datetime"] == "10 Feb 2026, 16:30"
    assert (sent["status"], sent["priority"]) == ("0", "3")
    assert desk.post(due(desk)[0][0], sent).status_code == 302
    assert row().next_on == date(2026, 2, 16)


def test_nobody_else_sees_or_changes_it(desk, invoice, with_keys, client):
    repeat_it(desk, "invoices", invoice)
    other = with_keys(person("olga", "Editor"))
    client.force_login(other)
    assert "Nothing recurring yet" in text(client.get("/repeats/"))
    press(client, invoice, "end", date(2026, 2, 28))
    assert Repeat.objects.filter(next_on=date(2026, 2, 28)).count() == 1
