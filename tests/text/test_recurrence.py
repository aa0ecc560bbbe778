"""The days on which something repeats: month ends, leap years, and nothing twice or left out."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.text.recurrence import (
    FREQUENCY_LABELS,
    MONTHLY,
    QUARTERLY,
    WEEKLY,
    YEARLY,
    falls_on,
    next_after,
    nth,
)

DAYS = st.dates(date(1900, 1, 1), date(2200, 12, 31))
FREQUENCIES = st.sampled_from(list(FREQUENCY_LABELS))
LONGEST = {WEEKLY: 7, MONTHLY: 31, QUARTERLY: 92, YEARLY: 366}
SHORTEST = {WEEKLY: 7, MONTHLY: 28, QUARTERLY: 89, YEARLY: 365}


@pytest.mark.parametrize(
    ("begins", "frequency", "days"),
    [
        (date(2026, 1, 31), MONTHLY, ["2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"]),
        (date(2028, 1, 30), MONTHLY, ["2028-02-29", "2028-03-30"]),
        (date(2025, 11, 30), QUARTERLY, ["2026-02-28", "2026-05-30"]),
        (date(2024, 2, 29), YEARLY, ["2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29"]),
        (date(2026, 12, 28), WEEKLY, ["2027-01-04", "2027-01-11"]),
    ],
)
def test_the_day_of_the_month_is_kept(begins, frequency, days):
    found, day = [], begins
    for _ in days:
        day = next_after(begins, frequency, day)
        found.append(day.isoformat())
    assert found == days


@given(DAYS, FREQUENCIES, st.integers(0, 500))
def test_days_come_in_order_and_as_far_apart_as_the_rhythm_says(begins, frequency, number):
    day, following = nth(begins, frequency, number), nth(begins, frequency, number + 1)
    assert SHORTEST[frequency] <= (following - day).days <= LONGEST[frequency]
    assert next_after(begins, frequency, day) == following


@given(DAYS, FREQUENCIES, DAYS)
def test_the_next_day_is_the_first_one_after_any_day(begins, frequency, day):
    found = next_after(begins, frequency, day)
    assert found > day
    assert falls_on(begins, frequency, found)
    between = (found - timedelta(each) for each in range(1, min((found - day).days, 40)))
    assert not any(falls_on(begins, frequency, each) for each in between)


@given(DAYS, FREQUENCIES, st.integers(0, 60))
def test_a_day_of_the_month_is_that_of_the_beginning_or_the_last_of_its_month(
    begins, frequency, number
):
    day = nth(begins, frequency, number)
    if frequency == WEEKLY:
        assert day.weekday() == begins.weekday()
    else:
        assert day.day == begins.day or ((day + timedelta(1)).day == 1 and day.day < begins.day)
