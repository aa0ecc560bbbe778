"""Numbers and dates are parsed in the person's style; a text of the other style is refused."""

import re
from datetime import date, time, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.tables.columns import written_datetime
from dashboard.text.dates import duration, format_date, long_date, read_date, read_datetime
from dashboard.text.numbers import (
    proposal,
    read_any_number,
    read_number,
    shown_amount,
    trimmed,
    write_number,
)
from dashboard.text.style import COMMA, DAY_FIRST, MONTH_FIRST, POINT, NotReadable, Style

MARKS, ORDERS = (POINT, COMMA), (DAY_FIRST, MONTH_FIRST)
STYLES = [Style(mark=mark, order=order) for mark in MARKS for order in ORDERS]
ENGLISH, GERMAN = Style(mark=POINT), Style(mark=COMMA)
NUMBERS = st.decimals(
    min_value=-(10**9), max_value=10**9, allow_nan=False, allow_infinity=False, places=None
).filter(lambda n: n.as_tuple().exponent >= -6 and n.adjusted() < 9)
TODAY = date(2026, 3, 11)  # a Wednesday


@given(NUMBERS, st.sampled_from(STYLES), st.booleans())
def test_formatted_numbers_parse_to_the_same_number(number, style, grouped):
    assert read_number(write_number(number, style, grouped=grouped), style) == number


def read_or_refusal(read, *args):
    """The value, or the message of the refusal."""
    try:
        return read(*args)
    except NotReadable as error:
        return str(error)


@given(st.text("0123456789.,' -+", max_size=14))
def test_no_text_is_a_different_number_in_each_style(text):
    readings = {read_or_refusal(read_number, text, style) for style in (ENGLISH, GERMAN)}
    assert len([one for one in readings if isinstance(one, Decimal)]) <= 1


@given(st.text(max_size=20), st.sampled_from(STYLES))
def test_any_number_text_is_parsed_or_refused_with_a_message(text, style):
    assert read_or_refusal(read_number, text, style) is not None
    assert read_or_refusal(read_date, text, TODAY, style) is not None


@pytest.mark.parametrize(
    ("text", "style", "number"),
    [
        ("1,234.56", ENGLISH, "1234.56"),
        ("1.234,56", GERMAN, "1234.56"),
        ("1 234,56", GERMAN, "1234.56"),
        ("1\u202f234,56", GERMAN, "1234.56"),
        ("1'234.50", ENGLISH, "1234.50"),
        ("1,234,567", ENGLISH, "1234567"),
        ("1,23,456.50", ENGLISH, "123456.50"),
        (",5", GERMAN, "0.5"),
        ("12,", GERMAN, "12"),
        ("-3.50", ENGLISH, "-3.50"),
        ("\u22123.50", ENGLISH, "-3.50"),
        ("€ 12,50", GERMAN, "12.50"),
        ("12.50 €", ENGLISH, "12.50"),
        ("0.125", ENGLISH, "0.125"),
        ("1.2340", ENGLISH, "1.2340"),
    ],
)
def test_numbers(text, style, number):
    assert read_number(text, style) == Decimal(number)


@pytest.mark.parametrize(
    ("text", "style", "advice"),
    [
        ("1,5", ENGLISH, "“1,5”: did you mean 1.5?"),
        ("1.5", GERMAN, "“1.5”: did you mean 1,5?"),
        ("1,234.56", GERMAN, "“1,234.56”: did you mean 1234,56?"),
        ("1.234", ENGLISH, "ambiguous. Enter 1234, or 1.2340 for the decimals."),
        ("1,234", GERMAN, "ambiguous. Enter 1234, or 1,2340 for the decimals."),
        ("12 apples", ENGLISH, "Enter a number, for example 1234.50"),
        ("", ENGLISH, "a number"),
        ("1,23,45", ENGLISH, "a number"),
        ("9" * 16, ENGLISH, "15 digits or fewer"),
        ("NaN", ENGLISH, "a number"),
        ("١٢", ENGLISH, "a number"),
    ],
)
def test_numbers_refused_with_advice(text, style, advice):
    with pytest.raises(NotReadable, match=re.escape(advice)):
        read_number(text, style)


@pytest.mark.parametrize(
    ("typed", "proposed"),
    [(" 1,5", ("1,5", "1.5")), ("1.5", None), ("1.234", None), ("twelve", None), ("", None)],
)
def test_a_number_of_the_other_style_is_proposed_in_this_one(typed, proposed):
    assert proposal(typed, ENGLISH) == proposed


@pytest.mark.parametrize(
    ("text", "number"),
    [("4,35", "4.35"), ("4.35", "4.35"), ("1.234", "1.234"), ("1.234,5", "1234.5")],
)
def test_a_number_of_unknown_style_has_the_one_reading_it_allows(text, number):
    assert read_any_number(text) == Decimal(number)


@pytest.mark.parametrize("text", ["1,234", "apples", "1,2,3"])
def test_a_number_of_unknown_style_with_two_readings_or_none_is_refused(text):
    with pytest.raises(NotReadable):
        read_any_number(text)


@given(st.text("0123456789./-, marchot", max_size=14), st.sampled_from(ORDERS))
def test_a_date_that_a_file_may_hold_is_the_same_one_typed(text, order):
    written = written_datetime(text, order)
    if written:
        typed = read_datetime(text, TODAY, Style(order=order), at=time())
        assert typed == written


@given(st.dates(min_value=date(1000, 1, 1)), st.sampled_from(STYLES))
def test_formatted_dates_parse_to_the_same_date(day, style):
    assert read_date(format_date(day), TODAY, style) == day
    assert read_date(day.isoformat(), TODAY, style) == day


