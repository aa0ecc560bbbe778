"""Pages, records and confirmations are read from envelopes."""

from typing import Any

import pytest

from dashboard.gateway import CONTACTS, DEALS, INVOICES, OutcomeUnknown, Unavailable
from dashboard.gateway.protocol import (
    read_created,
    read_done,
    read_page,
    read_record,
)


def page_of(rows: Any, **totals: Any) -> dict[str, Any]:
    return {"success": True, "data": {"data": rows, "current_page": 1, **totals}}


def test_a_page_counts_its_unreadable_rows() -> None:
    rows: list[Any] = [
        {"cstid": "5"},
        None,
        "x",
        {},
        {"cstid": 0},
        {"cstid": -1},
        {"cstid": True},
        [],
    ]
    page = read_page(CONTACTS, page_of(rows, total_records="40", total_pages=0), 2, 25)
    assert [record.id for record in page.records] == [5]
    assert page.unreadable_rows == 7
    assert (page.page_index, page.page_size) == (2, 25)
    assert (page.total_records, page.total_pages) == (40, 0)


def test_a_page_holds_all_rows_that_came() -> None:
    """The next page of a service with a page size of its own begins behind them."""
    rows = [None, *({"cstid": number} for number in range(1, 100))]
    page = read_page(CONTACTS, page_of(rows), 1, 25)
    assert [record.id for record in page.records] == list(range(1, 100))
    assert (page.page_index, page.page_size, page.unreadable_rows) == (1, 100, 1)
    assert read_page(CONTACTS, page_of(rows[:20]), 1, 25).page_size == 25


@pytest.mark.parametrize("data", [None, {"data": None}])
def test_null_in_place_of_a_page_or_its_rows_means_no_rows(data: Any) -> None:
    page = read_page(CONTACTS, {"success": True, "data": data}, 0, 10)
    assert (page.records, page.total_records) == ((), None)


@pytest.mark.parametrize("odd", [None, "many", -1, 1.5, True, [], {}])
def test_unreadable_totals_are_none(odd: Any) -> None:
    page = read_page(CONTACTS, page_of([], total_records=odd), 0, 10)
    assert (page.total_records, page.total_pages) == (None, None)


@pytest.mark.parametrize("data", [[], "x", {}, {"data": {}}, {"data": "x"}])
def test_a_page_without_a_list_is_unreadable(data: Any) -> None:
    with pytest.raises(Unavailable):
        read_page(CONTACTS, {"success": True, "data": data}, 0, 10)


def test_a_record_may_be_nested_and_keeps_its_neighbours() -> None:
    plain = read_record(INVOICES, {"data": {"inv_id": "3", "total": "1"}}, 3)
    nested = {"invoice": {"inv_id": 3, "total": "1"}, "payments": [{"amount": "2"}]}
    record = read_record(INVOICES, {"data": nested}, 3)
    assert plain["total"] == record["total"] == 1
    assert record.payments[0]["amount"] == "2"


@pytest.mark.parametrize("name", ["data", "record", "result"])
def test_a_record_may_be_nested_under_any_name(name: str) -> None:
    inner = {"inv_id": 3, "inv_number": "INV-3", "customer": {"id": 1}}
    record = read_record(INVOICES, {"data": {name: inner, "meta": {"page": 1}}}, 3)
    assert record["inv_number"] == "INV-3"
    assert read_created(INVOICES, {"data": {name: inner}}).id == 3
    with pytest.raises(Unavailable):
        read_record(INVOICES, {"data": {name: {**inner, "inv_id": 4}}}, 3)


def test_a_nested_record_with_fields_of_its_endpoint_beside_it_is_read() -> None:
    data = {"record": {"inv_id": 3, "total": "5"}, "items": [{"item_name": "Hour"}]}
    record = read_record(INVOICES, {"data": data}, 3)
    assert (record["total"], len(record.lines)) == (5, 1)


def test_a_detail_without_a_field_of_its_endpoint_is_unreadable() -> None:
    for data in ({"x": 1}, {"a": {"x": 1}}, {"a": {"cstid": 8}, "b": {"cstid": 8}}):
        with pytest.raises(Unavailable):
            read_record(CONTACTS, {"data": data}, 8)


def test_a_record_without_its_id_is_the_one_asked_for() -> None:
    assert read_record(CONTACTS, {"data": {"cstname": "A"}}, 8).id == 8


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        "x",
        [{"cstid": 8}],
        {"cstid": 9},
        {"contact": {"cstid": 9}},
        {"cstid": "8 or 9"},
        {"cstid": [8]},
        {"cstid": True},
    ],
)
def test_another_record_than_the_one_asked_for_is_unreadable(data: Any) -> None:
    with pytest.raises(Unavailable):
        read_record(CONTACTS, {"data": data}, 8)


def test_a_create_returns_the_id_and_label_if_they_are_stated() -> None:
    assert read_created(CONTACTS, {"success": True}).id is None
    created = read_created(DEALS, {"data": {"deal": {"deal_id": "4", "deal_name": "Big\n"}}})
    assert (created.id, created.label) == (4, "Big")


@pytest.mark.parametrize(
    "data", [None, [], {}, "x", {"cstid": 8}, {"contact": {"cstid": "8"}}, {"cstid": None}]
)
def test_an_update_or_deletion_is_done_unless_the_answer_names_another_record(data: Any) -> None:
    assert read_done(CONTACTS, {"message": "ok", "data": data}, 8)
    assert read_done(CONTACTS, {"message": ["odd"]}, 8)


@pytest.mark.parametrize("data", [{"cstid": 9}, {"contact": {"cstid": "9"}}, {"cstid": "x"}])
def test_an_answer_about_another_record_leaves_the_outcome_of_a_write_unknown(data: Any) -> None:
    with pytest.raises(OutcomeUnknown, match="another record"):
        read_done(CONTACTS, {"message": "ok", "data": data}, 8)
