"""A cell of a workbook is read as shown, and is never blank because the file lacks its value."""

import io
import re
import zipfile
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

from dashboard.tables.cells import Cell, FormattedNumber, cell_text, why_unreadable
from dashboard.tables.limits import UnreadableTable
from dashboard.tables.reading import ReadTable, TableChoices
from tests.tables.files import ods_table, packed, read_table, xlsx

FIRST_ROW_IS_DATA = TableChoices(header=0)


def workbook(write: Callable[[Any, Any], None]) -> ReadTable:
    """The table of a sheet as `write` fills it."""
    out = io.BytesIO()
    with xlsxwriter.Workbook(out) as book:
        write(book, book.add_worksheet())
    return read_table(out.getvalue(), FIRST_ROW_IS_DATA)


def formatted(number: float, code: str) -> Cell:
    def write(book: Any, sheet: Any) -> None:
        sheet.write(0, 0, number, book.add_format({"num_format": code}))

    return workbook(write).rows[0].cells[0]


def ods_cells(*cells: str) -> tuple[Cell, ...]:
    row = f"<table:table-row>{''.join(cells)}</table:table-row>"
    return read_table(ods_table(row), FIRST_ROW_IS_DATA).rows[0].cells


def ods_cell(kind: str, value: str, text: str, **others: str) -> str:
    more = "".join(f' {name.replace("_", ":")}="{value}"' for name, value in others.items())
    return (
        f'<table:table-cell office:value-type="{kind}" office:value="{value}"{more}>'
        f"<text:p>{text}</text:p></table:table-cell>"
    )


@pytest.mark.parametrize(
    ("number", "code", "text", "unit"),
    [
        (0.2, "0%", "20%", "%"),
        (0.075, "0.00%", "7.5%", "%"),
        (-0.05, '0.0" off" %;[Red]-0.0 %', "-5%", "%"),
        (20, '0.0" %"', "20%", "%"),
        (42, "00000", "00042", ""),
        (7911400001, "0##########", "07911400001", ""),
        (7911400001, '"0"#########', "07911400001", ""),
        (447911400001, '"+"00 0000 000000', "+44 7911 400001", ""),
        (12345678, "000-00-0000", "012-34-5678", ""),
        (42, '""00000""', "00042", ""),
        (1234.5, "#,##0.00 [$EUR]", "1234.5 EUR", "EUR"),
        (1200, '#,##0.00\\ "€"', "1200 €", "€"),
        (-12.5, "_-* #,##0.00\\ [$£-809]_-;\\-* #,##0.00\\ [$£-809]_-", "-12.5 £", "£"),
        (5, "$#,##0.00", "5 $", "$"),
        (5, '"CHF" 0.00', "5 CHF", "CHF"),
        (5, '0.00\\ "kr"', "5 kr", "kr"),
    ],
)
def test_a_number_is_what_its_format_shows(number, code, text, unit):
    cell = formatted(number, code)
    assert isinstance(cell, FormattedNumber)
    assert (cell_text(cell), cell.unit) == (text, unit)


@pytest.mark.parametrize("code", ["General", "0", "0.00", "#,##0", '0 "pcs"', "[Red]0", "0E+00"])
def test_other_formats_change_nothing(code):
    assert type(formatted(42, code)) is Decimal


def test_the_cells_of_an_ods_file_are_what_they_show():
    cells = ods_cells(
        ods_cell("percentage", "0.2", "20 %"),
        ods_cell("float", "42", "00042"),
        ods_cell("float", "447911400001", "+44 7911 400001"),
        ods_cell("currency", "1234.5", "1.234,50 €", office_currency="EUR"),
        ods_cell("float", "12.5", "12,50"),
        ods_cell("float", "43", "00043").replace(
            "<text:p>", "<office:annotation><text:p>Checked 1</text:p></office:annotation><text:p>"
        ),
    )
    assert cells == (20, 42, 447911400001, Decimal("1234.5"), Decimal("12.5"), 43)
    texts = ["20%", "00042", "+44 7911 400001", "1234.5 EUR", "12.5", "00043"]
    assert [*map(cell_text, cells)] == texts


def test_errors_and_formulas_without_a_value_are_not_blank():
    def write(book: Any, sheet: Any) -> None:
        sheet.write(0, 0, "Acme")
        sheet.write_formula(0, 1, "=NA()", None, "#N/A")
        sheet.write_formula(0, 2, "=1+1", None, 2)

    reasons = [why_unreadable(cell) for cell in workbook(write).rows[0].cells]
    assert [bool(reason) for reason in reasons] == [False, True, False]
    assert "#N/A" in reasons[1]


