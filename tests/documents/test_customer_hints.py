"""What the form of a document tells about its customer, below the picker."""

import re

import pytest

from dashboard.gateway import CONTACTS, INVOICES

LINE = {"item_id": 501, "item_name": "Hour", "quantity": 1, "price": 95, "type": "item"}
LATE = {"transaction_date": "2026-01-02", "due_date": "2026-01-16"}
LATER = {"transaction_date": "2026-01-02", "due_date": "2099-01-16"}


@pytest.fixture
def zebra(gateway):
    body = {"cstname": "Zebra", "contact_type": 2, "cstaddress": "14 Mill Lane,\nTromsø\n"}
    return gateway.create(CONTACTS, body).id


@pytest.fixture
def invoice(gateway, zebra):
    """invoice(**days): an open invoice of 95.00 for zebra."""

    def created(**days):
        body = {"customer_id": zebra, "template_id": 11, "items": [LINE], **days}
        return gateway.create(INVOICES, body)

    return created


@pytest.fixture
def hint(client, editor, with_keys, zebra):
    """hint(page): the words about zebra on the form of a kind of document."""
    client.force_login(with_keys(editor))

    def told(kind="invoices", customer=None):
        number = zebra if customer is None else customer
        answer = client.get(f"/{kind}/customer/?customer_id={number}")
        assert answer.status_code == 200
        return re.findall("<span[^>]*>(.*?)</span>", answer.text)

    return told


def test_the_address_the_terms_and_that_nothing_is_owed(hint):
    assert hint() == ["14 Mill Lane, Tromsø", "30 days to pay", "owes nothing"]
    assert hint("estimates") == ["14 Mill Lane, Tromsø", "owes nothing"]


@pytest.mark.parametrize(
    ("days", "told"),
    [
        ([LATER], ["owes 95.00"]),
        ([LATE, LATE], ["owes 190.00, all overdue"]),
        ([LATE, LATER], ["owes 190.00", "95.00 overdue"]),
        ([LATE, {"transaction_date": "2026-01-02"}], ["owes 190.00", "95.00 overdue"]),
    ],
)
def test_what_is_owed_is_a_sum_only_of_what_is_known(hint, invoice, days, told):
    for each in days:
        invoice(**each)
    assert hint("estimates")[1:] == told


def test_a_sum_that_cannot_be_read_is_told(hint, standin):
    standin.fault("status-500", resource="invoices", operation="list")
    assert hint("estimates")[-1] == "couldn&#39;t load the balance"
