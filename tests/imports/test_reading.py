"""A file is read once, by a worker, and kept in sealed pages of rows."""

from datetime import timedelta
from threading import Thread
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.management import call_command
from django.db.models.functions import Now
from django.test import override_settings
from django_tasks_db.models import DBTaskResult

from dashboard.imports import file_reading, pages, storage, stored_table
from dashboard.imports.models import Import, RowPage
from dashboard.tables import reading
from tests.helpers import text
from tests.imports.test_import import _one_at_a_time, counts, fields, upload
from tests.jobs.conftest import run_one, work
from tests.tables.files import xlsx

__all__ = ["_one_at_a_time"]
PEOPLE = "Name,Email\n" + "".join(f"Zed {n},zed{n}@zed.example\n" for n in range(120))


@pytest.fixture(autouse=True)
def _read_by_a_worker(monkeypatch):
    monkeypatch.setattr("dashboard.imports.file_page.MOST_AT_ONCE", 0)


def paste(desk: Any, cells: str = PEOPLE) -> str:
    """The address of a file that no worker has read yet."""
    location: str = desk.post("/leads/import/", {"text": cells})["Location"]
    return location


def test_the_page_says_that_the_file_is_read_and_follows_that(desk):
    url = paste(desk)
    page = desk.get(url)
    assert "Reading the file: Pasted cells" in text(page)
    assert "No worker" not in text(page)
    assert 'hx-trigger="every 2s"' in page.content.decode()
    htmx = {"headers": {"HX-Request": "true", "X-Background": "1"}}
    assert "Reading the file" in desk.get(url, **htmx).content.decode()
    work()
    assert desk.get(url, **htmx)["HX-Refresh"] == "true"
    assert counts(desk.get(url)) == {"ready": 120}


def test_views_and_choices_read_the_file_no_more(desk, monkeypatch):
    url = upload(desk, PEOPLE, resource="leads")
    calls = []
    monkeypatch.setattr(storage, "content_of", lambda found: calls.append(found))
    monkeypatch.setattr(reading, "read_table", lambda *args: calls.append(args))
    desk.post(url, {**fields(desk.get(url)), "cell-2-cstname": "Mended", "mark-0": ",", "row": "2"})
    page = desk.get(f"{url}?show=ready")
    assert len(page.context["rows"]) == 50
    assert page.context["rows"][0].texts["cstname"] == "Mended"
    assert calls == []


def test_rows_are_sealed_in_pages_of_fifty_and_deleted_once_they_are_sent(desk):
    url = upload(desk, PEOPLE, resource="leads")
    pages = RowPage.objects.all()
    assert [page.number for page in pages] == [0, 1, 2]
    stored = f"{[vars(page) for page in pages]}{vars(Import.objects.get())}"
    assert "Zed 1" not in stored
    page = fields(desk.get(url))
    desk.post(url, {**page, "do": "send"})
    assert not RowPage.objects.exists()


def test_every_kind_of_cell_is_read_back_as_it_was(desk):
    from datetime import date, datetime

    row = ["Zoe", 12.5, True, date(2026, 11, 3), datetime(2026, 11, 3, 9, 30)]
    data = xlsx({"One": [["Name", "A", "B", "C", "D"], row]})
    found = Import.objects.get(pk=upload(desk, data, "a.xlsx", "leads").split("/")[2])
    read = reading.read_table(data)
    kept = stored_table.table_of(found, storage.settings_of(found))
    assert list(kept.rows) == list(read.rows)
    assert (kept.columns, kept.header, kept.sheets) == (read.columns, read.header, read.sheets)


def test_a_sample_of_a_column_that_is_cut_says_so(desk):
    whole, long = "z" * 40, "y" * 41
    url = paste(desk, f"Name\n{whole}\n{long}\n")
    work()
    shown = text(desk.get(url))
    assert f"{whole}, {'y' * 39}…" in shown


def test_too_many_rows_and_cells_are_refused_before_rows_are_made(desk):
    for cells, words in (
        ("Name\n" + "Zoe\n" * 5_001, "There are more than 5,000 rows: divide the table."),
        (("a," * 199 + "a\n") * 2_501, "There are more than 500,000 cells: divide the table."),
        (("a," * 199 + "a\n") + "a\n" * 2_500, "There are more than 500,000 cells"),
    ):
        url = paste(desk, cells)
        work()
        page = desk.get(url)
        assert page.status_code == 422
        assert words in text(page)
        assert not RowPage.objects.exists()


