"""List queries are checked against the reference."""

from datetime import date
from typing import Any

import pytest

from dashboard.gateway import CONTACTS, INVOICES, LEADS, Endpoint, Rejected
from dashboard.gateway.body import check_list


def listed(endpoint: Endpoint = CONTACTS, **changes: Any) -> dict[str, Any]:
    usual = {
        "search": "",
        "page_index": 0,
        "page_size": 10,
        "sort_by": "",
        "sort_order": "",
        "filters": {},
    }
    return check_list(endpoint, **{**usual, **changes})


def test_a_list_query_holds_the_arguments_by_api_name() -> None:
    assert listed() == {"pageSize": 10, "pageIndex": 0}
    found = listed(
        INVOICES,
        search="INV",
        page_size=100,
        sort_by="total",
        sort_order="desc",
        filters={"inv_status": 0, "cstid": None, "inv_datetime_from": date(2026, 3, 2)},
    )
    assert found == {
        "pageSize": 100,
        "pageIndex": 0,
        "search": "INV",
        "sortBy": "total",
        "sortOrder": "desc",
        "inv_status": 0,
        "inv_datetime_from": "2026-03-02",
    }


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"page_size": 0}, "pageSize"),
        ({"page_size": 101}, "pageSize"),
        ({"page_size": True}, "pageSize"),
        ({"page_index": -1}, "pageIndex"),
        ({"page_index": "1"}, "pageIndex"),
        ({"sort_by": "a;b"}, "sortBy"),
        ({"sort_order": "up"}, "sortOrder"),
        ({"search": "\ud800"}, "search"),
        ({"filters": {"type": 3}}, "type"),
        ({"filters": {"colour": 3}}, "colour"),
    ],
)
def test_list_arguments_that_break_the_reference_are_rejected(
    changes: dict[str, Any], name: str
) -> None:
    with pytest.raises(Rejected) as raised:
        listed(**changes)
    assert list(raised.value.fields) == [name]


def test_leads_are_filtered_by_the_words_of_the_reference() -> None:
    assert listed(LEADS, filters={"lead_status": "Lost"})["lead_status"] == "Lost"
    with pytest.raises(Rejected):
        listed(LEADS, filters={"lead_status": "lost"})
