"""The taxes of a file: names, rates, amounts, and none."""

import pytest

from tests.imports.test_documents import made
from tests.imports.test_file_totals import answer, asked, invoices
from tests.imports.test_import import counts, send
from tests.page_forms import fields

__all__ = ["invoices"]
pytestmark = pytest.mark.usefixtures("lists")


def rates(body):
    return [line.get("tax_rate", 0) for line in body["items"]]


@pytest.mark.parametrize("heading", ["VAT", "VAT rate", "Tax type"])
@pytest.mark.parametrize("cell", ["", "none", "exempt", "0", "0 %", "-", "steuerfrei"])
def test_a_cell_without_a_tax_takes_none_from_the_list(desk, invoices, sent, heading, cell):
    url = invoices(f"Item,Qty,Price,{heading},Total", f"D1,Consulting hour,1,100,{cell},100",
                   "D1,Consulting hour,1,100,20 %,120")  # fmt: skip
    assert (counts(desk.get(url)), asked(desk.get(url))) == ({"ready": 1}, set())
    send(desk, url)
    assert rates(made(sent)[-1]) == [0, 20]


def test_a_line_without_a_price_is_that_of_the_list_with_its_tax(desk, invoices, sent):
    send(desk, invoices("Item,Qty,Price,VAT", "D1,Consulting hour,1,,"))
    assert made(sent)[-1]["items"][0].items() >= {"price": 95, "tax_rate": 20}.items()


@pytest.mark.parametrize(
    ("head", "price", "code"),
    [
        ("Price,Tax", 50, "2"),
        ("Price,Tax", 50, "1"),
        ("Gross price,Tax", 59.5, "1"),
    ],
)
def test_figures_of_a_tax_are_asked_about_once(desk, invoices, sent, head, price, code):
    url = invoices(f"Item,Qty,{head}", f"D1,Shipping,2,{price},19.00",
                   f"D2,Shipping,1,{price},9.5")  # fmt: skip
    page = desk.get(url)
    assert (counts(page), asked(page)) == ({"needs_answer": 2}, {"rate"})
    page = answer(desk, url, rate=code)
    assert (counts(page), asked(page)) == ({"ready": 2}, set())
    send(desk, url)
    sent_rates = [rates(body) for body in made(sent)[-2:]]
    assert sent_rates == ([[19], [9.5]] if code == "2" else [[19], [19]])


@pytest.mark.parametrize(
    ("head", "cells", "rate"),
    [
        ("Price,Tax,Total", ("100,19.00,119.00", "50,9.50,59.50"), 19),
        ("Price,Tax,Total", ("100,20,120", "50,20,60"), 20),
        ("Price,Steuer,Line total", ("100,20.00,120", "50,10.00,60"), 20),
        ("Price,Tax", ("1000,200", "50,10"), 20),
        ("Price,Tax", ("100,€20.00", "50,€10.00"), 20),
        ("Price,Tax", ("100,20 %", "50,20"), 20),
        ("Price,VAT %", ("100,20", "50,20"), 20),
        ("Price,Tax,Tax rate", ("100,€19.00,19", "50,€9.50,19"), 19),
    ],
)
def test_sums_signs_and_headings_say_what_the_figures_of_a_tax_are(
    desk, invoices, sent, head, cells, rate
):
    url = invoices(f"Item,Qty,{head}", f"D1,Shipping,1,{cells[0]}", f"D1,Shipping,1,{cells[1]}")
    page = desk.get(url)
    assert (counts(page), asked(page)) == ({"ready": 1}, set())
    send(desk, url)
    assert rates(made(sent)[-1]) == [rate, rate]


@pytest.mark.parametrize("cells", ["Price,Tax;100,€19.001", "Price,Tax,Tax rate;100,€19.00,20 %",
                                   "Price,Tax;0,€19.00"])  # fmt: skip
def test_an_amount_that_no_rate_makes_is_held_until_the_rate_is_entered(desk, invoices, cells):
    head, row = cells.split(";")
    url = invoices(f"Item,Qty,{head}", f"D1,Shipping,1,{row}")
    page = desk.get(url)
    assert "ready" not in counts(page)
    assert [[*row.errors] for row in page.context["rows"]] == [["line:tax_id"]]
    desk.post(url, {**fields(page), "cell-2-line:tax_id": "20 %"})
    assert counts(desk.get(url)) == {"ready": 1}


def test_a_corrected_figure_is_read_as_its_column_is(desk, invoices, sent):
    url = invoices("Item,Qty,Price,Tax,Discount", "D1,Shipping,1,100,nine,ten",
                   "D1,Shipping,1,100,10.00,5")  # fmt: skip
    page = answer(desk, url, rate="1", discount="2")
    edits = {"cell-2-line:tax_id": "18", "cell-2-line:discount": "10"}
    desk.post(url, {**fields(page), **edits})
    page = answer(desk, url, rate="1", discount="2")
    send(desk, url)
    [line, _] = made(sent)[-1]["items"]
    assert (line["discount"], line["discount_type"], line["tax_rate"]) == (10, 2, 20)


@pytest.mark.parametrize(("code", "tax"), [("62", ("62", 10)), ("nothing", (None, None))])
def test_the_tax_that_is_chosen_for_a_name_is_sent(desk, invoices, sent, code, tax):
    url = invoices("Item,Qty,Price,VAT", "D1,Consulting hour,1,100,Reduced")
    page = desk.get(url)
    assert counts(page) == {"needs_fixing": 1}
    chosen = {"means-field": ["line:tax_id"], "means-text": ["Reduced"], "means": [code]}
    desk.post(url, {**fields(page), **chosen})
    send(desk, url)
    line = made(sent)[-1]["items"][0]
    assert (line.get("tax_id"), line.get("tax_rate")) == tax


def test_a_rate_below_one_is_held_as_it_may_be_a_fraction(desk, invoices):
    url = invoices("Item,Qty,Price,VAT rate", "D1,Shipping,1,100,0.2", "D2,Shipping,1,100,20",
                   "D3,Shipping,1,100,0.5 %")  # fmt: skip
    assert counts(desk.get(url)) == {"needs_fixing": 1, "ready": 2}
    desk.post(url, {**fields(desk.get(url)), "cell-2-line:tax_rate": "0.2"})
    assert counts(desk.get(url)) == {"needs_fixing": 1, "ready": 2}
