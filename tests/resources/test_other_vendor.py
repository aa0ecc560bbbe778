"""Pages say nothing untrue with a service of another vendor's habits."""

import os
import re
from urllib.parse import urljoin

import pytest
from django.core.cache import cache

from dashboard.gateway import CONTACTS, INVOICES, TASKS
from dashboard.schema.registry import RESOURCES
from dashboard.tables.reading import TableChoices
from dashboard.writes.models import Write
from tests import other_vendor
from tests.helpers import text
from tests.jobs.conftest import work
from tests.other_vendor import HABITS, OTHER_VALUES, STOPS
from tests.page_forms import fields
from tests.resources.test_every_resource import CHANGED, live_a_life, typed_into
from tests.tables.files import read_table
from tests.test_form_defaults import logged_call, send_file, task_for_each

slow = pytest.mark.slow
TURN = int(os.environ.get("TURN", "").strip("al") or 0)
TOTALS = ("rows beyond the size", "no totals", "no pages told", "one page told")
TOTALS += ("totals of the page",)
UNTRUE = ("cannot be reached", "not readable", "of 0 ", "Not sure", "saved after all")


def by_turns(habits):
    """Each habit with each resource; everyday with one, another for each TURN."""
    pairs = [(habit, name) for habit in habits for name in RESOURCES]
    everyday = [at for at, _ in enumerate(pairs) if (at // len(RESOURCES) + TURN - at) % 6 == 0]
    return [
        pytest.param(*pair, marks=() if at in everyday else slow) for at, pair in enumerate(pairs)
    ]


@pytest.fixture
def vendor(standin):
    """vendor(habit): the service answers so from now on."""
    yield lambda habit: other_vendor.put(standin, habit)
    other_vendor.take_back(standin)


def check(page):
    assert page.status_code == 200
    words = text(page).replace(" Not sure Imports and jobs ", " ", 1)  # entries of the menu
    assert not [each for each in UNTRUE if each in words]


@pytest.mark.parametrize(("habit", "name"), by_turns(HABITS))
def test_a_record_is_created_found_changed_and_deleted(
    desk, unpublished, lists, gateway, zebra, vendor, habit, name
):
    vendor(habit)
    live_a_life(desk, gateway, zebra, RESOURCES[name])


@pytest.mark.parametrize(("habit", "name"), by_turns(STOPS))
def test_a_bare_401_or_429_to_a_write_means_that_nothing_was_saved(
    desk, lists, zebra, vendor, habit, name
):
    typed = typed_into(desk, RESOURCES[name], zebra)
    vendor(habit)
    page = desk.post(f"/{name}/new/", typed)
    assert (page.status_code, Write.objects.get().state) == (503, Write.State.NOT_SAVED)
    assert not desk.get("/unsure/").context["unsure"]


@pytest.mark.parametrize(("habit", "name"), by_turns(OTHER_VALUES))
def test_a_create_that_reads_otherwise_is_saved_with_a_warning_and_not_sent_again(
    desk, lists, zebra, vendor, habit, name
):
    field, value = CHANGED[name]
    typed = typed_into(desk, RESOURCES[name], zebra) | {field: f"{value} as typed"}
    vendor(habit)
    page = desk.post(f"/{name}/new/", typed, follow=True)
    assert Write.objects.get().state == Write.State.SAVED
    assert "now shows" in text(page)
    assert not desk.get("/unsure/").context["unsure"]


def task_of_a_file(desk, gateway):
    send_file(desk, "tasks", "Title,Contact,Start\nCall,Zebra Ltd,2026-03-02 10:30\n")


def repeated_task(desk, gateway):
    body = {"title": "Call", "cstid": gateway.zebra, "start_datetime": "2026-02-02T10:30:00"}
    task = gateway.create(TASKS, body).id
    form = fields(desk.get(f"/tasks/new/?copy={task}&repeat=2026-03-02"))
    assert form["start_datetime"].endswith("10:30")
    desk.post("/tasks/new/", form)


PATHS = (task_of_a_file, repeated_task, task_for_each, logged_call)


@pytest.mark.parametrize(
    ("habit", "path"),
    [
        pytest.param(habit, path, marks=() if (at + TURN) % 4 == 0 else slow)
        for at, habit in enumerate(("times with a zone", "times in UTC"))
        for path in PATHS
    ],
)
def test_tasks_of_each_path_are_saved_with_the_clock_that_was_written(
    desk, lists, gateway, zebra, settings, one_thread, sent, vendor, habit, path
):
    settings.TIME_ZONE = "Asia/Dubai"
    gateway.zebra = zebra
    vendor(habit)
    path(desk, gateway)
    [write] = Write.objects.filter(resource="tasks")
    assert write.state == Write.State.SAVED
    clock = sent("create", resource="tasks")[-1]["start_datetime"][11:16]
    assert clock == "10:30" or path in (task_for_each, logged_call)
    assert clock in text(desk.get(f"/tasks/{write.record_id}/"))


def ids_in(page, name):
    return {int(found) for found in re.findall(rf'href="/{name}/(\d+)/"', page.content.decode())}


@pytest.mark.parametrize(("habit", "name"), by_turns(["filters ignored"]))
def test_rows_that_contradict_a_filter_are_left_out_with_a_word(
    desk, lists, gateway, vendor, habit, name
):
    endpoint = RESOURCES[name].endpoint
    [row, *_] = gateway.list(endpoint, page_size=100).records
    filters = {
        each.name: min(str(row[field]) for field in each.tests if row.get(field) is not None)[:10]
        for each in endpoint.filters
        if any(row.get(field) is not None for field in each.tests)
    }
    answers = {
        asked: [each.id for each in gateway.list(endpoint, filters=given, page_size=100).records]
        for asked, given in ((one, {one: value}) for one, value in filters.items())
    }
    assert answers
    vendor(habit)
    every = len(gateway.list(endpoint, page_size=100).records)
    for asked, found in answers.items():
        page = gateway.list(endpoint, filters={asked: filters[asked]}, page_size=100)
        assert [each.id for each in page.records] == found, asked
        assert len(found) == every or page.total_records is None
    asked = endpoint.filters[0].name
    shown = desk.get(f"/{name}/", {asked: filters[asked], "size": "100", "view": "all"})
    assert ids_in(shown, name) == set(answers[asked])
    assert re.search(rf"ignored a filter. \d+ {name} ", text(shown))
    whole = desk.get(f"/{name}/", {"size": "100", "view": "all"})
    assert "ignored a filter" not in text(whole)


def test_an_ignored_filter_shows_no_invoice_of_another_customer(desk, lists, gateway, vendor):
    invoices = gateway.list(INVOICES, filters={"inv_status": 0}, page_size=100).records
    customer = invoices[0]["customer_id"]
    theirs = {each.id for each in invoices if each["customer_id"] == customer}
    vendor("filters ignored")
    for path in (f"/contacts/{customer}/statement/", f"/contacts/{customer}/"):
        page = desk.get(path)
        shown = ids_in(page, "invoices")
        assert shown
        assert {gateway.get(INVOICES, each)["customer_id"] for each in shown} == {customer}
        assert "ignored a filter" in text(page)
    assert ids_in(desk.get(f"/contacts/{customer}/statement/"), "invoices") == theirs


def test_figures_count_only_what_fits_an_ignored_filter(desk, lists, vendor):
    def sums():
        page = desk.get("/figures/")
        sides = [each for side in page.context["sides"] for each in side]
        return page, {each.name: each.total for each in [*sides, page.context["lead"]]}

    _, before = sums()
    vendor("filters ignored")
    cache.clear()
    page, after = sums()
    for by_stage in ("stages", "closing"):  # both show the open deals of a pipeline
        assert after.pop(by_stage) == "" != before.pop(by_stage)
    assert {name: each.removeprefix("at least ") for name, each in after.items()} == before
    assert "ignored a filter" in text(page)
    for path in ("/figures/", "/deals/board/"):
        assert "t filter deals by stage" in text(desk.get(path))


def test_an_export_leaves_out_what_an_ignored_filter_excludes_and_says_so(desk, gateway, vendor):
    wanted = [each["cstname"] for each in gateway.list(CONTACTS, filters={"type": 2}).records]
    vendor("filters ignored")
    begun = desk.post("/contacts/export/?type=2", {"content": "columns", "form": "xlsx"})
    work(most=5)
    file = desk.get(f"{begun['Location']}file/").getvalue()
    names = [row.cells[0] for row in read_table(file).rows]
    notes = read_table(file, TableChoices(sheet="Notes", header=0)).rows
    assert names[: len(wanted)] == wanted
    assert len(names) == len(gateway.list(CONTACTS, filters={"type": 2}, page_size=100).records)
    assert any("ignored a filter" in row.cells[0] for row in notes)


def test_a_picker_leaves_out_what_an_ignored_filter_excludes(desk, gateway, vendor):
    people = gateway.list(CONTACTS, filters={"type": 1}, page_size=8).records
    vendor("filters ignored")
    found = desk.get("/contacts/pick/?q=&type=2", headers={"HX-Request": "true"})
    shown = set(map(int, re.findall(r'data-id="(\d+)"', found.content.decode())))
    assert not shown & {each.id for each in people}
    assert "ignored a filter" in text(found)
    preferring = desk.get("/contacts/pick/?q=&prefer=type:2", headers={"HX-Request": "true"})
    assert "ignored a filter" not in text(preferring)


@pytest.mark.parametrize(
    ("habit", "shown", "said"),
    [
        ("times with a zone", "10:30", "Time zone in use: +05:30. Times are shown as entered"),
        ("times in UTC", "10:30", "Time zone in use: Z. Times are shown as entered"),
        (
            "times in different zones",
            "14:30",
            "Time zones in use: +00:00, +05:30. Times are",
        ),
    ],
)
def test_a_zone_of_task_times_counts_only_where_they_differ_and_setup_names_it(
    seeing_errors, lists, gateway, zebra, settings, vendor, habit, shown, said
):
    settings.TIME_ZONE = "Asia/Dubai"
    task = {"title": "Zebra call", "cstid": zebra}
    for minute in (30, 31):
        at = f"2026-03-02T10:{minute}:00"
        number = gateway.create(TASKS, {**task, "start_datetime": at}).id
    vendor(habit)
    seeing_errors.get("/tasks/?search=Zebra")
    first = f"{shown[:3]}31"
    assert first in text(seeing_errors.get(f"/tasks/{number}/"))
    assert {shown, first} <= set(text(seeing_errors.get("/tasks/?search=Zebra")).split())
    assert said in text(seeing_errors.get("/setup/"))
    seeing_errors.post("/setup/pick-up/")
    assert said in text(seeing_errors.get("/setup/"))


@slow
@pytest.mark.parametrize("habit", HABITS)
def test_pages_across_resources_say_nothing_untrue(desk, lists, gateway, vendor, habit):
    number = gateway.list(CONTACTS, page_size=1).records[0].id
    vendor(habit)
    addresses = ["/", f"/contacts/{number}/", "/deals/board/", "/tasks/agenda/"]
    for path in (*addresses, *(f"/{name}/" for name in RESOURCES)):
        check(desk.get(path))
    check(desk.get("/contacts/?search=nobody-is-called-so"))


@slow
@pytest.mark.parametrize("habit", TOTALS)
def test_every_row_is_reachable_from_page_to_page(desk, gateway, vendor, habit):
    total, seen, path = gateway.list(CONTACTS).total_records, set(), "/contacts/?size=10"
    vendor(habit)
    for _ in range(total):
        page = desk.get(path).content.decode()
        seen |= set(re.findall(r'href="/contacts/(\d+)/"', page))
        following = re.search(
            r'aria-current="page">\d+</a>.*?class="page-link" href="([^"]+)"',
            page, re.DOTALL,
        )  # fmt: skip
        if following is None:
            break
        path = urljoin(path, following[1].replace("&amp;", "&"))
    assert total > 2 * other_vendor.PAGE
    assert len(seen) == total


@slow
def test_a_picker_shows_few_matches_of_a_large_page(desk, vendor):
    vendor("rows beyond the size")
    found = desk.get("/contacts/pick/?q=contact", headers={"HX-Request": "true"})
    assert found.content.decode().count('role="option"') < 15


@pytest.mark.parametrize(("habit", "name"), by_turns(["fields left out"]))
def test_not_set_is_said_only_of_what_came_empty(desk, lists, gateway, vendor, habit, name):
    number = gateway.list(RESOURCES[name].endpoint).records[0].id
    vendor(habit)
    words = text(desk.get(f"/{name}/{number}/"))
    assert "The CRM does not show:" in words
    assert "not set" not in words
    assert "Also empty" not in words


@pytest.mark.parametrize(("habit", "name"), by_turns(["search ignored"]))
def test_a_search_that_is_ignored_is_said_to_be_and_loses_no_row(
    desk, lists, gateway, vendor, habit, name
):
    told = "The CRM ignored the search"
    rows = gateway.list(RESOURCES[name].endpoint, page_size=25).records
    title = RESOURCES[name].title(rows[0])
    assert told not in text(desk.get(f"/{name}/", {"search": title, "view": "all"}))
    vendor(habit)
    page = desk.get(f"/{name}/", {"search": "qqzz", "view": "all", "sort": "none"})
    assert told in text(page)
    assert ids_in(page, name) == {each.id for each in rows}
    assert told in text(desk.post("/search/", {"q": "qqzz", "hits": "1"}))
    assert told not in text(desk.get(f"/{name}/", {"view": "all"}))
