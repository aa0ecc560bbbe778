"""How the customer of a deal or a task is reached, and what they owe."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.gateway import CONTACTS, INVOICES, TASKS
from tests.helpers import text

pytestmark = pytest.mark.django_db


@pytest.fixture
def person(gateway, zebra):
    body = {"cstname": "Ida Stripe", "contact_type": 1, "cstemail": "ida@zebra.example"}
    return gateway.create(CONTACTS, {**body, "contact_parent": zebra}).id


def owe(gateway, customer, price, days):
    line = {"item_id": 501, "item_name": "Work", "quantity": 1, "price": price, "type": "item"}
    due = timezone.localdate() + timedelta(days)
    body = {"customer_id": customer, "template_id": 11, "items": [line], "due_date": due}
    gateway.create(INVOICES, body)


def test_a_task_shows_its_contact_and_asks_for_the_rest(desk, gateway, person):
    body = {"title": "Call", "start_datetime": "2026-03-02T09:00:00", "cstid": person}
    task = gateway.create(TASKS, body).id
    page = desk.get(f"/tasks/{task}/").content.decode()
    card = re.search(r'<section class="block customer".*?</section>', page, re.S)[0]
    assert f'href="/contacts/{person}/"' in card
    assert f'hx-get="/contacts/{person}/card/"' in card
    assert 'hx-trigger="load"' in card


def test_the_card_tells_what_is_owed_and_how_much_of_it_is_late(desk, gateway, zebra):
    owe(gateway, zebra, 100, 9)
    card = text(desk.get(f"/contacts/{zebra}/card/"))
    assert "Owes 100.00" in " ".join(card.split())
    assert "Overdue" not in card
    owe(gateway, zebra, 20, -2)
    card = desk.get(f"/contacts/{zebra}/card/")
    assert [(each.label, each.words.split()[0]) for each in card.context["sums"]] == [
        ("Owes", "120.00"),
        ("Overdue", "20.00"),
    ]
    assert re.search(r'<dd class="late">20\.00', card.content.decode())


def test_the_person_is_reached_and_the_business_owes(desk, gateway, zebra, person):
    owe(gateway, zebra, 100, 9)
    card = desk.get(f"/contacts/{zebra}/card/?person={person}")
    assert card.context["email"].url == "mailto:ida@zebra.example"
    assert card.context["sums"][0].words.startswith("100.00")


def test_what_cannot_be_read_is_told(desk, standin, zebra):
    standin.fault("status-503", resource="invoices", operation="list")
    card = text(desk.get(f"/contacts/{zebra}/card/"))
    assert "Not read" in card
    assert "Owes" not in card
