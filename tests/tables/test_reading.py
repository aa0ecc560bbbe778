"""A file or pasted text is read as a table or refused with a reason; guesses can be changed."""

import io
import json
from datetime import date
from decimal import Decimal

import pytest
import xlsxwriter

from dashboard.tables import limits
from dashboard.tables.cells import Guess, why_unreadable
from dashboard.tables.limits import UnreadableTable
from dashboard.tables.reading import KEEP, REPAIR, TableChoices, check_file
from dashboard.text.style import COMMA
from tests.tables.files import read_table

from .files import ods, packed, xlsx

WORDS = "Name;City\nMüller;Köln\nŠimek;Brno\n"


def cells(table):
    return [row.cells for row in table.rows]


def refusal(content):
    with pytest.raises(UnreadableTable) as caught:
        read_table(content)
    return str(caught.value)


@pytest.mark.parametrize(
    ("encoding", "guess"),
    [
        ("utf-8", Guess("utf-8")),
        ("utf-8-sig", Guess("utf-8")),
        ("utf-16", Guess("utf-16")),
        ("utf-16-le", Guess("utf-16-le", certain=False)),
        ("utf-16-be", Guess("utf-16-be", certain=False)),
        ("cp1252", Guess("cp1252", certain=False)),
    ],
)
def test_the_encoding_is_guessed_and_said(encoding, guess):
    table = read_table(WORDS.encode(encoding))
    assert cells(table) == [("Müller", "Köln"), ("Šimek", "Brno")]
    assert table.encoding == guess
    assert [column.title for column in table.columns] == ["Name", "City"]


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("cp1250", "Łukasz Żółć;Poznań;Miejscowość"),
        ("cp1250", "Paweł Ślązak;Gdańsk;stały klient"),
        ("cp1251", "Илья Репин;Москва;Улица Ленина"),
        ("cp1253", "Ελένη Παπαδάκη;Αθήνα;Οδός Ερμού"),
        ("cp1252", "Jörg Weiß;Köln;Straße 12 m³"),
        ("cp1252", "Zoé Lefèvre;Besançon;« déjà vu » à 12 £"),
        ("cp1252", "Lucía Ñíguez;Logroño;¿Llamar?"),
        ("cp1252", "Åsa Ångström;Malmö;Gård"),
        ("cp1252", "João Conceição;São Paulo;Praça 1ª"),
    ],
)
def test_the_encoding_of_an_office_is_guessed_by_its_letters(encoding, words):
    table = read_table(f"Name;City;Note\n{words}\n".encode(encoding))
    assert cells(table) == [tuple(words.split(";"))]
    assert table.encoding == Guess(encoding, certain=False)


def test_another_encoding_can_be_chosen():
    data = "Name\nAyşe Güneş\n".encode("cp1254")
    assert cells(read_table(data)) != [("Ayşe Güneş",)]
    assert cells(read_table(data, TableChoices(encoding="cp1254"))) == [("Ayşe Güneş",)]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_guessed(separator):
    text = f'Name{separator}Note\nA{separator}"x{separator}y"\nB{separator}"two\nlines"\n'
    table = read_table(text.encode())
    assert table.separator.value == separator
    assert cells(table) == [("A", f"x{separator}y"), ("B", "two\nlines")]


def test_decimal_commas_do_not_pass_for_separators():
    table = read_table(b"a;b\n1,5;2,5\n")
    assert cells(table) == [("1,5", "2,5")]
    assert [column.mark for column in table.columns] == [Guess(COMMA), Guess(COMMA)]


def test_another_separator_can_be_chosen():
    table = read_table(b"a;b\n1,5;2,5\n", TableChoices(separator=",", header=1))
    assert cells(table) == [("1", "5;2", "5")]


def test_the_separator_that_excel_names_is_used_and_is_no_row():
    table = read_table(b"sep=;\r\nA;B\r\n1;2\r\n")
    assert (table.separator.value, cells(table)) == (";", [("1", "2")])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_is_understood(end):
    assert cells(read_table(f"A,B{end}1,2{end}".encode())) == [("1", "2")]


def test_pasted_cells_are_read():
    table = read_table("Name\tCity\nAcme\tBonn")
    assert (table.encoding, cells(table)) == (None, [("Acme", "Bonn")])


def test_titles_above_the_headings_are_no_rows():
    table = read_table(b"Customers 2026;;\n;;\nName;City;Since\nAcme;Bonn;2020-01-01\n")
    assert table.header == Guess(3)
    assert [(row.number, row.cells) for row in table.rows] == [(4, ("Acme", "Bonn", "2020-01-01"))]


