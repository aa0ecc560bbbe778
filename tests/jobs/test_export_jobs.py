"""A large list is exported by a worker in several slices; its file is kept for a day."""

import tempfile
from datetime import timedelta
from itertools import count

import pytest
import time_machine
from django.db import OperationalError, transaction
from django.utils import timezone

from dashboard.gateway import CONTACTS, LEADS
from dashboard.jobs import export_files, export_views, exports, list_reading, slices
from dashboard.jobs.models import Chunk, Export, Job
from dashboard.tables.reading import TableChoices
from dashboard.writes.models import Event
from tests.conftest import every_profile
from tests.faults import deaths
from tests.helpers import text
from tests.jobs.conftest import run_one, work
from tests.jobs.test_deaths import TAKE, recover
from tests.jobs.test_export_page import everything, exported
from tests.tables.files import read_table

State = Job.State


@pytest.fixture(autouse=True)
def _large_lists_in_short_turns(monkeypatch):
    monkeypatch.setattr(export_views, "MAX_DIRECT_ROWS", 0)
    monkeypatch.setattr(export_views, "MAX_DIRECT_READS", 0)
    monkeypatch.setattr("dashboard.reader.listing.PAGE_SIZE", 25)
    monkeypatch.setattr(slices, "SECONDS", 0)


def begin(desk, url="/contacts/export/", content="columns", form="xlsx"):
    answer = desk.post(url, {"content": content, "form": form})
    assert answer.status_code == 302, answer.content
    return answer["Location"]


def test_a_form_that_is_sent_twice_begins_one_export(desk):
    sent = {"token": desk.get("/contacts/export/").context["token"], "content": "columns"}
    first = desk.post("/contacts/export/", {**sent, "form": "xlsx"})["Location"]
    assert desk.post("/contacts/export/", {**sent, "form": "xlsx"})["Location"] == first
    assert (Job.objects.count(), Event.objects.count()) == (1, 1)
    assert desk.post("/contacts/export/", {**sent, "form": "csv"})["Location"] != first


def test_a_form_that_is_sent_twice_at_the_same_time_begins_one_export(desk, monkeypatch):
    sent = {"token": "a token", "content": "columns", "form": "csv"}
    name, pressed = export_files.file_name, []

    def name_after_the_other(*args):
        if not pressed:
            pressed.append("again")
            pressed.append(desk.post("/contacts/export/", sent)["Location"])
        return name(*args)

    monkeypatch.setattr(export_files, "file_name", name_after_the_other)
    assert desk.post("/contacts/export/", sent)["Location"] == pressed[1]
    assert (Job.objects.count(), Event.objects.count()) == (1, 1)


def file_of(desk, page):
    answer = desk.get(f"{page}file/")
    assert answer.status_code == 200
    return answer.getvalue()


@pytest.mark.parametrize("form", ["xlsx", "csv", "plain"])
@pytest.mark.parametrize(
    ("resource", "content"), [("contacts", "columns"), ("invoices", "lines"), ("leads", "all")]
)
def test_the_file_of_a_worker_is_that_of_the_page(desk, monkeypatch, resource, content, form):
    page = begin(desk, f"/{resource}/export/", content, form)
    assert 1 < work(most=30) < 30
    found = read_table(file_of(desk, page))
    monkeypatch.setattr(export_views, "MAX_DIRECT_ROWS", 1_000)
    monkeypatch.setattr(export_views, "MAX_DIRECT_READS", 1_000)
    monkeypatch.setattr("dashboard.reader.listing.PAGE_SIZE", 100)
    at_once = read_table(exported(desk, f"/{resource}/export/", content, form))
    assert found.rows == at_once.rows
    assert [column.title for column in found.columns] == [each.title for each in at_once.columns]


@pytest.mark.slow
def test_a_worker_that_dies_at_any_statement_leaves_each_row_in_the_file_once(
    desk, gateway, monkeypatch
):
    monkeypatch.setattr(list_reading, "BATCH_SIZE", 50)
    total = len(everything(gateway, LEADS))
    for point in count(1):
        page, job = begin(desk, "/leads/export/", form="csv"), Job.objects.latest("pk")
        with deaths.dying(point, after=TAKE) as death:
            work()
        recover(job)
        rows = [row.cells for row in read_table(file_of(desk, page)).rows]
        assert len(rows) == len(set(rows)) == total, point
        if not death.came:
            break
    assert point > 10


