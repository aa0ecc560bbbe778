"""The responses of each profile where the reference says "not shown"."""

from dataclasses import replace

import pytest

from dashboard.standin.profiles import PROFILES

from .conftest import LINE

INVOICE = {"customer_id": 1001, "template_id": 11, "items": [LINE], "tag_ids": [41]}


def test_terse_omits_empty_fields_and_messages(terse):
    rows = terse("GET", "/v1/contacts?pageSize=100").json["data"]["data"]
    assert any("cstemail" not in row for row in rows)
    assert all(value not in (None, "") for row in rows for value in row.values())
    for method, path, body, status in (
        ("GET", "/v1/contacts/99", None, 404),
        ("GET", "/v1/boats", None, 404),
        ("POST", "/v1/contacts", {}, 422),
        ("DELETE", "/v1/tasks/20001", None, 404),
    ):
        reply = terse(method, path, body)
        assert (reply.status, reply.json) == (status, {"success": False})


def test_verbose_has_strings_names_and_nested_details(verbose):
    number = verbose("POST", "/v1/invoices", INVOICE).json["data"]["inv_id"]
    assert isinstance(number, str)
    row = verbose("GET", "/v1/invoices").json["data"]["data"][0]
    assert (row["inv_id"], row["total"], row["customer_id"]) == (number, "191.00", "1001")
    detail = verbose("GET", f"/v1/invoices/{number}").json["data"]["invoice"]
    assert detail["line_items"][0]["price"] == "95.50"
    assert detail["tag_ids"] == [{"id": "41", "name": "VIP"}]
    assert detail["payment_history"] == []
    assert detail["due_date"] is None


def test_verbose_does_not_delete_a_contact_that_has_invoices(verbose, terse):
    number = verbose("GET", "/v1/invoices").json["data"]["data"][0]["customer_id"]
    assert verbose("DELETE", f"/v1/contacts/{number}").status == 409
    assert terse("DELETE", f"/v1/contacts/{number}").status == 200


def test_hostile_has_wrong_types_nulls_and_unknown_fields(hostile):
    reply = hostile("GET", "/v1/invoices?pageSize=25").json
    assert reply["data"]["total_records"] == "40"
    rows = reply["data"]["data"]
    assert rows[-1] is None
    assert len(rows) == 26
    spoilt = [row for row in rows[:-1] if not isinstance(row["due_date"], str)]
    assert spoilt
    assert all("legacy_flags" in row for row in rows[:-1])


def test_hostile_refuses_with_html_pages_or_status_200(hostile):
    unknown = hostile("GET", "/v1/nothing")
    assert unknown.status == 404
    assert unknown.text.startswith("<!doctype html>")
    missing = hostile("GET", "/v1/contacts/99")
    assert (missing.status, missing.json["success"]) == (404, False)
    invalid = hostile("POST", "/v1/contacts", {})
    assert (invalid.status, invalid.json["success"]) == (200, False)


@pytest.mark.parametrize(
    ("spelling", "errors"),
    [
        ("dots", {"items.2.price": ["No"], "cstname": ["No"]}),
        ("brackets", {"lines[2][price]": ["No"], "cstname": ["No"]}),
        ("half-brackets", {"items[2].price": ["No"], "cstname": ["No"]}),
        ("nested", {"items": {"2": {"price": ["No"]}}, "cstname": ["No"]}),
    ],
)
def test_a_profile_spells_the_keys_of_nested_errors(spelling, errors):
    profile = replace(PROFILES["verbose"], error_keys=spelling)
    given = {"items.2.price": ["No"], "cstname": ["No"]}
    assert profile.refusal("invalid", "", given)["errors"] == errors