def test_the_headings_of_documents_are_found_above_lines_that_fill_few_cells():
    text = "Old invoices;;;;;\nNo;Customer;Date;Item;Qty;Price\nA;Ann;2026-11-03;Ink;1;5\n"
    text += ";;;Total;;\nB;Ben;2026-11-04;Ink;1;\n;;;Pen;2;\nC;Cem;2026-11-05;Pen;;\n;;;Total;;\n"
    assert read_table(text).header.value == 2


def test_a_table_without_headings_has_its_first_row():
    table = read_table(b"Acme,5.0\nBeta,6.5\n")
    assert (table.header, len(table.rows)) == (Guess(0), 2)
    assert [column.title for column in table.columns] == ["Column A", "Column B"]


def test_the_row_of_headings_can_be_chosen():
    table = read_table(b"Name\nAcme\n", TableChoices(header=0))
    assert cells(table) == [("Name",), ("Acme",)]
    assert read_table(b"Name\nAcme\nBeta\n", TableChoices(header=2)).columns[0].title == "Acme"


def test_rows_have_as_many_cells_as_there_are_columns():
    table = read_table(b"A,B\n1\n1,2,3\n")
    assert cells(table) == [("1", "", ""), ("1", "2", "3")]
    assert [column.title for column in table.columns] == ["A", "B", "Column C"]


def test_a_workbook_keeps_the_types_of_its_cells():
    data = xlsx(
        {"One": [["Name", "Price", "Day"], ["Acme", 12.5, date(2026, 4, 3)], ["Beta", 3, ""]]}
    )
    table = read_table(data)
    assert (table.format, table.sheets) == ("xlsx", {"One": 3})
    assert cells(table) == [
        ("Acme", Decimal("12.5"), date(2026, 4, 3)),
        ("Beta", Decimal(3), ""),
    ]


def test_the_first_sheet_with_cells_is_read_and_another_can_be_chosen():
    data = xlsx({"Empty": [], "Two": [["A"], ["1"]], "Three": [["B"], ["x"]]})
    assert read_table(data).sheet == "Two"
    assert cells(read_table(data, TableChoices(sheet="Three"))) == [("x",)]
    assert read_table(data, TableChoices(sheet="no such \0 \ud800")).sheet == "Two"


def test_rows_keep_the_numbers_that_the_spreadsheet_shows():
    table = read_table(xlsx({"One": [[], ["", "Name", "Email"], [], ["", "Acme", "x@y.example"]]}))
    assert [(row.number, row.cells) for row in table.rows] == [(4, ("", "Acme", "x@y.example"))]


def test_an_ods_file_is_read(reading_process):
    table = read_table(ods([["Name", "City"], ["Müller & Co", "Köln"]]))
    assert (table.format, cells(table)) == ("ods", [("Müller & Co", "Köln")])


@pytest.mark.parametrize("data", [b"", b"\n \r\n", b"\xef\xbb\xbf", b"\xff\xfe", b";;\n;;"])
def test_an_empty_file_is_refused(data):
    assert "empty" in refusal(data)


def test_a_workbook_without_cells_is_refused():
    assert "empty" in refusal(xlsx({"One": []}))


@pytest.mark.parametrize(
    "data",
    [
        packed({"xl/workbook.xml": "no xml"}),
        packed({"content.xml": "no xml"}),
        xlsx({"One": [["A"], ["1"]]})[:-300],
        b"PK\x03\x04 and nothing else",
    ],
)
def test_a_damaged_workbook_is_refused(data):
    assert "damaged" in refusal(data)


def test_a_workbook_with_a_password_is_refused():
    assert "password" in refusal(b"\xd0\xcf\x11\xe0" + "EncryptedPackage".encode("utf-16-le"))
    manifest = '<manifest:encryption-data manifest:checksum-type="SHA1/1K">'
    assert "password" in refusal(packed({"META-INF/manifest.xml": manifest, "content.xml": b"\1"}))


