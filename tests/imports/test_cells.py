"""Cells are read as the spreadsheet shows them; one without a value waits for the person."""

import io
from collections.abc import Callable
from typing import Any

import pytest
import xlsxwriter

from dashboard.office.editing import save_entries
from dashboard.office.kinds import Kind
from tests.imports.test_deals_tasks import errors
from tests.imports.test_import import counts, send, upload
from tests.page_forms import fields

pytestmark = pytest.mark.usefixtures("lists")


def workbook(fill: Callable[[Any, Any], None]) -> bytes:
    out = io.BytesIO()
    with xlsxwriter.Workbook(out) as book:
        fill(book, book.add_worksheet())
    return out.getvalue()


def test_error_cells_need_fixing_in_every_kind_of_field(desk):
    heads = ["Deal", "Customer", "Pipeline", "Value", "Close date", "Owner"]

    def fill(book: Any, sheet: Any) -> None:
        sheet.write_row(0, 0, heads)
        for index in range(len(heads)):
            sheet.write_row(index + 1, 0, [f"Deal {index}", "", "Retail sales"])
            sheet.write_formula(index + 1, index, "=NA()", None, "#N/A")

    url = upload(desk, workbook(fill), "deals.xlsx", "deals")
    found = errors(desk, url)
    assert len(found) == len(heads)
    assert all("#N/A" in str(row) for row in found.values()), found
    desk.post(url, {**fields(desk.get(url, {"show": "needs_fixing"})), "cell-2-deal_name": "Roof"})
    assert "#N/A" not in str(errors(desk, url)[2])


def test_an_error_behind_its_heading_in_the_notes_needs_fixing(desk):
    url = upload(desk, "Name,Email,Shelf\nAda,ada@x.example,#REF!\nBo,bo@x.example,A7\n")
    desk.post(url, {**fields(desk.get(url)), "field-2": "loose"})
    assert [*errors(desk, url)[2]] == ["cstnotes"]
    page = desk.get(url)
    assert counts(page) == {"needs_fixing": 1, "ready": 1}
    desk.post(url, {**fields(page), "cell-2-cstnotes": "Shelf: A1"})
    assert counts(desk.get(url)) == {"ready": 2}


def test_zeros_of_a_format_are_sent(desk, sent):
    def fill(book: Any, sheet: Any) -> None:
        padded = book.add_format({"num_format": "00000000000"})
        sheet.write_row(0, 0, ["Name", "Email", "Phone", "Tax number"])
        sheet.write_row(1, 0, ["Ada", "ada@x.example"])
        sheet.write(1, 2, 7911400001, padded)
        sheet.write(1, 3, 4200, book.add_format({"num_format": "0000000"}))

    send(desk, upload(desk, workbook(fill), "list.xlsx"))
    body = sent("create")[-1]
    assert (body["cstmobile"], body["ct_taxnumber"]) == ("07911400001", "0004200")


@pytest.mark.parametrize("phone", ["5,55E+09", "4.47911E+11", 4479114000011111])
def test_numbers_that_lost_digits_are_not_sent(desk, phone):
    def fill(book: Any, sheet: Any) -> None:
        sheet.write_row(0, 0, ["Name", "Email", "Phone"])
        sheet.write_row(1, 0, ["Ada", "ada@x.example", phone])

    url = upload(desk, workbook(fill), "list.xlsx")
    [row] = errors(desk, url).values()
    assert [*row] == ["cstmobile"]


def test_hidden_rows_can_be_left_out_at_once(desk):
    def fill(book: Any, sheet: Any) -> None:
        sheet.write_row(0, 0, ["Name", "Email"])
        for row in range(1, 5):
            sheet.write_row(row, 0, [f"Ada {row}", f"ada{row}@x.example"])
        sheet.set_row(2, None, None, {"hidden": True})

    url = upload(desk, workbook(fill), "list.xlsx")
    page = desk.get(url)
    assert counts(page) == {"ready": 4}
    assert b"leave-hidden" in page.content
    desk.post(url, {**fields(page), "leave-hidden": "1"})
    page = desk.get(url)
    assert counts(page) == {"ready": 3, "excluded": 1}
    assert b"leave-hidden" not in page.content