def test_a_row_of_nothing_else_is_read_too():
    parts = _without_values(xlsx({"One": [["Acme", "x"], ["Beta", "y"]]}))
    table = read_table(parts, FIRST_ROW_IS_DATA)
    assert [bool(why_unreadable(row.cells[1])) for row in table.rows] == [True, True]


def _without_values(data: bytes) -> bytes:
    """The workbook with formulas without values in its second column."""
    file = zipfile.ZipFile(io.BytesIO(data))
    parts: dict[str, str | bytes] = {name: file.read(name) for name in file.namelist()}
    name = "xl/worksheets/sheet1.xml"
    cell = rb'<c r="(B[0-9])" t="s"><v>[0-9]+</v></c>'
    parts[name] = re.sub(cell, rb'<c r="\1"><f>A1&amp;"x"</f><v></v></c>', file.read(name))
    return packed(parts)


def test_errors_and_formulas_of_an_ods_file_are_not_blank():
    cells = ods_cells(
        '<table:table-cell table:formula="of:=NA()" office:value-type="string"'
        ' office:string-value=""><text:p>#N/A</text:p></table:table-cell>',
        ods_cell("float", "0", "#DIV/0!", table_formula="of:=1/0"),
        '<table:table-cell table:formula="of:=[.A1]+1"/>',
    )
    assert all(map(why_unreadable, cells))


@pytest.mark.parametrize(
    "text",
    ["#N/A", " #REF! ", "#WERT!", "#¡DIV/0!", "#NOM?", "#NV", "####", "Err:502",
     "5,55E+09", "1.23457E+15", "-4.4E+12"],
)  # fmt: skip
def test_a_text_without_its_value_is_noticed(text):
    assert why_unreadable(text)


@pytest.mark.parametrize("text", ["#1", "N/A", "#todo", "1e5", "2E10", "E+09", "Err", "##", "C#!"])
def test_other_texts_are_values(text):
    assert not why_unreadable(text)


def test_more_digits_than_a_spreadsheet_keeps_are_noticed():
    table = read_table(xlsx({"One": [[999999999999999, 4111111111111111]]}), FIRST_ROW_IS_DATA)
    assert [bool(why_unreadable(cell)) for cell in table.rows[0].cells] == [False, True]


def test_hidden_rows_columns_and_sheets_are_named():
    out = io.BytesIO()
    with xlsxwriter.Workbook(out) as book:
        sheet = book.add_worksheet("Shown")
        for row in range(4):
            sheet.write_row(row, 0, [f"Name {row}", "x", "y"])
        sheet.set_row(2, None, None, {"hidden": True})
        sheet.set_column(1, 1, None, None, {"hidden": True})
        other = book.add_worksheet("Other")
        for row in range(9):
            other.write_row(row, 0, ["a", row])
        other.hide()
    table = read_table(out.getvalue(), FIRST_ROW_IS_DATA)
    assert (table.sheet, table.hidden_sheets) == ("Shown", ["Other"])
    assert (table.hidden_rows, table.hidden_columns) == ([3], [1])


def test_hidden_rows_and_columns_of_an_ods_file_are_named():
    text = '<table:table-cell office:value-type="string"><text:p>x</text:p></table:table-cell>'
    table = read_table(
        ods_table(
            '<table:table-column table:number-columns-repeated="2"/>'
            '<table:table-column table:visibility="collapse"/>'
            f"<table:table-row>{text * 3}</table:table-row>"
            '<table:table-row table:visibility="filter" table:number-rows-repeated="2">'
            f"{text * 3}</table:table-row>"
        ),
        FIRST_ROW_IS_DATA,
    )
    assert (table.hidden_rows, table.hidden_columns) == ([2, 3], [2])


def test_headings_again_are_no_record():
    rows = ["Name,Email", "Ada,a@x.example", "", " name ,EMAIL", "Name,b@x.example", "Name,Email"]
    table = read_table("\n".join([*rows, "Bo,b@x.example"]))
    assert [row.cells[0] for row in table.rows] == ["Ada", "Name", "Bo"]


def test_a_million_repeated_cells_are_refused():
    cell = ods_cell("percentage", "0.2", "20 %")
    row = f'<table:table-row table:number-rows-repeated="1048576">{cell}</table:table-row>'
    with pytest.raises(UnreadableTable):
        read_table(ods_table(row))


@given(st.from_regex(r"0[0-9]{1,12}", fullmatch=True))
def test_a_code_of_digits_is_read_as_shown(code):
    cell = formatted(int(code), "0" * len(code))
    assert cell_text(cell) == code
    assert cell == int(code)