@given(st.dates(date(1900, 1, 1), date(2100, 1, 1)), st.sampled_from(["mon", "fri", "sunday"]))
def test_a_weekday_is_the_next_one(today, word):
    found = read_date(word, today)
    assert timedelta(0) < found - today <= timedelta(7)
    assert long_date(found).lower().startswith(word[:3])


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("t", TODAY),
        (" Today ", TODAY),
        ("tom", date(2026, 3, 12)),
        ("y", date(2026, 3, 10)),
        ("+30", date(2026, 4, 10)),
        ("-1", date(2026, 3, 10)),
        ("in 2 weeks", date(2026, 3, 25)),
        ("fri", date(2026, 3, 13)),
        ("wed", date(2026, 3, 18)),
        ("15", date(2026, 3, 15)),
        ("15/3", date(2026, 3, 15)),
        ("15.3.", date(2026, 3, 15)),
        ("15-3-27", date(2027, 3, 15)),
        ("15 mar", date(2026, 3, 15)),
        ("mar 15, 2027", date(2027, 3, 15)),
        ("15 March 2027", date(2027, 3, 15)),
        ("2026-3-5", date(2026, 3, 5)),
        ("2026/3/5", date(2026, 3, 5)),
        ("15-3-71", date(1971, 3, 15)),
        ("March 3rd, 2027", date(2027, 3, 3)),
        ("5 dez", date(2026, 12, 5)),
        ("28-Nov-26", date(2026, 11, 28)),
        ("20261228", date(2026, 12, 28)),
        ("Monday, January 4, 2027", date(2027, 1, 4)),
    ],
)
def test_dates(text, day):
    assert read_date(text, TODAY) == day


def test_the_month_comes_first_in_the_month_first_style():
    assert read_date("3/15", TODAY, Style(order=MONTH_FIRST)) == date(2026, 3, 15)


@pytest.mark.parametrize(
    ("text", "style", "advice"),
    [
        ("15/3", Style(order=MONTH_FIRST), "no month 15"),
        ("3/15", Style(order=DAY_FIRST), "no month 15"),
        ("31/2", Style(), "no day 31 in February 2026"),
        ("32", Style(), "no day 32"),
        ("someday", Style(), "Enter a date, for example 15/3, fri"),
        ("+99999999", Style(), "a valid date"),
    ],
)
def test_dates_refused_with_advice(text, style, advice):
    with pytest.raises(NotReadable, match=advice):
        read_date(text, TODAY, style)


def test_a_long_date_names_weekday_and_month():
    assert long_date(date(2026, 3, 14)) == "Sat 14 Mar 2026"


@pytest.mark.parametrize(
    ("told", "shown"),
    [("1234", "1234.00"), ("1.5", "1.50"), ("1.234", "1.234"), ("0.0001", "0.0001")],
)
def test_amounts_of_the_service_keep_up_to_four_places(told, shown):
    assert str(shown_amount(Decimal(told))) == shown


def test_floating_point_residue_is_not_shown():
    assert str(shown_amount(Decimal("1234.5600000000001"))) == "1234.56"


def test_trailing_zeros_are_removed_from_numbers_of_any_length():
    huge = "9" * 20 + "." + "9" * 20
    assert trimmed(Decimal(huge + "00")) == Decimal(huge)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("11", date(2026, 3, 11)),
        ("10", date(2026, 4, 10)),
        ("31", date(2026, 3, 31)),
        ("10/3", date(2027, 3, 10)),
        ("11/3", date(2026, 3, 11)),
        ("10 mar", date(2027, 3, 10)),
        ("march 12", date(2026, 3, 12)),
        ("29/2", date(2028, 2, 29)),
        ("10/3/2026", date(2026, 3, 10)),
        ("10 mar 2026", date(2026, 3, 10)),
        ("yesterday", date(2026, 3, 10)),
    ],
)
def test_a_field_that_looks_ahead_reads_a_day_without_a_year_as_the_next_one(text, expected):
    assert read_date(text, TODAY, looks_ahead=True) == expected


def test_the_next_such_day_may_be_in_a_later_month_or_not_exist():
    assert read_date("31", date(2026, 4, 2), looks_ahead=True) == date(2026, 5, 31)
    assert read_date("30", date(2026, 1, 31), looks_ahead=True) == date(2026, 3, 30)
    with pytest.raises(NotReadable, match="no day 31 in February"):
        read_date("31/2", TODAY, looks_ahead=True)


@given(st.dates(date(1990, 1, 1), date(2080, 1, 1)), st.integers(1, 31), st.integers(1, 12))
def test_what_looks_ahead_is_never_in_the_past(today, day, month):
    for text in (f"{day}/{month}", str(day)):
        read = read_or_refusal(lambda text: read_date(text, today, looks_ahead=True), text)
        assert isinstance(read, str) or read >= today


@pytest.mark.parametrize(
    ("typed", "order", "words"),
    [
        ("2026-13-01", DAY_FIRST, "There is no month 13 in “2026-13-01”: the month comes after"),
        ("1/13", DAY_FIRST, "There is no month 13 in “1/13”: the day comes first."),
        ("13/1", MONTH_FIRST, "There is no month 13 in “13/1”: the month comes first."),
    ],
)
def test_a_month_that_is_none_says_where_the_month_stands(typed, order, words):
    with pytest.raises(NotReadable, match=re.escape(words)):
        read_date(typed, date(2026, 11, 25), Style(order=order))


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (timedelta(seconds=1), "1 second"),
        (timedelta(seconds=40), "40 seconds"),
        (timedelta(seconds=70), "a minute"),
        (timedelta(minutes=4, seconds=5), "4 minutes"),
        (timedelta(hours=3), "3 hours"),
        (timedelta(days=2, hours=1), "2 days"),
    ],
)
def test_a_time_is_told_in_its_largest_unit(time, words):
    assert duration(time) == words
