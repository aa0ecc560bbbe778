"""A file is read once, when its page is opened first, and kept in sealed pages of rows."""

from threading import Thread
from typing import Any

import pytest
from django.test import Client

from dashboard.imports import import_file
from dashboard.imports import upload as first_page
from dashboard.imports import views as pages
from dashboard.imports.models import Import
from dashboard.tables import workbooks
from tests.helpers import text
from tests.imports.test_import import counts, upload
from tests.page_forms import fields
from tests.tables.files import read_table, xlsx

PEOPLE = "Name,Email\n" + "".join(f"Zed {n},zed{n}@zed.example\n" for n in range(120))


def paste(desk: Any, cells: str = PEOPLE) -> str:
    """The address of a file that was not read yet."""
    location: str = desk.post("/leads/import/", {"text": cells})["Location"]
    return location


def test_views_and_choices_read_the_file_no_more(desk, monkeypatch):
    url = upload(desk, PEOPLE, resource="leads")
    page = desk.get(url)
    calls = []
    monkeypatch.setattr(import_file, "content_of", lambda found: calls.append(found))
    monkeypatch.setattr(first_page, "read_source", lambda *args: calls.append(args))
    desk.post(url, {**fields(page), "cell-2-cstname": "Mended", "answer-0-mark": ",", "row": "2"})
    page = desk.get(f"{url}?show=ready")
    assert len(page.context["rows"]) == 50
    assert page.context["rows"][0].text("cstname") == "Mended"
    assert calls == []


def test_the_table_is_sealed_and_deleted_once_its_rows_are_sent(desk):
    url = upload(desk, PEOPLE, resource="leads")
    desk.get(url)
    found = Import.objects.get()
    assert len(found.table["rows"]) > 100
    assert "Zed 1" not in f"{vars(found)}"
    page = fields(desk.get(url))
    desk.post(url, {**page, "do": "send"})
    assert Import.objects.get().table_sealed == ""


def test_a_sheet_whose_name_has_a_mark_can_be_chosen(desk):
    people = [["Name", "Email"], ["Zoe", "zoe@zebra.example"], ["Yan", "yan@yak.example"]]
    book = xlsx({"All": people, "Old\u200b": people[:2]})
    url = upload(desk, book, resource="leads")
    desk.post(url, {**fields(desk.get(url)), "sheet": "Old\u200b"})
    assert [row.text("cstname") for row in desk.get(url).context["rows"]] == ["Zoe"]


def test_cells_are_read_without_marks_also_beside_signs(desk):
    cells = "Na\u200bme,Email\nZebra®\u200b 20°\u200e,zoe@\u200bzebra.example\n"
    page = desk.get(paste(desk, cells))
    [row] = page.context["rows"]
    assert (row.text("cstname"), row.text("cstemail")) == ("Zebra® 20°", "zoe@zebra.example")
    edit = {"cell-2-cstname": "Yak\u200b®"}
    desk.post(page.request["PATH_INFO"], {**fields(page), **edit})
    [row] = desk.get(page.request["PATH_INFO"]).context["rows"]
    assert row.text("cstname") == "Yak®"


def test_every_kind_of_cell_is_read_back_as_it_was(desk):
    from datetime import date, datetime

    row = ["Zoe", 12.5, True, date(2026, 11, 3), datetime(2026, 11, 3, 9, 30)]
    data = xlsx({"One": [["Name", "A", "B", "C", "D"], row]})
    desk.get(upload(desk, data, "a.xlsx", "leads"))
    found = Import.objects.get()
    read = read_table(data)
    kept = import_file.load_table(found)
    assert list(kept.rows) == list(read.rows)
    assert (kept.columns, kept.header, kept.sheets) == (read.columns, read.header, read.sheets)


def test_too_many_rows_and_cells_are_refused_before_rows_are_made(desk):
    for cells, words in (
        ("Name\n" + "Zoe\n" * 5_001, "More than 5,000 rows. Split the table."),
        (("a," * 199 + "a\n") * 2_501, "More than 500,000 cells. Split the table."),
        (("a," * 199 + "a\n") + "a\n" * 2_500, "More than 500,000 cells"),
    ):
        page = desk.get(paste(desk, cells))
        assert page.status_code == 422
        assert words in text(page)
        assert "rows" not in Import.objects.latest("pk").table


def test_what_is_read_in_an_earlier_way_is_not_stored(desk, monkeypatch):
    url = upload(desk, PEOPLE, resource="leads")
    read = first_page.read_source

    def after_another_choice(*args: Any) -> Any:
        monkeypatch.setattr(first_page, "read_source", read)
        import_file.store(Import.objects.get(), import_file.ImportSettings(header=0))
        return read(*args)

    monkeypatch.setattr(first_page, "read_source", after_another_choice)
    other_tab = Client()  # not InspectingClient: the other choice is stored during a GET
    other_tab.cookies = desk.cookies
    assert other_tab.get(url)["Location"] == url
    assert Import.objects.get().table_sealed == ""
    assert len(desk.get(url).context["table"].rows) == 121


def test_two_files_of_a_machine_are_read_at_a_time_and_others_wait(desk, monkeypatch):
    monkeypatch.setattr(workbooks, "WAIT_TIMEOUT", 0)
    url = upload(desk, PEOPLE, resource="leads")
    with workbooks._turn():
        with workbooks._turn():
            page = desk.get(url, follow=True)
            assert "Other files are being read." in text(page)
            assert f'href="{url}"'.encode() in page.content
        assert counts(desk.get(url)) == {"ready": 120}


def test_who_cannot_be_served_at_once_is_told_and_loses_nothing(desk, manager, monkeypatch):
    monkeypatch.setattr(pages, "WAIT_TIMEOUT", 0)
    url = upload(desk, PEOPLE, resource="leads")
    page = fields(desk.get(url))
    with pages.check_turn(manager.pk):
        answer = desk.post(url, {**page, "cell-2-cstname": "Typed", "do": "send"}, follow=True)
        assert "Your choices are kept, and nothing was sent." in text(answer)
    assert import_file.settings_of(Import.objects.get()).edits == {"2": {"cstname": "Typed"}}
    assert desk.get(url).status_code == 200


def test_a_process_checks_two_files_at_a_time(monkeypatch):
    monkeypatch.setattr(pages, "WAIT_TIMEOUT", 0)
    with pages.check_turn(1), pages.check_turn(2):
        for person in (1, 3):
            with pytest.raises(pages.TooBusy), pages.check_turn(person):
                pass
    monkeypatch.setattr(pages, "WAIT_TIMEOUT", 20)
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
