"""Date ranges are parsed and labelled."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.text import dates
from dashboard.text.dates import DateRange
from dashboard.text.style import Style

DAYS = st.dates(date(1, 4, 1), date(9998, 12, 31))


@pytest.mark.parametrize(
    ("word", "first", "last"),
    [
        ("today", (2026, 3, 4), (2026, 3, 4)),
        ("this-week", (2026, 3, 2), (2026, 3, 8)),
        ("this-month", (2026, 3, 1), (2026, 3, 31)),
        ("last-month", (2026, 2, 1), (2026, 2, 28)),
        ("this-quarter", (2026, 1, 1), (2026, 3, 31)),
    ],
)
def test_names_mean_calendar_ranges(word, first, last):
    assert dates.named_range(word, date(2026, 3, 4)) == DateRange(date(*first), date(*last))


@given(DAYS, st.sampled_from(["today", "this-week", "this-month", "this-quarter"]))
def test_today_is_within_every_range_named_this(today, word):
    span = dates.named_range(word, today)
    assert span.first <= today <= span.last


@given(DAYS)
def test_the_last_month_ends_the_day_before_this_one(today):
    last, this = dates.named_range("last-month", today), dates.month(today)
    assert last.last + timedelta(days=1) == this.first


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (DateRange(date(2026, 3, 1), date(2026, 3, 9)), "1 Mar 2026 to 9 Mar 2026"),
        (DateRange(date(2026, 3, 1), None), "from 1 Mar 2026"),
        (DateRange(None, date(2026, 3, 9)), "until 9 Mar 2026"),
    ],
)
def test_a_range_is_labelled(span, words):
    assert str(span) == words


@pytest.mark.parametrize(
    ("begins", "first", "last"),
    [(0, 2, 8), (6, 1, 7), (5, None, 6)],
)
def test_the_week_begins_on_the_persons_first_day(begins, first, last):
    span = dates.named_range("this-week", date(2026, 3, 4), Style(first_weekday=begins))
    start = date(2026, 3, first) if first else date(2026, 2, 28)
    assert span == DateRange(start, date(2026, 3, last))


@given(DAYS, st.integers(0, 6))
def test_today_is_within_the_week_wherever_it_begins(today, begins):
    span = dates.named_range("this-week", today, Style(first_weekday=begins))
    assert span.first <= today <= span.last
    assert span.first.weekday() == begins
