"""What a file says of its documents is compared with our sums, and decides how it is read."""

import pytest

from dashboard.imports.import_file import settings_of
from dashboard.imports.models import Import
from tests.imports.test_documents import made
from tests.imports.test_import import counts, send, upload
from tests.page_forms import fields

pytestmark = pytest.mark.usefixtures("lists")


@pytest.fixture
def invoices(desk, umbra):
    """invoices(head, *rows): the address of a file; a row begins with its number."""

    def upload_rows(head, *rows):
        lines = [row.replace(",", ",Umbra Ltd,", 1) for row in rows]
        text = "\n".join([f"Number,Customer,{head}", *lines])
        return upload(desk, text + "\n", resource="invoices")

    return upload_rows


def asked(page):
    return {one.name.rpartition("-")[2] for one in page.context["questions"] if not one.answer}


def answer(desk, url, **codes):
    """Answer the questions of these kinds."""
    page = desk.get(url)
    pressed = {}
    for one in page.context["questions"]:
        kind = one.name.rpartition("-")[2]
        pressed |= {one.name: codes[kind]} if kind in codes else {}
    desk.post(url, {**fields(page), **pressed})
    return desk.get(url)


def totals(page):
    return {row.label: (row.in_file, row.ours, row.difference)
            for row in page.context["totals"].rows}  # fmt: skip


@pytest.mark.parametrize(
    ("head", "row", "unit"),
    [
        ("Item,Qty,Price,VAT,Discount,Total", "D1,Consulting hour,10,65,0 %,10,585.00", 2),
        ("Item,Qty,Price,VAT,Discount,Total", "D1,Consulting hour,10,65,0 %,10,640.00", 1),
        ("Item,Qty,Price,VAT,Discount,Total", "D1,Consulting hour,10,65,20 %,10,702.00", 2),
        ("Artikel,Menge,Preis,MwSt,Rabatt,Netto", "D1,Consulting hour,10,65,20 %,10,640", 1),
        ("Item,Qty,Price,VAT,Discount,Line total", "D1,Consulting hour,10,65,20 %,10,585", 2),
        ("Item,Qty,Price,VAT,Discount,Tax amount", "D1,Consulting hour,10,65,20 %,10,128", 1),
        ("Item,Qty,Price,VAT,Overall discount,Total", "D1,Consulting hour,10,65,0 %,10,585", 2),
        ("Item,Qty,Price,VAT,Discount,Total", "D1,Consulting hour,10,65,0 %,-10.00,640", 1),
        ("Item,Qty,Price,VAT,Discount,Total", "D1,Consulting hour,10,65,0 %,(10),585", 2),
        ("Item,Qty,Price,VAT,Discount,Total", "D1,Consulting hour,10,65,0 %,-110,540", 1),
        ("Item,Qty,Price,VAT,Overall discount,Total", "D1,Consulting hour,10,65,0 %,-10,640", 1),
    ],
)
def test_the_sums_of_a_file_decide_what_a_discount_is(desk, invoices, sent, head, row, unit):
    url = invoices(head, row)
    page = desk.get(url)
    assert (counts(page), asked(page)) == ({"ready": 1}, set())
    send(desk, url)
    body = made(sent)[-1]
    assert body["items"][0].get("discount_type", body.get("overall_discount_type")) == unit


def test_negative_discounts_beside_positive_ones_are_held(desk, invoices):
    page = desk.get(invoices("Item,Qty,Price,VAT,Discount", "D1,Shipping,1,100,0 %,-10 %",
                             "D2,Shipping,1,100,0 %,10 off"))  # fmt: skip
    assert counts(page) == {"needs_fixing": 1, "ready": 1}


@pytest.mark.parametrize("of_line", ["Item discount", "Line discount"])
def test_a_discount_beside_that_of_the_line_is_of_the_document(desk, invoices, sent, of_line):
    url = invoices(f"Item,Qty,Price,VAT,{of_line},Discount,Total",
                   "D1,Shipping,2,100,0 %,10 %,5 %,171")  # fmt: skip
    assert counts(desk.get(url)) == {"ready": 1}
    send(desk, url)
    body = made(sent)[-1]
    assert (body["items"][0]["discount"], body["overall_discount"]) == (10, 5)


