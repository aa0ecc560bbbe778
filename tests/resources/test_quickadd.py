"""Parsing of a task typed in one line."""

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.resources.quickadd import read_line

NOW = datetime(2026, 3, 4, 10, 20)  # a Wednesday


def start_of(text):
    return read_line(text, NOW).start


@pytest.mark.parametrize(
    ("text", "title", "start", "priority", "whom"),
    [
        ("call Acme tomorrow 15:00 !high", "call Acme", (2026, 3, 5, 15), 3, ""),
        ("tomorrow at 3pm call Acme", "call Acme", (2026, 3, 5, 15), None, ""),
        ("send offer on friday !u @Acme", "send offer Acme", (2026, 3, 6, 9), 4, "Acme"),
        (
            'visit @"Baltic Sails" 15/3 9:30',
            "visit Baltic Sails",
            (2026, 3, 15, 9, 30),
            None,
            "Baltic Sails",
        ),
        ("pay 15 invoices 15 mar", "pay 15 invoices", (2026, 3, 15, 9), None, ""),
        ("call in 3 days", "call", (2026, 3, 7, 9), None, ""),
        ("may call at 8:00 today", "may call", (2026, 3, 4, 8), None, ""),
        ("order 2.5 tonnes +7", "order 2.5 tonnes", (2026, 3, 11, 9), None, ""),
        ("wow! nice !0", "wow! nice", (2026, 3, 4, 11), 0, ""),
        ("mail a@b.example", "mail a@b.example", (2026, 3, 4, 11), None, ""),
    ],
)
def test_days_times_priorities_and_contacts_are_parsed(text, title, start, priority, whom):
    read = read_line(text, NOW)
    assert (read.title, read.start) == (title, datetime(*start))
    assert (read.priority, read.with_whom) == (priority, whom)


def test_the_default_time_is_the_next_full_hour_today_and_nine_on_other_days():
    assert start_of("call") == start_of("call today") == datetime(2026, 3, 4, 11)
    assert start_of("call tomorrow") == datetime(2026, 3, 5, 9)
    late = read_line("call", datetime(2026, 3, 4, 23, 30))
    assert late.start == datetime(2026, 3, 5, 0)


def test_the_result_tells_whether_day_and_time_were_given():
    assert read_line("call tomorrow", NOW).given == {"day"}
    assert read_line("call 15:00", NOW).given == {"time"}
    assert read_line("call", NOW).given == frozenset()


@given(st.text(max_size=80))
def test_any_line_is_parsed_and_the_title_has_only_its_words(text):
    read = read_line(text, NOW)
    typed = text.replace("@", " ").replace('"', " ").split()
    left = read.title.replace("@", " ").replace('"', " ").split()
    rest = iter(typed)
    assert all(word in rest for word in left)  # the remaining words, in their order


PLAIN = st.lists(st.sampled_from(["call", "Acme", "about", "the", "offer"]), min_size=1)


@given(
    PLAIN.map(" ".join),
    st.dates(date(2026, 1, 1), date(2099, 12, 31)),
    st.times(),
    st.integers(0, 4),
)
def test_a_generated_line_is_parsed_exactly(title, day, moment, priority):
    read = read_line(f"{title} {day.isoformat()} {moment:%H:%M} !{priority}", NOW)
    assert read.title == title
    assert read.start == datetime(day.year, day.month, day.day, moment.hour, moment.minute)
    assert read.priority == priority
