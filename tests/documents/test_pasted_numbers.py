"""Pasted numbers that are written the other way are read for whole columns by one button."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.documents.paste import BetterFormat, number_formats, read_numbers
from dashboard.text.numbers import read_number
from dashboard.text.style import COMMA, MARKS, PLAIN, POINT, Style
from tests.documents.test_paste import Form, cells, pasted

LIKE_COMMA, LIKE_POINT = MARKS[COMMA], MARKS[POINT]


def read(result, mark, style=PLAIN):
    keys = {str(row.key) for row in result.pasted}
    return read_numbers(Form(result.lines, style), keys, mark, result.totals)


def test_a_column_of_decimal_commas_is_read_by_one_button():
    result = pasted("Consulting hour\t1,5\t1.234,50\nConsulting hour\t2\t99,00\n")
    [way] = number_formats(result.pasted, Style())
    assert way == BetterFormat(COMMA, LIKE_COMMA, 3)
    done = read(result, way.code)
    assert cells(done, "quantity", "price") == [("1.5", "1234.50"), ("2", "99.00")]
    assert done.wrong == []


def test_a_number_that_both_ways_can_read_goes_with_its_column():
    result = pasted("Consulting hour\t1\t1,500\nConsulting hour\t1\t12,5\n", style=PLAIN)
    assert cells(read(result, COMMA), "price") == [("1.5000",), ("12.5",)]


def test_a_column_that_is_right_is_left_alone():
    result = pasted("Consulting hour\t1.5\t12,50\nConsulting hour\t2.5\t99,00\n")
    assert number_formats(result.pasted, Style()) == [BetterFormat(COMMA, LIKE_COMMA, 2)]
    assert cells(read(result, COMMA), "quantity", "price") == [("1.5", "12.50"), ("2.5", "99.00")]


def test_numbers_with_two_meanings_are_offered_both():
    result = pasted("Consulting hour\t1\t1.250\nConsulting hour\t1\t2.500\n")
    ways = [BetterFormat(POINT, LIKE_POINT, 2), BetterFormat(COMMA, LIKE_COMMA, 2)]
    assert number_formats(result.pasted, Style()) == ways
    assert cells(read(result, COMMA), "price") == [("1250",), ("2500",)]
    assert read(result, POINT).wrong == []


def test_a_tax_is_found_by_the_rate_that_is_read():
    result = pasted("item\ttax %\nConsulting hour\t10,0\n")
    assert result.pasted[0].errors
    assert cells(read(result, COMMA), "tax_id", "tax_rate") == [("62", "10.0")]


def test_a_sign_is_read_where_the_currency_is_not_known():
    result = pasted("Consulting hour\t1\t€ 1.250,00\nConsulting hour\t1\tGBP 1.250,00\n")
    form = Form(result.lines, currency="")
    done = read_numbers(form, {str(row.key) for row in result.pasted}, COMMA, {})
    assert cells(done, "price") == [("1250.00",), ("GBP 1.250,00",)]


def test_amounts_are_read_by_the_button_but_those_in_another_currency():
    result = pasted("Consulting hour\t1\t€ 1.250,00\nConsulting hour\t1\t(80,50)\n"
                    "Consulting hour\t1\tGBP 1.250,00\n")  # fmt: skip
    done = read(result, COMMA)
    assert cells(done, "price") == [("1250.00",), ("-80.50",), ("GBP 1.250,00",)]
    assert len(done.wrong) == 1


def test_the_lines_that_the_button_reads_are_compared_with_their_totals():
    result = pasted("item\tqty\tprice\tamount\nConsulting hour\t4\t150,00\t1.600,00\n")
    assert "The pasted total is 1.600,00" in read(result, COMMA).wrong[0].errors["price"]


def test_what_no_way_can_read_is_offered_none():
    result = pasted("Consulting hour\tmany\nConsulting hour\tfew\n")
    assert number_formats(result.pasted, Style()) == []


@pytest.mark.parametrize("mark", [";", "", "x"])
def test_a_mark_that_there_is_not_changes_nothing(mark):
    result = pasted("Consulting hour\t1,5\n")
    assert cells(read(result, mark), "quantity") == [("1,5",)]


def test_lines_that_were_not_pasted_stay():
    result = pasted("Consulting hour\t1,5\n", {"item_name": "A", "item_id": "1", "quantity": "2,5"})
    assert [row.cells["quantity"] for row in read(result, COMMA).lines] == ["2,5", "1.5"]


@given(
    st.lists(st.decimals(0, 10**6, places=2), min_size=1, max_size=9),
    st.sampled_from([POINT, COMMA]),
)
def test_every_column_written_one_way_is_read_whole(numbers, mark):
    style = Style(mark=POINT)
    texts = [f"{number:.2f}".replace(".", mark) for number in numbers]
    result = pasted("".join(f"Consulting hour\t1\t{text}\n" for text in texts), style=style)
    ways = number_formats(result.pasted, style)
    assert bool(ways) == (mark == COMMA)
    done = read(result, ways[0].code, style) if ways else result
    assert [read_number(row.cells["price"], style) for row in done.pasted] == numbers