def test_sums_that_fit_both_readings_decide_nothing(desk, invoices):
    page = desk.get(invoices("Item,Qty,Price,VAT,Discount,Total", "D1,Shipping,1,100,0 %,10,90"))
    assert (counts(page), asked(page)) == ({"needs_answer": 1}, {"discount"})


def test_the_sums_of_most_documents_decide_and_the_others_are_held(desk, invoices):
    rows = [f"D{n},Shipping,1,{50 * n},0 %,10,{45 * n}" for n in (1, 3, 4)]
    page = desk.get(invoices("Item,Qty,Price,VAT,Discount,Total", *rows,
                             "D9,Shipping,1,500,0 %,10,490"))  # fmt: skip
    assert counts(page) == {"ready": 3, "needs_fixing": 1}
    assert totals(page)["D9"] == ("490.00", "450.00", "40.00 less")
    assert "The file says 490.00, but these lines make 450.00." in page.content.decode()


def test_a_document_that_the_file_contradicts_is_held_until_a_cell_is_mended(desk, invoices, sent):
    url = invoices("Item,Qty,Price,VAT,Total", "D1,Shipping,4,120,25 %,750",
                   "D2,Shipping,4,150,25 %,750", "D3,Shipping,2,10,0 %,20")  # fmt: skip
    page = desk.get(url)
    assert counts(page) == {"needs_fixing": 1, "ready": 2}
    assert totals(page)["D2"] == ("750.00", "750.00", "same")
    desk.post(url, {**fields(page), "cell-2-file:total": "750", "cell-2-line:price": "150"})
    assert counts(desk.get(url)) == {"ready": 3}
    emptied = {"cell-2-file:total": "", "cell-2-line:price": "120"}
    desk.post(url, {**fields(desk.get(url)), **emptied})
    send(desk, url)
    assert [body["items"][0]["price"] for body in made(sent)[-3:]] == [120, 150, 10]


@pytest.mark.parametrize(("code", "price", "total"), [("added", 120, 144), ("included", 100, 120)])
def test_a_total_that_may_include_tax_is_asked_about_once(desk, invoices, sent, code, price, total):
    url = invoices("Item,Qty,Price,VAT,Total", "D1,Shipping,1,120,20 %,120")
    page = desk.get(url)
    assert (counts(page), asked(page)) == ({"needs_answer": 1}, {"tax"})
    [question] = page.context["questions"]
    assert question.example == (
        "D1 makes 144.00 (added) or 120.00 (included). The file says 120.00."
    )
    page = answer(desk, url, tax=code)
    assert (counts(page), asked(page)) == ({"ready": 1}, set())
    assert [row.ours for row in page.context["totals"].rows] == [f"{total}.00"]
    send(desk, url)
    assert made(sent)[-1]["items"][0]["price"] == price
    page = desk.get(invoices("Item,Qty,Price,VAT,Total", "D2,Shipping,1,240,20 %,240"))
    assert counts(page) == {"ready": 1}, "the next such file asks nothing"


@pytest.mark.parametrize(
    ("heading", "cells", "kinds"),
    [
        ("Is Inclusive Tax", ("true", "false"), {"tax"}),
        ("Tax inclusive", ("", "Yes"), {"tax"}),
        ("Prices include tax", ("TRUE", "TRUE"), {"tax"}),
        ("Inkl. MwSt", ("ja", "ja"), {"tax"}),
        ("Is Inclusive Tax", ("false", "false"), set()),
        ("Shipping included", ("yes", "yes"), set()),
    ],
)
def test_a_column_that_says_that_prices_include_tax_is_asked_about(
    desk, invoices, sent, heading, cells, kinds
):
    rows = [f"D{n},Shipping,1,120,20 %,{cell}" for n, cell in enumerate(cells)]
    url = invoices(f"Item,Qty,Price,VAT,{heading}", *rows)
    page = desk.get(url)
    assert (counts(page), asked(page)) == ({"needs_answer" if kinds else "ready": 2}, kinds)
    if kinds:
        assert counts(answer(desk, url, tax="included")) == {"ready": 2}
    send(desk, url)
    assert made(sent)[-1]["items"][0]["price"] == (100 if kinds else 120)


