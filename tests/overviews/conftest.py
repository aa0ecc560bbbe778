"""Records of overviews, operations that are switched on, and HTML of blocks."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.gateway import CONTACTS, INVOICES, TASKS


@pytest.fixture
def block():
    """block(page, name): the HTML of one block of a page."""

    def find(page, name: str) -> str:
        return re.search(
            rf'<section class="block" id="block-{name}".*?</section>', page.content.decode(), re.S
        )[0]

    return find


@pytest.fixture
def changing_tasks(switch_on):
    switch_on("tasks.update")


@pytest.fixture
def moving_deals(switch_on):
    switch_on("deals.deal_current_stage")


@pytest.fixture
def customer(gateway):
    """The id of a business with an email and an address."""
    body = {"cstname": "Quarry Bakery", "contact_type": 2, "cstemail": "pay@quarry.example"}
    return gateway.create(CONTACTS, {**body, "cstaddress": "3 Quarry Lane\nGalway"}).id


@pytest.fixture
def invoice(gateway, customer):
    """invoice(days, price, **more): the id of an invoice that was due so many days ago."""

    def create(days, price, **more):
        due = timezone.localdate() - timedelta(days)
        line = {"item_id": 501, "item_name": "Work", "quantity": 1, "price": price, "type": "item"}
        body = {"customer_id": customer, "template_id": 11, "items": [line], "due_date": due}
        return gateway.create(INVOICES, {**body, **more}).id

    return create


@pytest.fixture
def task(gateway, zebra):
    starts = f"{timezone.localdate()}T09:00:00"
    return gateway.create(TASKS, {"title": "Call", "start_datetime": starts, "cstid": zebra}).id
