"""iCalendar: any text comes back from the lines as it was, and no line is too long."""

import re
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from dashboard.text.icalendar import Event, calendar, escaped, folded

TEXTS = st.text(st.characters(codec="utf-8"), max_size=200)
MADE = datetime(2026, 3, 5, 12, tzinfo=UTC)
STARTS = datetime(2026, 3, 5, 15, tzinfo=timezone(timedelta(hours=2)))


def read_text(value: str) -> str:
    """What a reader makes of an escaped text."""
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] in "nN" else match[1], value)


def as_kept(text: str) -> str:
    """The text with one kind of line ends, and without what a calendar cannot have."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", "", text)


def properties(text: str) -> list[tuple[str, str]]:
    """Names with their parameters, and values, of the unfolded lines."""
    assert text.endswith("\r\n")
    lines = text.removesuffix("\r\n").replace("\r\n ", "").split("\r\n")
    return [(line.partition(":")[0], line.partition(":")[2]) for line in lines]


@given(TEXTS)
def test_a_text_comes_back_as_it_was(text):
    assert read_text(escaped(text)) == as_kept(text)


@given(TEXTS)
def test_a_text_cannot_end_its_line_or_its_value(text):
    value = escaped(text)
    assert not re.search(r"[\r\n]", value)
    assert not re.search(r"(?<!\\)(\\\\)*[;,]", value)


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=400))
def test_lines_are_folded_at_75_octets_between_characters(line):
    parts = folded(line).split("\r\n")
    assert all(len(part.encode()) <= 75 for part in parts)
    assert all(part.startswith(" ") for part in parts[1:])
    assert parts[0] + "".join(part[1:] for part in parts[1:]) == line
    whole = "".join(parts).encode()
    assert len(parts) <= 1 + len(whole) // 72  # as full as the next character allows


@given(st.lists(TEXTS, max_size=5))
def test_each_event_stands_once_whatever_its_title(titles):
    events = [Event(f"u{number}", title, STARTS) for number, title in enumerate(titles)]
    read = properties(calendar(events, name="Desk", made_at=MADE))
    assert [value for name, value in read if name == "BEGIN"] == [
        "VCALENDAR",
        *["VEVENT"] * len(titles),
    ]
    told = [read_text(value) for name, value in read if name == "SUMMARY"]
    assert told == [as_kept(title) for title in titles]


def test_times_are_in_utc_and_an_end_comes_after_the_beginning():
    def written(ends):
        event = Event("u", "Call", STARTS, ends, "https://desk.example/tasks/1/")
        return dict(properties(calendar([event], name="Desk", made_at=MADE)))

    read = written(STARTS + timedelta(minutes=30))
    assert (read["DTSTART"], read["DTEND"]) == ("20260305T130000Z", "20260305T133000Z")
    assert (read["DTSTAMP"], read["UID"]) == ("20260305T120000Z", "u")
    assert read["URL"] == "https://desk.example/tasks/1/"
    assert "DTEND" not in written(None) | written(STARTS) | written(STARTS - timedelta(1))


def test_a_year_has_four_digits():
    event = Event("u", "Call", datetime(33, 1, 2, 3, tzinfo=UTC))
    assert "DTSTART:00330102T030000Z" in calendar([event], name="Desk", made_at=MADE)
