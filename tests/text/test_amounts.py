"""Amounts of banks, reports and spreadsheets are read with their currency, or refused."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.text.amounts import codes_of, currency_in, is_other_currency, parse_amount
from dashboard.text.numbers import read_number, write_number
from dashboard.text.style import COMMA, MARKS, POINT, Style


@pytest.mark.parametrize(
    ("text", "mark", "number", "currency"),
    [
        ("GBP 1,200.00", POINT, "1200.00", "GBP"),
        ("1,200.00 GBP", POINT, "1200.00", "GBP"),
        ("US$1,200.00", POINT, "1200.00", "US$"),
        ("(1,200.00)", POINT, "-1200.00", ""),
        ("($1,200.00)", POINT, "-1200.00", "$"),
        ("1,23,456.00", POINT, "123456.00", ""),
        ("Rs.1,200", POINT, "1200", "Rs"),
        ("Rs. 12,34,567", POINT, "1234567", "Rs"),
        ("kr 1 200,50", COMMA, "1200.50", "kr"),
        ("12 zł", POINT, "12", "zł"),
        ("1.200,00-", COMMA, "-1200.00", ""),
        ("1.234,-", COMMA, "1234", ""),
        ("CHF 1'234.\u2014", POINT, "1234", "CHF"),
        ("1\u00a0234,50\u00a0€", COMMA, "1234.50", "€"),
        ("\u2212€ 5", POINT, "-5", "€"),
        ("12,", COMMA, "12", ""),
    ],
)
def test_an_amount_is_read_with_its_currency(text, mark, number, currency):
    assert parse_amount(text, mark) == (Decimal(number), currency)
    assert currency_in(text) == currency


@pytest.mark.parametrize(
    "text",
    ["", "-", "n/a", "€", "5 kg", "VAT 20", "5 %", "1e5", "-(5)", "5-7", "EUR 5 GBP", "1.2.3",
     "(555) 1234", "ca. 5", "1,234.-0", "0171-1234"],
)  # fmt: skip
def test_what_is_no_amount_is_refused(text):
    assert [parse_amount(text, mark) for mark in MARKS] == [None, None]


@given(st.decimals(-(10**9), 10**9, places=2), st.sampled_from(sorted(MARKS)),
       st.sampled_from(["{} EUR", "EUR {}", "€{}", "{}€", "{}", "SEK\u00a0{}"]))  # fmt: skip
def test_an_amount_around_any_number_is_that_number(number, mark, form):
    text = form.format(write_number(number, Style(mark), grouped=True))
    assert (
        parse_amount(text, mark).number
        == number
        == read_number(write_number(number, Style(mark)), Style(mark))
    )


def test_a_sign_of_several_countries_may_mean_each_of_their_currencies():
    assert {"SEK", "NOK", "DKK"} <= {*codes_of("kr")}
    assert not is_other_currency("$", "USD")
    assert not is_other_currency("gbp", "GBP")
    assert is_other_currency("US$", "CAD")
