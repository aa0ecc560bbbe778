"""The import page: preview, apply, and errors that keep the typed table."""

from decimal import Decimal

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from dashboard.office.editing import save_entries
from dashboard.office.kinds import Kind
from dashboard.office.reference_lists import entries, entry, names
from tests.tables.files import ods, xlsx

pytestmark = pytest.mark.django_db
URL = "/settings/lists/countries/import/"
TABLE = "id,name,calling code\n1,France,33\n2,España,+34\nx,Nowhere,1\n,,\n1,Again,2\n"


@pytest.fixture
def countries():
    save_entries("Acme", Kind.COUNTRY, [{"code": "1", "name": "France", "calling_code": "33"}])
    save_entries("Acme", Kind.COUNTRY, [{"code": "2", "name": "Spain", "calling_code": "34"}])


def preview(keeper, text):
    return keeper.post(URL, {"text": text, "check": "1"})


def apply(keeper, text, page):
    mark = page.content.decode().split('name="fingerprint" value="')[1].split('"')[0]
    return keeper.post(URL, {"text": text, "apply": "1", "fingerprint": mark})


def test_the_preview_shows_the_change_of_every_line(keeper, countries):
    page = preview(keeper, TABLE + "3,Italy,39\n").content.decode()
    for words in ("New: 1", "Changed: 1", "Unchanged: 1", "Wrong: 2"):
        assert words in page
    assert "name: Spain → España" in page
    assert "Enter the number that the CRM uses" in page
    assert "Line 2 has the same id." in page
    assert entry("Acme", Kind.COUNTRY, 3) is None


def test_applying_makes_the_previewed_changes_without_invalid_lines(keeper, countries):
    text = TABLE + "3,Italy,39\n"
    answer = apply(keeper, text, preview(keeper, text))
    assert answer["Location"] == "/settings/lists/countries/"
    assert names("Acme", Kind.COUNTRY) == {1: "France", 2: "España", 3: "Italy"}
    told = keeper.get(answer["Location"]).content.decode()
    assert "1 added, 1 changed. 2 skipped because of errors." in told


def test_entries_that_the_table_lacks_are_unchanged(keeper, countries):
    text = "id;name\n2;Espagne\n"
    apply(keeper, text, preview(keeper, text))
    assert entry("Acme", Kind.COUNTRY, 2).calling_code == "34"
    assert len(entries("Acme", Kind.COUNTRY)) == 2


def test_a_table_changed_after_the_preview_is_previewed_again(keeper, countries):
    page = preview(keeper, "id,name\n2,Espagne\n")
    answer = apply(keeper, "id,name\n2,Hispania\n", page)
    assert answer.status_code == 409
    assert "nothing was saved" in answer.content.decode()
    assert "Hispania" in answer.content.decode()
    assert names("Acme", Kind.COUNTRY)[2] == "Spain"


def test_a_list_changed_after_the_preview_is_previewed_again(keeper, countries):
    text = "id,name\n2,Espagne\n"
    page = preview(keeper, text)
    save_entries("Acme", Kind.COUNTRY, [{"code": "2", "name": "Espagne"}])
    assert apply(keeper, text, page).status_code == 409


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x89PNG\0\0\0", "This is not a text file."),
        (b"x" * 1_000_001, "larger than 1 MB"),
        (b"number,label\n1,France\n", "must name the columns, and “id” and “name”"),
        (b"id,name,name\n1,a,b\n", "names “name” twice"),
        (b"id,name\n" + b"1,a\n" * 5_001, "More than 5,000 lines"),
    ],
)
def test_an_unreadable_file_gets_an_error(keeper, data, words):
    answer = keeper.post(URL, {"file": SimpleUploadedFile("a.csv", data), "check": "1"})
    assert answer.status_code == 422
    assert words in answer.content.decode()


@pytest.mark.parametrize(
    "data",
    [
        xlsx({"Countries": [["id", "name", "calling code"], [7, "Österreich, Wien", "+43"]]}),
        ods([["id", "name", "calling code"], ["7", "Österreich, Wien", "+43"]]),
    ],
)
def test_a_workbook_is_read_and_can_be_corrected_as_text(keeper, data):
    answer = keeper.post(URL, {"file": SimpleUploadedFile("a.bin", data), "check": "1"})
    text = answer.context["form"]["text"].value()
    assert text.splitlines() == ["id,name,calling code", '7,"Österreich, Wien",\'+43']
    apply(keeper, text, answer)
    assert entry("Acme", Kind.COUNTRY, 7).name == "Österreich, Wien"
    assert entry("Acme", Kind.COUNTRY, 7).calling_code == "43"


def test_a_file_with_marks_is_previewed_once_and_taken_without_them(keeper):
    data = "\ufeffid\u200b,name\n7,Öster\u00adreich®\u200b\n".encode()
    answer = keeper.post(URL, {"file": SimpleUploadedFile("a.csv", data), "check": "1"})
    apply(keeper, answer.context["form"]["text"].value(), answer)
    assert entry("Acme", Kind.COUNTRY, 7).name == "Österreich®"


def test_a_stored_price_is_exported_without_zeros_at_its_end(keeper):
    save_entries("Acme", Kind.ITEM, [{"code": "1", "name": "Hour", "price": Decimal(90)}])
    text = keeper.get("/settings/lists/items/export.csv").content.decode("utf-8-sig")
    assert text.splitlines()[1] == "1,Hour,90,,no"


def test_the_export_is_a_csv_file(keeper, countries):
    save_entries("Acme", Kind.COUNTRY, [{"code": "9", "name": "=HYPERLINK(1)", "retired": True}])
    answer = keeper.get("/settings/lists/countries/export.csv")
    assert answer["Content-Disposition"] == 'attachment; filename="countries.csv"'
    lines = answer.content.decode("utf-8-sig").splitlines()
    assert lines[0] == "id,name,calling code,retired"
    assert lines[1] == "1,France,33,no"
    assert lines[3] == "9,'=HYPERLINK(1),,yes"