@every_profile
def test_the_page_shows_how_far_it_is_and_then_the_link(desk, gateway):
    total = len(everything(gateway, CONTACTS))
    page = begin(desk, form="csv")
    assert f"0 of {total} done" in desk.get(page).content.decode()
    run_one()
    assert f"25 of {total} done" in desk.get(page).content.decode()
    assert desk.get(f"{page}file/").status_code == 404
    work(most=30)
    shown = desk.get(page)
    assert f'href="{page}file/"' in shown.content.decode()
    assert shown.context["until"]


def test_a_failure_of_the_service_delays_the_export_and_loses_nothing(desk, gateway, standin):
    page = begin(desk, form="csv")
    run_one()
    standin.fault("status-503", operation="list", times=50)
    run_one()
    assert Job.objects.get().failures == 1
    standin.clear_faults()
    Job.objects.update(not_before=None)
    work(most=30)
    with time_machine.travel(timezone.now() + timedelta(minutes=1)):
        work(most=30)
    names = [row.cells[0] for row in read_table(file_of(desk, page)).rows]
    assert names == [record["cstname"] for record in everything(gateway, CONTACTS)]


def test_what_could_not_be_stored_is_not_stored_at_the_end_of_the_turn(desk, monkeypatch):
    begin(desk, form="csv")
    tried = []

    def away_once(*args, **kwargs):
        tried.append(args)
        if len(tried) == 1:
            raise OperationalError("away")

    monkeypatch.setattr(list_reading, "BATCH_SIZE", 1)
    monkeypatch.setattr(exports, "store_rows", away_once)
    with pytest.raises(OperationalError), transaction.atomic():
        run_one()
    assert len(tried) == 1
    assert Export.objects.get().pages_read == 0


def test_changes_of_the_list_are_on_the_page_and_on_the_second_sheet(desk, gateway):
    page = begin(desk)
    run_one()
    gateway.create(CONTACTS, {"cstname": "Aaron the first", "contact_type": 1})
    work(most=30)
    assert "Some may be missing" in desk.get(page).content.decode()
    notes = read_table(file_of(desk, page), TableChoices(sheet="Notes", header=0)).rows
    assert any("Some may be missing" in row.cells[0] for row in notes)


def test_nobody_else_gets_the_file(desk, client_of, with_keys, administrator):
    page = begin(desk)
    work(most=30)
    other = client_of(with_keys(administrator))
    assert f"{page}file/" not in other.get(page).content.decode()
    assert other.get(f"{page}file/").status_code == 404


@pytest.mark.parametrize("form", ["xlsx", "csv"])
def test_a_file_with_a_part_that_cannot_be_opened_says_so_in_its_last_row(desk, form):
    page = begin(desk, form=form)
    work(most=30)
    whole = read_table(file_of(desk, page)).rows
    second = Chunk.objects.all()[1]
    Chunk.objects.filter(pk=second.pk).update(content="damaged")
    found = read_table(file_of(desk, page)).rows
    assert found[-1].cells[0] == exports.ENDS_HERE
    assert [row.cells for row in found[:-1]] == [row.cells for row in whole[: len(found) - 1]]
    assert 1 < len(found) < len(whole)


def test_a_file_that_cannot_be_opened_is_not_sent(desk):
    page = begin(desk)
    work(most=30)
    Job.objects.update(params="damaged")
    answer = desk.get(f"{page}file/", follow=True)
    assert answer.redirect_chain == [(page, 302)]
    assert export_views.CANNOT_BE_OPENED in text(answer)


def test_no_temporary_file_of_a_download_is_left(desk, monkeypatch, tmp_path):
    page = begin(desk)
    work(most=30)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    answer = desk.get(f"{page}file/")
    chunks = iter(answer.streaming_content)
    assert next(chunks).startswith(b"PK")
    assert not list(tmp_path.iterdir())
    assert not list(chunks)  # that was all of it
    monkeypatch.setattr("dashboard.tables.writing._Sheet.write", lambda *args: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        file_of(desk, page)
    assert not list(tmp_path.iterdir())


def test_the_file_is_gone_after_a_day(desk, client_of, manager):
    page = begin(desk, form="csv")
    work(most=30)
    with time_machine.travel(timezone.now() + timedelta(hours=25)):
        desk = client_of(manager)
        assert desk.get(f"{page}file/").status_code == 404
        assert "This file has expired" in desk.get(page).content.decode()
