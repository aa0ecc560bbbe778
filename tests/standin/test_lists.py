"""Paging, filters, searches and sorting of lists (reference, section 4)."""

import pytest


def rows(call, path):
    reply = call("GET", path)
    assert reply.status == 200, reply.text
    return [row for row in reply.json["data"]["data"] if row is not None]


def everything(call, resource):
    found = rows(call, f"/v1/{resource}?pageSize=100")
    assert len(found) < 100
    return found


def test_page_index_counts_from_zero_and_current_page_from_one(terse):
    body = terse("GET", "/v1/contacts?pageSize=25&pageIndex=2").json["data"]
    assert (body["current_page"], body["total_records"], body["total_pages"]) == (3, 60, 3)
    assert len(body["data"]) == 10


def test_a_page_size_above_the_maximum_depends_on_the_profile(terse, verbose, hostile):
    path = "/v1/contacts?pageSize=101"
    assert len(rows(terse, path)) == 60  # as if 100 had been asked for
    assert len(rows(hostile, path)) == 10  # as if nothing had been asked for
    assert verbose("GET", path).status == 422
    assert "pageSize" in verbose("GET", path).json["errors"]


FILTERS = [
    ("contacts", "type=2", lambda r: r["contact_type"] == 2),
    ("invoices", "inv_status=1", lambda r: r["inv_status"] == 1),
    ("invoices", "cstid=1044", lambda r: r["customer_id"] == 1044),
    ("invoices", "inv_datetime_from=2025-12-01", lambda r: r["transaction_date"] >= "2025-12-01"),
    ("invoices", "inv_datetime_to=2025-12-01", lambda r: r["transaction_date"] <= "2025-12-01"),
    ("estimates", "est_status=0", lambda r: r["est_status"] == 0),
    ("estimates", "est_datetime_from=2026-01-05", lambda r: r["transaction_date"] >= "2026-01-05"),
    ("estimates", "est_datetime_to=2026-01-05", lambda r: r["transaction_date"] <= "2026-01-05"),
    ("deals", "pipeline_id=2", lambda r: r["pipeline_id"] == 2),
    ("deals", "cstid=1031", lambda r: r["cstid"] == 1031),
    ("tasks", "status=2", lambda r: r["status"] == 2),
    ("tasks", "priority=4", lambda r: r["priority"] == 4),
    ("leads", "lead_status=New", lambda r: r["lead_status"] == "New"),
]


@pytest.mark.parametrize(("resource", "query", "fits"), FILTERS)
def test_a_filter_gives_exactly_the_matching_records(terse, resource, query, fits):
    wanted = [row for row in everything(terse, resource) if fits(row)]
    assert rows(terse, f"/v1/{resource}?pageSize=100&{query}") == wanted


def test_the_due_date_of_a_task_is_its_end_or_else_its_start(terse):
    def due(row):
        return row.get("end_datetime", row["start_datetime"])[:10]

    days = sorted(due(row) for row in everything(terse, "tasks"))
    day = days[20]
    found = rows(terse, f"/v1/tasks?pageSize=100&due_date_from={day}&due_date_to={day}")
    assert found
    assert {due(row) for row in found} == {day}
    assert len(found) == days.count(day)
