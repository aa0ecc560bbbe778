"""Numbers and dates of a column are read as the column writes them, and the way is guessed."""

from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.tables.cells import Guess
from dashboard.tables.columns import (
    ORDERS,
    SERIAL,
    date_of,
    datetime_of,
    guess_mark,
    guess_order,
    number_of,
)
from dashboard.text.style import (
    COMMA,
    DAY_FIRST,
    MARKS,
    MONTH_FIRST,
    POINT,
    YEAR_FIRST,
    NotReadable,
)


@pytest.mark.parametrize(
    ("text", "mark", "number"),
    [
        ("1,234.56", POINT, "1234.56"),
        ("1.234,56", COMMA, "1234.56"),
        ("1.234", POINT, "1.234"),
        ("1.234", COMMA, "1234"),
        ("€ 12.50", POINT, "12.50"),
        ("-0,5", COMMA, "-0.5"),
        ("1 234 567,8", COMMA, "1234567.8"),
    ],
)
def test_a_number_is_read_with_the_mark_of_its_column(text, mark, number):
    assert number_of(text, mark) == Decimal(number)


@pytest.mark.parametrize("text", ["", "abc", "1.234.56", "12,34.5", "1e5", "NaN", "XYZ 5", "5 %"])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(NotReadable):
        number_of(text, POINT)


@pytest.mark.parametrize(
    ("cells", "guess"),
    [
        (["1.5", "2"], Guess(POINT)),
        (["1,5", "2"], Guess(COMMA)),
        (["1.234", "2,5"], Guess(COMMA)),
        (["1,234,567"], Guess(POINT)),
        (["1.234"], Guess("default", certain=False)),
        (["12", "13"], Guess("default")),
        (["EUR 1.234", "EUR 2,5"], Guess(COMMA)),
        (["Acme, Inc.", "see p. 3"], Guess("default")),
        (["1.5", "2.5", "3,5"], Guess(POINT, certain=False)),
        ([Decimal("1.5"), "2,5"], Guess(COMMA)),
    ],
)
def test_the_mark_is_guessed_from_the_numbers_that_allow_one_reading(cells, guess):
    assert guess_mark(cells, "default") == guess


@pytest.mark.parametrize(
    ("text", "order", "day"),
    [
        ("3/4/2026", DAY_FIRST, date(2026, 4, 3)),
        ("3/4/2026", MONTH_FIRST, date(2026, 3, 4)),
        ("03.04.26", DAY_FIRST, date(2026, 4, 3)),
        ("3-4-71", DAY_FIRST, date(1971, 4, 3)),
        ("2026-04-03", MONTH_FIRST, date(2026, 4, 3)),
        ("2026-04-03T10:30:00Z", YEAR_FIRST, date(2026, 4, 3)),
        ("3 Apr 2026", MONTH_FIRST, date(2026, 4, 3)),
        ("3-Apr-26", MONTH_FIRST, date(2026, 4, 3)),
        ("20260403", DAY_FIRST, date(2026, 4, 3)),
        (Decimal(20260403), DAY_FIRST, date(2026, 4, 3)),
        ("Friday, April 3, 2026", DAY_FIRST, date(2026, 4, 3)),
        ("Fr., 3.4.2026", DAY_FIRST, date(2026, 4, 3)),
        ("3. März 2027", DAY_FIRST, date(2027, 3, 3)),
        ("vendredi 1er août 2027", DAY_FIRST, date(2027, 8, 1)),
        ("3 juil. 27", DAY_FIRST, date(2027, 7, 3)),
        ("3 de setembro de 2027", DAY_FIRST, date(2027, 9, 3)),
        ("3° gennaio 2027", DAY_FIRST, date(2027, 1, 3)),
        ("3 mrt 2027", DAY_FIRST, date(2027, 3, 3)),
        ("środa, 6 października 2027 r.", DAY_FIRST, date(2027, 10, 6)),
        ("3 dic 2027", DAY_FIRST, date(2027, 12, 3)),
        ("April 3rd, 2026", DAY_FIRST, date(2026, 4, 3)),
        ("46115", SERIAL, date(2026, 4, 3)),
        (Decimal("46115.5"), SERIAL, date(2026, 4, 3)),
        (date(2026, 4, 3), MONTH_FIRST, date(2026, 4, 3)),
    ],
)
def test_a_date_is_read_in_the_order_of_its_column(text, order, day):
    assert date_of(text, order) == day


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("3/4/2026 15:30", datetime(2026, 4, 3, 15, 30)),
        ("3/4/2026, 3:30 pm", datetime(2026, 4, 3, 15, 30)),
        ("3.4.2026 15.30", datetime(2026, 4, 3, 15, 30)),
        ("Friday 3/4/2026 3:30 p.m.", datetime(2026, 4, 3, 15, 30)),
        ("2026-04-03 15:30:10", datetime(2026, 4, 3, 15, 30, 10)),
        ("2026-04-03T15:30:10.250Z", datetime(2026, 4, 3, 15, 30, 10)),
        ("2026-04-03 15:30:10 +0100", datetime(2026, 4, 3, 15, 30, 10)),
        ("2026-04-03 15:30:10 UTC", datetime(2026, 4, 3, 15, 30, 10)),
    ],
)
def test_a_time_beside_the_date_is_read(text, moment):
    assert datetime_of(text, DAY_FIRST) == moment


