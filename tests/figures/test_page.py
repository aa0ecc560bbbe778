"""The page Figures: what it counts, in which currency, and what a figure that fails leaves."""

import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from dashboard.catalogue import editing
from dashboard.catalogue.kinds import Kind
from dashboard.catalogue.services import fill
from dashboard.credentials.models import KeyPair
from dashboard.gateway import ESTIMATES, INVOICES, LEADS, Gateway, Page
from dashboard.jobs.models import Job
from dashboard.ledger.models import Event
from dashboard.reader import all_rows
from dashboard.standin.reference_data import reference_data
from tests.helpers import text
from tests.jobs.conftest import work

pytestmark = pytest.mark.django_db

LINE = {"item_id": 501, "item_name": "Work", "quantity": 1, "type": "item"}


@pytest.fixture
def invoice(gateway):
    """invoice(price, days, **more): an open invoice that was due so many days ago."""

    def create(price, days=0, **more):
        due = timezone.localdate() - timedelta(days)
        items = [{**LINE, "price": price}]
        body = {"customer_id": 1001, "template_id": 11, "items": items, "due_date": due, **more}
        return gateway.create(INVOICES, body).id

    return create


@pytest.fixture
def short_lists(monkeypatch):
    """A page reads five rows of a list at once."""
    monkeypatch.setattr(all_rows, "MOST_PAGES", 1)
    monkeypatch.setattr("dashboard.reader.listing.PAGE_SIZE", 5)


def figures(page):
    """The figures of the page by their names."""
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


def test_every_bar_leads_to_a_list_of_the_records_that_it_counts(desk):
    fill("Acme", reference_data("acme"))
    page = desk.get("/figures/")
    drawn = figures(page)
    assert set(drawn) == {
        "receivables", "months", "customers", "leads", "stages", "closing", "estimates", "tasks",
    }  # fmt: skip
    for name in ("receivables", "customers", "stages", "closing", "estimates"):
        assert list(linked(drawn[name])), name
        for count, url in linked(drawn[name]):
            assert listed(desk, url) == count, (name, url)
    said = " ".join(drawn["stages"].notes)
    assert "The first 8 of 14 stages are drawn." in said
    others = int(re.search(r"In other stages, or in none: (\d+) deals\.", said)[1])
    in_these = sum(count for count, _ in linked(drawn["stages"]))
    assert in_these + others == listed(desk, "/deals/")


def test_the_amounts_of_the_table_make_the_sum_beside_the_title(desk):
    for figure in figures(desk.get("/figures/")).values():
        if figure.name in ("leads", "tasks"):
            continue
        if figure.table:
            at = {"customers": -1, "months": 2}.get(figure.name, 2)
            assert figure.table.total[at].shown.text == figure.total, figure.name


def test_an_invoice_is_counted_by_its_age_and_its_customer(desk, invoice):
    before = figures(desk.get("/figures/"))
    all_rows.sealed_cache.cache.clear()
    invoice(9_000_000, 45)
    after = figures(desk.get("/figures/"))
    counts = [int(bars(one["receivables"])["31 to 60 days"][0]) for one in (before, after)]
    assert counts[1] == counts[0] + 1
    first = after["customers"].table.rows[0]
    assert first[0].shown.url.endswith("cstid=1001")
    assert first[-1].value >= 9_000_000


def test_an_age_without_an_invoice_has_a_mark_as_the_others_have(desk):
    page = desk.get("/figures/")
    ages = figures(page)["receivables"].bars
    assert not all(bar.segments for bar in ages)
    block = page.content.decode().partition('id="figure-receivables')[2].partition("</ul>")[0]
    assert block.count('class="swatch"') == len(ages) == len({bar.tone for bar in ages})


def test_currencies_are_never_added(desk, invoice):
    entries = [{"code": "1", "name": "EUR"}, {"code": "2", "name": "JPY"}]
    editing.save_entries("Acme", Kind.CURRENCY, entries)
    euro, yen = invoice(120, 10, org_currency_id=1), invoice(5_000, 10, org_currency_id=2)
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