def test_the_sums_say_whether_such_a_column_is_right(desk, invoices):
    url = invoices("Item,Qty,Price,VAT,Tax inclusive,Total", "D1,Shipping,1,120,20 %,yes,144")
    assert (counts(desk.get(url)), asked(desk.get(url))) == ({"ready": 1}, set())


@pytest.mark.parametrize(
    ("heads", "first", "second", "status"),
    [
        ("Total,Grand total", "200,300", "50,300", "ready"),
        ("Total,Grand total", "240,300", "60,300", "ready"),
        ("Amount,Total amount", "200,300", "50,300", "ready"),
        ("Amount,Total", "200,300", "50,300", "ready"),
        ("Betrag,Rechnungsbetrag", "200,300", "50,300", "ready"),
        ("Total,Total incl VAT", "250,300", "250,300", "ready"),
        ("Line total,Total,Grand total", "200,250,300", "50,250,300", "ready"),
        ("Total,Grand total", "200,340", "50,340", "needs_fixing"),
        ("Amount,Total", "180,300", "50,300", "needs_fixing"),
        ("Grand total,Total", "300,340", "300,340", "needs_fixing"),
    ],
)
def test_every_column_of_totals_is_compared(desk, invoices, heads, first, second, status):
    url = invoices(f"Item,Qty,Price,VAT,{heads}", f"D1,Shipping,2,100,20 %,{first}",
                   f"D1,Shipping,1,50,20 %,{second}")  # fmt: skip
    page = desk.get(url)
    assert (counts(page), asked(page)) == ({status: 1}, set())


@pytest.mark.parametrize("head", ["Gross price", "Bruttopreis", "Prix TTC"])
def test_the_heading_says_that_prices_include_tax(desk, invoices, sent, head):
    url = invoices(f"Item,Qty,{head},VAT,Line total", "D1,Shipping,2,120,20 %,240")
    page = desk.get(url)
    assert (counts(page), asked(page)) == ({"ready": 1}, set())
    send(desk, url)
    assert made(sent)[-1]["items"][0]["price"] == 100
    url = invoices(f"Item,Qty,{head},VAT,Grand total", "D2,Shipping,2,120,20 %,288")
    assert asked(desk.get(url)) == {"tax"}, "the sums say otherwise"


def test_an_item_of_the_list_has_no_tax_where_the_file_says_so(desk, invoices, sent):
    url = invoices("Item,Qty,Price,Total", "D1,Consulting hour,10,65,650")
    assert asked(desk.get(url)) == {"tax"}
    assert counts(answer(desk, url, tax="none")) == {"ready": 1}
    send(desk, url)
    assert not made(sent)[-1]["items"][0].keys() & {"tax_id", "tax_rate"}


@pytest.mark.parametrize(
    ("head", "cells", "kinds", "price"),
    [
        ("Rate excl.,VAT,Item Total", "150.00,0 %,600.00", set(), 150),
        ("Weight,VAT,Item Total", "7,0 %,380.00", set(), 95),
        ("Rate excl.,VAT", "150.00,0 %", {"price"}, 150),
        ("Colour,VAT", "red,0 %", set(), 95),
    ],
)
def test_a_column_of_numbers_may_be_the_price_under_any_heading(
    desk, invoices, sent, head, cells, kinds, price
):
    url = invoices(f"Item,Qty,{head}", f"D1,Consulting hour,4,{cells}")
    page = desk.get(url)
    assert asked(page) == kinds
    if kinds:
        assert counts(page) == {"needs_answer": 1}
        assert counts(answer(desk, url, price="yes")) == {"ready": 1}
    send(desk, url)
    assert made(sent)[-1]["items"][0]["price"] == price


