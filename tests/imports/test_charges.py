"""Amounts of a file that no field takes, such as shipping, are never dropped without a word."""

import pytest

from tests.imports.test_documents import made
from tests.imports.test_file_totals import answer, asked, invoices
from tests.imports.test_import import counts, send
from tests.page_forms import fields

__all__ = ["invoices"]
pytestmark = pytest.mark.usefixtures("lists")


def errors(page):
    return [{*row.errors} for row in page.context["rows"]]


@pytest.mark.parametrize("heading", ["Shipping", "Versandkosten", "Frais de port", "Adjustment"])
@pytest.mark.parametrize("total", ["Total,105", "Remark,fine"])
def test_a_charge_holds_its_document_as_the_cause_until_it_is_emptied(
    desk, invoices, sent, heading, total
):
    name, text = total.split(",")
    url = invoices(f"Item,Qty,Price,VAT,{heading},{name}", f"D1,Shipping,1,100,0 %,5.00,{text}",
                   f"D2,Shipping,1,100,0 %,0,{text if text == 'fine' else 100}")  # fmt: skip
    page = desk.get(url)
    wrong = {"file:charge"} | ({"file:total"} if name == "Total" else set())
    assert (counts(page), errors(page)) == ({"needs_fixing": 1, "ready": 1}, [wrong])
    desk.post(url, {**fields(page), "cell-2-file:charge": "", "cell-2-file:total": ""})
    assert counts(desk.get(url)) == {"ready": 2}
    send(desk, url)
    assert "charge" not in str(made(sent)[-2:])


def test_charges_of_several_columns_and_rows_are_held_one_by_one(desk, invoices):
    url = invoices("Item,Qty,Price,VAT,Shipping,Tip", "D1,Shipping,1,100,0 %,5.00,0.50",
                   "D1,Shipping,1,100,0 %,free,1.50", "D2,Shipping,1,9,0 %,5 or 6,")  # fmt: skip
    page = desk.get(url)
    assert errors(page) == [{"file:charge"}, {"file:charge"}]
    for row in (2, 3):
        desk.post(url, {**fields(desk.get(url)), f"cell-{row}-file:charge": ""})
    assert counts(desk.get(url)) == {"needs_fixing": 1, "ready": 1}


@pytest.mark.parametrize(("code", "status"), [("yes", "needs_fixing"), ("no", "ready")])
def test_an_unknown_column_of_numbers_is_asked_about_once(desk, invoices, code, status):
    url = invoices("Item,Qty,Price,VAT,Extra", "D1,Shipping,1,100,0 %,5.00",
                   "D2,Shipping,1,100,0 %,+7.00", "D3,Shipping,1,100,0 %,n/a")  # fmt: skip
    page = desk.get(url)
    assert (counts(page), asked(page)) == ({"needs_answer": 2, "ready": 1}, {"charge"})
    page = answer(desk, url, charge=code)
    assert asked(page) == set()
    assert counts(page)[status] >= 2


@pytest.mark.parametrize(
    ("head", "cells"),
    [
        ("Extra,Total", "5.00,100"),
        ("Extra,Total", "0.00,100"),
        ("Account code", "200"),
        ("Phone", "0171 555"),
        ("Colour", "red 5"),
    ],
)
def test_a_column_that_the_total_leaves_out_or_that_is_no_amount_is_not_asked_about(
    desk, invoices, head, cells
):
    url = invoices(f"Item,Qty,Price,VAT,{head}", f"D1,Shipping,1,100,0 %,{cells}")
    page = desk.get(url)
    assert (counts(page), asked(page)) == ({"ready": 1}, set())


def test_a_total_with_an_unknown_amount_holds_its_document_and_asks(desk, invoices):
    url = invoices("Item,Qty,Price,VAT,Extra,Total", "D1,Shipping,1,100,0 %,5.00,105")
    page = desk.get(url)
    assert asked(page) == {"charge"}
    assert counts(answer(desk, url, charge="no")) == {"needs_fixing": 1}


def test_a_discount_above_the_total_is_held_at_its_cell(desk, invoices):
    url = invoices("Item,Qty,Price,VAT,Overall discount", "D1,Shipping,1,100,0 %,150 off",
                   "D2,Shipping,1,100,20 %,120 off")  # fmt: skip
    page = desk.get(url)
    assert (counts(page), errors(page)) == (
        {"needs_fixing": 1, "ready": 1},
        [{"overall_discount"}],
    )


def test_all_of_a_price_with_tax_may_be_a_discount(desk, invoices, sent):
    url = invoices("Item,Qty,Gross price,VAT,Discount,Total",
                   "D1,Shipping,3,19.99,20 %,59.97 off,0")  # fmt: skip
    assert counts(desk.get(url)) == {"ready": 1}
