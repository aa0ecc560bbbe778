"""The page Figures: what it counts, in which currency, and what a figure that fails leaves."""

import re
from collections import Counter

import pytest

from dashboard.gateway import DEALS, Gateway, Rejected
from dashboard.office import editing
from dashboard.office.kinds import Kind
from dashboard.overviews import figures as makers
from dashboard.people.models import KeyPair
from dashboard.writes.models import Event
from tests.helpers import text

pytestmark = pytest.mark.django_db


@pytest.fixture
def short_lists(monkeypatch):
    """A figure reads five rows of a list."""
    monkeypatch.setattr(makers, "MAX_PAGES", 1)
    monkeypatch.setattr("dashboard.reader.listing.PAGE_SIZE", 5)


def figures(page):
    sides = page.context["sides"]
    every = [each for side in sides for each in side] + [page.context["lead"]]
    return {each.name: each for each in every if each}


def bars(figure):
    return {bar.name.text: bar.values for bar in figure.bars}


def listed(desk, url):
    """How many records the list at an address has."""
    found = re.search(r"([\d,]+) \w+", desk.get(url).context["list_page"].count)
    return int(found[1].replace(",", "")) if found else 0


def linked(figure):
    """The number of records and the address of each bar that leads to a list."""
    for row in figure.table.rows:
        name, count = row[0].shown, row[1].value
        if name.url:
            yield int(count), name.url


def test_every_bar_leads_to_a_list_of_the_records_that_it_counts(desk, lists):
    page = desk.get("/figures/")
    drawn = figures(page)
    assert set(drawn) == {"receivables", "months", "customers", "stages", "closing"}
    for name in ("receivables", "customers", "stages"):
        assert list(linked(drawn[name])), name
        for count, url in linked(drawn[name]):
            assert listed(desk, url) == count, (name, url)


def test_one_pipeline_is_shown_at_a_time(desk, lists):
    switch = figures(desk.get("/figures/?currency=EUR"))["stages"].switch
    assert [current for *_, current in switch] == [True] + [False] * (len(switch) - 1)
    assert len(switch) > 1
    for name, url, _ in switch:
        stages = figures(desk.get(url))["stages"]
        assert [(each, current) for each, _, current in stages.switch if current] == [(name, True)]
        counts = list(linked(stages))
        for count, to in counts:
            assert listed(desk, to) == count, to
        code = re.search(r"pipeline=(\d+)", url)[1]
        others = re.search(r"Other or no stage: (\d+) deals?\.", " ".join(stages.notes))
        drawn = sum(count for count, _ in counts) + int(others[1] if others else 0)
        assert drawn == listed(desk, f"/deals/?pipeline_id={code}")


def test_the_open_deals_of_a_pipeline_are_shown_by_stage_and_by_expected_close(desk, lists):
    drawn = figures(desk.get("/figures/?currency=EUR"))
    stages, closing = drawn["stages"], drawn["closing"]
    assert {bar.name.text for bar in stages.ended} == {"Won", "Lost"}
    assert stages.total == closing.total == closing.table.total[2].shown.text
    assert sum(int(bar.values[0]) for bar in stages.bars) == sum(
        int(bar.values[0]) for bar in closing.bars
    )


def test_the_amounts_of_the_table_make_the_sum_beside_the_title(desk):
    for figure in figures(desk.get("/figures/")).values():
        if figure.table:
            at = {"customers": -1, "months": 2}.get(figure.name, 2)
            assert figure.table.total[at].shown.text == figure.total, figure.name


def test_currencies_are_never_added(desk, invoice):
    entries = [{"code": "1", "name": "EUR"}, {"code": "2", "name": "JPY"}]
    editing.save_entries("Acme", Kind.CURRENCY, entries)
    euro, yen = invoice(10, 120, org_currency_id=1), invoice(10, 5_000, org_currency_id=2)
    for number in (euro, yen):
        desk.get(f"/invoices/{number}/")  # its currency is read with the whole record
    page = desk.get("/figures/?currency=EUR")
    shown = figures(page)["receivables"]
    assert (shown.total, shown.unit) == ("120.00", "EUR")
    assert shown.is_partial, "others may be in EUR, too"
    assert "5,000 JPY (1 open invoice)" in " ".join(shown.notes)
    shown = figures(desk.get("/figures/?currency=JPY"))["receivables"]
    assert (shown.total, shown.unit) == ("5,000", "JPY")
    names = [name for name, *_ in page.context["currencies"]]
    assert sorted(names) == ["EUR", "JPY", "Not known"]


