"""Tables are written as CSV and XLSX that read back the same and that nothing calculates."""

import csv
import io
import re
import subprocess
import sys
import zipfile
from datetime import UTC, date, datetime, time
from decimal import Decimal
from xml.etree import ElementTree

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from dashboard.tables import writing
from dashboard.tables.cells import escape_formula, unescape_formula
from dashboard.tables.columns import date_of, number_of
from dashboard.tables.limits import UnreadableTable
from dashboard.tables.reading import TableChoices
from dashboard.tables.writing import CUT, FULL, TextFormat, write_csv, write_xlsx
from dashboard.text.style import COMMA, DAY_FIRST, MARKS, MONTH_FIRST, YEAR_FIRST
from tests.tables.files import read_table

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "'=1", "\uff1d1", "+49 170 123"]
ESCAPED = re.compile("_x[0-9A-Fa-f]{4}_")  # what XLSX writes for characters that XML lacks

texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=20).filter(
    lambda text: "\ufffe" not in text and "\uffff" not in text and not ESCAPED.search(text)
)
texts = texts | st.sampled_from(
    ["two\nlines", 'a "quote"', "a;b,c|d\te", "=1+1", "'=1", "+49 30 1"]
)
tables = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.tuples(*[texts] * width), min_size=1, max_size=8)
)


def filled(rows):
    return [row for row in rows if any(cell.strip() for cell in row)]


def cells(table):
    """The rows without the blank columns at the end."""
    return [row.cells for row in table.rows]


def xlsx_of(headings, rows, **options):
    file = io.BytesIO()
    write_xlsx(file, [headings, *rows], **options)
    return file.getvalue()


@given(tables, st.sampled_from(",;\t|"), st.booleans())
def test_texts_read_back_from_csv_as_written(rows, separator, mark):
    assume(filled(rows))
    style = TextFormat(separator=separator, byte_order_mark=mark)
    data = b"".join(write_csv([["Heading"] * len(rows[0]), *rows], style))
    table = read_table(data, TableChoices(separator=separator, header=1))
    assert cells(table) == filled(rows)


@given(tables)
@example([("a", " "), ("b ", "c")])
def test_texts_read_back_from_xlsx_as_written(rows):
    assume(filled(rows))
    table = read_table(xlsx_of(["Heading"] * len(rows[0]), rows), TableChoices(header=1))
    assert cells(table) == [without_blank_end(row) for row in filled(rows)]


def without_blank_end(row):
    """Blank cells at the end of a sheet's row have no text: they are not told from missing ones."""
    last = max(index for index, cell in enumerate(row) if cell.strip())
    return (*row[: last + 1], *([""] * (len(row) - last - 1)))


@given(
    st.lists(st.decimals(-(10**9), 10**9, places=4), min_size=1),
    st.lists(st.dates(date(1000, 1, 1)), min_size=1),
    st.sampled_from(sorted(MARKS)),
    st.sampled_from([DAY_FIRST, MONTH_FIRST, YEAR_FIRST]),
)
def test_numbers_and_dates_read_back_from_csv_in_the_persons_style(numbers, days, mark, order):
    style = TextFormat(separator=";", mark=mark, order=order)
    rows = list(zip(numbers, days, strict=False))
    table = read_table(b"".join(write_csv([("N", "D"), *rows], style)), mark=mark, order=order)
    for row, (number, day) in zip(table.rows, rows, strict=True):
        assert number_of(row.cells[0], mark) == number
        assert date_of(row.cells[1], order) == day


@given(
    st.binary(max_size=200)
    | st.text(max_size=100).map(lambda text: text.encode("utf-8", "replace"))
)
def test_any_bytes_are_read_or_refused_with_a_reason(data):
    try:
        table = read_table(data)
    except UnreadableTable as error:
        reason = str(error)
    else:
        reason = ""
        assert all(len(row.cells) == len(table.columns) for row in table.rows)
    assert not reason or reason.endswith(".")


@given(
    tables, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
)
def test_a_table_in_any_encoding_is_read_rightly_or_its_encoding_is_called_a_guess(rows, encoding):
    text = b"".join(
        write_csv([["Heading"] * len(rows[0]), *rows], TextFormat(byte_order_mark=False))
    )
    try:
        data = text.decode().encode(encoding)
        expected = filled(rows)
        table = read_table(data, TableChoices(separator=",", header=1))
    except (UnicodeEncodeError, UnreadableTable):
        return
    bytes_say_utf_8 = encoding == "cp1252" and table.encoding.value == "utf-8"
    right = cells(table) == expected
    assert right or not table.encoding.certain or bytes_say_utf_8


def test_types_are_kept_in_xlsx():
    row = ["x", Decimal("-12.50"), date(2026, 4, 3), datetime(2026, 4, 3, 15, 30), True, None]
    data = xlsx_of(["A", "B", "C", "D", "E", "F"], [row])
    assert cells(read_table(data)) == [
        ("x", Decimal("-12.5"), date(2026, 4, 3), datetime(2026, 4, 3, 15, 30), "yes", "")
    ]


def test_what_a_spreadsheet_cannot_keep_is_written_as_text():
    values = [Decimal("1234567890123456.7"), Decimal("NaN"), date(1899, 1, 2), time(9, 30)]
    data = xlsx_of("ABCDE", [[*values, datetime(1899, 12, 30, 5)]])
    (row,) = cells(read_table(data))
    assert row[:4] == ("1234567890123456.7", "NaN", "1899-01-02", "09:30:00")
    assert row[4].startswith("1899-12-30")


