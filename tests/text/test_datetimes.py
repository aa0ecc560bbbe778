"""Dates with a time are parsed and formatted."""

from contextlib import suppress
from datetime import date, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.text.dates import read_datetime, read_time, write_datetime
from dashboard.text.style import DAY_FIRST, MONTH_FIRST, NotReadable, Style

TODAY = date(2026, 3, 4)  # a Wednesday


@pytest.mark.parametrize(
    ("typed", "moment"),
    [
        ("tom 15:00", (2026, 3, 5, 15, 0)),
        ("15:00", (2026, 3, 4, 15, 0)),
        ("3pm", (2026, 3, 4, 15, 0)),
        ("fri 9:30", (2026, 3, 6, 9, 30)),
        ("fri at 3 pm", (2026, 3, 6, 15, 0)),
        ("15/3 8h15", (2026, 3, 15, 8, 15)),
        ("15.3. 12am", (2026, 3, 15, 0, 0)),
        ("+30", (2026, 4, 3, 9, 0)),
        ("2026-03-15T09:30:00", (2026, 3, 15, 9, 30)),
        ("14 Mar 2026, 15:00", (2026, 3, 14, 15, 0)),
    ],
)
def test_typed_dates_with_times_are_parsed(typed, moment):
    assert read_datetime(typed, TODAY) == datetime(*moment)


@pytest.mark.parametrize("typed", ["25:00", "fri 9:60", "13pm", "sometime", "30/2 10:00", ""])
def test_text_that_is_no_datetime_is_refused(typed):
    with pytest.raises(NotReadable):
        read_datetime(typed, TODAY)


def test_a_bare_number_is_no_time():
    assert read_time("15") is None
    assert read_time("0 am") is None


@given(
    st.datetimes(datetime(1000, 1, 1), datetime(9999, 12, 31)).map(
        lambda moment: moment.replace(microsecond=0)
    ),
    st.sampled_from([DAY_FIRST, MONTH_FIRST]),
)
def test_a_formatted_datetime_parses_to_the_same_datetime(moment, order):
    assert read_datetime(write_datetime(moment), TODAY, Style(order=order)) == moment


@given(st.text(max_size=40))
def test_any_text_is_parsed_or_refused(text):
    with suppress(NotReadable):
        read_datetime(text, TODAY)


@given(st.times().map(lambda value: value.replace(microsecond=0)))
def test_every_time_of_day_is_parsed(value):
    assert read_time(value.isoformat()) == value
    assert read_time(f"{value:%I:%M %p}") == time(value.hour, value.minute)