def test_a_currency_that_nothing_is_in_is_not_taken_from_the_address(desk):
    page = desk.get("/figures/?currency=XYZ&period=never")
    assert page.status_code == 200
    assert figures(page)["receivables"].unit == ""
    assert "XYZ" not in " ".join(figure.total for figure in figures(page).values())


def test_with_the_service_away_it_is_said_once_that_nothing_was_read(desk, standin, lists):
    standin.fault("status-503", operation="list")
    page = text(desk.get("/figures/"))
    assert page.count("so nothing could be loaded") == page.count("Try again") == 1
    assert page.count("Couldn't load") == len(figures(desk.get("/figures/"))) > 1
    assert "complete" not in page


def test_areas_outside_the_plan_are_left_out_with_a_word(desk, standin):
    KeyPair.objects.update(closed_areas=["deals"])
    before = len(standin.ledger())
    page = desk.get("/figures/")
    assert {"stages", "closing"}.isdisjoint(figures(page))
    assert "Not counted, because your plan doesn't include it: Deals." in text(page)
    asked = {entry["resource"] for entry in standin.ledger()[before:]}
    assert "deals" not in asked
    assert desk.post("/figures/closing.csv").status_code == 404


def test_the_file_of_a_figure_has_the_period_and_currency_of_its_page(desk):
    page = desk.get("/figures/?period=month&currency=EUR")
    assert len(figures(page)["months"].table.rows) == 1
    assert page.context["csv_urls"]["months"].endswith("/months.csv?period=month&currency=EUR")


def test_what_was_not_read_is_told(desk, gateway, short_lists):
    total = gateway.list(DEALS).total_records
    page = desk.get("/figures/")
    closing = figures(page)["closing"]
    assert closing.is_partial
    assert closing.notes[0] == f"Of the first 5 deals; there are {total}."
    assert "at least" in text(page)
    assert figures(page)["months"].beside == "", "parts of two years are not compared"


def test_each_figure_reads_at_most_fifty_pages(desk, monkeypatch, lists):
    read, reading = Counter(), makers.FigurePanel.reading

    def note(self, share=1, **how):
        read[self.name] += makers.MAX_PAGES // share
        return reading(self, share, **how)

    monkeypatch.setattr(makers.FigurePanel, "reading", note)
    desk.get("/figures/")
    assert set(read) == {figure.name for figure in makers.FIGURES}
    assert max(read.values()) <= makers.MAX_PAGES == 50


def test_open_invoices_are_read_from_the_oldest_due_date_on(desk, invoice, short_lists):
    invoice(2_000, 9_000_000)
    [first, *_] = figures(desk.get("/figures/"))["customers"].table.rows
    assert first[-1].value >= 9_000_000


def test_a_service_that_refuses_the_order_is_asked_without_it(desk, monkeypatch):
    read = Gateway.list

    def unsorted(self, endpoint, **asked):
        if asked.get("sort_by"):
            raise Rejected(status=422)
        return read(self, endpoint, **asked)

    monkeypatch.setattr(Gateway, "list", unsorted)
    assert figures(desk.get("/figures/"))["receivables"].strip


def test_each_figure_is_a_file_of_its_table(desk, lists):
    page = desk.get("/figures/")
    for name, figure in figures(page).items():
        answer = desk.post(f"/figures/{name}.csv")
        lines = answer.content.decode().removeprefix("\ufeff").splitlines()
        assert answer["Content-Type"] == "text/csv; charset=utf-8"
        assert lines[0].startswith(figure.table.heads[0])
        assert len(lines) >= 1 + len(figure.table.rows)
    assert Event.objects.filter(operation="export").count() == len(figures(page))


def test_customers_have_their_names_in_the_file(desk, invoice, customer):
    invoice(0, 9_000_000)
    name = desk.get(f"/contacts/{customer}/").context["title"]
    assert name in desk.post("/figures/customers.csv").content.decode()


def test_a_file_that_cannot_be_read_is_not_an_empty_one(desk, standin):
    standin.fault("status-503", operation="list", resource="deals")
    assert desk.post("/figures/closing.csv").status_code == 503
    assert desk.post("/figures/nothing.csv").status_code == 404


def test_the_page_asks_once_for_what_it_shows_again(desk, standin):
    desk.get("/figures/")
    before = len(standin.ledger(operation="list"))
    desk.get("/figures/?currency=EUR")
    assert len(standin.ledger(operation="list")) == before