@pytest.mark.parametrize(
    ("cell", "order"),
    [
        ("31/4/2026", DAY_FIRST),
        ("13/1/2026", MONTH_FIRST),
        ("3/4/2026", YEAR_FIRST),
        ("46115", DAY_FIRST),
        (Decimal(46115), DAY_FIRST),
        (Decimal(60), SERIAL),
        (Decimal("1e30"), SERIAL),
        ("3 Foo 2026", DAY_FIRST),
        ("3 jui 2026", DAY_FIRST),
        ("Apr-26", DAY_FIRST),
        ("20261301", DAY_FIRST),
        ("monthly 3/4/2026", DAY_FIRST),
        ("3/4/2026 25:00", DAY_FIRST),
        ("", DAY_FIRST),
        (True, SERIAL),
    ],
)
def test_what_is_no_date_is_refused(cell, order):
    with pytest.raises(NotReadable):
        datetime_of(cell, order)


@pytest.mark.parametrize(
    ("cells", "guess"),
    [
        (["3/4/2026", "31/4/2026", "30/4/2026"], Guess(DAY_FIRST)),
        (["3/4/2026", "4/30/2026"], Guess(MONTH_FIRST)),
        (["30/4/2026", "4/30/2026"], Guess(DAY_FIRST, certain=False)),
        (["3/4/2026"], Guess("default", certain=False)),
        (["Mon 3/4/2026"], Guess("default", certain=False)),
        (["Mon 3/4/2026", "Thu 4/30/2026"], Guess(MONTH_FIRST)),
        (["4/4/2026"], Guess("default")),
        (["2026-04-03", ""], Guess(YEAR_FIRST)),
        (["46115", "46116"], Guess(SERIAL)),
        ([Decimal(46115), ""], Guess(SERIAL)),
        (["Acme", "12", "+49 30 12"], Guess("default")),
    ],
)
def test_the_order_is_guessed_from_the_dates_that_allow_one_reading(cells, guess):
    assert guess_order(cells, "default") == guess


@given(st.text(max_size=40), st.sampled_from(sorted(MARKS)), st.sampled_from(sorted(ORDERS)))
def test_any_text_is_a_value_or_refused(text, mark, order):
    with suppress(NotReadable):
        assert number_of(text, mark).is_finite()
    with suppress(NotReadable):
        assert datetime_of(text, order).tzinfo is None


@given(st.lists(st.dates(date(1970, 1, 1), date(2069, 12, 31)), min_size=1), st.booleans())
def test_a_certain_guess_reads_every_date_as_it_was_written(days, month_first):
    form = "%m/%d/%Y" if month_first else "%d/%m/%Y"
    cells = [day.strftime(form) for day in days]
    guess = guess_order(cells, DAY_FIRST)
    if guess.certain:
        assert [date_of(cell, guess.value) for cell in cells] == days
