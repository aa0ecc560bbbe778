"""Cells of a spreadsheet are pasted into lines."""

from dataclasses import dataclass
from decimal import Decimal

import pytest

from dashboard.documents.lines import MAX_LINES, DocumentLine, lines_from_texts
from dashboard.documents.paste import parse_cells, paste_cells
from dashboard.documents.price_list import PriceList
from dashboard.office.kinds import Kind
from dashboard.office.reference_lists import CachedEntry, CachedLists
from dashboard.text.style import COMMA, PLAIN, Style


def entry(code, name, *, price=None, tax="", rate=None):
    empty = dict.fromkeys(CachedEntry._fields, "")
    more = {"code": code, "name": name, "price": price, "tax": tax, "rate": rate}
    return CachedEntry(**{**empty, **more})


ITEMS = {
    "501": entry("501", "Consulting hour", price=Decimal("95"), tax="61"),
    "502": entry("502", "Hotel O'Brien"),
    "503": entry("503", "2026"),
}
TAXES = {
    "61": entry("61", "VAT 20%", rate=Decimal(20)),
    "62": entry("62", "VAT 10%", rate=Decimal(10)),
}
PRICES = PriceList(CachedLists("", "", {Kind.ITEM: ITEMS, Kind.TAX: TAXES}))


@dataclass
class Form:
    rows: list[DocumentLine]
    style: Style = PLAIN
    price_list: PriceList = PRICES
    currency: str = "EUR"


def pasted(text, *texts, at=None, column="item_name", style=PLAIN):
    form = Form(lines_from_texts(texts), style)
    return paste_cells(form, text, at=at, column=column)


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("#501", "501"),
        ("consulting  HOUR", "501"),
        ("Hotel O\u2019Brien", "502"),
        ("2026", "503"),
        ("#2026", None),
        ("501", None),
    ],
)
def test_an_item_is_found_by_its_name_and_by_a_number_only_behind_its_sign(typed, code):
    item = PRICES.item(typed)
    assert (item.code if item else None) == code


@pytest.mark.parametrize(("number", "name"), [("503", "Consulting hour"), ("7", "Consulting hour"),
                                              ("501", "Consulting day")])  # fmt: skip
def test_an_item_number_that_contradicts_the_name_beside_it_is_refused(number, name):
    result = pasted(f"item number\titem\tqty\n{number}\t{name}\t1\n")
    assert [*result.wrong[0].errors] == ["item_id"]
    assert cells(result, "item_id", "item_name") == [(number, name)]


def test_the_own_text_of_a_line_contradicts_nothing_that_is_pasted_beside_it():
    line = {"item_name": "Consulting in March", "item_id": "501", "price": "95"}
    assert pasted("7", line, at=0, column="quantity").wrong == []


@pytest.mark.parametrize(
    ("heading", "row", "is_refused"),
    [
        ("total", "4\t150\t600.00", False),
        ("total", "4\t150\t720.00", False),  # with the tax of 20 %
        ("amount", "4\t150\t€ 600,00", False),
        ("netto", "4\t\t600.00", True),  # the price of the list, 95
        ("total", "4\t150\t576.00", True),
        ("total", "4\t150\tsee below", False),
    ],
)
def test_a_total_beside_a_line_is_compared_with_it_and_never_taken(heading, row, is_refused):
    result = pasted(f"item\tqty\tprice\t{heading}\nConsulting hour\t{row}\n")
    assert ["price" in line.errors for line in result.pasted] == [is_refused]


@pytest.mark.parametrize(
    ("price", "is_refused"), [("£ 80", True), ("US$80", True), ("€ 80", False)]
)
def test_a_price_in_another_currency_than_the_documents_is_refused(price, is_refused):
    result = pasted(f"Consulting hour\t1\t{price}")
    assert [bool(line.errors) for line in result.pasted] == [is_refused]
    assert cells(result, "price") == [(price,)]


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ("10 %\t", "2"),
        ("10 off\t", "1"),
        ("120\t", "1"),
        ("10\t540.00", "2"),
        ("10\t590.00", "1"),
        ("10\t", None),
        ("10\t585.00", None),
    ],
)
def test_a_discount_without_a_unit_is_what_the_total_says_or_asked_about(row, kind):
    result = pasted(f"item\tqty\tprice\tdiscount\ttotal\nConsulting hour\t4\t150\t{row}\n")
    (line,) = result.pasted
    assert ("discount" in line.errors) == (kind is None)
    assert kind in (None, line.cells["discount_type"])


