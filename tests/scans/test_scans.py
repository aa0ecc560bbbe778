"""A list with a filter that the service lacks is read to its end by a worker."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from dashboard.gateway import DEALS
from dashboard.jobs import list_reading, turns
from dashboard.jobs.models import Job
from dashboard.reader import all_rows
from dashboard.scans.models import Match, Scan
from tests.conftest import every_profile, person
from tests.exports.test_page import everything
from tests.jobs.conftest import run_one, work

pytestmark = pytest.mark.slow

LIST = "/deals/?least=500.."


@pytest.fixture(autouse=True)
def _long_lists_in_short_turns(monkeypatch):
    monkeypatch.setattr(all_rows, "MOST_PAGES", 1)
    monkeypatch.setattr("dashboard.reader.listing.PAGE_SIZE", 5)
    monkeypatch.setattr("dashboard.reader.listing.AT_ONCE", 1)
    monkeypatch.setattr(turns, "SECONDS", 0)


def begin(desk, address=LIST):
    page = desk.get(address)
    answer = desk.post(page.context["list_page"].look_url)
    assert answer["Location"].startswith("/scans/"), answer["Location"]
    return answer["Location"]


def found(desk, address):
    numbers, page = [], desk.get(address)
    while True:
        numbers += [row.record_id for row in page.context["table"].rows]
        if not page.context["page"].has_next():
            return numbers
        page = desk.get(f"{address}?page={page.context['page'].next_page_number()}")


def large(gateway, least=500):
    amounts = {each.id: each["deal_amount"] for each in everything(gateway, DEALS)}
    return [number for number, amount in amounts.items() if amount and amount >= least]


def test_the_list_says_how_many_it_would_look_through(desk, gateway):
    total = len(everything(gateway, DEALS))
    page = desk.get(LIST)
    assert f"Look through all {total}" in page.content.decode()
    assert "There may be more" in page.context["list_page"].note


def test_a_list_that_was_looked_through_offers_nothing(desk, monkeypatch):
    monkeypatch.setattr(all_rows, "MOST_PAGES", 1_000)
    assert desk.get(LIST).context["list_page"].look_url == ""
    assert desk.get("/deals/").context["list_page"].look_url == ""
    assert desk.post("/deals/look-through/?least=500..")["Location"] == "/deals/?least=500.."
    assert desk.post("/deals/look-through/")["Location"] == "/deals/"
    assert not Job.objects.exists()


@every_profile
def test_every_record_that_matches_is_found_however_long_the_list_is(desk, gateway):
    assert len(desk.get(LIST).context["list_page"].table.rows) < len(large(gateway))
    page = begin(desk)
    assert work() > 2
    assert Job.objects.get().state == Job.State.FINISHED
    assert found(desk, page) == large(gateway)
    assert f"{len(large(gateway))} of {len(everything(gateway, DEALS))} deals match" in (
        desk.get(page).content.decode()
    )


def test_the_page_shows_how_far_it_is_and_what_was_found_so_far(desk, gateway):
    page = begin(desk)
    assert f"0 of {len(everything(gateway, DEALS))} done" in desk.get(page).content.decode()
    run_one()
    assert f"5 of {len(everything(gateway, DEALS))} done" in desk.get(page).content.decode()
    assert f"{Match.objects.count()} found so far" in desk.get(page).content.decode()
    job = desk.get(f"/jobs/{Job.objects.get().pk}/")
    assert (job.context["result_url"], job.context["result_words"]) == (page, "What it found")


def test_what_was_found_is_in_the_order_of_the_list(desk, gateway):
    page = begin(desk, f"{LIST}&sort=deal_amount&order=desc")
    work()
    amounts = {each.id: each["deal_amount"] for each in everything(gateway, DEALS)}
    shown = [amounts[number] for number in found(desk, page)]
    assert shown == sorted(shown, reverse=True)
    assert len(shown) == len(large(gateway))


def test_the_same_list_begins_one_scan_at_a_time(desk):
    assert begin(desk) == begin(desk)
    assert begin(desk, "/deals/?least=600..") != begin(desk)
    work()
    begin(desk)
    assert Job.objects.count() == 3


def test_filters_of_the_service_are_sent_to_it(desk, standin):
    page = begin(desk, "/invoices/?due=overdue")
    before = standin.ledger()[-1]["number"]
    work()
    asked = standin.ledger(since=before, resource="invoices", operation="list")
    assert asked
    assert all("inv_status=0" in entry["query"] for entry in asked)
    assert desk.get(page).status_code == 200


def test_no_page_beyond_the_end_is_asked_for(desk, gateway, standin, monkeypatch):
    monkeypatch.setattr("dashboard.reader.listing.AT_ONCE", 8)
    monkeypatch.setattr(turns, "SECONDS", 60)
    begin(desk)
    before = standin.ledger()[-1]["number"]
    assert work() == 2  # one turn, and the one that finds nothing to do
    asked = standin.ledger(since=before, resource="deals", operation="list")
    assert len(asked) == -(-len(everything(gateway, DEALS)) // 5)


def test_a_failure_of_the_service_delays_it_and_loses_nothing(desk, gateway, standin):
    page = begin(desk)
    run_one()
    standin.fault("status-503", operation="list", times=50)
    run_one()
    assert Job.objects.get().failures == 1
    standin.clear_faults()
    Job.objects.update(not_before=None)
    with time_machine.travel(timezone.now() + timedelta(minutes=1)):
        work()
    assert found(desk, page) == large(gateway)


def test_a_list_that_changes_meanwhile_is_told(desk, gateway):
    page = begin(desk)
    run_one()
    last = everything(gateway, DEALS)[-1]
    gateway.delete(DEALS, last.id)
    work()
    assert "The list changed while it was read" in desk.get(page).content.decode()


def test_chosen_rows_go_to_what_is_done_with_many(desk, gateway):
    page = begin(desk)
    work()
    shown = desk.get(page)
    assert 'action="/bulk/deals/"' in shown.content.decode()
    data = {"do": "delete", "chosen": found(desk, page)[-3:], "list": LIST.partition("?")[2]}
    answer = desk.post("/bulk/deals/", data)
    assert Job.objects.get(pk=answer["Location"].strip("/").rpartition("/")[2]).total == 3


def test_nobody_else_sees_what_was_found(desk, with_keys, client):
    page = begin(desk)
    work()
    client.force_login(with_keys(person("paula", "Manager")))
    assert client.get(page).status_code == 404


def test_what_was_found_is_sealed_and_deleted_after_a_day(desk):
    page = begin(desk)
    work()
    match = Match.objects.first()
    assert str(match.record_id) in map(str, match.content.values())
    assert str(match.record_id) not in match.content_sealed
    for hours, kept in ((23, True), (25, False)):
        Job.objects.update(finished_at=timezone.now() - timedelta(hours=hours))
        list_reading.delete_expired.call("scans.Scan", Scan.objects.get().pk)
        assert Match.objects.exists() is kept
    assert "was deleted after a day" in desk.get(page).content.decode()


def test_viewers_are_offered_no_scan(db, client, with_keys, standin):
    client.force_login(with_keys(person("vera", "Viewer")))
    assert client.get(LIST).context["list_page"].look_url == ""
