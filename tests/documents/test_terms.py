"""Without JavaScript the due date follows the customer's terms and replaces no typed date."""

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.gateway import CONTACTS
from dashboard.office import choices as preferences
from dashboard.office.models import Terms
from dashboard.text.dates import format_date
from tests.helpers import text
from tests.page_forms import fields

NEW = "/invoices/new/"


@pytest.fixture
def customer(gateway, lists) -> int:
    """A customer with 14 days to pay; the default is 30."""
    number = gateway.create(CONTACTS, {"cstname": "Zebra Ltd", "contact_type": 2}).id
    for _ in range(2):
        preferences.remember_days(workspace="Acme", customer=number, days=14, usual=30)
    return number


def in_days(count: int) -> str:
    return format_date(timezone.localdate() + timedelta(days=count))


def typed(desk, customer, **more):
    given = {"customer_id": str(customer), "customer_id-text": None, "template_id": "11"}
    lines = {"line_0_item_name": "Consulting hour", "line_0_quantity": "3"}
    return fields(desk.get(NEW), **{**given, **lines, **more})


def created(standin):
    return standin.ledger(operation="create", resource="invoices")[-1]["body"]


def test_update_totals_fills_in_the_customers_due_date(desk, customer):
    page = desk.post(NEW, {**typed(desk, customer), "do": "totals"})
    assert fields(page)["due_date"] == in_days(14)


def test_saving_uses_the_customers_days_and_shows_a_message(desk, standin, customer):
    page = desk.post(NEW, typed(desk, customer), follow=True)
    assert f"It is due {in_days(14)}, by the terms of this customer." in text(page)
    due = timezone.localdate() + timedelta(days=14)
    assert created(standin)["due_date"] == due.isoformat()


def test_the_due_date_follows_the_date_of_the_invoice(desk, customer):
    form = typed(desk, customer, transaction_date="+10")
    assert fields(desk.post(NEW, {**form, "do": "totals"}))["due_date"] == in_days(24)


def test_a_typed_due_date_is_not_replaced(desk, standin, customer):
    form = typed(desk, customer, due_date="+3")
    page = desk.post(NEW, {**form, "do": "totals"})
    assert fields(page)["due_date"] == "+3"
    assert "by the terms of this customer" not in text(desk.post(NEW, form, follow=True))
    due = timezone.localdate() + timedelta(days=3)
    assert created(standin)["due_date"] == due.isoformat()


def test_a_due_date_cleared_by_the_user_stays_empty(desk, standin, customer):
    assert desk.post(NEW, typed(desk, customer, due_date="")).status_code == 302
    assert "due_date" not in created(standin)


@pytest.mark.parametrize(
    ("given", "offered"),
    [
        ([44], 30),
        ([30, 44], 30),
        ([14, 14, 44], 14),
        ([14, 14, 10, 10], 10),
        ([14, 14, 30, 30, 30], 30),
        ([14, 14, 7, 8, 9, 10], 30),  # all of the last five differ
    ],
)
def test_the_days_of_most_of_the_last_invoices_are_offered(db, given, offered):
    for days in given:
        preferences.remember_days(workspace="Acme", customer=7, days=days, usual=30)
    assert preferences.due_days("Acme", 7, usual=30) == offered


def test_days_stored_before_stay(db):
    Terms.objects.create(workspace="Acme", customer=7, days=14)
    assert preferences.due_days("Acme", 7, usual=30) == 14
    preferences.remember_days(workspace="Acme", customer=7, days=44, usual=30)
    assert preferences.due_days("Acme", 7, usual=30) == 14