def cells(result, *names):
    return [tuple(row.cells[name] for name in names) for row in result.lines]


def test_cells_are_pasted_rightward_and_downward():
    result = pasted("Consulting hour\t2\nConsulting hour\t3\t80\n")
    assert cells(result, "item_id", "quantity", "price", "tax_rate") == [
        ("501", "2", "95.00", "20"),
        ("501", "3", "80", "20"),
    ]
    assert [row.errors for row in result.pasted] == [{}, {}]
    assert result.problems == []


def test_pasting_starts_at_the_given_line_and_column():
    lines = [{"item_name": "A", "item_id": "1"}, {"item_name": "B", "item_id": "2"}]
    result = pasted("5\t10\n6\t11\n7\t12", *lines, at=1, column="quantity")
    assert cells(result, "item_name", "quantity", "price") == [
        ("A", "", ""),
        ("B", "5", "10"),
        ("", "6", "11"),
        ("", "7", "12"),
    ]


def test_headings_select_the_columns():
    result = pasted("Unit Price\tQty.\tItem\tColour\n12.50\t4\tConsulting hour\tred")
    assert cells(result, "item_id", "quantity", "price") == [("501", "4", "12.50")]
    assert result.problems == ["The column “Colour” was not used."]


def test_mismatches_are_reported_at_their_cells():
    result = pasted("item\tqty\ttax\nUnknown thing\t1,5\nConsulting hour\t1\tvat 7 %")
    assert [set(row.errors) for row in result.pasted] == [{"item_id", "quantity"}, {"tax_id"}]
    assert "Unknown item “Unknown thing”" in result.pasted[0].errors["item_id"]


def test_pasted_numbers_are_parsed_in_the_persons_style():
    assert pasted("Consulting hour;1,5", style=Style(mark=COMMA)).wrong == []


def test_percent_signs_and_taxes_by_name_or_rate_are_parsed():
    result = pasted("item\tdiscount\ttax\nConsulting hour\t10 %\tvat 10%")
    assert cells(result, "discount", "discount_type", "tax_id") == [("10", "2", "62")]
    result = pasted("item\tdiscount %\nConsulting hour\t10")
    assert cells(result, "discount", "discount_type") == [("10", "2")]
    result = pasted("item\ttax %\nConsulting hour\t10%")
    assert cells(result, "tax_id", "tax_rate") == [("62", "10")]


@pytest.mark.parametrize("text", ["", "\n\t\n", "\0"])
def test_pasting_nothing_changes_nothing(text):
    assert pasted(text, {"item_name": "A"}).pasted == []


def test_pasting_stops_at_the_line_limit():
    result = pasted("Consulting hour\t1\n" * (MAX_LINES + 5))
    assert len(result.lines) == MAX_LINES
    assert f"5 rows more than {MAX_LINES} lines." in result.problems


def test_quoted_cells_may_contain_newlines_and_tabs():
    assert parse_cells('"a\nb"\t"c\td"\n') == [["a\nb", "c\td"]]


@pytest.mark.parametrize("error", ["#N/A", "#REF!", "1,23E+05"])
def test_an_error_of_a_spreadsheet_is_no_text(error):
    result = pasted(f"item\tdescription\tquantity\nConsulting hour\t{error}\t1\n")
    assert [*result.wrong[0].errors] == ["description"]


@pytest.mark.parametrize(
    ("text", "tax"),
    [
        ("item\tprice\ttax\nConsulting hour\t100\t", ""),
        ("item\tprice\ttax %\nConsulting hour\t100\t0", ""),
        ("item\tprice\ttax\nConsulting hour\t\t", "61"),
        ("item\tprice\nConsulting hour\t100", "61"),
    ],
)
def test_a_blank_tax_beside_a_price_is_none(text, tax):
    assert cells(pasted(text), "tax_id") == [(tax,)]
