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
    ({"items": [line(price=1e9, quantity=1000)]}, 1e12),
]


@pytest.mark.parametrize(("body", "total"), TOTALS)
@pytest.mark.parametrize("resource", ["invoices", "estimates"])
def test_the_total_of_a_document_is_computed(terse, resource, body, total):
    record = read(terse, resource, make(terse, resource, {**BASE, **body}))
    assert record["total"] == total


def test_a_new_invoice_is_open_unpaid_and_of_today(terse):
    record = read(terse, "invoices", make(terse, "invoices", {**BASE, "items": [line()]}))
    assert (record["inv_status"], record["amount_due"]) == (0, 100)
    assert record["transaction_date"] == "2026-03-02"
    assert record["payments"] == []


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


def test_an_update_of_a_contact_changes_only_the_fields_sent(terse):
    old = read(terse, "contacts", 1004)
    terse("PUT", "/v1/contacts/1004", {"cstname": "Changed"})
    assert read(terse, "contacts", 1004) == {**old, "cstname": "Changed"}


def test_tags_of_a_contact_have_other_names_in_create_and_update(terse):
    body = {"cstname": "A", "contact_type": 1, "cst_tag_id": [41, 42]}
    number = make(terse, "contacts", body)
    assert read(terse, "contacts", number)["tag_ids"] == [41, 42]
    terse("PUT", f"/v1/contacts/{number}", {"tag_ids": [43]})
    record = read(terse, "contacts", number)
    assert record["tag_ids"] == [43]
    assert "cst_tag_id" not in record


def test_custom_fields_are_merged_and_an_empty_object_clears_them(terse):
    fields = {"Account no.": "007", "Größe": "XL"}
    body = {"cstname": "A", "contact_type": 1, "custom_fields": fields}
    number = make(terse, "contacts", body)
    terse("PUT", f"/v1/contacts/{number}", {"custom_fields": {"Größe": "S"}})
    wanted = {"Account no.": "007", "Größe": "S"}
    assert read(terse, "contacts", number)["custom_fields"] == wanted
    terse("PUT", f"/v1/contacts/{number}", {"custom_fields": {}})
    assert read(terse, "contacts", number)["custom_fields"] == {}


def test_the_notifications_of_a_contact_are_on_by_default(terse):
    body = {"cstname": "A", "contact_type": 1, "cstsmsnotify": False}
    record = read(terse, "contacts", make(terse, "contacts", body))
    names = ("cstemailnotify", "cstsmsnotify", "cst_whatsapp_notify")
    assert [record[name] for name in names] == [True, False, True]


def test_a_task_is_open_and_of_medium_priority_by_default(terse):
    body = {"title": "Call", "start_datetime": "2026-03-02T09:00:00", "cstid": 1001}
    record = read(terse, "tasks", make(terse, "tasks", body))
    wanted = {"status": 0, "priority": 2, "activity_type": "Task"}
    assert wanted.items() <= record.items()
    other = read(terse, "tasks", make(terse, "tasks", {**body, "priority": 0, "status": 3}))
    assert (other["priority"], other["status"]) == (0, 3)


def test_a_deal_starts_in_the_first_stage_and_has_its_owners_name(terse):
    body = {"deal_name": "Roof", "pipeline_id": 2, "cstid": 1001, "deal_owner_id": 22}
    number = make(terse, "deals", body)
    record = read(terse, "deals", number)
    assert (record["deal_current_stage"], record["owner"]) == (21, "Bjørn Åkesson")
    body = {"deal_name": "Roof", "pipeline_id": 3, "cstid": 1001}
    terse("PUT", f"/v1/deals/{number}", body)
    moved = read(terse, "deals", number)
    assert (moved["deal_current_stage"], moved["deal_owner_id"]) == (31, 22)


@pytest.fixture
def lead(unpublished):
    """Creates a lead and reads it, which needs the unpublished operation."""
    return lambda **body: read(
        unpublished, "leads", make(unpublished, "leads", {"cstname": "Ines", **body})
    )


def test_a_lead_is_new_and_numbered(lead):
    record = lead()
    assert (record["lead_status"], record["ct_number"]) == ("New", "LD-00046")


@pytest.mark.parametrize(
    ("mobile", "given", "country"),
    [
        ("+351210000000", None, "Portugal"),
        ("+380441234567", None, "Ukraine"),
        ("+35", None, None),
        ("0207946", None, None),
        ("+351210000000", 1, "United States"),
    ],
)
def test_the_country_of_a_lead_follows_from_an_international_number(
    unpublished, lead, mobile, given, country
):
    reference = unpublished.admin("GET", "/reference-data").json["acme"]["countries"]
    ids = {row["name"]: row["id"] for row in reference}
    found = lead(cstmobile=mobile, cstmobile_country_id=given).get("cstmobile_country_id")
    assert found == (ids[country] if country else None)


def test_tag_names_match_tags_case_insensitively(lead):
    assert lead(tag_names=["vip", "РЕФЕРАЛ", "nobody's"])["tag_ids"] == [41, 47]
    assert lead(tag_names=["VIP"], tag_ids=[42])["tag_ids"] == [41, 42]


def test_a_task_may_not_lose_its_last_link(unpublished):
    body = {"title": "Call", "start_datetime": "2026-03-02T09:00:00", "cstid": 1001}
    number = make(unpublished, "tasks", body)
    assert unpublished("PUT", f"/v1/tasks/{number}", {"cstid": None}).status == 422
    assert unpublished("PUT", f"/v1/tasks/{number}", {"title": ""}).status == 422


def test_an_id_is_never_used_twice(terse):
    number = make(terse, "contacts", {"cstname": "A", "contact_type": 1})
    terse("DELETE", f"/v1/contacts/{number}")
    assert make(terse, "contacts", {"cstname": "B", "contact_type": 1}) > number


def test_numbers_of_documents_increase(terse):
    body = {**BASE, "items": [line()]}
    numbers = [read(terse, "invoices", make(terse, "invoices", body)) for _ in range(2)]
    assert [record["inv_number"] for record in numbers] == ["INV-00041", "INV-00042"]
