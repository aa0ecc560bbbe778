"""Bodies that cannot be sent are rejected before sending, by field."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.gateway import (
    CONTACTS,
    DEALS,
    ENDPOINTS,
    ESTIMATES,
    INVOICES,
    LEADS,
    TASKS,
    Endpoint,
    GatewayError,
    Rejected,
)
from dashboard.gateway.body import check_body

LINE = {"item_id": 1, "item_name": "Hour", "quantity": 2, "price": Decimal("9.50"), "type": "item"}
GOOD: dict[str, dict[str, Any]] = {
    "contacts": {"cstname": "Acme", "contact_type": 2},
    "invoices": {"customer_id": 1, "template_id": 2, "items": [LINE]},
    "estimates": {"customer_id": 1, "template_id": 2, "items": [LINE]},
    "deals": {"deal_name": "Big", "pipeline_id": 1, "cstid": 2},
    "tasks": {"title": "Call", "start_datetime": datetime(2026, 3, 2, 9, 30), "cstid": 1},
    "leads": {"cstname": "Ada"},
}
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def complaints(endpoint: Endpoint, operation: Any = "create", **changes: Any) -> dict[str, Any]:
    """What is complained about in a good body with `changes`."""
    body = {**GOOD[endpoint.name], **changes} if operation == "create" else changes
    with pytest.raises(Rejected) as raised:
        check_body(endpoint, operation, body)
    assert not raised.value.sent
    return raised.value.fields


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
def test_a_missing_required_field_is_rejected(endpoint: Endpoint) -> None:
    required = {field.name for field in endpoint.create if field.required}
    with pytest.raises(Rejected) as raised:
        check_body(endpoint, "create", {})
    assert required <= set(raised.value.fields)
    for name in required:
        assert name in complaints(endpoint, **{name: None})
        assert name in complaints(endpoint, **{name: "" if name != "items" else []})


@pytest.mark.parametrize(
    ("endpoint", "name", "bad"),
    [
        (CONTACTS, "cstname", "  "),
        (CONTACTS, "cstname", "\ud800"),
        (CONTACTS, "custom_fields", {"x": object()}),
        (CONTACTS, "custom_fields", {5: "x"}),
        (CONTACTS, "custom_fields", {"x": "\udfff"}),
        (CONTACTS, "tag_ids", [1]),
        (CONTACTS, "cstid", 5),
        (INVOICES, "due_date", NOON),
        (INVOICES, "conversion_rate", float("nan")),
        (INVOICES, "conversion_rate", Decimal("NaN")),
        (INVOICES, "conversion_rate", Decimal("sNaN")),
        (INVOICES, "conversion_rate", Decimal("-Infinity")),
        (INVOICES, "conversion_rate", Decimal("1e999999")),
        (INVOICES, "conversion_rate", Decimal("1.12345678901234567")),
        (INVOICES, "items", {}),
        (INVOICES, "items", ["x"]),
        (INVOICES, "expiry_date", date(2026, 3, 2)),
        (ESTIMATES, "due_date", date(2026, 3, 2)),
        (ESTIMATES, "billing_address", "x"),
        (ESTIMATES, "shipping_address", "x"),
        (ESTIMATES, "assigned_to", 1),
        (INVOICES, "inv_status", 1),
        (DEALS, "deal_current_stage", 1),
        (TASKS, "start_datetime", NOON),
        (TASKS, "activity_type", "Task"),
        (LEADS, "lead_status", "New"),
    ],
)
def test_a_value_that_cannot_be_sent_is_rejected_at_its_field(
    endpoint: Endpoint, name: str, bad: Any
) -> None:
    assert list(complaints(endpoint, **{name: bad})) == [name]


def test_values_are_converted_for_json() -> None:
    sent = check_body(
        INVOICES,
        "create",
        {
            **GOOD["invoices"],
            "due_date": date(2026, 3, 2),
            "conversion_rate": Decimal("1.10"),
            "overall_discount": Decimal("5.00"),
            "tag_ids": (1, 2),
            "notes": None,
            "deal_id": "",
        },
    )
    assert sent["due_date"] == "2026-03-02"
    assert sent["conversion_rate"] == 1.1
    assert sent["overall_discount"] == 5
    assert sent["tag_ids"] == [1, 2]
    assert sent["notes"] is None
    assert sent["deal_id"] is None
    assert sent["items"] == [{**LINE, "price": 9.5}]
    task = check_body(TASKS, "create", {**GOOD["tasks"], "end_datetime": "2026-03-02T10:00:00"})
    assert task["start_datetime"] == "2026-03-02T09:30:00"
    assert task["end_datetime"] == "2026-03-02T10:00:00"
    lead = check_body(LEADS, "create", {"cstname": "A", "cstmobile": "+4917012"})
    assert lead["cstmobile"] == "+4917012"
    custom = {"Since": date(2026, 1, 1), "Limit": Decimal("9.99"), "Many": [10**20, None]}
    contact = check_body(CONTACTS, "create", {**GOOD["contacts"], "custom_fields": custom})
    assert contact["custom_fields"] == {
        "Since": "2026-01-01",
        "Limit": 9.99,
        "Many": [10**20, None],
    }


def test_lines_are_checked_one_by_one() -> None:
    lines = [LINE, {**LINE, "colour": 1}, {"item_id": 1}, {**LINE, "item_id": 0}]
    assert set(complaints(INVOICES, items=lines)) == {
        "items.1.colour",
        "items.2.item_name",
        "items.2.quantity",
        "items.2.price",
        "items.2.type",
    }


def test_a_task_needs_a_deal_or_a_contact() -> None:
    assert set(complaints(TASKS, cstid=None)) == {"deal_id", "cstid"}
    body = {**GOOD["tasks"], "cstid": None, "deal_id": 5}
    assert check_body(TASKS, "create", body)["deal_id"] == 5


@pytest.mark.parametrize(
    "name", ["cstnotes", "cstemailnotify", "cstsmsnotify", "cst_whatsapp_notify", "cst_tag_id"]
)
def test_a_contacts_update_refuses_what_only_a_create_takes(name: str) -> None:
    values = {"cstnotes": "x", "cst_tag_id": [1]}
    assert list(complaints(CONTACTS, "update", **{name: values.get(name, True)})) == [name]


def test_a_contacts_update_takes_any_part_but_not_nothing() -> None:
    assert check_body(CONTACTS, "update", {"cstmobile": ""}) == {"cstmobile": ""}
    assert check_body(CONTACTS, "update", {"custom_fields": {}}) == {"custom_fields": {}}
    assert check_body(CONTACTS, "update", {"tag_ids": []}) == {"tag_ids": []}
    assert list(complaints(CONTACTS, "update")) == [""]


def test_a_deals_update_needs_what_identifies_it() -> None:
    assert set(complaints(DEALS, "update", deal_amount=1)) == {"deal_name", "pipeline_id", "cstid"}
    assert check_body(DEALS, "update", GOOD["deals"])


@pytest.mark.parametrize("endpoint", [INVOICES, ESTIMATES])
def test_documents_are_updated_whole(endpoint: Endpoint) -> None:
    found = set(complaints(endpoint, "update", notes="x"))
    assert found == {"customer_id", "template_id", "items"}


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.decimals() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@given(st.sampled_from(ENDPOINTS), st.sampled_from(["create", "update"]), st.data())
def test_no_body_raises_anything_but_rejected(
    endpoint: Endpoint, operation: Any, data: st.DataObject
) -> None:
    names = st.sampled_from([field.name for field in getattr(endpoint, operation)])
    odd = data.draw(st.dictionaries(names, anything, max_size=4))
    try:
        check_body(endpoint, operation, {**GOOD[endpoint.name], **odd})
    except GatewayError as error:
        refused = error
    else:
        return
    assert isinstance(refused, Rejected)
    assert refused.fields


def test_a_field_unknown_to_the_reference_is_sent_unchanged() -> None:
    body = {**GOOD["contacts"], "nickname": "Ace", "since": NOON.date()}
    sent = check_body(CONTACTS, "create", body)
    assert (sent["nickname"], sent["since"]) == ("Ace", "2026-03-02")