def test_the_export_of_another_program_is_read_as_it_was_meant(desk, umbra, sent):
    xero = "*ContactName,*InvoiceNumber,*InvoiceDate,*DueDate,Item,*Quantity,*UnitAmount,Discount,"
    row = 'Umbra Ltd,XD-1,28/11/2026,28/12/2026,"Website care, monthly",10,65.00,10,'
    url = upload(desk, f"{xero}Total\n{row}585.00\n", resource="invoices")
    page = desk.get(url)
    assert asked(page) == {"tax"}, "the item of the list has a tax, and the file has none"
    assert counts(answer(desk, url, tax="none")) == {"ready": 1}
    send(desk, url)
    line = made(sent)[-1]["items"][0]
    assert (line["discount"], line["discount_type"]) == (10, 2)


def test_other_rounding_is_asked_about_once_for_the_whole_file(desk, invoices):
    url = invoices("Item,Qty,Price,VAT,Grand total", "D1,Shipping,1,1,0 %,2.01",
                   "D1,Shipping,1,1,0 %,", "D2,Shipping,1,1,0 %,1", "D3,Shipping,1,9,0 %,9.01",
                   "D4,Shipping,1,2,0 %,4.01", "D4,Shipping,1,2,0 %,")  # fmt: skip
    page = desk.get(url)
    assert counts(page) == {"needs_fixing": 1, "needs_answer": 2, "ready": 1}, "D3 is one line"
    assert asked(page) == {"rounding"}
    held = {"needs_fixing": 3, "ready": 1}
    assert counts(answer(desk, url, rounding="hold")) == held
    assert counts(answer(desk, url, rounding="accept")) == {"needs_fixing": 1, "ready": 3}


def test_a_decimal_mark_is_decided_by_the_sums(desk, invoices, sent):
    url = invoices("Item;Qty;Price;VAT;Total".replace(";", ","),
                   "D1,Shipping,3,1.500,0 %,4.5")  # fmt: skip
    assert counts(desk.get(url)) == {"ready": 1}
    send(desk, url)
    assert made(sent)[-1]["items"][0]["price"] == 1.5


@pytest.mark.parametrize(
    ("head", "amount", "status"),
    [
        ("Balance due", "100", "ready"),
        ("Balance due", "40", "ready"),
        ("Balance due", "140", "needs_fixing"),
        ("Total,Balance due", "100,40", "ready"),
        ("Total,Balance due", "100,140", "needs_fixing"),
        ("Subtotal,Tax amount", "80,20", "ready"),
        ("Subtotal,Tax amount", "80,21", "needs_fixing"),
    ],
)
def test_every_amount_that_a_file_says_is_compared(desk, invoices, head, amount, status):
    page = desk.get(invoices(f"Item,Qty,Price,VAT,{head}", f"D1,Shipping,1,80,25 %,{amount}"))
    assert counts(page) == {status: 1}


def test_the_page_shows_the_sum_of_every_document(desk, invoices):
    url = invoices("Item,Qty,Price,VAT", *(f"D{n},Shipping,{n},10,0 %" for n in range(1, 8)))
    page = desk.get(url)
    assert totals(page)["D7"] == ("", "70.00", "")
    assert "280.00" in page.context["totals"].sum
    shown = [each.content.count(b'data-label="We will send"')
             for each in (page, desk.get(f"{url}?totals=all"))]  # fmt: skip
    assert shown == [5, 7]


@pytest.mark.parametrize(
    ("heads", "rows"),
    [
        ("Discount,Total", ("D1,Shipping,2,95,10,n/a", "D2,Shipping,2,100,50,100.00")),
        ("VAT,Total", ("D1,Shipping,1,100,-100 %,100",)),
    ],
)
def test_odd_figures_are_asked_about_or_held(desk, invoices, heads, rows):
    page = desk.get(invoices(f"Item,Qty,Price,{heads}", *rows))
    assert page.status_code == 200
    assert "ready" not in counts(page)


def test_a_cell_that_nobody_has_edited_stays_as_it_is_in_the_file(desk, invoices):
    url = invoices("Item,Qty,Price,VAT,Total", "D1,Shipping,1,£100,20 %,£999")
    page = desk.get(url)
    desk.post(url, {**fields(page), "cell-2-file:total": ""})
    edits = settings_of(Import.objects.get()).edits
    assert edits == {"2": {"file:total": ""}}


