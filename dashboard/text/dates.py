"""Parses dates, as a person types them and as the column of a file writes them; formats dates and
times.
"""

import re
from datetime import date, datetime, timedelta

from .style import DAY_FIRST, MONTH_FIRST, PLAIN, YEAR_FIRST, NotReadable, Style

SHORT_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
WORDS = {"t": 0, "today": 0, "tod": 0, "tom": 1, "tomorrow": 1, "y": -1, "yesterday": -1}
ISO = re.compile(r"(?P<year>[0-9]{4})([-/.])(?P<month>[0-9]{1,2})\2(?P<day>[0-9]{1,2})")
_NAMED = re.compile(
    r"(?P<day>[0-9]{1,2})[. -]{1,2}(?P<month>[a-z]{3,9})\.?(?:[, -]{1,2}(?P<year>[0-9]{4}))?"
)
_NAMED_FIRST = re.compile(
    r"(?P<month>[a-z]{3,9})\.? (?P<day>[0-9]{1,2})(?:st|nd|rd|th)?(?:,? (?P<year>[0-9]{4}))?"
)
_NUMERIC = re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})(?:\2(?P<year>[0-9]{4}|[0-9]{2}))?\.?")
_LATER = re.compile(r"in ([0-9]{1,3}) (day|week)s?")


def read_date(text: str, today: date, style: Style = PLAIN) -> date:
    """The date typed: t, tom, +30, in 2 weeks, fri (the next one), 15, 15/3, 15 mar, 2026-03-15,
    ... Raises NotReadable, whose message says what to type instead.
    """
    typed = " ".join(text.lower().split())
    if typed in WORDS:
        return _add_days(today, WORDS[typed])
    if re.fullmatch(r"[+-][0-9]{1,5}", typed):
        return _add_days(today, int(typed))
    if found := _LATER.fullmatch(typed):
        return _add_days(today, int(found[1]) * (7 if found[2] == "week" else 1))
    if (weekday := _index(typed, DAYS)) is not None:
        return _add_days(today, (weekday - today.weekday() - 1) % 7 + 1)
    if re.fullmatch("[0-9]{1,2}", typed):
        parts: tuple[int, int, int] | None = (today.year, today.month, int(typed))
    else:
        parts = date_parts(typed, style.order, today.year)
    if parts is None:
        raise NotReadable(f"“{text.strip()}” is not a date. Write {_examples(style)}.")
    return _checked_date(*parts, text=text, style=style)


def date_parts(words: str, order: str, year: int | None = None) -> tuple[int, int, int] | None:
    """(year, month, day) of a date in lower case that is written out, None for other texts; the
    date may not exist.

    `order` is that of dates in figures; the year comes first in each. Of two digits it is 1970 to
    2069, without any `year`.
    """
    if found := ISO.fullmatch(words):
        return int(found["year"]), int(found["month"]), int(found["day"])
    if found := _NAMED.fullmatch(words) or _NAMED_FIRST.fullmatch(words):
        month, written = _index(found["month"], MONTHS), _year(found["year"], year)
        return None if month is None or not written else (written, month + 1, int(found["day"]))
    found = _NUMERIC.fullmatch(words)
    if not found or order not in (DAY_FIRST, MONTH_FIRST):
        return None
    first, second, written = int(found[1]), int(found[3]), _year(found["year"], year)
    if not written:
        return None
    return (written, first, second) if order == MONTH_FIRST else (written, second, first)


def iso_date(text: str) -> date | None:
    """The date of a text such as 2026-03-15; None for any other."""
    is_iso = re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text)
    try:
        return date.fromisoformat(text) if is_iso else None
    except ValueError:
        return None


def spoken_date(value: date) -> str:
    """The date with its weekday and the month as a word: Fri 14 Mar 2026."""
    return f"{DAYS[value.weekday()][:3].capitalize()} {format_date(value)}"


def format_date(value: date) -> str:
    """The date as 14 Mar 2026."""
    return f"{value.day} {SHORT_MONTHS[value.month - 1]} {value.year}"


def format_datetime(value: datetime) -> str:
    """14 Mar 2026, 15:00; an aware datetime is converted to the time zone of this process first,
    which Django sets to TIME_ZONE.
    """
    if value.tzinfo:
        value = value.astimezone()
    return f"{format_date(value)}, {value.hour:02}:{value.minute:02}"


def write_date(value: date, order: str) -> str:
    """The date in figures: 2026-03-14, 14/03/2026 or 03/14/2026."""
    year, month, day = f"{value.year:04}", f"{value.month:02}", f"{value.day:02}"
    if order == YEAR_FIRST:
        return f"{year}-{month}-{day}"
    return f"{month}/{day}/{year}" if order == MONTH_FIRST else f"{day}/{month}/{year}"


def _examples(style: Style) -> str:
    return f"a date such as {'3/15' if style.order == MONTH_FIRST else '15/3'}, fri, +30 or t"


def _index(word: str, names: tuple[str, ...]) -> int | None:
    """The index of the name that begins with `word`; None if `word` has fewer than 3 letters."""
    return next(
        (i for i, name in enumerate(names) if len(word) > 2 and name.startswith(word)), None
    )


def _year(written: str | None, default: int | None) -> int | None:
    if not written:
        return default
    century = 0 if len(written) == 4 else 2000 if int(written) < 70 else 1900
    return century + int(written)


def _add_days(today: date, days: int) -> date:
    try:
        return today + timedelta(days=days)
    except OverflowError:
        raise NotReadable("That is too far away.") from None


def _checked_date(year: int, month: int, day: int, *, text: str, style: Style) -> date:
    try:
        return date(year, month, day)
    except ValueError:
        pass
    if not 1 <= month <= 12:
        order = "month comes first" if style.order == MONTH_FIRST else "day comes first"
        raise NotReadable(f"There is no month {month} in “{text.strip()}”: the {order}.")
    raise NotReadable(f"There is no day {day} in {MONTHS[month - 1].capitalize()} {year}.")
