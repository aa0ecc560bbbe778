"""Record fields are converted by kind; values that cannot be converted are marked."""

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
    INVOICES,
    LEADS,
    TASKS,
    Endpoint,
    Unreadable,
)
from dashboard.gateway.records import Page, Record, record_of
from dashboard.gateway.values import read_value

BAD = object()
DAY = date(2026, 3, 2)


def record(endpoint: Endpoint = CONTACTS, **raw: Any) -> Record:
    return Record(raw, endpoint.kinds, 1)


@pytest.mark.parametrize(
    ("zone", "raw", "day"),
    [
        ("Asia/Kolkata", "2026-02-28T18:30:00Z", date(2026, 3, 1)),
        ("Asia/Kolkata", "2026-02-28T18:29:59.999Z", date(2026, 2, 28)),
        ("Asia/Kolkata", "2026-03-01T01:00:00+05:30", date(2026, 3, 1)),
        ("UTC", "2026-03-01T01:00:00+05:30", date(2026, 2, 28)),
        ("America/New_York", "2026-03-01T03:00:00Z", date(2026, 2, 28)),
        # A plain date, a midnight that stands for one, and a time without a zone stay as they are.
        ("America/New_York", "2026-03-01", date(2026, 3, 1)),
        ("America/New_York", "2026-03-01T00:00:00.000Z", date(2026, 3, 1)),
        ("America/New_York", "2026-03-01T03:00:00", date(2026, 3, 1)),
        ("America/New_York", "0001-01-01T03:00:00Z", BAD),
    ],
)
def test_a_date_with_a_zone_is_the_day_in_the_zone_of_the_settings(
    zone: str, raw: str, day: Any, settings: Any
) -> None:
    settings.TIME_ZONE = zone
    found = record(INVOICES, due_date=raw)["due_date"]
    assert found == (Unreadable(raw) if day is BAD else day)


def test_long_lists_of_ids_are_unreadable() -> None:
    assert isinstance(record(tag_ids=[1] * 100_000)["tag_ids"], Unreadable)


def test_an_unreadable_value_can_be_looked_up_in_a_dict_and_is_not_found() -> None:
    for value in (record(LEADS, lead_status=raw)["lead_status"] for raw in ({"a": 1}, ["New"])):
        assert isinstance(value, Unreadable)
        assert {"New": "open"}.get(value) is None


@pytest.mark.parametrize(
    ("kind", "raw", "value"),
    [
        ("string", "x", "x"),
        ("string", 17, "17"),
        ("string", Decimal("1.50"), "1.50"),
        ("string", True, BAD),
        ("string", ["x"], BAD),
        ("integer", 5, 5),
        ("integer", "005", 5),
        ("integer", " -5 ", -5),
        ("integer", Decimal("5.0"), 5),
        ("integer", Decimal("5.5"), BAD),
        ("integer", Decimal("1e999999"), BAD),
        ("integer", Decimal("Infinity"), BAD),
        ("integer", "٣", BAD),
        ("integer", "5.5", BAD),
        ("integer", True, BAD),
        ("integer", 10**19, BAD),
        ("integer", "9" * 30, BAD),
        ("number", "5250.00", Decimal("5250.00")),
        ("number", "-.5", Decimal("-0.5")),
        ("number", 7, Decimal(7)),
        ("number", Decimal("1.1"), Decimal("1.1")),
        ("number", "1,5", BAD),
        ("number", "1,234.50", BAD),
        ("number", "1e5", BAD),
        ("number", "NaN", BAD),
        ("number", Decimal("1e999999"), BAD),
        ("number", False, BAD),
        ("boolean", True, True),
        ("boolean", "0", False),
        ("boolean", 1, True),
        ("boolean", "TRUE", True),
        ("boolean", "yes", BAD),
        ("boolean", 2, BAD),
        ("date", "2026-03-02", date(2026, 3, 2)),
        ("date", "2026-03-02T00:00:00.000000Z", date(2026, 3, 2)),
        ("date", "2026-03-02 10:11:12", date(2026, 3, 2)),
        ("date", "0000-00-00", BAD),
        ("date", "2026-02-30", BAD),
        ("date", "02/03/2026", BAD),
        ("date", "20260302", BAD),
        ("date", 20260302, BAD),
        ("datetime", "2026-03-02T10:11:12", datetime(2026, 3, 2, 10, 11, 12)),
        ("datetime", "2026-03-02 10:11:12", datetime(2026, 3, 2, 10, 11, 12)),
        ("datetime", "2026-03-02T10:11:12+05:30", datetime(2026, 3, 2, 10, 11, 12)),
        ("datetime", "2026-03-02T10:11:12Z", datetime(2026, 3, 2, 10, 11, 12)),
        ("datetime", "2026-03-02T25:00:00", BAD),
        ("timestamp", "2026-03-02T10:00:00Z", datetime(2026, 3, 2, 10, tzinfo=UTC)),
        ("timestamp", "2026-03-02T10:00:00", datetime(2026, 3, 2, 10, tzinfo=UTC)),
        ("timestamp", "2026-03-02T10:00:00+02:00", datetime(2026, 3, 2, 8, tzinfo=UTC)),
        ("timestamp", "0001-01-01T00:00:00+14:00", BAD),
        ("timestamp", 1767225600, BAD),
        ("integers", [1, "2", {"id": "3", "name": "VIP"}], (1, 2, 3)),
        ("integers", [], ()),
        ("integers", [{"name": "VIP"}], BAD),
        ("integers", "1,2", BAD),
        ("strings", ["a", 1], ("a", "1")),
        ("strings", [None], BAD),
        ("object", {"a": 1}, {"a": 1}),
        ("object", [], {}),
        ("object", [1], BAD),
    ],
)
def test_values_are_read_by_kind(kind: Any, raw: Any, value: Any) -> None:
    found = read_value(kind, raw)
    if value is BAD:
        assert isinstance(found, Unreadable)
        assert found.raw == raw
    else:
        assert found == value
        assert type(found) is type(value)