@pytest.mark.parametrize("heading", ["Line total", "Amount", "Gross amount"])
def test_amounts_of_lines_are_compared_line_by_line(desk, invoices, heading):
    url = invoices(f"Item,Qty,Price,VAT,{heading}", "D1,Shipping,1,120,0 %,50",
                   "D1,Shipping,1,50,0 %,120", "D2,Shipping,1,7,0 %,7", "D2,Shipping,1,8,0 %,8",
                   "D3,Shipping,1,9,0 %,9", "D3,Shipping,1,8,0 %,8")  # fmt: skip
    page = desk.get(url)
    assert counts(page) == {"needs_fixing": 1, "ready": 2}
    assert " in row 2, but this line makes 120.00." in page.content.decode()
    assert totals(page)["D1"][1:] == ("170.00", "70.00 more")


def test_prices_that_include_tax_are_compared_with_what_is_sent(desk, invoices):
    url = invoices("Item,Qty,Gross price,VAT,Overall discount", "D1,Shipping,3,19.99,20 %,10 off",
                   "D2,Shipping,1,120,20 %,10 off")  # fmt: skip
    page = desk.get(url)
    assert (counts(page), asked(page)) == ({"needs_answer": 1, "ready": 1}, {"rounding"})
    assert totals(page)["D1"] == ("49.97 in prices with tax", "49.96", "0.01 less")
    assert counts(answer(desk, url, rounding="accept")) == {"ready": 2}


def test_a_column_of_other_words_is_no_type_of_discounts(desk, invoices, sent):
    url = invoices("Item,Qty,Price,Discount,Discount Type", "D1,Shipping,1,120,10,item_level")
    assert asked(desk.get(url)) == {"discount"}
    none = {"means-field": ["line:discount_type"], "means-text": ["item_level"]}
    desk.post(url, {**fields(desk.get(url)), **none, "means": ["nothing"]})
    assert counts(desk.get(url)) == {"needs_answer": 1}
    assert counts(answer(desk, url, discount="2")) == {"ready": 1}
    send(desk, url)
    assert made(sent)[-1]["items"][0]["discount_type"] == 2


@pytest.mark.parametrize("head", ["Item,Qty,Total", "Item,Qty,Gross price,Total"])
def test_prices_of_the_list_may_include_tax_too(desk, invoices, head):
    price = "," * head.count("price")
    url = invoices(head, f"D1,Consulting hour,1,{price}95", f"D2,Consulting hour,0.33,{price}")
    page = desk.get(url)
    if not price:
        assert asked(page) == {"tax"}
        page = answer(desk, url, tax="included")
    assert asked(page) == {"rounding"}
    assert counts(answer(desk, url, rounding="hold")) == {"ready": 1, "needs_fixing": 1}


@pytest.mark.parametrize("column", ["Total", "Line total", "VAT amount"])
def test_a_dash_in_one_row_leaves_the_other_rows_compared(desk, invoices, column):
    url = invoices(f"Item,Qty,Price,VAT %,{column}", "D1,Consulting hour,2,100,20,999",
                   "D1,On-site visit,1,50,20,-")  # fmt: skip
    assert counts(desk.get(url)) == {"needs_fixing": 1}


def test_a_balance_decides_whether_prices_have_tax(desk, invoices):
    url = invoices("Item,Qty,Price,VAT %,Amount due", "D1,Consulting hour,2,120,20,240",
                   "D2,On-site visit,1,120,20,120")  # fmt: skip
    page = desk.get(url)
    assert totals(page)["D1"] == ("240.00", "240.00", "same") or asked(page)


@pytest.mark.parametrize(
    ("head", "cells"),
    [
        ("Price,VAT %,Discount %,Discount amount", ("100,20,,20", "100,20,10,")),
        ("Price,VAT %,Remise %,Montant remise", ("100,20,,20", "100,20,10,")),
        ("Rate,Price,VAT %", ("80,,20", ",90,20")),
    ],
)
def test_a_second_column_of_the_same_money_is_asked_about_where_the_first_is_blank(
    desk, invoices, head, cells
):
    rows = [f"D{number},Consulting hour,2,{each}" for number, each in enumerate(cells)]
    assert asked(desk.get(invoices(f"Item,Qty,{head}", *rows)))