@pytest.mark.usefixtures("umbra")
def test_the_currency_of_a_format_is_that_of_the_record(desk):
    def fill(book: Any, sheet: Any) -> None:
        pounds = book.add_format({"num_format": "#,##0.00 [$GBP]"})
        sheet.write_row(0, 0, ["Number", "Customer", "Item", "Qty", "Price", "Currency"])
        sheet.write_row(1, 0, ["A1", "Umbra Ltd", "Consulting hour", 2, 95, "EUR"])
        sheet.write_row(2, 0, ["A2", "Umbra Ltd", "Consulting hour", 2, 95, "GBP"])
        sheet.write(1, 4, 95, pounds)
        sheet.write(2, 4, 95, pounds)

    url = upload(desk, workbook(fill), "list.xlsx", "invoices")
    assert {number: [*row] for number, row in errors(desk, url).items()} == {2: ["line:price"]}


@pytest.mark.parametrize(
    ("heads", "cells", "title", "status"),
    [
        ("Name,Email,Number", "Ada,ada@x.example,1001", "phone numbers", "ready"),
        ("Name,Email,Phone", "Ada,ada@x.example,2026-11-28", "phone numbers", "ready"),
        ("Name,Email,Phone", "1001,ada@x.example,+44 20 7946 0000", "names", "needs_fixing"),
        ("Name,Email,Phone", "28/11/2026,ada@x.example,", "names", "needs_fixing"),
    ],
)
def test_ids_and_days_where_the_heading_says_something_else_are_asked_about(
    desk, heads, cells, title, status
):
    url = upload(desk, f"{heads}\n{cells}\nBo,bo@x.example,+44 20 7946 0001\n")
    page = desk.get(url)
    [question] = page.context["questions"]
    assert question.title.endswith(f": are these {title}?")
    assert counts(page) == {"needs_answer": 1, "ready": 1}
    desk.post(url, {**fields(page), question.name: "no"})
    [row] = [row for row in desk.get(url, {"show": status}).context["rows"] if row.number == 2]
    assert not {cell.text for cell in row.cells.values()} & {"1001", "2026-11-28", "28/11/2026"}


@pytest.mark.parametrize("cell", ["#N/A", "####", "\ufffd"])
def test_an_error_is_no_word_for_a_blank_cell(desk, cell):
    url = upload(desk, f"Name,Email,Phone\nAda,ada@x.example,{cell}\n".encode())
    page = desk.get(url)
    assert not page.context["questions"]
    assert counts(page) == {"needs_fixing": 1}


def test_broken_letters_are_sent_as_the_person_decides(desk):
    url = upload(desk, "Name,StraÃ\u0178e\nJÃ¶rg,Ring 4\nBo,Weg 5\n".encode())
    page = desk.get(url)
    assert counts(page) == {"needs_fixing": 1, "ready": 1}
    desk.post(url, {**fields(page), "letters": "repair"})
    page = desk.get(url)
    assert counts(page) == {"ready": 2}
    assert [row.text("cstname") for row in page.context["rows"]] == ["Jörg", "Bo"]
    assert page.context["rows"][0].text("cstaddress") == "Ring 4"
    desk.post(url, {**fields(page), "letters": "keep"})
    assert counts(desk.get(url)) == {"ready": 2}


@pytest.mark.parametrize(
    ("resource", "text", "name", "mended"),
    [
        ("deals", "Deal,Customer,Pipeline,Value,Currency\nRoof,Umbra Ltd,Retail,£5,EUR\n",
         "deal_amount", "5"),
        ("contacts", "Name,Phone,Mobile\nAda,\"5,55E+09\",+49 30 1234567\n",
         "cstmobile", "+49 30 1234567"),
        ("invoices", "Number,Customer,Item,Qty,Price,Overall discount,Currency\n"
         "A,Umbra Ltd,Shipping,2,50,£5,EUR\n", "overall_discount", "5"),
    ],
)  # fmt: skip
def test_the_value_that_a_cell_of_the_file_may_mean_can_be_typed(
    desk, umbra, resource, text, name, mended
):
    save_entries("Acme", Kind.PIPELINE, [{"code": "7", "name": "Retail"}])
    save_entries(
        "Acme", Kind.CURRENCY, [{"code": "1", "name": "EUR"}, {"code": "2", "name": "GBP"}]
    )
    url = upload(desk, text.encode(), resource=resource)
    page = desk.get(url)
    assert counts(page) == {"needs_fixing": 1}
    desk.post(url, {**fields(page), f"cell-2-{name}": mended})
    assert counts(desk.get(url)) == {"ready": 1}


def test_an_older_page_takes_no_edit_back(desk):
    url = upload(desk, "Name,Email\nAda,ada@\nBo,bo@\n")
    older = fields(desk.get(url))
    desk.post(url, {**older, "cell-2-cstemail": "ada@x.example"})
    desk.post(url, {**older, "cell-3-cstemail": "bo@x.example"})
    assert counts(desk.get(url)) == {"ready": 2}
