"""A list with a filter that the service lacks is looked through some pages at a time."""

import pytest

from dashboard.gateway import DEALS
from dashboard.jobs.models import Job
from dashboard.lists import fetch
from dashboard.reader import all_rows
from tests.conftest import every_profile
from tests.helpers import ask_to_delete, text
from tests.jobs.test_export_page import everything

LIST = "/deals/?least=500.."


@pytest.fixture(autouse=True)
def _long_lists(monkeypatch):
    monkeypatch.setattr(all_rows, "MAX_PAGES", 1)
    monkeypatch.setattr(fetch, "PAGES_AT_ONCE", 2)
    monkeypatch.setattr("dashboard.reader.listing.PAGE_SIZE", 5)


def fragments(desk, address=LIST):
    """The fragments that a list asks for, one after the other."""
    url = desk.get(address).context["list_page"].look_url
    while url:
        fragment = desk.get(url, headers={"HX-Request": "true"})
        assert fragment.status_code == 200
        yield fragment
        url = fragment.context.get("next_url")


def ids(found):
    return [row.record_id for row in found.rows]


def large(gateway):
    amounts = {each.id: each["deal_amount"] for each in everything(gateway, DEALS)}
    return [number for number, amount in amounts.items() if amount and amount >= 500]


@every_profile
def test_every_record_that_matches_is_found_however_long_the_list_is(desk, gateway):
    total = len(everything(gateway, DEALS))
    page = desk.get(LIST)
    assert f"Search all {total}" in text(page)
    found = ids(page.context["list_page"].table)
    assert len(found) < len(large(gateway))
    for last in fragments(desk):
        found += ids(last.context["table"])
    assert sorted(found) == sorted(large(gateway))
    assert f"All {total} deals checked, {len(found)} match." in text(last)
    assert not Job.objects.exists()


def test_a_fragment_reads_at_most_its_pages_and_fifty_are_read_in_all(desk, standin, monkeypatch):
    monkeypatch.setattr(fetch, "MAX_PAGES", 4)
    before = len(standin.ledger(operation="list", resource="deals"))
    told = [(text(each), len(standin.ledger(operation="list", resource="deals")))
            for each in fragments(desk)]  # fmt: skip
    assert [calls - before for _, calls in told] == [3, 4]
    assert "Searching…" in told[0][0]
    assert "20 deals checked" in told[-1][0]
    assert "There may be more. Add a filter to see them." in told[-1][0]


def test_filters_of_the_service_are_sent_to_it(desk, standin):
    list(fragments(desk, "/invoices/?due=overdue"))
    asked = standin.ledger(resource="invoices", operation="list")
    assert len(asked) > 1
    assert all("inv_status=0" in entry["query"] for entry in asked)


def test_a_failure_is_said_and_reading_goes_on_where_it_was(desk, standin):
    url = desk.get(LIST).context["list_page"].look_url
    standin.fault("status-503", operation="list", times=50)
    failed = desk.get(url)
    assert "5 deals checked" in text(failed)
    assert "Continue" in text(failed)
    assert failed.context["again_url"] == url


def test_a_list_that_was_read_to_its_end_offers_nothing(desk, monkeypatch):
    monkeypatch.setattr(all_rows, "MAX_PAGES", 1_000)
    assert desk.get(LIST).context["list_page"].look_url == ""
    for url in ("?from=1", "?least=500..&from=99", "?least=500..", "?least=500..&from=1"):
        assert desk.get(f"/deals/look-through/{url}").status_code == 404


def test_only_the_last_page_offers_further_rows_and_says_their_order(desk, monkeypatch):
    monkeypatch.setattr("dashboard.reader.listing.PAGE_SIZE", 20)
    ordered = "Further rows are not sorted."
    address = "/deals/?least=1..&sort=deal_amount&size=10"
    first, last = desk.get(address), desk.get(f"{address}&page=2")
    assert first.context["list_page"].pager
    assert [bool(each.context["list_page"].look_url) for each in (first, last)] == [False, True]
    assert [ordered in text(each) for each in (first, last)] == [False, True]
    assert ordered not in text(desk.get("/deals/?least=1..&size=10&page=2"))


def test_a_record_that_is_about_to_be_deleted_is_not_among_further_rows(desk):
    [row, *_] = next(fragments(desk)).context["table"].rows
    ask_to_delete(desk, row.title.url)
    assert row.title.url not in next(fragments(desk)).content.decode()
