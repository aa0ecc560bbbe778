"""Validation of bodies (reference, sections 2 and 8), with the messages of *verbose*."""

import pytest

from .conftest import LINE, Caller, make

CONTACT = {"cstname": "Ann", "contact_type": 1}
INVOICE = {"customer_id": 1001, "template_id": 11, "items": [LINE]}
ESTIMATE = INVOICE
DEAL = {"deal_name": "Roof", "pipeline_id": 1, "cstid": 1001}
TASK = {"title": "Call", "start_datetime": "2026-03-02T09:00:00", "cstid": 1001}
LEAD = {"cstname": "Ines"}
BODIES = {
    "contacts": CONTACT,
    "invoices": INVOICE,
    "estimates": ESTIMATE,
    "deals": DEAL,
    "tasks": TASK,
    "leads": LEAD,
}


@pytest.fixture(scope="module")
def verbose():
    """One service for the module: hardly any request here writes."""
    with make("verbose") as standin:
        yield Caller(standin)


def line(**changes):
    return {"items": [{**LINE, **changes}]}


def without(body, name):
    return {key: value for key, value in body.items() if key != name}


@pytest.mark.parametrize(
    ("resource", "name"),
    [(r, name) for r, body in BODIES.items() for name in body if (r, name) != ("tasks", "cstid")],
)
def test_a_required_field_may_not_be_missing_or_empty(verbose, resource, name):
    body = BODIES[resource]
    for sent in (without(body, name), {**body, name: None}, {**body, name: ""}):
        reply = verbose("POST", f"/v1/{resource}", sent)
        assert reply.status == 422
        assert list(reply.json["errors"]) == [name]


WRONG = [
    ("contacts", {"cstname": "x" * 101}, "cstname"),
    ("contacts", {"cstname": 5}, "cstname"),
    ("contacts", {"contact_type": 3}, "contact_type"),
    ("contacts", {"contact_type": "1"}, "contact_type"),
    ("contacts", {"contact_type": True}, "contact_type"),
    ("contacts", {"cstemail": "nobody"}, "cstemail"),
    ("contacts", {"cstaddress": "x" * 256}, "cstaddress"),
    ("contacts", {"ct_taxnumber": "x" * 51}, "ct_taxnumber"),
    ("contacts", {"cstnotes": "x" * 2001}, "cstnotes"),
    ("contacts", {"cstemailnotify": "yes"}, "cstemailnotify"),
    ("contacts", {"contact_parent": 9_999_999}, "contact_parent"),
    ("contacts", {"cst_tag_id": [41, "42"]}, "cst_tag_id"),
    ("contacts", {"cst_tag_id": [4100]}, "cst_tag_id"),
    ("contacts", {"tag_ids": [41]}, "tag_ids"),  # create takes cst_tag_id
    ("contacts", {"custom_fields": {"Shoe size": "44"}}, "custom_fields.Shoe size"),
    ("contacts", {"custom_fields": [1]}, "custom_fields"),
    ("contacts", {"shoe_size": 44}, "shoe_size"),
    ("invoices", {"items": []}, "items"),
    ("invoices", {"items": ["x"]}, "items.0"),
    ("invoices", line(price="12"), "items.0.price"),
    ("invoices", line(type="gift"), "items.0.type"),
    ("invoices", line(item_name=""), "items.0.item_name"),
    ("invoices", line(discount_type=3), "items.0.discount_type"),
    ("invoices", {"items": [LINE, {**LINE, "quantity": None}]}, "items.1.quantity"),
    ("invoices", {"due_date": "02/03/2026"}, "due_date"),
    ("invoices", {"due_date": "2026-02-30"}, "due_date"),
    ("invoices", {"reference": "x" * 256}, "reference"),
    ("invoices", {"overall_discount_type": 0}, "overall_discount_type"),
    ("invoices", {"customer_id": 9_999_999}, "customer_id"),
    ("invoices", {"template_id": 9_999}, "template_id"),
    ("estimates", {"items": []}, "items"),
    ("estimates", {"reference": "x" * 256}, "reference"),
    ("estimates", {"due_date": "2026-03-02"}, "due_date"),
    ("estimates", {"billing_address": "x"}, "billing_address"),
    ("estimates", {"assigned_to": 21}, "assigned_to"),
    ("deals", {"deal_name": "x" * 256}, "deal_name"),
    ("deals", {"deal_amount": "12.50"}, "deal_amount"),
    ("deals", {"deal_expected_close_date": "soon"}, "deal_expected_close_date"),
    ("deals", {"deal_current_stage": 11}, "deal_current_stage"),
    ("tasks", {"title": "x" * 151}, "title"),
    ("tasks", {"start_datetime": "2026-03-02"}, "start_datetime"),
    ("tasks", {"end_datetime": "2026-03-02T25:00:00"}, "end_datetime"),
    ("tasks", {"priority": 5}, "priority"),
    ("tasks", {"status": -1}, "status"),
    ("tasks", {"activity_type": "Call"}, "activity_type"),
    ("leads", {"cstname": "x" * 101}, "cstname"),
    ("leads", {"cstmobile": "020 7946"}, "cstmobile"),
    ("leads", {"cstmobile": "44+20"}, "cstmobile"),
    ("leads", {"tag_names": ["no such tag"]}, "tag_names"),
    ("leads", {"lead_status": "New"}, "lead_status"),
]


@pytest.mark.parametrize(("resource", "change", "key"), WRONG)
def test_a_wrong_value_is_refused_with_its_field(verbose, resource, change, key):
    reply = verbose("POST", f"/v1/{resource}", {**BODIES[resource], **change})
    assert reply.status == 422, reply.text
    assert list(reply.json["errors"]) == [key]
    assert reply.json["success"] is False
    assert reply.json["message"]
    assert all(isinstance(words, list) for words in reply.json["errors"].values())


def test_a_task_needs_a_deal_or_a_contact(verbose):
    reply = verbose("POST", "/v1/tasks", without(TASK, "cstid"))
    assert reply.status == 422
    assert set(reply.json["errors"]) == {"deal_id", "cstid"}
    assert verbose("POST", "/v1/tasks", {**without(TASK, "cstid"), "deal_id": 301}).status == 200