def test_empty_values_of_every_kind_are_none() -> None:
    found = record(INVOICES, total=None, due_date="", tag_ids=None)
    for name in ("total", "due_date", "tag_ids", "notes", "items"):
        assert found[name] is None


def test_an_unreadable_value_is_false_and_prints_not_readable() -> None:
    found = record(INVOICES, total="n/a", notes=[], inv_number="INV-1")
    assert str(found["total"]) == "not readable"
    assert not found["total"]
    assert isinstance(found["notes"], Unreadable)
    assert "n/a" not in repr(found["total"])


def test_unknown_fields_are_kept_and_typos_are_errors() -> None:
    found = record(cstname="A", surprise={"a": [1]}, tags=[1])
    assert found["surprise"] == {"a": [1]}
    assert found.extra == {"surprise": {"a": [1]}}
    with pytest.raises(KeyError):
        found["cstnam"]
    assert found.get("cstnam", "?") == "?"
    assert "cstmobile" not in found
    assert found["cstmobile"] is None
    assert dict(found)["cstname"] == "A"


@pytest.mark.parametrize("key", ["items", "line_items", "invoice_items", "estimate_items"])
def test_lines_are_read_under_every_name(key: str) -> None:
    found = record(INVOICES, **{key: [{"item_id": "5", "price": "9.50", "colour": "red"}]})
    assert found.lines_complete
    assert found.lines[0]["item_id"] == 5
    assert found.lines[0]["price"] == Decimal("9.50")
    assert found.lines[0].extra == {"colour": "red"}
    assert found.extra == {}


@pytest.mark.parametrize("lines", [None, "", "x", {}, [None], [{"item_id": 1}, 5]])
def test_lines_with_unreadable_items_are_not_complete(lines: Any) -> None:
    found = record(INVOICES, line_items=lines)
    assert not found.lines_complete
    assert all(line["item_id"] == 1 for line in found.lines)


def test_absent_lines_are_not_complete() -> None:
    found = record(INVOICES, inv_number="1")
    assert (found.lines, found.lines_complete) == ((), False)


@pytest.mark.parametrize("key", ["payments", "payment_history"])
def test_payments_are_not_converted(key: str) -> None:
    assert record(INVOICES, **{key: [{"amount": "5"}]}).payments[0]["amount"] == "5"


@pytest.mark.parametrize("key", ["tag_ids", "tags", "cst_tag_id"])
@pytest.mark.parametrize("endpoint", [CONTACTS, TASKS, LEADS, INVOICES])
def test_tags_are_read_under_every_key(endpoint: Endpoint, key: str) -> None:
    found = record(endpoint, **{key: [{"id": 4, "name": "VIP"}]})
    assert found["tag_ids"] == (4,)
    assert isinstance(record(endpoint, **{key: "x"})["tag_ids"], Unreadable)


def test_repr_of_a_record_shows_no_values() -> None:
    assert repr(record(cstname="Private")) == "<Record 1>"


@pytest.mark.parametrize("raw", [None, [], "x", 5, {}, {"cstid": None}, {"cstid": "x"}])
def test_a_row_without_an_id_is_no_record(raw: Any) -> None:
    assert record_of(CONTACTS, raw) is None


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals()
    | st.text(max_size=15)
    | st.datetimes().map(str)
    | st.dates().map(str),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