def test_after_a_minute_without_a_worker_the_page_says_so_and_asks_again(desk):
    url = paste(desk)
    DBTaskResult.objects.all().delete()  # lost with a worker that was killed
    Import.objects.update(asked_at=Now() - timedelta(seconds=61))
    assert "No worker has taken it for a minute. Tell an administrator." in text(desk.get(url))
    work()
    assert counts(desk.get(url)) == {"ready": 120}


def test_one_file_of_a_person_is_read_at_a_time(desk):
    first, second = paste(desk), paste(desk)
    reading_now = Import.objects.filter(pk=first.split("/")[2])
    lease = Now() + file_reading.LEASE
    DBTaskResult.objects.all().delete()
    reading_now.update(reads=reading_now.get().person_id, read_until=lease)
    file_reading.enqueue(Import.objects.get(pk=second.split("/")[2]))
    run_one()
    assert "Reading the file" in text(desk.get(second))
    reading_now.update(read_until=Now())  # its worker was killed
    DBTaskResult.objects.update(run_after=Now())
    work()
    assert counts(desk.get(second)) == {"ready": 120}


def test_what_is_read_in_an_earlier_way_is_not_stored(desk, monkeypatch):
    url = upload(desk, PEOPLE, resource="leads")
    desk.post(url, {**fields(desk.get(url)), "header": "0"})
    read = file_reading.read_table

    def after_another_choice(*args: Any, **kwargs: Any) -> Any:
        monkeypatch.setattr(file_reading, "read_table", read)
        file_reading.ask(Import.objects.get())
        return read(*args, **kwargs)

    monkeypatch.setattr(file_reading, "read_table", after_another_choice)
    run_one()
    assert Import.objects.get().table_sealed == ""
    work()
    assert len(desk.get(url).context["table"].rows) == 121


def test_rows_and_table_are_brought_under_a_new_key(desk, settings):
    url = upload(desk, PEOPLE, resource="leads")
    old, new = settings.FIELD_ENCRYPTION_KEYS, Fernet.generate_key().decode()
    with override_settings(FIELD_ENCRYPTION_KEYS=[new, *old]):
        call_command("rotate_keys", verbosity=0)
    with override_settings(FIELD_ENCRYPTION_KEYS=[new]):
        found = Import.objects.get()
        table = stored_table.table_of(found, storage.settings_of(found))
        assert len(list(table.rows)) == 120
    assert url


def test_a_file_whose_key_is_lost_before_it_is_read_says_so(desk):
    url = paste(desk)
    found = Import.objects.get()
    with override_settings(FIELD_ENCRYPTION_KEYS=[Fernet.generate_key().decode()]):
        found.content = {}
    found.save(update_fields=["content"])
    work()
    assert "This file can no longer be opened." in text(desk.get(url))


def test_who_cannot_be_served_at_once_is_told_and_loses_nothing(desk, manager, monkeypatch):
    monkeypatch.setattr(pages, "LONGEST_WAIT", 0)
    url = upload(desk, PEOPLE, resource="leads")
    page = fields(desk.get(url))
    with pages.check_turn(manager.pk):
        answer = desk.post(url, {**page, "cell-2-cstname": "Typed", "do": "send"})
        assert answer.status_code == 429
        assert "Everything you chose is kept, and nothing was sent." in text(answer)
        assert desk.get(url).status_code == 429
    assert storage.settings_of(Import.objects.get()).mended == {"2": {"cstname": "Typed"}}
    assert desk.get(url).status_code == 200


def test_a_process_checks_two_files_at_a_time(monkeypatch):
    monkeypatch.setattr(pages, "LONGEST_WAIT", 0)
    with pages.check_turn(1), pages.check_turn(2):
        for person in (1, 3):
            with pytest.raises(pages.TooBusy), pages.check_turn(person):
                pass
    monkeypatch.setattr(pages, "LONGEST_WAIT", 20)
    done = []
    with pages.check_turn(1):
        waiting = Thread(target=lambda: done.append(_check(1)))
        waiting.start()
        assert not done
    waiting.join()
    assert done == [1]


def _check(person: int) -> int:
    with pages.check_turn(person):
        return person
