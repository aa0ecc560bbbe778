"""What the service stores: totals, defaults, links, replaced and kept fields."""

import pytest

from .conftest import LINE

BASE = {"customer_id": 1001, "template_id": 11}


def make(call, resource, body):
    reply = call("POST", f"/v1/{resource}", body)
    assert reply.status == 200, reply.text
    return next(iter(reply.json["data"].values()))


def read(call, resource, number):
    return call("GET", f"/v1/{resource}/{number}").json["data"]


def line(**changes):
    return {**LINE, "quantity": 1, "price": 100, **changes}


TOTALS = [
    ({"items": [line(quantity=3, price=0.1)]}, 0.3),
    ({"items": [line(), line(quantity=2.5, price=10)]}, 125),
    ({"items": [line(discount=10, discount_type=1)]}, 90),
    ({"items": [line(discount=12.5, discount_type=2)]}, 87.5),
    ({"items": [line(tax_rate=20, tax_id="61")]}, 120),
    ({"items": [line(tax_rate=20, discount=50, discount_type=2)]}, 60),
    ({"items": [line(type="header"), line()]}, 100),
    ({"items": [line()], "overall_discount": 5, "overall_discount_type": 1}, 95),
    ({"items": [line(tax_rate=10)], "overall_discount": 10, "overall_discount_type": 2}, 99),
    ({"items": [line(price=0.005)]}, 0.01),
    ({"items": [line(quantity=3, price=95.5, tax_rate=10)], "org_currency_id": 5}, 316),
    ({"items": [line(price=1e9, quantity=1000)]}, 1e12),
]


@pytest.mark.parametrize(("body", "total"), TOTALS)
@pytest.mark.parametrize("resource", ["invoices", "estimates"])
def test_the_total_of_a_document_is_computed(terse, resource, body, total):
    record = read(terse, resource, make(terse, resource, {**BASE, **body}))
    assert record["total"] == total


def test_an_update_of_a_document_replaces_every_accepted_field(terse):
    first = {**BASE, "items": [line(), line()], "reference": "PO-1", "notes": "n", "tag_ids": [41]}
    number = make(terse, "invoices", first)
    old = read(terse, "invoices", number)
    terse("PUT", f"/v1/invoices/{number}", {**BASE, "items": [line(price=7)], "notes": "m"})
    new = read(terse, "invoices", number)
    assert (new["total"], new["notes"], len(new["items"])) == (7, "m", 1)
    assert "reference" not in new
    assert "tag_ids" not in new
    assert new["inv_number"] == old["inv_number"]


def test_an_update_of_an_invoice_keeps_its_payments(terse):
    rows = terse("GET", "/v1/invoices?inv_status=1").json["data"]["data"]
    number = rows[0]["inv_id"]
    paid = read(terse, "invoices", number)["payments"]
    terse("PUT", f"/v1/invoices/{number}", {**BASE, "items": [line(price=1e6)]})
    record = read(terse, "invoices", number)
    assert record["payments"] == paid
    assert record["amount_due"] == pytest.approx(1e6 - sum(p["amount"] for p in paid))


def test_a_task_may_not_lose_its_last_link(unpublished):
    body = {"title": "Call", "start_datetime": "2026-03-02T09:00:00", "cstid": 1001}
    number = make(unpublished, "tasks", body)
    assert unpublished("PUT", f"/v1/tasks/{number}", {"cstid": None}).status == 422
    assert unpublished("PUT", f"/v1/tasks/{number}", {"title": ""}).status == 422
