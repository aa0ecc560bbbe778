"""Every published operation and its envelope, in every profile."""

import pytest

from .conftest import LINE, every_profile

VALID = {
    "contacts": {"cstname": "Żółw & Sons", "contact_type": 2},
    "invoices": {"customer_id": 1001, "template_id": 11, "items": [LINE]},
    "estimates": {"customer_id": 1001, "template_id": 11, "items": [LINE]},
    "deals": {"deal_name": "Roof", "pipeline_id": 1, "cstid": 1001},
    "tasks": {"title": "Call", "start_datetime": "2026-03-02T09:00:00", "cstid": 1001},
    "leads": {"cstname": "Ines"},
}
CREATED_FIELDS = {
    "contacts": {"cstid", "cstname"},
    "invoices": {"inv_id", "inv_number"},
    "estimates": {"est_id", "est_number"},
    "deals": {"deal_id", "deal_name"},
    "tasks": {"activity_id", "title", "activity_type"},
    "leads": {"cstid", "ct_number", "cstname"},
}
IDS = {
    "contacts": "cstid",
    "invoices": "inv_id",
    "estimates": "est_id",
    "deals": "deal_id",
    "tasks": "activity_id",
    "leads": "cstid",
}


def created(call, resource, **changes):
    reply = call("POST", f"/v1/{resource}", {**VALID[resource], **changes})
    assert reply.status == 200, reply.text
    assert reply.json["success"] is True
    return int(reply.json["data"][IDS[resource]])


@every_profile
@pytest.mark.parametrize("resource", VALID)
def test_a_list_is_an_envelope_of_records(caller, resource):
    body = caller("GET", f"/v1/{resource}").json
    assert body["success"] is True
    rows = [row for row in body["data"]["data"] if row is not None]
    assert len(rows) == 10
    assert all(int(row[IDS[resource]]) for row in rows)
    assert int(body["data"]["current_page"]) == 1
    assert int(body["data"]["total_records"]) >= 30
    assert int(body["data"]["total_pages"]) >= 3


@every_profile
@pytest.mark.parametrize("resource", VALID)
def test_the_response_to_a_create_has_identifier_and_label(caller, resource):
    body = caller("POST", f"/v1/{resource}", VALID[resource]).json
    assert body["success"] is True
    assert set(body["data"]) >= CREATED_FIELDS[resource]


@every_profile
@pytest.mark.parametrize("resource", ["contacts", "invoices", "estimates", "deals", "tasks"])
def test_a_created_record_can_be_read(caller, resource):
    number = created(caller, resource)
    reply = caller("GET", f"/v1/{resource}/{number}")
    data = reply.json["data"]
    record = data.get(resource[:-1], data)
    assert reply.json["success"] is True
    assert int(record[IDS[resource]]) == number


@every_profile
@pytest.mark.parametrize("resource", ["contacts", "invoices", "estimates", "deals"])
def test_update_changes_the_record(caller, resource):
    number = created(caller, resource)
    reply = caller("PUT", f"/v1/{resource}/{number}", VALID[resource])
    assert reply.status == 200, reply.text
    assert reply.json["success"] is True
    assert "message" in reply.json


@every_profile
@pytest.mark.parametrize("resource", ["contacts", "invoices", "estimates", "deals", "leads"])
def test_delete_removes_the_record(caller, resource):
    number = created(caller, resource)
    assert caller("DELETE", f"/v1/{resource}/{number}").json["success"] is True
    assert caller("DELETE", f"/v1/{resource}/{number}").status in {400, 404}


@every_profile
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", "/v1/tasks/20001"),
        ("DELETE", "/v1/tasks/20001"),
        ("GET", "/v1/leads/5000001"),
        ("PUT", "/v1/leads/5000001"),
        ("PATCH", "/v1/contacts/1001"),
    ],
)
def test_an_unpublished_operation_is_refused(caller, method, path):
    assert caller(method, path, {"title": "x"}).status in {404, 405}


def test_an_id_is_never_used_twice(terse):
    number = created(terse, "contacts")
    terse("DELETE", f"/v1/contacts/{number}")
    assert created(terse, "contacts") > number


def test_numbers_have_a_prefix_and_increase(terse):
    first = terse("POST", "/v1/invoices", VALID["invoices"]).json["data"]["inv_number"]
    second = terse("POST", "/v1/invoices", VALID["invoices"]).json["data"]["inv_number"]
    assert (first, second) == ("INV-00041", "INV-00042")