def test_what_is_in_other_currencies_is_not_said_to_be_nothing(desk, gateway, invoice):
    codes = {"1": "EUR", "2": "JPY", "3": "GBP"}
    entries = [{"code": code, "name": name} for code, name in codes.items()]
    editing.save_entries("Acme", Kind.CURRENCY, entries)
    for currency in (1, 2):
        desk.get(f"/invoices/{invoice(120, org_currency_id=currency)}/")
    for currency in (1, 3):
        body = {"customer_id": 1001, "template_id": 11, "items": [{**LINE, "price": 120}]}
        day = {"transaction_date": timezone.localdate(), "org_currency_id": currency}
        desk.get(f"/estimates/{gateway.create(ESTIMATES, {**body, **day}).id}/")
    estimates = figures(desk.get("/figures/?currency=JPY"))["estimates"]
    assert (estimates.bars, estimates.empty) == ((), "Nothing in JPY.")
    assert "Not added: " in " ".join(estimates.notes)
    assert "120.00 GBP (1 estimate)" in " ".join(estimates.notes)


def test_a_currency_that_nothing_is_in_is_not_taken_from_the_address(desk):
    page = desk.get("/figures/?currency=XYZ&period=never")
    assert page.status_code == 200
    assert figures(page)["receivables"].unit == ""
    assert "XYZ" not in " ".join(figure.total for figure in figures(page).values())


@pytest.mark.parametrize(
    ("resource", "failing"),
    [
        ("invoices", {"receivables", "months", "customers"}),
        ("estimates", {"estimates"}),
        ("deals", {"stages", "closing"}),
        ("leads", {"leads"}),
        ("tasks", {"tasks"}),
    ],
)
def test_a_figure_that_fails_says_so_and_the_others_stand(
    desk, standin, monkeypatch, resource, failing
):
    monkeypatch.setattr("dashboard.gateway.breaker.Breaker.admits", lambda self: True)
    fill("Acme", reference_data("acme"))
    standin.fault("status-503", operation="list", resource=resource)
    page = desk.get("/figures/")
    assert {name for name, figure in figures(page).items() if figure.failure} == failing
    page = text(page)
    if len(failing) == 1:
        assert page.count("The other figures are complete.") == 1
    else:
        assert page.count("The rest of this page is complete.") == page.count("so not read: ") == 1
        assert page.count("Not read.") == len(failing)


def test_with_the_service_away_it_is_said_once_that_nothing_was_read(desk, standin):
    standin.fault("status-503", operation="list")
    page = text(desk.get("/figures/"))
    assert page.count("so nothing was read") == page.count("Try again") == 1
    assert page.count("Not read.") == len(figures(desk.get("/figures/"))) > 1
    assert "complete" not in page


def test_a_figure_of_nothing_has_no_word_on_how_it_counts(desk, monkeypatch):
    words = ("Weeks are named by", "Won and lost deals are among", "does not say when a task")
    whole = text(desk.get("/figures/"))
    assert all(each in whole for each in words)

    def nothing(self, endpoint, *, page_index=0, page_size=10, **_):
        return Page((), page_index, page_size, 0, 0, 0)

    monkeypatch.setattr(Gateway, "list", nothing)
    cache.clear()
    page = text(desk.get("/figures/"))
    assert "There are no deals." in page
    assert not any(each in page for each in words)


def test_a_service_that_fails_is_asked_for_one_list_of_many(desk, standin):
    fill("Acme", reference_data("acme"))
    standin.fault("status-403", operation="list", resource="tasks")
    before = len(standin.ledger(resource="tasks"))
    assert figures(desk.get("/figures/"))["tasks"].failure
    assert len(standin.ledger(resource="tasks")) == before + 1


def test_areas_outside_the_plan_are_left_out_with_a_word(desk, standin):
    KeyPair.objects.update(closed_areas=["deals", "estimates"])
    before = len(standin.ledger())
    page = desk.get("/figures/")
    assert {"stages", "closing", "estimates"}.isdisjoint(figures(page))
    assert "Not in your plan, and so not counted: Deals, Estimates." in text(page)
    asked = {entry["resource"] for entry in standin.ledger()[before:]}
    assert asked.isdisjoint({"deals", "estimates"})
    assert desk.get("/figures/closing.csv").status_code == 404


@pytest.mark.parametrize("period", ["month", "quarter", "year", "12-months"])
def test_a_period_is_one_link_away(desk, period):
    page = desk.get(f"/figures/?period={period}")
    [current] = [label for label, _, is_current in page.context["periods"] if is_current]
    assert current.lower().endswith(period.replace("12-months", "12 months"))


