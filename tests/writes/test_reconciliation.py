"""Which record a create whose answer was lost, or named none, may have made."""

import pytest

from dashboard.schema.registry import RESOURCES
from dashboard.writes.reconciliation import may_be_created, sent_record

INVOICES = RESOURCES["invoices"]
LINE = {"item_id": 501, "item_name": "Hour", "quantity": 2, "price": 5, "type": "item"}
OTHER = [{**LINE, "item_id": 502, "item_name": "Day"}]
SENT = {"customer_id": 7, "transaction_date": "2026-03-02", "template_id": 11}
SENT |= {"reference": "PO-7", "items": [LINE]}


@pytest.mark.parametrize(
    ("changed", "may_be"),
    [
        ({}, True),
        ({"customer_id": 8}, False),
        ({"transaction_date": None}, True),  # the service may leave a field out
        ({"template_id": 12}, False),
        ({"reference": "PO-8"}, True),  # its lines agree
        ({"items": [{**LINE, "quantity": 3}]}, False),
        ({"items": [{**LINE, "item_name": "HOUR "}]}, True),
        ({"items": [{**LINE, "item_name": "By the service's list"}]}, True),
        ({"items": OTHER}, False),
        ({"items": [LINE, LINE]}, False),
        ({"items": "not readable"}, True),
    ],
)
def test_no_field_that_was_sent_has_another_value(changed, may_be):
    record = sent_record(INVOICES, {**SENT, **changed})
    assert may_be_created(INVOICES, record, SENT) is may_be


@pytest.mark.parametrize(
    ("changed", "may_be"),
    [
        ({"template_id": 12}, True),
        ({"customer_id": 8}, False),
        ({"reference": "PO-8", "items": OTHER}, False),
        ({"reference": "PO-8", "items": "not readable"}, True),
    ],
)
def test_a_record_of_the_number_in_the_answer_may_differ_in_what_every_create_has(changed, may_be):
    record = sent_record(INVOICES, {**SENT, **changed, "inv_number": "INV-1"})
    assert may_be_created(INVOICES, record, SENT, "inv-1") is may_be


def test_a_record_of_the_sent_title_may_differ_in_all():
    lead = RESOURCES["leads"]
    record = sent_record(lead, {"cstname": "zoe\u00a0 O\u2019ZEBRA", "cstemail": "z@b.eu"})
    assert may_be_created(lead, record, {"cstname": "Zoe O'Zebra", "cstemail": "zoe@b.eu"})
    assert not may_be_created(lead, record, {"cstname": "Ada", "cstemail": "zoe@b.eu"})