def test_other_binary_files_are_refused():
    assert "old Excel" in refusal(b"\xd0\xcf\x11\xe0 and so on")
    assert "not a table" in refusal(packed({"word/document.xml": "x"}))
    assert "not a text file" in refusal(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\0")
    assert "not Unicode" in refusal(b"\xff\xfea")


def test_an_unclosed_quotation_mark_is_refused_with_its_line():
    assert "Line 3" in refusal(b'A,B\n1,2\n"3,4\n')


def test_what_is_too_large_is_refused(monkeypatch):
    assert "10 MB" in refusal(b"a" * (limits.MAX_BYTES + 1))
    assert "20,000 rows" in refusal(b"A\n" + b"1\n" * (limits.MAX_ROWS + 1))
    assert "200 columns" in refusal(b"a," * (limits.MAX_COLUMNS + 1))
    assert "32,767 characters" in refusal(b"A\n" + b"a" * (limits.MAX_CELL_LENGTH + 1))
    assert len(read_table(b"A\n" + b"1\n" * limits.MAX_ROWS).rows) == limits.MAX_ROWS


def test_a_workbook_that_is_too_large_is_refused():
    rows = [["A"], *([number] for number in range(limits.MAX_ROWS + 1))]
    assert "20,000 rows" in refusal(xlsx({"One": rows}))
    assert "200 columns" in refusal(xlsx({"One": [list(range(limits.MAX_COLUMNS + 1))]}))


def test_a_workbook_that_unpacks_to_too_much_is_refused(monkeypatch):
    monkeypatch.setattr("dashboard.tables.workbooks.MAX_UNPACKED", 1_000_000)
    assert "too large to read" in refusal(packed({"xl/workbook.xml": b" " * 2_000_000}))


def test_a_long_text_that_many_cells_share_is_refused():
    rows = [["a" * 32_000]] * 5_000
    assert "too much text" in refusal(xlsx({"One": rows}))


def test_cells_that_span_billions_of_others_are_refused(reading_process):
    out = io.BytesIO()
    with xlsxwriter.Workbook(out) as book:
        book.add_worksheet().write(1_048_575, 16_383, "far away")
    assert "too large to read" in refusal(out.getvalue())


def test_the_reading_process_gets_nothing_of_the_environment(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "a secret")
    started = []

    class Done:
        returncode, stdout = (
            0,
            json.dumps({"sheets": {"A": 1}, "sheet": "A"}).encode() + b'\n[1, "x"]',
        )

    def run(command, **options):
        started.append(options)
        return Done

    monkeypatch.setattr("dashboard.tables.workbooks.subprocess.run", run)
    read_table(xlsx({"A": [["x"]]}))
    Done.stdout = b'{"encoding": ["utf-8", true], "separator": [",", true]}\n[1, "x"]'
    read_table(b"x")
    assert [options["env"] for options in started] == [{}, {}]


def test_a_workbook_opens_with_the_sheet_that_has_most_rows():
    people = [["Name", "Email"], *([f"P{number}", "p@x.example"] for number in range(4))]
    notes = [[f"Remark {number}"] for number in range(9)]
    data = xlsx({"About": [["Title"]], "Notes": notes, "People": people})
    table = read_table(data)
    assert (table.sheet, dict(table.sheets)) == ("People", {"About": 1, "Notes": 9, "People": 5})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"<!DOCTYPE html><table><tr><td>Name</td></tr></table>", "web page"),
        (b'\xef\xbb\xbf\n<table border="1"><tr><th>Name</th></tr></table>', "web page"),
        (b'<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office">', "XML"),
        (b'{"contacts": [{"name": "Ada"}]}', "JSON"),
        (b'[\n  {"name": "Ada"}\n]', "JSON"),
        (b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n", "calendar"),
        (b"Received: from a\n by b\nFrom: Ada <a@x.example>\nMIME-Version: 1.0\n\nx", "email"),
        (b"%PDF-1.7\n", "document"),
        (b"{\\rtf1\\ansi Name}", "document"),
    ],
)
def test_a_text_that_is_no_table_is_refused(content, words):
    assert words in refusal(content)
    assert words in refusal(content.decode())


@pytest.mark.parametrize(
    ("broken", "text"),
    [
        ("MÃ¼ller", "Müller"),
        ("MĂĽller", "Müller"),  # by way of Windows-1250
        ("M√ºller", "Müller"),  # of an old Mac
        ("Å\x81Ã³dÅº", "Łódź"),
        ("â€œHiâ€\x9d", "“Hi”"),
    ],
)
def test_broken_letters_are_asked_about(broken, text):
    content = f"Name\tTown\n{broken}\tKöln\n"
    table = read_table(content)
    assert (table.broken, table.repaired) == (broken, text)
    assert [bool(why_unreadable(cell)) for cell in table.rows[0].cells] == [True, False]
    assert text in why_unreadable(table.rows[0].cells[0])
    assert cells(read_table(content, TableChoices(letters=REPAIR))) == [(text, "Köln")]
    [kept] = read_table(content, TableChoices(letters=KEEP)).rows
    assert (kept.cells[0], why_unreadable(kept.cells[0])) == (broken, "")


@pytest.mark.parametrize(
    "text", ["„CAFÉ“", "NÃO", "Łódź", "Россия", "Ελλάδα", "“naïve é»”", "日本"]
)
def test_letters_of_any_language_are_whole(text):
    assert not read_table(f"Name\tTown\n{text}\tx\n").broken


def test_lost_letters_cannot_be_read():
    assert why_unreadable("M\ufffdller")


def test_a_vcard_is_no_list_of_words():
    with pytest.raises(UnreadableTable, match="vCard"):
        check_file(b"BEGIN:VCARD\nFN:Ada\nEND:VCARD\n")