def test_two_days_are_a_period_too(desk):
    page = desk.get("/figures/?first=2026-02-10&last=5+Mar+2026&currency=EUR")
    assert page.context["span"] == "10 Feb 2026 to 5 Mar 2026"
    months = figures(page)["months"]
    assert [row[0].shown.text for row in months.table.rows] == ["Feb 2026", "Mar 2026"]
    assert months.table.rows[0][0].shown.url == "/invoices/?date=2026-02-10..2026-02-28"
    assert page.context["csv_urls"]["months"].endswith(
        "/months.csv?first=2026-02-10&last=2026-03-05&currency=EUR"
    )


@pytest.mark.parametrize(
    ("days", "words"),
    [
        ("first=2026-03-05&last=2026-02-10", "The first day is after the last one."),
        ("first=2024-03-05&last=2026-02-10", "Choose at most one year."),
        ("first=0001-01-01&last=0001-03-01", "Choose days from 1900 to 2199."),
        ("first=9999-12-30&last=9999-12-31", "Choose days from 1900 to 2199."),
        ("first=soon&last=2026-02-10", "“soon” is not a date."),
    ],
)
def test_days_that_are_no_period_say_why(desk, days, words):
    page = desk.get(f"/figures/?{days}")
    assert words in text(page)
    assert page.context["period"].key == "12-months"


def test_what_was_not_read_is_told(desk, short_lists):
    page = desk.get("/figures/")
    leads = figures(page)["leads"]
    assert leads.is_partial
    assert re.match(r"5 of \d+ leads were read\.", leads.notes[0])
    assert "at least" in text(page)
    assert figures(page)["months"].beside == "", "parts of two years are not compared"


def test_a_job_reads_the_rest_and_the_figures_count_it(desk, gateway, short_lists):
    total = gateway.list(LEADS).total_records
    [rest] = figures(desk.get("/figures/"))["leads"].rest
    assert rest.words == f"Read the other {total - 5}"
    answer = desk.post("/figures/read/", {"list": rest.name})
    assert answer["Location"] == f"/scans/{Job.objects.get().pk}/"
    [rest] = figures(desk.get("/figures/"))["leads"].rest
    assert rest.words == f"Reading them all: 0 of {total}"
    assert rest.url == answer["Location"]
    work()
    leads = figures(desk.get("/figures/"))["leads"]
    assert leads.notes[0].startswith(f"All {total} leads were read, as of ")
    assert not leads.is_partial
    assert [one.words for one in leads.rest] == ["Read again"]


def test_a_list_that_was_read_begins_no_job(desk):
    for name in ("leads", "done"):
        assert desk.post("/figures/read/", {"list": name})["Location"] == "/figures/"
    assert desk.post("/figures/read/", {"list": "secrets"}).status_code == 404
    assert not Job.objects.exists()


def test_each_figure_is_a_file_of_its_table(desk):
    fill("Acme", reference_data("acme"))
    page = desk.get("/figures/")
    for name, figure in figures(page).items():
        answer = desk.get(f"/figures/{name}.csv")
        lines = answer.content.decode().removeprefix("\ufeff").splitlines()
        assert answer["Content-Type"] == "text/csv; charset=utf-8"
        assert lines[0].startswith(figure.table.heads[0])
        assert len(lines) >= 1 + len(figure.table.rows)
    assert Event.objects.filter(operation="export").count() == len(figures(page))


def test_customers_have_their_names_in_the_file(desk, invoice):
    invoice(9_000_000)
    name = desk.get("/contacts/1001/").context["title"]
    assert name in desk.get("/figures/customers.csv").content.decode()


def test_a_file_that_cannot_be_read_is_not_an_empty_one(desk, standin):
    standin.fault("status-503", operation="list", resource="leads")
    assert desk.get("/figures/leads.csv").status_code == 503
    assert desk.get("/figures/nothing.csv").status_code == 404


def test_who_may_only_look_has_no_file_and_no_job(client_of, with_keys, viewer, short_lists):
    page = client_of(with_keys(viewer)).get("/figures/")
    assert page.status_code == 200
    assert ".csv" not in page.content.decode()
    assert "/figures/read/" not in page.content.decode()


def test_the_page_asks_once_for_what_it_shows_again(desk, standin):
    desk.get("/figures/")
    before = len(standin.ledger(operation="list"))
    desk.get("/figures/?currency=EUR")
    assert len(standin.ledger(operation="list")) == before