def test_a_text_that_is_too_long_for_a_cell_is_cut_and_counted():
    data = xlsx_of(["A"], [["a" * 40_000]])
    assert len(read_table(data).rows[0].cells[0]) == 32_767
    assert cells(read_table(data, TableChoices(sheet="Notes", header=0))) == [(CUT.format(1),)]


def test_a_sheet_that_is_full_says_so_in_its_last_row(monkeypatch):
    monkeypatch.setattr(writing, "MAX_ROWS", 3)
    assert cells(read_table(xlsx_of(["A"], [["1"], ["2"]]))) == [("1",), (FULL,)]


def test_notes_become_a_second_sheet():
    data = xlsx_of(["A"], [], notes=["Read on 3 Apr 2026.", "=1+1"])
    table = read_table(data, TableChoices(sheet="Notes", header=0))
    assert [*table.sheets] == ["Table", "Notes"]
    assert cells(table) == [("Read on 3 Apr 2026.",), ("=1+1",)]


def test_the_headings_stay_in_sight_and_columns_are_as_wide_as_their_texts():
    data = xlsx_of(["A", "B"], [["short", "x" * 30], ["y", "x" * 300]])
    sheet = zipfile.ZipFile(io.BytesIO(data)).read("xl/worksheets/sheet1.xml").decode()
    assert 'state="frozen"' in sheet
    assert [round(float(width)) for width in re.findall(r' width="([0-9.]+)"', sheet)] == [11, 61]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_text_acts_as_a_formula(text):
    [line] = csv.reader(io.StringIO(b"".join(write_csv([[text]])).decode("utf-8-sig"), newline=""))
    assert line[0].startswith("'")
    sheet = zipfile.ZipFile(io.BytesIO(xlsx_of(["A"], [[text]])))
    assert b"<f>" not in sheet.read("xl/worksheets/sheet1.xml")


def test_a_text_that_looks_like_a_part_of_the_file_stays_a_text():
    text = '<r><t>a</t></r></is></c><c r="B2"><f>1+1</f></c><c t="inlineStr"><is><r><t>b</t></r>'
    texts = [text, "_x0041_", "&amp;", "]]>", '<row r="2">', "</sheetData>", " spaces "]
    rows = [[*texts, "x"], [*texts, "y"]]
    data = xlsx_of([*texts, "Last"], rows, notes=texts)
    for number in (1, 2):
        sheet = zipfile.ZipFile(io.BytesIO(data)).read(f"xl/worksheets/sheet{number}.xml")
        assert b"<f>" not in sheet
    names = [text.strip() for text in texts]
    table = read_table(data, TableChoices(header=1))
    assert [cell.strip() for cell in table.rows[1].cells] == [*names, "y"]
    assert [column.title.strip() for column in table.columns] == [*names, "Last"]


def test_the_frame_of_an_xlsx_file_says_how_far_it_reaches():
    data = xlsx_of(["A", "B", "C"], [["x", "y", "z"]] * 5)
    sheet = zipfile.ZipFile(io.BytesIO(data)).read("xl/worksheets/sheet1.xml").decode()
    assert '<dimension ref="A1:C6"/>' in sheet
    assert re.findall(r'<row r="(\d+)"', sheet) == [str(number) for number in range(1, 7)]
    ElementTree.fromstring(sheet)


@pytest.mark.parametrize("text", ["'s-Hertogenbosch", "a=1", "0049 30", "5-6", "'quoted'"])
def test_harmless_text_is_written_as_it_is(text):
    assert escape_formula(text) == text == unescape_formula(text)


def test_negative_numbers_stay_numbers():
    assert (
        b"".join(write_csv([[Decimal("-1.5")]], TextFormat(byte_order_mark=False))) == b"-1.5\r\n"
    )


def test_a_phone_number_reads_back_as_it_is():
    phone = "+49 170 1234567"
    assert cells(read_table(xlsx_of(["Phone"], [[phone]]))) == [(phone,)]
    assert cells(read_table(b"".join(write_csv([["Phone"], [phone]])))) == [(phone,)]


def test_datetimes_are_written_as_they_stand_and_characters_without_meaning_are_left_out():
    moment = datetime(2026, 4, 3, 15, 30, tzinfo=UTC)
    style = TextFormat(separator=";", mark=COMMA, order=DAY_FIRST, byte_order_mark=False)
    row = [moment, "a\x00\x1f\ud800b", "a\r\nb", Decimal("1.5")]
    assert b"".join(write_csv([row], style)) == b'03/04/2026 15:30:00;ab;"a\nb";1,5\r\n'


MEASURED = """
import resource, sys, tempfile
from decimal import Decimal
from dashboard.tables.writing import write_csv, write_xlsx

def rows(count):
    for number in range(count):
        yield [f"Name {number}", Decimal(number), f"+49 30 {number}"]

def write(count):
    for chunk in write_csv(rows(count)):
        pass
    with tempfile.TemporaryFile() as file:
        write_xlsx(file, rows(count))

write(1_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
write(int(sys.argv[1]))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
def test_100_000_rows_take_5_mb_more_memory_than_1_000():
    command = [sys.executable, "-c", MEASURED, "100000"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 5_000  # kB
