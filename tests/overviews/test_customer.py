"""How the customer of a deal or a task is reached, and what they owe."""

import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from dashboard.gateway import CONTACTS, DEALS, INVOICES, TASKS
from dashboard.overviews import customer as customers
from dashboard.schema import titles
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


@pytest.fixture
def card(desk, gateway, zebra):
    """card(**fields): what follows the page of a deal of these contacts."""

    def read(**fields):
        body = {"deal_name": "Stripes", "pipeline_id": 1, "cstid": zebra, **fields}
        return desk.get(f"/deals/{gateway.create(DEALS, body).id}/?panel=customer")

    return read


def test_a_task_shows_its_contact_and_asks_for_the_rest(desk, gateway, person):
    body = {"title": "Call", "start_datetime": "2026-03-02T09:00:00", "cstid": person}
    task = gateway.create(TASKS, body).id
    page = desk.get(f"/tasks/{task}/").content.decode()
    shown = re.search(r'<section class="block customer".*?</section>', page, re.S)[0]
    assert f'href="/contacts/{person}/"' in shown
    assert f'hx-get="/tasks/{task}/?panel=customer" hx-trigger="load"' in shown
    assert "ida@zebra.example" in text(desk.get(f"/tasks/{task}/?panel=customer"))


def test_the_card_names_whom_it_has_read_without_a_further_call(
    gateway, zebra, person, card, standin, monkeypatch
):
    monkeypatch.setattr(titles, "PAGE_WAIT", 0)
    cache.clear()
    standin.reset(data=False)
    shown = card(deal_contact_id=person).content.decode()
    names = dict(re.findall(r'<a href="/contacts/(\d+)/"[^>]*>([^<]*)</a>', shown))
    assert names == {str(zebra): "Zebra Ltd", str(person): "Ida Stripe"}
    assert "late-name" not in shown
    made = [(each["operation"], each["resource"]) for each in standin.ledger()]
    assert made.count(("get", "contacts")) == 2


def test_the_card_tells_what_is_owed_and_how_much_of_it_is_late(gateway, zebra, card):
    owe(gateway, zebra, 100, 9)
    shown = text(card())
    assert "Owes 100.00" in " ".join(shown.split())
    assert "Overdue" not in shown
    owe(gateway, zebra, 20, -2)
    shown = card()
    [panel] = shown.context["panels"]
    assert [(each.label, each.value.text.split()[0]) for each in panel.sums] == [
        ("Owes", "120.00"),
        ("Overdue", "20.00"),
    ]
    assert re.search(r'<dd class="late">20\.00', shown.content.decode())


def test_the_person_is_reached_and_the_business_owes(gateway, zebra, person, card):
    owe(gateway, zebra, 100, 9)
    [panel] = card(deal_contact_id=person).context["panels"]
    assert panel.email.url == "mailto:ida@zebra.example"
    assert panel.sums[0].value.text.startswith("100.00")


def test_the_sums_of_a_part_of_the_invoices_say_at_least(
    gateway, zebra, card, standin, monkeypatch
):
    for days in (9, -2, -2):
        owe(gateway, zebra, 20, days)
    monkeypatch.setattr(customers, "PAGE_SIZE", 2)
    standin.reset(data=False)
    [panel] = card().context["panels"]
    assert all(each.value.text.startswith("at least ") for each in panel.sums)
    made = [(each["operation"], each["resource"]) for each in standin.ledger()]
    assert made.count(("list", "invoices")) == 1


def test_no_page_has_a_panel_of_another_name(desk, gateway, zebra):
    assert desk.get(f"/contacts/{zebra}/?panel=customer").status_code == 404