declared = {name for endpoint in ENDPOINTS for name in endpoint.kinds}
others = {"line_items", "payments", "payment_history", "id", "unknown"}
names = st.sampled_from(sorted(declared | others))


@given(st.sampled_from(ENDPOINTS), st.dictionaries(names, values, max_size=8))
def test_no_record_makes_an_accessor_raise(endpoint: Endpoint, raw: dict[str, Any]) -> None:
    found = record_of(endpoint, {**raw, endpoint.id_field: 1})
    assert found is not None
    for name in (*endpoint.kinds, *raw):
        str(found[name])
    for part in (*found.lines, *found.payments):
        for name in part:
            str(part[name])
    assert found.id == 1
    assert isinstance(found.extra, dict)
    assert isinstance(found.lines_complete, bool)


@pytest.mark.parametrize(
    ("name", "raw", "told"),
    [
        ("tag_ids", {"tags": [{"id": "4", "name": "VIP"}, {"id": 5}, 6]}, {"4": "VIP"}),
        ("pipeline_id", {"pipeline_id": {"id": 3, "name": "Sales"}}, {"3": "Sales"}),
        ("pipeline_id", {"pipeline_id": "3", "pipeline_id_name": "Sales"}, {"3": "Sales"}),
        ("pipeline_id", {"pipeline_id": 3, "pipeline": {"id": 3, "name": "Sales"}}, {"3": "Sales"}),
        ("deal_owner_id", {"deal_owner_id": 7, "owner": "Ana  Pérez"}, {"7": "Ana Pérez"}),
        ("assigned_to", {"assigned_to": 7, "to": "Ana"}, {}),
        ("tax_id", {"tax_id": "61", "tax": "20.00"}, {}),
        ("pipeline_id", {"pipeline_name": "Sales"}, {}),
    ],
)
def test_names_that_come_with_ids_are_read(name, raw, told):
    assert record(DEALS, **raw).embedded_labels(name) == told


def test_the_id_in_an_object_is_the_fields_value():
    assert record(DEALS, pipeline_id={"id": "3", "name": "Sales"})["pipeline_id"] == 3
    assert isinstance(record(DEALS, pipeline_id={"id": {"id": 3}})["pipeline_id"], Unreadable)


@pytest.mark.parametrize(
    ("endpoint", "row", "filters", "is_left_out"),
    [
        (CONTACTS, {"contact_type": "1"}, {"type": 2}, True),
        (CONTACTS, {"contact_type": "2"}, {"type": "2"}, False),
        (CONTACTS, {"contact_type": None}, {"type": 2}, False),
        (CONTACTS, {}, {"type": 2}, False),
        (CONTACTS, {"contact_type": "Person"}, {"type": 2}, False),
        (CONTACTS, {"contact_type": 1}, {"type": ""}, False),
        (INVOICES, {"inv_status": 0, "customer_id": 5}, {"inv_status": 0, "cstid": 6}, True),
        (INVOICES, {"inv_status": 0}, {"inv_status": 1}, True),
        (INVOICES, {"transaction_date": "2026-03-01"}, {"inv_datetime_from": DAY}, True),
        (INVOICES, {"transaction_date": "2026-03-02"}, {"inv_datetime_from": DAY}, False),
        (INVOICES, {"transaction_date": "2026-03-03"}, {"inv_datetime_to": "2026-03-02"}, True),
        (INVOICES, {"transaction_date": "2026-03-03T01:00:00Z"}, {"inv_datetime_to": DAY}, False),
        (LEADS, {"lead_status": "new"}, {"lead_status": "New"}, False),
        (DEALS, {"cstid": 5, "deal_contact_id": 6}, {"cstid": 6}, False),
        (DEALS, {"cstid": {"id": 5}}, {"cstid": 6}, True),
        (TASKS, {"start_datetime": "2026-03-01T09:00"}, {"due_date_from": DAY}, True),
        (TASKS, {"start_datetime": "2026-03-01T09:00", "end_datetime": "2026-03-02T09:00"},
         {"due_date_from": DAY}, False),
    ],
)  # fmt: skip
def test_a_row_is_left_out_if_its_values_contradict_a_filter(
    endpoint: Endpoint, row: dict[str, Any], filters: dict[str, Any], is_left_out: bool
) -> None:
    page = Page((Record({**row}, endpoint.kinds, 7),), 0, 10, 1, 1, 0)
    fit = page.without_unfit(endpoint, filters)
    assert (fit.unfit, fit.records == ()) == (((7,), True) if is_left_out else ((), False))
    assert (fit.rows, fit.total_records) == (1, None if is_left_out else 1)
